//! The system calls of a child that has loaded the plugin.
//!
//! All that are not listed fail with `EPERM`. None of the list takes a path, a new socket or
//! another process, and none starts a process. Threads can be started: MLIR starts some for each
//! module in bytecode.
//!
//! A child that only compiles may also open files and start programs, which the
//! [limits of files](super::files) confine. It leaves neither its group of processes nor its
//! namespaces, and signals no other process.

use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition,
    SeccompFilter, SeccompRule,
};
use std::{collections::BTreeMap, env::consts::ARCH};

/// System calls with any arguments.
pub const ALLOWED: &[libc::c_long] = &[
    // Descriptors that are open: the socket, the shared memory, and those of the plugin.
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_pread64,
    libc::SYS_pwrite64,
    libc::SYS_write,
    libc::SYS_writev,
    libc::SYS_lseek,
    libc::SYS_fstat,
    libc::SYS_close,
    libc::SYS_ppoll,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_poll,
    // Memory.
    libc::SYS_brk,
    libc::SYS_munmap,
    libc::SYS_mprotect,
    libc::SYS_mremap,
    libc::SYS_madvise,
    // Threads. The filter below refuses `clone3`, whose flags no filter can read.
    libc::SYS_clone3,
    libc::SYS_futex,
    libc::SYS_gettid,
    libc::SYS_sched_yield,
    libc::SYS_sched_getaffinity,
    libc::SYS_getcpu,
    libc::SYS_set_robust_list,
    libc::SYS_rseq,
    libc::SYS_membarrier,
    libc::SYS_exit,
    libc::SYS_exit_group,
    // Signals of this process.
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    libc::SYS_restart_syscall,
    // Times, and facts of the machine and this process.
    libc::SYS_clock_gettime,
    libc::SYS_clock_getres,
    libc::SYS_clock_nanosleep,
    libc::SYS_nanosleep,
    libc::SYS_gettimeofday,
    libc::SYS_getrusage,
    libc::SYS_sysinfo,
    libc::SYS_uname,
    libc::SYS_getpid,
    libc::SYS_getrandom,
];

/// System calls of a child that only compiles, with any arguments: files, programs, and what the
/// dynamic loader of these calls.
pub const ALLOWED_TO_COMPILE: &[libc::c_long] = &[
    libc::SYS_openat,
    libc::SYS_newfstatat,
    libc::SYS_statx,
    libc::SYS_faccessat,
    libc::SYS_faccessat2,
    libc::SYS_readlinkat,
    libc::SYS_getcwd,
    libc::SYS_getdents64,
    libc::SYS_fstatfs,
    libc::SYS_statfs,
    libc::SYS_ftruncate,
    libc::SYS_fadvise64,
    libc::SYS_unlinkat,
    libc::SYS_mkdirat,
    libc::SYS_renameat2,
    libc::SYS_umask,
    libc::SYS_fcntl,
    libc::SYS_dup,
    libc::SYS_dup3,
    libc::SYS_pipe2,
    libc::SYS_execve,
    libc::SYS_wait4,
    libc::SYS_waitid,
    libc::SYS_set_tid_address,
    libc::SYS_getppid,
    libc::SYS_getuid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getegid,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_open,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_stat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lstat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_access,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_readlink,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_unlink,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_mkdir,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_rmdir,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_rename,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_dup2,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_pipe,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_vfork,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_arch_prctl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_getpgrp,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_time,
];

/// The purpose of a child, which decides about its system calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Calls {
    /// Compiling and running on the CPU.
    Compute,
    /// Compiling for devices that need not be here.
    Compile,
}

/// The flags of `clone` for new namespaces.
const NAMESPACES: libc::c_int = libc::CLONE_NEWNS
    | libc::CLONE_NEWCGROUP
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET;

/// Compiles the filter that makes the C library use `clone`, by the error of a kernel that lacks
/// `clone3`.
///
/// # Errors
/// The processor is not supported.
pub fn without_clone3() -> Result<BpfProgram, BackendError> {
    let rules = BTreeMap::from([(libc::SYS_clone3, Vec::new())]);
    let lacks = SeccompAction::Errno(libc::ENOSYS as u32);
    SeccompFilter::new(rules, SeccompAction::Allow, lacks, ARCH.try_into()?)?.try_into()
}

/// Compiles the filter.
///
/// # Errors
/// The processor is not supported.
pub fn program(allowed: Calls) -> Result<BpfProgram, BackendError> {
    use SeccompCmpArgLen::{Dword, Qword};
    use SeccompCmpOp::{Eq, MaskedEq};
    let is = |index, value: u64| SeccompCondition::new(index, Qword, Eq, value);
    let only = |conditions: Vec<SeccompCondition>| Ok(vec![SeccompRule::new(conditions)?]);
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
        ALLOWED.iter().map(|&call| (call, Vec::new())).collect();
    // Private memory: what is shared does not count as the memory of this process.
    let private =
        SeccompCondition::new(3, Dword, MaskedEq(libc::MAP_TYPE as u64), libc::MAP_PRIVATE as u64)?;
    rules.insert(libc::SYS_mmap, only(vec![private])?);
    // To and from the other end of the socket, not to or from an address.
    rules.insert(libc::SYS_sendto, only(vec![is(4, 0)?])?);
    rules.insert(libc::SYS_recvfrom, only(vec![is(4, 0)?])?);
    // `abort` signals its own thread.
    let own = u64::from(std::process::id());
    rules.insert(libc::SYS_tgkill, only(vec![SeccompCondition::new(0, Dword, Eq, own)?])?);
    // Threads of this process in its namespaces, which may have names.
    let thread = (libc::CLONE_VM | libc::CLONE_SIGHAND | libc::CLONE_THREAD) as u64;
    let other = (libc::CLONE_VFORK | libc::CLONE_PTRACE | NAMESPACES) as u64;
    let starts = match allowed {
        Calls::Compute => SeccompCondition::new(0, Qword, MaskedEq(thread | other), thread)?,
        Calls::Compile => {
            let outside = (libc::CLONE_PARENT | libc::CLONE_PTRACE | NAMESPACES) as u64;
            SeccompCondition::new(0, Qword, MaskedEq(outside), 0)?
        }
    };
    rules.insert(libc::SYS_clone, only(vec![starts])?);
    if allowed == Calls::Compile {
        rules.extend(ALLOWED_TO_COMPILE.iter().map(|&call| (call, Vec::new())));
    }
    rules.insert(libc::SYS_prctl, only(vec![is(0, libc::PR_SET_NAME as u64)?])?);
    // Reading limits, not setting them.
    rules.insert(libc::SYS_prlimit64, only(vec![is(0, 0)?, is(2, 0)?])?);
    let refused = SeccompAction::Errno(libc::EPERM as u32);
    SeccompFilter::new(rules, refused, SeccompAction::Allow, ARCH.try_into()?)?.try_into()
}
