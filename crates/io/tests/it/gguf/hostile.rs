//! Invalid headers: each returns an error that names the rule it breaks, and the key or tensor.

use hloom_io::gguf::{GgufType, parse};
use proptest::prelude::*;

/// A header that is built byte by byte.
#[derive(Clone, Default)]
struct Bytes(Vec<u8>);

impl Bytes {
    /// The start of a file of version 3.
    fn file(tensors: u64, keys: u64) -> Bytes {
        Bytes(b"GGUF\x03\0\0\0".to_vec()).u64(tensors).u64(keys)
    }

    fn bytes(mut self, bytes: &[u8]) -> Bytes {
        self.0.extend(bytes);
        self
    }

    fn u32(self, value: u32) -> Bytes {
        self.bytes(&value.to_le_bytes())
    }

    fn u64(self, value: u64) -> Bytes {
        self.bytes(&value.to_le_bytes())
    }

    fn text(self, text: impl AsRef<[u8]>) -> Bytes {
        let text = text.as_ref();
        self.u64(text.len() as u64).bytes(text)
    }

    /// The description of a tensor; sizes are in the order of the file.
    fn tensor(self, name: &str, sizes: &[u64], id: u32, offset: u64) -> Bytes {
        let start = self.text(name).u32(sizes.len() as u32);
        sizes.iter().fold(start, |bytes, &size| bytes.u64(size)).u32(id).u64(offset)
    }

    /// Padding, and data of a length.
    fn data(mut self, length: usize) -> Bytes {
        self.0.resize(self.0.len().next_multiple_of(32) + length, 0);
        self
    }
}

fn refusal(bytes: Bytes) -> String {
    parse(&bytes.0).unwrap_err().to_string()
}

#[track_caller]
fn refused(bytes: Bytes, expected: &str) {
    assert_eq!(refusal(bytes), expected);
}

#[test]
fn other_files_and_versions_are_named() {
    let start = |bytes: &[u8]| Bytes::default().bytes(bytes);
    refused(start(b""), "not a GGUF file: it does not begin with `GGUF`");
    refused(start(b"GGU"), "not a GGUF file: it does not begin with `GGUF`");
    assert!(
        refusal(start(b"PK\x03\x04\0\0\0\0")).starts_with("not a GGUF file, but a zip archive")
    );
    refused(start(b"GGUF\x01\0\0\0"), "a GGUF file of version 1: expected version 2 or 3");
    refused(start(b"GGUF\0\0\0\0"), "a GGUF file of version 0: expected version 2 or 3");
    refused(start(b"GGUF\x04\0\0\0"), "a GGUF file of version 4: expected version 2 or 3");
    refused(
        start(b"GGUF\0\0\0\x03"),
        "a GGUF file of version 3 in big endian order: only little endian files are read",
    );
    refused(
        start(b"GGUF\x03\0\0\0\x01"),
        "the start: truncated: 8 bytes are needed, and 1 are left in the file",
    );
    let old = Bytes::default().bytes(b"GGUF\x02\0\0\0").u64(0).u64(0);
    assert_eq!(parse(&old.0).unwrap().version, 2);
}

#[test]
fn counts_beyond_the_file_are_refused_before_anything_is_allocated() {
    for count in [2, 1 << 40, u64::MAX] {
        refused(
            Bytes::file(0, count).bytes(&[0; 20]),
            &format!(
                "the metadata: truncated: {count} elements of at least 13 bytes do not fit in the \
                 20 bytes that are left in the file"
            ),
        );
        refused(
            Bytes::file(count, 0).bytes(&[0; 40]),
            &format!(
                "the tensors: truncated: {count} elements of at least 24 bytes do not fit in the \
                 40 bytes that are left in the file"
            ),
        );
    }
    for (id, size) in [(0, 1), (2, 2), (5, 4), (7, 1), (8, 8), (9, 12), (12, 8)] {
        let array = Bytes::file(0, 1).text("k").u32(9).u32(id).u64(1 << 61).bytes(&[0; 30]);
        refused(
            array,
            &format!(
                "metadata key `k`: truncated: {} elements of at least {size} bytes do not fit in \
                 the 30 bytes that are left in the file",
                1u64 << 61
            ),
        );
    }
    let text = Bytes::file(0, 1).text("k").u32(8).u64(u64::MAX).bytes(&[0; 9]);
    refused(
        text,
        "metadata key `k`: truncated: 18446744073709551615 bytes are needed, and 9 are left in the \
         file",
    );
}

#[test]
fn bad_metadata_is_refused_by_key() {
    let key = |key: &str| Bytes::file(0, 1).text(key);
    refused(
        key("a\nb").u32(13).bytes(&[0; 8]),
        "metadata key `a\\nb`: unknown type of values 13, expected 0 to 12",
    );
    refused(key("k").u32(7).bytes(&[2]), "metadata key `k`: a boolean is 2, expected 0 or 1");
    refused(key("k").u32(8).text(b"ab\xff"), "metadata key `k`: its text is not UTF-8 (byte 2)");
    refused(
        Bytes::file(0, 1).text(b"\xff\xff").u32(0).bytes(&[0; 3]),
        "metadata key 1 of 1: its text is not UTF-8 (byte 0)",
    );
    refused(
        Bytes::file(0, 1).text("k".repeat(65_536)).u32(0).bytes(&[0]),
        "metadata key 1 of 1: its text has 65536 bytes, expected at most 65535",
    );
    let longest = Bytes::file(0, 1).text("k".repeat(65_535)).u32(0).bytes(&[0]);
    assert_eq!(parse(&longest.0).unwrap().metadata.len(), 1);
    let one = |bytes: Bytes| bytes.text("k").u32(0).bytes(&[1]);
    refused(one(one(Bytes::file(0, 2))), "duplicate metadata key `k`");
    let nested = |depth| {
        let start = key("k").u32(9);
        (1..depth).fold(start, |bytes, _| bytes.u32(9).u64(1)).u32(0).u64(0)
    };
    assert!(parse(&nested(4).0).is_ok());
    refused(nested(5), "metadata key `k`: arrays are nested deeper than 4");
    refused(nested(100_000), "metadata key `k`: arrays are nested deeper than 4");
}

#[test]
fn only_powers_of_two_from_8_on_are_alignments() {
    let with = |value: u32| Bytes::file(0, 1).text("general.alignment").u32(4).u32(value);
    for alignment in [8, 16, 1 << 31] {
        assert_eq!(parse(&with(alignment).0).unwrap().alignment, alignment as usize);
    }
    let expected = "metadata key `general.alignment`: expected a u32 that is a power of two and a \
                    multiple of 8, found ";
    for alignment in [0, 1, 4, 24, u32::MAX] {
        refused(with(alignment), &format!("{expected}{alignment}"));
    }
    let wide = Bytes::file(0, 1).text("general.alignment").u32(10).u64(32);
    refused(wide, &format!("{expected}u64"));
}

#[test]
fn bad_tensors_are_refused_by_name() {
    let one = |sizes: &[u64], id, offset| Bytes::file(1, 0).tensor("w", sizes, id, offset);
    for (id, name) in [
        (4, "Q4_2"),
        (5, "Q4_3"),
        (31, "Q4_0_4_4"),
        (32, "Q4_0_4_8"),
        (33, "Q4_0_8_8"),
        (36, "IQ4_NL_4_4"),
        (37, "IQ4_NL_4_8"),
        (38, "IQ4_NL_8_8"),
    ] {
        let expected =
            format!("tensor `w`: element type {id} ({name}) was removed from the format");
        refused(one(&[32], id, 0).data(64), &expected);
    }
    for id in [43, 1000, u32::MAX] {
        refused(one(&[32], id, 0).data(64), &format!("tensor `w`: unknown element type {id}"));
    }
    let five = "tensor `w`: it has 5 dimensions, expected at most 4";
    refused(one(&[1; 5], 0, 0).data(64), five);
    let many = Bytes::file(1, 0).text("w").u32(u32::MAX).data(64);
    refused(many, "tensor `w`: it has 4294967295 dimensions, expected at most 4");
    refused(
        one(&[48, 2], 8, 0).data(640),
        "tensor `w`: its rows of 48 elements do not consist of whole blocks: a block of Q8_0 has 32 \
         elements",
    );
    // Without an axis, the row is one element.
    assert!(refusal(one(&[], 8, 0).data(64)).contains("rows of 1 elements"));
    for sizes in [
        &[u64::MAX][..],
        &[1 << 62],
        &[1 << 32, 1 << 32],
        &[0, 1 << 40, 1 << 40],
        &[1 << 16, 1 << 16, 1 << 16, 1 << 16],
    ] {
        let message = refusal(one(sizes, 0, 0).data(64));
        assert!(message.ends_with("are more elements than memory can address"), "{message}");
    }
    refused(
        one(&[8], 0, 16).data(64),
        "tensor `w`: its offset 16 is not a multiple of the alignment 32",
    );
    for (offset, data) in [(0, 31), (32, 63), (1 << 63, 64)] {
        let message = refusal(one(&[8], 0, offset).data(data));
        let expected = format!(
            "tensor `w`: truncated: its 32 bytes at offset {offset} do not fit in the {data} bytes \
             of all tensors"
        );
        assert_eq!(message, expected);
    }
    let two = |name, offset| {
        Bytes::file(2, 0).tensor("w", &[16], 0, 0).tensor(name, &[8], 0, offset).data(96)
    };
    refused(two("w", 64), "tensor `w`: duplicate name");
    refused(two("v", 32), "tensor `v`: its bytes overlap those of `w`");
    let header = parse(&two("v", 64).0).unwrap();
    assert_eq!(header.tensors["v"].bytes.len(), 32);
    assert_eq!(header.tensors["v"].bytes.start, header.tensors["w"].bytes.start + 64);
}

#[test]
fn sizes_of_zero_and_scalars_are_read() {
    let bytes = Bytes::file(2, 0).tensor("a", &[0, 3], 8, 0).tensor("b", &[], 0, 0).data(4);
    let header = parse(&bytes.0).unwrap();
    assert_eq!((&header.tensors["a"].sizes[..], header.tensors["a"].bytes.len()), (&[3, 0][..], 0));
    assert_eq!((&header.tensors["b"].sizes[..], header.tensors["b"].bytes.len()), (&[][..], 4));
    // Nothing follows the header: the padding may be missing.
    let header = parse(&Bytes::file(1, 0).tensor("a", &[0], 0, 0).0).unwrap();
    assert_eq!(header.tensors["a"].kind, GgufType::F32);
}

/// A valid file with a key and two tensors.
fn sound() -> Vec<u8> {
    let start = Bytes::file(2, 2).text("a").u32(8).text("text").text("b").u32(9).u32(5).u64(2);
    let start = start.u32(1).u32(2);
    start.tensor("v", &[32, 2], 8, 0).tensor("w", &[3], 0, 96).data(108).0
}

#[test]
fn every_prefix_of_a_file_is_refused() {
    let sound = sound();
    assert_eq!(parse(&sound).unwrap().tensors.len(), 2);
    for length in 0..sound.len() {
        assert!(parse(&sound[..length]).is_err(), "{length}");
    }
}

proptest! {
    #[test]
    fn changed_files_are_read_or_refused(at in 0usize..300, value: u8, second in 0usize..300) {
        let mut bytes = sound();
        let length = bytes.len();
        bytes[at % length] = value;
        bytes[second % length] ^= value;
        if let Ok(header) = parse(&bytes) {
            for tensor in header.tensors.values() {
                prop_assert!(tensor.bytes.end <= bytes.len());
            }
        }
    }
}
