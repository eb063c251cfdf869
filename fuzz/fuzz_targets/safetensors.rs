//! Any bytes as a safetensors file, and as the header of one whose lengths are right.
#![no_main]

use hloom_io::format;
use libfuzzer_sys::fuzz_target;
use safetensors::SafeTensors;

/// Errors for files that the reference implementation accepts.
const STRICTER: [&str; 5] = [
    "duplicate name",
    "does not begin with",
    "unknown element type",
    "more than the 8",
    "the names of its axes",
];

fuzz_target!(|bytes: &[u8]| {
    check(bytes);
    // Most changes break the lengths; these files get past them.
    if let Some((data, header)) = bytes.split_first() {
        let mut file = (header.len() as u64).to_le_bytes().to_vec();
        file.extend(header);
        file.resize(file.len() + usize::from(*data), 0);
        check(&file);
    }
});

fn check(file: &[u8]) {
    let reference = SafeTensors::deserialize(file);
    match (format::parse(file), reference) {
        (Ok(header), Ok(reference)) => {
            assert_eq!(header.tensors.len(), reference.len());
            let mut bytes = 0;
            for (name, entry) in &header.tensors {
                let tensor = reference.tensor(name).expect("both read the same names");
                assert_eq!(entry.shape.sizes(), tensor.shape());
                assert_eq!(&file[entry.bytes.clone()], tensor.data());
                bytes += entry.bytes.len();
            }
            // Without overlaps and holes, the tensors end where the file does.
            let end = header.tensors.values().map(|entry| entry.bytes.end).max();
            assert!(end.is_none_or(|end| end == file.len() && bytes <= end));
        }
        (Ok(header), Err(error)) => panic!("read {header:?}, which the reference refuses: {error}"),
        (Err(error), Ok(_)) => {
            let error = error.to_string();
            // An empty tensor with a size beyond all memory is a tensor for the reference.
            let stricter = error.contains("more elements than memory can address");
            assert!(stricter || STRICTER.iter().any(|reason| error.contains(reason)), "{error}");
        }
        (Err(error), Err(_)) => assert!(!error.to_string().is_empty()),
    }
}
