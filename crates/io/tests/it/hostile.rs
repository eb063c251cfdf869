//! Invalid files: each returns an error that names the rule it breaks.

use hloom_io::{Checkpoint, format, index};
use proptest::prelude::*;

fn file(header: impl AsRef<[u8]>, data: usize) -> Vec<u8> {
    let header = header.as_ref();
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend(header);
    file.extend(std::iter::repeat_n(0, data));
    file
}

fn refusal(file: &[u8]) -> String {
    format::parse(file).unwrap_err().to_string()
}

#[test]
fn lengths_that_do_not_fit_are_refused() {
    let few = "not a safetensors file: 3 bytes are too few for the header's length";
    assert_eq!(refusal(&[1, 2, 3]), few);
    assert!(refusal(&[]).contains("0 bytes are too few"));
    let mut long = file("{}", 0);
    long[0] = 3;
    let message =
        "not a safetensors file, or truncated: a header of 3 bytes does not fit the 2 that follow";
    assert_eq!(refusal(&long), message);
    for declared in [u64::MAX, 1 << 63, 100_000_001] {
        let message = refusal(&declared.to_le_bytes());
        assert!(message.contains("longer than the 100000000 that the format allows"), "{message}");
    }
    assert!(refusal(&100_000_000u64.to_le_bytes()).contains("does not fit the 0 that follow"));
}

#[test]
fn files_of_other_kinds_are_named() {
    for (start, kind) in [
        (&b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\n"[..], "Git LFS"),
        (b"<!DOCTYPE html><html><body>Not found</body></html>", "an HTML page"),
        (b"GGUF\x03\0\0\0\x01\0\0\0", "a GGUF file"),
        (b"PK\x03\x04\x14\0\0\0\0\0", "a zip archive"),
        (b"\x80\x02}q\0X\x01\0\0\0w", "a Python pickle"),
        (b"\x93NUMPY\x01\0v\0", "a `.npy` file"),
    ] {
        let message = refusal(start);
        assert!(message.starts_with("not a safetensors file, but ") && message.contains(kind));
        let message = index::parse(start).unwrap_err();
        assert!(message.contains("sharded checkpoint, but ") && message.contains(kind));
    }
    let message = index::parse(br#"[{"w": "model.safetensors"}]"#).unwrap_err();
    assert!(message.contains("expected a JSON object with a `weight_map`"), "{message}");
    assert!(format::parse(&file(r#"{"__metadata__":null}"#, 0)).unwrap().tensors.is_empty());
}

#[test]
fn headers_that_are_no_json_of_the_format_are_refused() {
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    for (header, expected) in [
        (&b"{\"\xff\":1}"[..], "the header is not UTF-8 (byte 2)"),
        (b"", "does not begin with `{`"),
        (b" {}", "does not begin with `{`"),
        (b"[]", "does not begin with `{`"),
        (b"{", "EOF"),
        (b"{}}", "trailing characters"),
        (b"{\"a\":1}", "invalid type: integer `1`"),
        (b"{\"a\":null}", "invalid type: null"),
        (b"{\"a\":{}}", "missing field `dtype`"),
        (br#"{"a":{"dtype":"F32","shape":[1]}}"#, "missing field `data_offsets`"),
        (
            br#"{"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}}"#,
            "invalid value: integer `-1`",
        ),
        (
            br#"{"a":{"dtype":"F32","shape":[1.5],"data_offsets":[0,4]}}"#,
            "invalid type: floating point",
        ),
        (
            br#"{"a":{"dtype":"F32","shape":[1e2],"data_offsets":[0,4]}}"#,
            "invalid type: floating point",
        ),
        (
            br#"{"a":{"dtype":"F32","shape":[99999999999999999999],"data_offsets":[0,4]}}"#,
            "invalid type: floating point",
        ),
        (br#"{"a":{"dtype":"F32","shape":[],"data_offsets":[0]}}"#, "invalid length 1"),
        (br#"{"a":{"dtype":"F32","shape":[],"data_offsets":[0,4,8]}}"#, "trailing characters"),
        (
            br#"{"a":{"dtype":"F32","dtype":"F32","shape":[],"data_offsets":[0,4]}}"#,
            "duplicate field `dtype`",
        ),
        (br#"{"__metadata__":{"a":1}}"#, "invalid type: integer `1`"),
        (br#"{"__metadata__":{"a":"1","a":"2"}}"#, "duplicate name `a`"),
        (br#"{"__metadata__":{},"__metadata__":{}}"#, "duplicate name `__metadata__`"),
        (
            br#"{"w":{"dtype":"U8","shape":[],"data_offsets":[0,1]},"w":{"dtype":"U8","shape":[],"data_offsets":[0,1]}}"#,
            "duplicate name `w`",
        ),
        (
            br#"{"w":{"dtype":"U8","shape":[],"data_offsets":[0,1]},"\u0077":{"dtype":"U8","shape":[],"data_offsets":[0,1]}}"#,
            "duplicate name `w`",
        ),
        (
            br#"{"\ud800":{"dtype":"U8","shape":[],"data_offsets":[0,1]}}"#,
            "unexpected end of hex escape",
        ),
        (deep.as_bytes(), "the header is not the JSON of the format"),
    ] {
        let message = refusal(&file(header, 1));
        let start = String::from_utf8_lossy(&header[..header.len().min(80)]);
        assert!(message.contains(expected), "{start}: {message}");
    }
}

fn entry(dtype: &str, shape: &str, offsets: &str) -> String {
    format!(r#"{{"dtype":"{dtype}","shape":{shape},"data_offsets":{offsets}}}"#)
}

#[test]
fn tensors_that_lie_are_refused_by_name() {
    let size = 1u64 << 63;
    for (dtype, shape, offsets, expected) in [
        ("F128", "[1]", "[0,8]".to_owned(), "unknown element type `F128`"),
        ("f32", "[2]", "[0,8]".to_owned(), "unknown element type `f32`"),
        ("F6_E2M3", "[4]", "[0,3]".to_owned(), "unknown element type `F6_E2M3`"),
        ("F32\\u001b", "[4]", "[0,3]".to_owned(), "unknown element type `F32\\u{1b}`"),
        ("F32", "[2]", "[8,0]".to_owned(), "end offset 0 < start offset 8"),
        ("F32", "[3]", "[0,8]".to_owned(), "its shape f32[3] takes 12 bytes, and 8 are given"),
        ("F32", "[2]", "[4,12]".to_owned(), "gap of 4 bytes before it"),
        ("F4", "[3]", "[0,2]".to_owned(), "its 3 elements of 4 bits do not fill whole bytes"),
        ("U8", "[1,1,1,1,1,1,1,1,1]", "[0,1]".to_owned(), "9 axes are more than the 8"),
        (
            "U8",
            &format!("[{size}]"),
            format!("[0,{size}]"),
            "more elements than memory can address",
        ),
        (
            "U8",
            &format!("[{}]", u64::MAX),
            "[0,8]".to_owned(),
            "more elements than memory can address",
        ),
        (
            "F64",
            "[4294967296,4294967296]",
            "[0,0]".to_owned(),
            "more elements than memory can address",
        ),
        (
            "F64",
            &format!("[0,{size}]"),
            "[0,0]".to_owned(),
            "more elements than memory can address",
        ),
    ] {
        let header = format!(r#"{{"model.w":{}}}"#, entry(dtype, shape, &offsets));
        let message = refusal(&file(header, 8));
        assert!(message.starts_with("tensor `model.w`: "), "{message}");
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn tensors_that_do_not_share_the_bytes_properly_are_refused() {
    let two = |a: &str, b: &str| {
        format!(r#"{{"a":{},"b":{}}}"#, entry("U8", "[4]", a), entry("U8", "[4]", b))
    };
    for (header, data, expected) in [
        (two("[0,4]", "[2,6]"), 6, "tensor `b`: its bytes overlap those of `a`"),
        (two("[0,4]", "[0,4]"), 4, "tensor `b`: its bytes overlap those of `a`"),
        (two("[4,8]", "[4,8]"), 8, "tensor `a`: gap of 4 bytes before it"),
        (two("[0,4]", "[5,9]"), 9, "tensor `b`: gap of 1 bytes before it"),
        (two("[0,4]", "[4,8]"), 7, "1 bytes of the tensors are missing: the file is truncated"),
        (two("[0,4]", "[4,8]"), 0, "4 bytes of the tensors are missing: the file is truncated"),
        (two("[0,4]", "[4,8]"), 9, "1 trailing bytes after the last tensor"),
        ("{}".to_owned(), 1, "1 trailing bytes after the last tensor"),
    ] {
        assert_eq!(refusal(&file(header, data)), expected);
    }
    let last = u64::MAX;
    let header = format!(r#"{{"a":{}}}"#, entry("U8", "[1]", &format!("[{},{last}]", last - 1)));
    assert!(refusal(&file(header, 1)).contains("bytes before it"));
}

#[test]
fn axis_names_that_do_not_fit_are_refused() {
    for names in ["x", "[]", r#"[\"in\"]"#, r#"[\"in\",\"in\"]"#, r#"[1,2]"#, r#"[null,null,null]"#]
    {
        let header = format!(
            r#"{{"__metadata__":{{"hloom.axes.w":"{names}"}},"w":{}}}"#,
            entry("U8", "[1,1]", "[0,1]")
        );
        let message = refusal(&file(header, 1));
        assert!(message.contains("the names of its axes in the metadata, "), "{message}");
    }
}

#[test]
fn empty_tensors_share_an_offset() {
    let header = format!(
        r#"{{"z":{},"a":{},"b":{}}}"#,
        entry("F32", "[0]", "[0,0]"),
        entry("F32", "[3,0]", "[4,4]"),
        entry("U8", "[4]", "[0,4]")
    );
    let header = format::parse(&file(header, 4)).unwrap();
    assert_eq!(header.tensors["a"].bytes.len(), 0);
    assert_eq!(header.tensors["b"].bytes.len(), 4);
    assert!(format::parse(&file("{}   ", 0)).unwrap().tensors.is_empty());
}

#[test]
fn paths_that_are_no_checkpoint_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let refusal = |path: &std::path::Path| Checkpoint::open(path).unwrap_err().to_string();
    assert!(refusal(&path.join("none.safetensors")).contains("none.safetensors: No such file"));
    assert!(refusal(path).contains("no checkpoint here: neither `model.safetensors` nor"));
    std::fs::write(path.join("empty.safetensors"), b"").unwrap();
    assert!(
        refusal(path).contains("empty.safetensors: not a safetensors file: 0 bytes are too few")
    );
    std::fs::write(path.join("other.safetensors"), file("{}", 0)).unwrap();
    assert!(refusal(path).ends_with(
        "several checkpoints here, name one of them: `empty.safetensors`, `other.safetensors`"
    ));
    let index = path.join("a.safetensors.index.json");
    std::fs::write(&index, r#"{"weight_map":{"w":"other.safetensors"}}"#).unwrap();
    assert!(
        refusal(path).ends_with(
            "`other.safetensors` does not hold the tensor `w` that the index places there"
        )
    );
    std::fs::write(&index, r#"{"weight_map":{"w":"gone.safetensors"}}"#).unwrap();
    assert!(refusal(path).contains("gone.safetensors: No such file"));
    std::fs::write(&index, "{").unwrap();
    assert!(refusal(&index).contains("not the index of a sharded checkpoint"));
    std::fs::remove_file(&index).unwrap();
    std::fs::remove_file(path.join("empty.safetensors")).unwrap();
    assert!(Checkpoint::open(path).unwrap().is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 8 } else { 4000 }))]

    /// The reference implementation reads the same contents from every file that this crate reads;
    /// and vice versa, except for what the format forbids or this crate does not have.
    #[test]
    fn damaged_files_are_read_as_the_reference_reads_them(
        damage in proptest::collection::vec(
            (any::<prop::sample::Index>(), any::<u8>(), 0u8..4),
            0..4,
        )
    ) {
        let header = format!(
            r#"{{"__metadata__":{{"k":"v"}},"a":{},"b.c":{},"d":{}}}  "#,
            entry("F32", "[2,3]", "[0,24]"),
            entry("BF16", "[0,3]", "[24,24]"),
            entry("U8", "[9]", "[24,33]")
        );
        let mut bytes = file(header, 33);
        for (at, byte, kind) in damage {
            let at = at.index(bytes.len());
            match kind {
                0 => bytes[at] = byte,
                1 => bytes[at] = b"0123456789[]{}\",:-"[usize::from(byte) % 18],
                2 => {
                    bytes.remove(at);
                }
                _ => bytes.insert(at, byte),
            }
        }
        let ours = format::parse(&bytes);
        let reference = safetensors::SafeTensors::deserialize(&bytes);
        match (ours, reference) {
            (Ok(ours), Ok(reference)) => {
                prop_assert_eq!(ours.tensors.len(), reference.len());
                for (name, entry) in ours.tensors {
                    let tensor = reference.tensor(&name).unwrap();
                    prop_assert_eq!(entry.shape.sizes(), tensor.shape());
                    prop_assert_eq!(&bytes[entry.bytes], tensor.data());
                }
            }
            (Ok(ours), Err(error)) => {
                prop_assert!(false, "read {ours:?}, which the reference refuses: {error}");
            }
            (Err(error), Ok(_)) => {
                let error = error.to_string();
                let stricter = [
                    "duplicate name",
                    "does not begin with",
                    "unknown element type",
                    "more than the 8",
                ];
                prop_assert!(stricter.iter().any(|reason| error.contains(reason)), "{error}");
            }
            (Err(_), Err(_)) => {}
        }
    }
}

/// The corpus that fuzzing collected (`fuzz/`).
#[test]
fn the_fuzzing_corpus_is_read_or_refused() {
    let corpus = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    let files = |target: &str| {
        let files = std::fs::read_dir(corpus.join(target)).unwrap();
        files.map(|file| std::fs::read(file.unwrap().path()).unwrap()).collect::<Vec<_>>()
    };
    let (mut read, mut refused) = (0, 0);
    for file in files("safetensors") {
        match format::parse(&file) {
            Ok(header) => {
                let reference = safetensors::SafeTensors::deserialize(&file).unwrap();
                assert_eq!(header.tensors.len(), reference.len());
                read += 1;
            }
            Err(_) => refused += 1,
        }
    }
    assert!(read >= 3 && refused > 100, "{read} read, {refused} refused");
    let named = files("shard_index").iter().filter(|file| index::parse(file).is_ok()).count();
    assert!(named >= 4, "{named} indices read");
}
