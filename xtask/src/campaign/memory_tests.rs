//! The tests of memory that a program shares with a plugin or with threads: callbacks, donation,
//! shared buffers, transfers, meshes, kernels.

use std::process::Command;

/// Tests of one test binary.
pub struct Suite {
    /// The package.
    pub package: &'static str,
    /// The test binary.
    pub binary: &'static str,
    /// Parts of the names of the tests to run; all of them without any.
    pub filters: &'static [&'static str],
    /// Parts of the names of tests among them that are left out.
    pub skipped: &'static [&'static str],
}

/// The tests that the memory checkers run. Left out are tests with tens of thousands of calls, of
/// hundreds of compilations or of much arithmetic, which take hours in a checker, those whose
/// dangerous part runs in a child process, which the checker does not follow, those that measure
/// time or the process's own memory, and one that loads a plugin written in Rust, which a sanitizer
/// would instrument too.
pub const SUITES: [Suite; 4] = [
    Suite {
        package: "hloom-pjrt",
        binary: "ffi",
        filters: &[],
        skipped: &["threads_call_one_executable", "while_other_threads_compile", "registration::"],
    },
    Suite {
        package: "hloom-pjrt",
        binary: "it",
        filters: &[
            "donation::",
            "shared::",
            "lifetime::",
            "host_buffer::",
            "execute::",
            "transfer::",
        ],
        skipped: &[],
    },
    Suite {
        package: "hloom-kernels",
        binary: "it",
        filters: &["linear::", "attend::", "pool::"],
        skipped: &["any_sizes", "sizes_of_every_kind", "sums_are_right_at_the_edges"],
    },
    Suite {
        package: "hloom-runtime",
        binary: "it",
        filters: &["callbacks::", "mesh::", "donat"],
        skipped: &[
            "eight_threads_share",
            "failures_at_random",
            "property::",
            "mesh::nested::",
            "nested_uses_end",
            "nested_calls_that_are_promised_work",
            "a_program_of_any_size",
            "ahead_of_time::",
            "a_donated_cache_is_updated_in_place",
            "effects_happen_in_the_order_of_the_function",
            "a_product_is_the_same_over_every_mesh",
            "elements_of_every_dtype_pass_between_the_parts",
            "programs_on_disjoint_devices_run_at_the_same_time",
            "logs::",
            "a_platform_that_runs_no_code_of_others",
        ],
    },
];

impl Suite {
    /// Adds the choice of this suite's tests to a `cargo test`, one at a time; `more` narrows it.
    pub fn choose(&self, command: &mut Command, more: &[String]) {
        command.args(["--package", self.package, "--test", self.binary, "--"]);
        match more {
            [] => command.args(self.filters),
            more => command.args(more),
        };
        for name in self.skipped {
            command.args(["--skip", name]);
        }
        command.arg("--test-threads=1");
    }
}
