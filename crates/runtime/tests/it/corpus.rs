//! The corpora of the fuzz targets of programs, and mutations of their files: each is read or
//! refused, soon.

use hloom_graph::{Spec, Tensor};
use hloom_runtime::{DotTable, SavedProgram, StableHlo};
use hloom_test_support::{CPU, mutations, run_corpus};
use sha2::{Digest, Sha256};

#[test]
fn the_corpus_of_strangers_programs_is_read_or_refused() {
    run_corpus("stablehlo", |bytes| match StableHlo::from_bytes(bytes) {
        Ok(program) => {
            assert!(program.device_count() > 0);
            assert!(bytes.windows(program.code().len()).any(|part| part == program.code()));
            true
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            false
        }
    });
}

/// Mutated headers and contents with the right hash, which whoever writes a file can give it.
#[test]
fn mutations_of_a_saved_program_are_read_or_refused() {
    // The mark, the format, the length of the header and a hash.
    const FIXED: usize = 48;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("double.hloom");
    CPU.compile(|x: Tensor| x + 1.0, (Spec::f32([2]),)).unwrap().save(&path).unwrap();
    let whole = std::fs::read(&path).unwrap();
    let length = whole.iter().rposition(|&byte| byte == b'}').unwrap().min(8 << 10);
    let (mut read, mut refused) = (0, 0);
    for seed in 0..4 {
        for head in mutations(&whole[8..length], seed) {
            let mut bytes = [&whole[..8], &head, &whole[length..]].concat();
            let sum = Sha256::digest(&bytes[FIXED..]);
            bytes[16..FIXED].copy_from_slice(&sum);
            match SavedProgram::from_bytes(&bytes) {
                Ok(program) => {
                    let _ = (program.signature(), program.name(), program.kernels());
                    read += 1;
                }
                Err(error) => {
                    assert!(!error.to_string().is_empty());
                    refused += 1;
                }
            }
        }
    }
    assert!(read > 0 && refused > 0, "{read} read, {refused} refused");
    eprintln!("saved programs: {read} read, {refused} refused");
}

#[test]
fn the_corpus_of_tables_of_dot_products_is_read_or_refused() {
    run_corpus("dot_table", |bytes| {
        let Ok(text) = std::str::from_utf8(bytes) else { return false };
        match text.parse::<DotTable>() {
            Ok(table) => table.to_string().parse() == Ok(table),
            Err(error) => {
                assert!(error.contains("is not a line of a table"), "{error}");
                false
            }
        }
    });
}
