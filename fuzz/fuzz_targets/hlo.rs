//! Any bytes as an optimized program: its kernels and its report are made, or it is refused.
#![no_main]

use hloom_pjrt::{CompiledKernels, hlo::Module};
use hloom_report::Report;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(module) = Module::read("hlo", bytes) else { return };
    let kernels = CompiledKernels::of(&module);
    assert!(kernels.to_string().ends_with(&format!("{} kernels", kernels.len())));
    match Report::of_module(module) {
        Ok(report) => assert!(report.html().starts_with("<!")),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
