//! Any bytes as a GGUF file, whose header is read or refused, and whose tensors have values.
#![no_main]

use hloom_io::gguf::{dequantize, parse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    match parse(bytes) {
        Ok(header) => {
            let mut ranges = Vec::new();
            for tensor in header.tensors.values() {
                assert!(tensor.sizes.len() <= 4);
                assert!(
                    tensor.bytes.start.is_multiple_of(header.alignment) || tensor.bytes.is_empty()
                );
                let count: usize = tensor.sizes.iter().product();
                let values = dequantize(tensor.kind, &bytes[tensor.bytes.clone()]);
                assert_eq!(values.expect("tensors are whole blocks").len(), count);
                if !tensor.bytes.is_empty() {
                    ranges.push((tensor.bytes.start, tensor.bytes.end));
                }
            }
            ranges.sort_unstable();
            assert!(ranges.windows(2).all(|pair| pair[0].1 <= pair[1].0));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
