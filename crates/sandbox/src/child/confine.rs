//! Giving up what the child does not need.

use super::filter::{self, Calls};
use rustix::process::{
    Resource, Rlimit, Signal, getppid, set_parent_process_death_signal, setrlimit,
};
use std::ffi::OsStr;

/// Ends this process when its parent ends; `false` if that has ended already.
pub fn end_with(parent: &OsStr) -> bool {
    let is_parent = || {
        let found = getppid().map(|parent| parent.as_raw_nonzero().to_string());
        found.is_some_and(|found| *found == *parent)
    };
    set_parent_process_death_signal(Some(Signal::KILL)).is_ok() && is_parent()
}

/// Limits of each process.
pub struct Resources {
    /// Bytes of private memory that can be written, and of a file.
    memory: u64,
    descriptors: u64,
    /// Seconds of the processor.
    seconds: Option<u64>,
}

impl Resources {
    /// No descriptor can be opened. The parent limits the time.
    pub fn of_computing(memory: u64) -> Self {
        // `poll` fails for more descriptors than this; none is below it that could be opened.
        Self { memory, descriptors: 1, seconds: None }
    }

    /// Files are read, and processes are started, which the parent's end does not end.
    pub fn of_compiling(memory: u64, seconds: u64) -> Self {
        Self { memory, descriptors: 256, seconds: Some(seconds) }
    }
}

/// Limits memory, descriptors and time, and writes no core.
///
/// # Errors
/// The limit that cannot be set.
pub fn limit_resources(resources: &Resources) -> Result<(), String> {
    let &Resources { memory, descriptors, seconds } = resources;
    let time = seconds.map(|seconds| (Resource::Cpu, "RLIMIT_CPU", seconds));
    let limits = [
        // Private memory that can be written: the filter of system calls allows no other.
        (Resource::Data, "RLIMIT_DATA", memory),
        (Resource::Core, "RLIMIT_CORE", 0),
        // The memory that the parent has too is a file, as large as this.
        (Resource::Fsize, "RLIMIT_FSIZE", memory),
        (Resource::Nofile, "RLIMIT_NOFILE", descriptors),
    ];
    for (resource, name, limit) in limits.into_iter().chain(time) {
        let limit = Rlimit { current: Some(limit), maximum: Some(limit) };
        setrlimit(resource, limit).map_err(|error| format!("{name}: {error}"))?;
    }
    Ok(())
}

/// Gives up all system calls that the filter does not allow, for all threads of this process.
///
/// # Errors
/// The reason why there is no filter.
pub fn filter_system_calls(allowed: Calls) -> Result<(), String> {
    // The second one allows no further filter.
    for filter in [filter::without_clone3(), filter::program(allowed)] {
        let filter = filter.map_err(|error| format!("seccomp: {error}"))?;
        seccompiler::apply_filter_all_threads(&filter)
            .map_err(|error| format!("seccomp: {error}"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::child::{
        files::{Files, limit_files},
        filter::{ALLOWED, ALLOWED_TO_COMPILE},
    };
    use hloom_test_support::Child;
    use rustix::process::{Pid, getrlimit, kill_process};
    use std::{io, net::TcpListener, process::Command, thread};

    /// The status of a child all of whose attempts failed.
    const FAILED: i32 = 42;

    /// The status of a child whose files the system cannot limit.
    const UNSUPPORTED: i32 = 43;

    const MEMORY: u64 = 256 << 20;

    /// Calls whose arguments decide.
    const CONDITIONAL: [libc::c_long; 7] = [
        libc::SYS_clone,
        libc::SYS_prctl,
        libc::SYS_mmap,
        libc::SYS_sendto,
        libc::SYS_recvfrom,
        libc::SYS_tgkill,
        libc::SYS_prlimit64,
    ];

    /// `uretprobe` and `uprobe`, which the kernel lets through each filter: they end a process that
    /// is not probed.
    #[cfg(target_arch = "x86_64")]
    const UNFILTERED: &[libc::c_long] = &[335, 336];
    #[cfg(not(target_arch = "x86_64"))]
    const UNFILTERED: &[libc::c_long] = &[];

    #[test]
    fn a_confined_process_can_only_compute() {
        let ended = Child::ignored("child::confine::tests::tries_what_is_forbidden").run();
        let code = ended.status.and_then(|status| status.code());
        assert_eq!(code, Some(FAILED), "attempt {code:?} succeeded: {}", ended.text());
    }

    #[test]
    #[ignore = "run by the test above"]
    fn tries_what_is_forbidden() {
        let parent = getppid().expect("a parent");
        let outcomes = attempt_all(parent);
        assert!(outcomes.iter().all(Result::is_ok), "unconfined: {outcomes:?}");
        limit_resources(&Resources::of_computing(MEMORY)).expect("the limits are set");
        filter_system_calls(Calls::Compute).expect("the filter is applied");
        let mut attempts = attempt_all(parent);
        attempts.push(std::fs::metadata("/").map(drop));
        exit_with_first_success(&attempts, &[ALLOWED, &CONDITIONAL, UNFILTERED]);
    }

    /// Nothing can be written: the status is the first attempt that succeeds.
    fn exit_with_first_success(attempts: &[io::Result<()>], allowed: &[&[libc::c_long]]) {
        let succeeded = attempts.iter().position(Result::is_ok);
        let succeeded = succeeded.map(|index| index as i32).or_else(|| {
            let is_allowed = |call: &libc::c_long| allowed.iter().any(|calls| calls.contains(call));
            let found = (0..500).find(|call| !is_allowed(call) && !is_refused(*call));
            found.map(|call| 1000 + call as i32)
        });
        std::process::exit(succeeded.unwrap_or(FAILED));
    }

    #[test]
    fn a_process_that_compiles_has_only_its_files() {
        let ended = Child::ignored("child::confine::tests::tries_files_of_others").run();
        let code = ended.status.and_then(|status| status.code());
        // Linux before 6.2 has no such limits: then there is no child.
        let expected = if has_limits_of_files() { FAILED } else { UNSUPPORTED };
        assert_eq!(code, Some(expected), "attempt {code:?} succeeded: {}", ended.text());
    }

    /// Whether the system's Landlock has its third version.
    #[expect(unsafe_code, reason = "asks the system")]
    fn has_limits_of_files() -> bool {
        const VERSION: libc::c_long = 1;
        let (attributes, size) = (std::ptr::null::<u8>(), 0usize);
        let call = libc::SYS_landlock_create_ruleset;
        // SAFETY: with this flag and no attributes the call returns the version.
        let found = unsafe { libc::syscall(call, attributes, size, VERSION) };
        found >= 3
    }

    #[test]
    #[ignore = "run by the test above"]
    fn tries_files_of_others() {
        let parent = getppid().expect("a parent");
        let [own, companion, scratch] = [(); 3].map(|()| tempfile::tempdir().expect("a folder"));
        let [plugin, tool] = [own.path().join("plugin.so"), companion.path().join("true")];
        std::fs::write(&plugin, "plugin").expect("it is written");
        std::fs::copy("/bin/true", &tool).expect("it is copied");
        let outcomes = attempt_all(parent);
        assert!(outcomes.iter().all(Result::is_ok), "unconfined: {outcomes:?}");
        let companions = [companion.path().to_owned()];
        let files = Files { plugin: &plugin, companions: &companions, scratch: scratch.path() };
        if let Err(error) = limit_files(&files) {
            assert!(error.contains("Landlock"), "{error}");
            std::process::exit(UNSUPPORTED);
        }
        limit_resources(&Resources::of_compiling(MEMORY, 60)).expect("the limits are set");
        filter_system_calls(Calls::Compile).expect("the filter is applied");
        let note = scratch.path().join("note");
        let allowed = [
            std::fs::read(&plugin).is_ok(),
            std::fs::write(&note, "a").is_ok() && std::fs::read(&note).is_ok(),
            Command::new(&tool).status().is_ok_and(|status| status.success()),
            std::fs::remove_file(&note).is_ok(),
        ];
        if let Some(index) = allowed.iter().position(|can| !can) {
            std::process::exit(100 + index as i32);
        }
        let mut attempts = attempt_all(parent);
        attempts.extend([
            std::fs::write(&plugin, "another"),
            std::fs::write(&tool, "another"),
            std::fs::hard_link(&plugin, &note),
            std::fs::copy(&tool, &note).and_then(|_| Command::new(&note).status()).map(drop),
            std::fs::read(format!("/proc/{}/environ", parent.as_raw_nonzero())).map(drop),
            std::fs::read_dir(std::env::temp_dir()).map(drop),
            rustix::process::setpgid(None, None).map_err(io::Error::from),
            rustix::process::setsid().map(drop).map_err(io::Error::from),
        ]);
        let allowed = [ALLOWED, ALLOWED_TO_COMPILE, &CONDITIONAL, UNFILTERED];
        exit_with_first_success(&attempts, &allowed);
    }

    fn attempt_all(parent: Pid) -> Vec<io::Result<()>> {
        let file = std::env::temp_dir().join(format!("hloom-sandbox-{}", std::process::id()));
        let reserve = || Vec::<u8>::new().try_reserve_exact(2 * MEMORY as usize);
        let more = Rlimit { current: Some(8 * MEMORY), maximum: Some(8 * MEMORY) };
        vec![
            std::fs::File::open("/etc/passwd").map(drop),
            std::fs::File::create(&file).map(drop),
            std::fs::remove_file(&file),
            TcpListener::bind(("127.0.0.1", 0)).map(drop),
            Command::new("/bin/true").status().map(drop),
            kill_process(parent, Signal::CONT).map_err(io::Error::from),
            reserve().map_err(io::Error::other),
            setrlimit(Resource::Data, more).map_err(io::Error::from),
            set_parent_process_death_signal(None).map_err(io::Error::from),
            std::env::set_current_dir("/"),
        ]
    }

    /// Whether a call fails with `EPERM`.
    #[expect(unsafe_code, reason = "tries each system call")]
    fn is_refused(call: libc::c_long) -> bool {
        // SAFETY: without a filter, pointers that are null are errors of the call, and numbers that
        // are 0 name this process or its standard input; with it, nothing happens.
        let outcome = unsafe { libc::syscall(call, 0, 0, 0, 0, 0, 0) };
        outcome == -1 && io::Error::last_os_error().raw_os_error() == Some(libc::EPERM)
    }

    #[test]
    fn arguments_decide_where_a_call_has_two_uses() {
        let ended = Child::ignored("child::confine::tests::tries_both_uses").run();
        assert_eq!(ended.status.and_then(|status| status.code()), Some(FAILED), "{}", ended.text());
    }

    #[test]
    #[ignore = "run by the test above"]
    fn tries_both_uses() {
        filter_system_calls(Calls::Compute).expect("the filter is applied");
        let refused = |call, arguments| outcome(call, arguments) == Some(libc::EPERM);
        let (size, anonymous) = (4096, i64::from(libc::MAP_ANONYMOUS));
        let map = |flags: i32| [0, size, 0, i64::from(flags) | anonymous, -1, 0];
        let own = i64::from(std::process::id());
        let thread_flags = libc::CLONE_VM | libc::CLONE_SIGHAND | libc::CLONE_THREAD;
        let in_namespace = i64::from(thread_flags | libc::CLONE_NEWUTS);
        let expected = [
            !refused(libc::SYS_mmap, map(libc::MAP_PRIVATE)),
            refused(libc::SYS_mmap, map(libc::MAP_SHARED)),
            refused(libc::SYS_mmap, map(libc::MAP_SHARED_VALIDATE)),
            !refused(libc::SYS_sendto, [-1, 0, 0, 0, 0, 0]),
            refused(libc::SYS_sendto, [-1, 0, 0, 0, 1, 0]),
            !refused(libc::SYS_tgkill, [own, own, 0, 0, 0, 0]),
            refused(libc::SYS_tgkill, [1, 1, 0, 0, 0, 0]),
            !refused(libc::SYS_prlimit64, [0, 0, 0, 0, 0, 0]),
            refused(libc::SYS_prlimit64, [0, 0, 1, 0, 0, 0]),
            refused(libc::SYS_prlimit64, [1, 0, 0, 0, 0, 0]),
            thread::Builder::new().spawn(|| {}).is_ok(),
            refused(libc::SYS_clone, [0, 0, 0, 0, 0, 0]),
            refused(libc::SYS_clone, [i64::from(libc::SIGCHLD), 0, 0, 0, 0, 0]),
            refused(libc::SYS_clone, [in_namespace, 0, 0, 0, 0, 0]),
            outcome(libc::SYS_clone3, [0; 6]) == Some(libc::ENOSYS),
            refused(libc::SYS_prctl, [i64::from(libc::PR_SET_PDEATHSIG), 0, 0, 0, 0, 0]),
            getrlimit(Resource::Data).current.is_none_or(|limit| limit > 0),
        ];
        let wrong = expected.iter().position(|as_expected| !as_expected);
        std::process::exit(wrong.map_or(FAILED, |index| index as i32));
    }

    /// The error of a call; `None` if it succeeds.
    #[expect(unsafe_code, reason = "tries system calls")]
    fn outcome(call: libc::c_long, arguments: [i64; 6]) -> Option<i32> {
        let [a, b, c, d, e, f] = arguments;
        // SAFETY: new memory that nobody uses, addresses that are not valid, or signal 0.
        let outcome = unsafe { libc::syscall(call, a, b, c, d, e, f) };
        if outcome == -1 { io::Error::last_os_error().raw_os_error() } else { None }
    }
}
