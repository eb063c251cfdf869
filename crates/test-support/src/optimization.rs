//! Optimization of the programs of tests: compiling is most of the time of a test of many small
//! programs.

use crate::{CPU, CPUS, CompileOwn, plugin_path};
use hloom_pjrt::{CompileOptions, Program, XlaOption};
use hloom_runtime::{Compiler, Platform};
use std::{
    io::Write,
    ops::{Deref, Range},
    process::Command,
    sync::LazyLock,
    thread,
};

/// The variable that selects the third of the cases compiled as users compile: `0`, `1` or `2`; or
/// `all`, or `none`.
const VARIABLE: &str = "HLOOM_TEST_OPTIMIZED";

/// Options that disable the passes of LLVM and the fusion emitters, which run pipelines of MLIR
/// passes: together they take half to nine tenths of a compilation.
const REDUCED: [(&str, &str); 2] =
    [("xla_backend_optimization_level", "0"), ("xla_cpu_use_fusion_emitters", "False")];

/// The optimization of a case's program by XLA on the CPU.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Optimization {
    /// The optimization that users get.
    Full,
    /// Less optimization, in less time. It does not reveal defects of the optimizer.
    Reduced,
}

impl Optimization {
    /// The optimization of a case by its name: a third of the cases are fully optimized, another
    /// third after each commit. The environment variable `HLOOM_TEST_OPTIMIZED` names the third, or
    /// `all` or `none`.
    ///
    /// The first call prints the third to standard error.
    ///
    /// # Panics
    /// The variable has another value.
    pub fn of(case: &str) -> Optimization {
        if THIRDS.contains(&third_of(case)) { Optimization::Full } else { Optimization::Reduced }
    }

    /// The optimization of the test that runs on this thread, by its name, for tests of many
    /// programs.
    fn of_this_test() -> Optimization {
        Optimization::of(thread::current().name().unwrap_or_default())
    }

    /// Sets the options of a compiler for the CPU.
    pub fn set(self, compiler: Compiler<'_>) -> Compiler<'_> {
        self.options()
            .iter()
            .fold(compiler, |compiler, &(name, value)| compiler.xla_option(name, value))
    }

    /// The options of XLA, by name.
    pub fn options(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Optimization::Full => &[],
            Optimization::Reduced => &KNOWN,
        }
    }
}

/// The CPU as one device, on which the running test's programs are optimized as [`Optimization::of`]
/// decides by the test's name. A thread that a test starts has another name: pass it the platform.
pub static CPU_BY_TEST: CpuByTest = CpuByTest(());

/// See [`CPU_BY_TEST`].
pub struct CpuByTest(());

impl Deref for CpuByTest {
    type Target = Platform;

    fn deref(&self) -> &Platform {
        match Optimization::of_this_test() {
            Optimization::Full => &CPU,
            Optimization::Reduced => &REDUCED_CPU,
        }
    }
}

static REDUCED_CPU: LazyLock<Platform> = LazyLock::new(|| {
    let builder = Platform::builder().plugin(plugin_path());
    let builder =
        KNOWN.iter().fold(builder, |builder, &(name, value)| builder.xla_option(name, value));
    builder.build().expect("the CPU plugin creates a client")
});

/// The options of a reduced optimization that the plugin has: it refuses to compile with others.
static KNOWN: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    let code = "func.func public @main(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }";
    let is_known = |&(name, value): &(&str, &str)| {
        let mut options = CompileOptions::new();
        options.set_option(name, XlaOption::parse(value));
        CPUS.client().compile_own(&Program::mlir(code.as_bytes()), &options).is_ok()
    };
    REDUCED.into_iter().filter(is_known).collect()
});

/// The thirds that are fully optimized in this run.
static THIRDS: LazyLock<Range<u64>> = LazyLock::new(|| {
    let which = std::env::var(VARIABLE).unwrap_or_else(|_| (commit_number() % 3).to_string());
    let thirds = match (&*which, which.parse::<u64>()) {
        ("all", _) => 0..3,
        ("none", _) => 0..0,
        (_, Ok(third @ 0..=2)) => third..third + 1,
        _ => panic!("{VARIABLE} is `{which}`, expected `0`, `1`, `2`, `all` or `none`"),
    };
    // Written directly, since the test harness captures the output of macros.
    let _ = writeln!(
        std::io::stderr(),
        "third of the cases that is fully optimized: {which}; {VARIABLE}={which} repeats it"
    );
    thirds
});

/// The third of a case, the same in every run and by every version of Rust: from its FNV-1a hash.
fn third_of(case: &str) -> u64 {
    let hash = case.bytes().fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    // The upper bits depend on every byte.
    (hash >> 32) % 3
}

/// A number that grows by one with each commit. In a shallow clone, which does not have all
/// commits, a number from the hash of the last one; 0 without a repository.
fn commit_number() -> u64 {
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        git.arg("-C").arg(env!("CARGO_MANIFEST_DIR")).args(arguments);
        let output = git.output().ok().filter(|output| output.status.success())?;
        Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
    };
    let number = match git(&["rev-parse", "--is-shallow-repository"]).as_deref() {
        Some("false") => git(&["rev-list", "--count", "HEAD"]).and_then(|count| count.parse().ok()),
        _ => git(&["rev-parse", "HEAD"])
            .and_then(|hash| u64::from_str_radix(hash.get(..8)?, 16).ok()),
    };
    number.unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_thirds_are_about_as_large() {
        let mut counts = [0; 3];
        for case in 0..3000 {
            counts[third_of(&format!("binary/add/{case}")) as usize] += 1;
        }
        assert!(counts.iter().all(|&count| (900..1100).contains(&count)), "{counts:?}");
    }

    #[test]
    fn the_plugin_can_optimize_less() {
        assert!(KNOWN.contains(&REDUCED[0]), "{:?}", *KNOWN);
    }
}
