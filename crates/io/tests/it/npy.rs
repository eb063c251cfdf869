//! NumPy's files: those that NumPy wrote (`tests/oracle/npy.py`), those written here, and damaged
//! ones.

use hloom_graph::{DType, Shape};
use hloom_io::npy;
use hloom_runtime::Buffer;
use hloom_test_support::CPU;
use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/npy").join(name)
}

#[test]
fn arrays_of_each_type_and_order_are_read() {
    let all = npy::load_all(&*CPU, fixture("arrays.npz")).unwrap();
    let expected = npy::load_all(&*CPU, fixture("row_major.npz")).unwrap();
    assert_eq!(all.len(), 14 * 3 + 4);
    for (name, array) in &all {
        let (dtype, _) = name.split_once(' ').unwrap();
        // The same elements, written in row-major order and this machine's order of bytes.
        let same = &expected[name];
        assert_eq!(array.shape(), same.shape(), "{name}");
        assert_eq!(array.dtype().to_string(), dtype, "{name}");
        assert_eq!(array.to_bytes().unwrap(), same.to_bytes().unwrap(), "{name}");
    }
    assert_eq!(
        all["i16 of rank 2, column-major, big-endian"].to_vec::<i16>().unwrap(),
        [-3, 7, 2, 11, -5, 9]
    );
    assert_eq!(all["f64 of rank 0"].to_vec::<f64>().unwrap(), [-3.0]);
}

#[test]
fn what_is_written_is_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let x =
        Buffer::from_slice(&CPU, &[1.5f32, -2.0, f32::NAN, 4.0, 5.0, -0.0], [("a", 2), ("b", 3)])
            .unwrap();
    let flags = Buffer::from_slice(&CPU, &[true, false], [2]).unwrap();
    let none = Buffer::from_slice::<i64>(&CPU, &[], [0, 3]).unwrap();
    npy::save(folder.path().join("x.npy"), &x).unwrap();
    let found = npy::load(&*CPU, folder.path().join("x.npy")).unwrap();
    assert_eq!(found.shape().to_string(), "f32[2, 3]");
    assert_eq!(found.to_bytes().unwrap(), x.to_bytes().unwrap());
    let path = folder.path().join("all.npz");
    npy::save_all(&path, [("x", &x), ("flags", &flags), ("a/none", &none)]).unwrap();
    let all = npy::load_all(&*CPU, &path).unwrap();
    assert_eq!(all.keys().collect::<Vec<_>>(), ["a/none", "flags", "x"]);
    assert_eq!(all["flags"].to_vec::<bool>().unwrap(), [true, false]);
    assert_eq!(all["a/none"].shape().to_string(), "i64[0, 3]");
}

#[test]
fn shapes_and_single_arrays_are_those_of_all() {
    let all = npy::load_all(&*CPU, fixture("arrays.npz")).unwrap();
    let shapes = npy::shapes(fixture("arrays.npz")).unwrap();
    assert!(shapes.keys().eq(all.keys()));
    for (name, array) in &all {
        assert_eq!(shapes[name], array.shape(), "{name}");
        let one = npy::load_named(&*CPU, fixture("arrays.npz"), name).unwrap();
        assert_eq!(one.to_bytes().unwrap(), array.to_bytes().unwrap(), "{name}");
    }
    let missing = npy::load_named(&*CPU, fixture("arrays.npz"), "x").map(drop).unwrap_err();
    assert!(missing.to_string().ends_with("arrays.npz: there is no array `x`"), "{missing}");
    assert_eq!(npy::shape(fixture("small.npy")).unwrap().to_string(), "f32[2, 3]");
}

#[test]
fn types_that_numpy_lacks_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let shape = Shape::new(DType::BF16, [2]).unwrap();
    let x = Buffer::from_bytes(&*CPU, shape, &[0; 4]).unwrap();
    let error = npy::save(folder.path().join("x.npy"), &x).unwrap_err().to_string();
    assert!(error.ends_with("x.npy: NumPy has no element type bf16; convert it first"), "{error}");
    let error = npy::load(&*CPU, fixture("dates.npy")).unwrap_err().to_string();
    assert!(error.ends_with("element type <M8[D] is not supported"), "{error}");
}

#[test]
fn archives_of_other_kinds_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("arrays.npz");
    let single = fs::read(fixture("small.npy")).unwrap();
    for (bytes, part) in [
        (&b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\n"[..], "Git LFS"),
        (b"<!DOCTYPE html><html><body>Not found</body></html>", "an HTML page"),
        (b"Entry not found", "a text, such as hubs send"),
        (b"\x18\0\0\0\0\0\0\0{\"a\":", "not an archive of arrays: "),
        (&single, "a `.npy` file"),
    ] {
        fs::write(&file, bytes).unwrap();
        let refusals = [
            npy::shapes(&file).unwrap_err(),
            npy::load_all(&*CPU, &file).unwrap_err(),
            npy::load_named(&*CPU, &file, "a").unwrap_err(),
        ];
        for error in refusals.map(|error| error.to_string()) {
            assert!(error.contains("arrays.npz: not an archive of arrays"), "{error}");
            assert!(error.contains(part), "{error}");
        }
    }
    // The arrays of PyTorch's checkpoints are others.
    let mut archive = zip::ZipWriter::new(fs::File::create(&file).unwrap());
    archive.start_file("archive/data.pkl", zip::write::SimpleFileOptions::default()).unwrap();
    archive.write_all(b"\x80\x02}q\0X\x01\0\0\0w").unwrap();
    archive.finish().unwrap();
    let error = npy::shapes(&file).unwrap_err().to_string();
    assert!(error.contains("`archive/data.pkl`") && error.contains("a Python pickle"), "{error}");
}

#[test]
fn damaged_files_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let whole = std::fs::read(fixture("small.npy")).unwrap();
    let refusal = |bytes: &[u8]| {
        let path = folder.path().join("damaged.npy");
        std::fs::write(&path, bytes).unwrap();
        let alone = npy::load(&*CPU, &path).map(drop).unwrap_err().to_string();
        assert_eq!(npy::shape(&path).unwrap_err().to_string(), alone);
        assert!(npy::load_all(&*CPU, &path).is_err() && npy::shapes(&path).is_err());
        alone
    };
    for length in 0..whole.len() {
        let error = refusal(&whole[..length]);
        assert!(error.contains("damaged.npy"), "{error}");
    }
    let error = refusal(&whole[..whole.len() - 1]);
    assert!(error.ends_with("f32[2, 3] takes 24 bytes, and 23 are there"), "{error}");
    let with = |from: &str, to: &str| {
        let text: Vec<u8> =
            whole.iter().map(|&byte| if byte < 128 { byte } else { b'?' }).collect();
        let at = text.windows(from.len()).position(|part| part == from.as_bytes()).unwrap();
        let mut bytes = whole.clone();
        bytes.splice(at..at + from.len(), to.bytes());
        // The header keeps its length.
        let end = bytes.iter().position(|&byte| byte == b'\n').unwrap();
        bytes.drain(end - (to.len() - from.len())..end);
        bytes
    };
    let huge = refusal(&with("(2, 3)", "(4294967296, 4294967296, 4294967296)"));
    assert!(huge.contains("does not fit into memory"), "{huge}");
    let large = refusal(&with("(2, 3)", "(2, 3, 4, 5)"));
    assert!(large.ends_with("f32[2, 3, 4, 5] takes 480 bytes, and 24 are there"), "{large}");
    let many = refusal(&with("(2, 3)", "(1, 1, 1, 1, 1, 1, 1, 1, 6)"));
    assert!(many.contains('9'), "{many}");
    let missing = npy::load(&*CPU, folder.path().join("none.npy")).map(drop).unwrap_err();
    assert!(missing.to_string().contains("none.npy"), "{missing}");
}
