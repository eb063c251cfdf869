//! The corpora of the fuzz targets for this crate's public readers.

use hloom_pjrt::{CompileOptions, CompiledKernels, hlo::Module};

/// That of `hlo_options`.
#[test]
fn the_fuzzing_corpus_of_compile_options_is_read_or_refused() {
    let corpus =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/hlo_options");
    let (mut encoded, mut refused) = (0, 0);
    for file in std::fs::read_dir(corpus).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        match CompileOptions::decode(&bytes).and_then(|options| options.encode()) {
            Ok(bytes) => {
                assert_eq!(CompileOptions::decode(&bytes).unwrap().encode().unwrap(), bytes);
                encoded += 1;
            }
            Err(error) => {
                assert!(!error.to_string().is_empty());
                refused += 1;
            }
        }
    }
    assert!(encoded >= 4 && refused >= 3, "{encoded} encoded, {refused} refused");
}

/// That of `hlo`, and mutations of its files: each is read, and its kernels are listed, or refused.
#[test]
fn the_fuzzing_corpus_of_optimized_programs_is_read_or_refused() {
    hloom_test_support::run_corpus("hlo", |bytes| {
        let Ok(module) = Module::read("hlo", bytes) else { return false };
        let kernels = CompiledKernels::of(&module);
        assert!(kernels.to_string().ends_with(&format!("{} kernels", kernels.len())));
        true
    });
}
