//! The corpus of the fuzz target of GGUF files, and mutations of its files: each is read or
//! refused, soon.

use hloom_io::gguf::{dequantize, parse};
use hloom_test_support::run_corpus;

#[test]
fn the_corpus_of_gguf_files_is_read_or_refused() {
    run_corpus("gguf", |bytes| match parse(bytes) {
        Ok(header) => {
            for (name, tensor) in &header.tensors {
                let block = tensor.sizes.iter().product::<usize>() / tensor.kind.block_len();
                assert_eq!(tensor.bytes.len(), block * tensor.kind.block_bytes(), "{name}");
                let stored = &bytes[tensor.bytes.clone()];
                if let Ok(values) = dequantize(tensor.kind, stored) {
                    assert_eq!(values.len(), tensor.sizes.iter().product::<usize>(), "{name}");
                }
            }
            true
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            false
        }
    });
}
