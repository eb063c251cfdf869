//! Headers of `.npy` files: those that NumPy writes, as an independent reader (`npyz`) has them, and
//! hostile ones, which take no longer.

use hloom_io::npy;
use npyz::NpyHeader;
use std::{
    fs::File,
    io::Write,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};
use zip::{ZipWriter, write::SimpleFileOptions};

/// A file of a version with the text of its header and `elements` zero bytes.
fn file(version: u8, text: &str, elements: usize) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY".to_vec();
    bytes.extend([version, 0]);
    match version {
        1 => bytes.extend((text.len() as u16).to_le_bytes()),
        _ => bytes.extend((text.len() as u32).to_le_bytes()),
    }
    bytes.extend(text.as_bytes());
    bytes.resize(bytes.len() + elements, 0);
    bytes
}

fn written(folder: &tempfile::TempDir, bytes: &[u8]) -> PathBuf {
    let path = folder.path().join("a.npy");
    std::fs::write(&path, bytes).unwrap();
    path
}

fn refusal(path: &Path) -> String {
    let begin = Instant::now();
    let error = npy::shape(path).unwrap_err().to_string();
    assert!(begin.elapsed() < Duration::from_secs(2), "{error}: {:?}", begin.elapsed());
    error
}

#[test]
fn all_spellings_of_numpy_are_read_as_by_npyz() {
    let folder = tempfile::tempdir().unwrap();
    let mut count = 0;
    for version in [1, 2, 3] {
        for (kind, name) in [
            ("|b1", "bool"),
            ("|i1", "i8"),
            ("<i4", "i32"),
            (">i8", "i64"),
            ("|u1", "u8"),
            (">u2", "u16"),
            ("<f2", "f16"),
            (">f4", "f32"),
            ("<f8", "f64"),
            ("<c8", "c64"),
            (">c16", "c128"),
        ] {
            for (shape, sizes) in
                [("()", "[]"), ("(3,)", "[3]"), ("(2, 3)", "[2, 3]"), ("(0, 4)", "[0, 4]")]
            {
                for order in ["False", "True"] {
                    let pairs = [
                        format!("'descr': '{kind}'"),
                        format!("'fortran_order': {order}"),
                        format!("'shape': {shape}"),
                    ];
                    let sorted = format!("{{{}, }}", pairs.join(", "));
                    let reversed = pairs.iter().rev().map(String::as_str).collect::<Vec<_>>();
                    let reversed = format!("{{{}}}", reversed.join(", "));
                    for text in [sorted, reversed] {
                        // NumPy fills the header up to a multiple of 64 bytes.
                        let text = format!("{text:<117}\n");
                        let bytes = file(version, &text, 16 * 6);
                        let expected = NpyHeader::from_reader(&bytes[..]).unwrap();
                        let found = npy::shape(written(&folder, &bytes)).unwrap();
                        let expected: Vec<usize> =
                            expected.shape().iter().map(|&size| size as usize).collect();
                        assert_eq!(found.sizes(), expected, "{text}");
                        assert_eq!(found.to_string(), format!("{name}{sizes}"), "{text}");
                        count += 1;
                    }
                }
            }
        }
    }
    assert_eq!(count, 3 * 11 * 4 * 2 * 2);
    // As NumPy under Python 2 wrote on some systems.
    let text = "{'descr': '<f4', 'fortran_order': False, 'shape': (2L, 3L), }\n";
    assert_eq!(npy::shape(written(&folder, &file(1, text, 24))).unwrap().to_string(), "f32[2, 3]");
}

#[test]
fn hostile_headers_are_refused_in_time_that_grows_with_their_length() {
    let folder = tempfile::tempdir().unwrap();
    let with =
        |shape: &str| format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}}}");
    let nested = |open: &str, close: &str, count| {
        with(&format!("{}1{}", open.repeat(count), close.repeat(count)))
    };
    for (text, expected) in [
        (nested("[", "]", 22), "where `(` is expected"),
        (nested("(", ")", 22), "where a size is expected"),
        (nested("(", ")", 30_000), "where a size is expected"),
        (nested("{1:", "}", 40), "where `(` is expected"),
        (with(&"(".repeat(60_000)), "where a size is expected"),
        (with(&format!("({})", "1, ".repeat(20_000))), "20000"),
        (with("(3)"), "where `,` is expected"),
        (with("(-3,)"), "where a size is expected"),
        (with("(18446744073709551616,)"), "does not fit into memory"),
        (with("(4294967296, 4294967296, 4294967296)"), "does not fit into memory"),
        (with("(2,), 'more': (2,)"), "unknown key `more`"),
        (with("(2,), 'shape': (2,)"), "the key `shape` twice"),
        (with("(2,)} {"), "where its end is expected"),
        ("{'descr': '<f4', 'shape': (2,)}".into(), "no key `fortran_order`"),
        ("{'fortran_order': False, 'shape': (2,)}".into(), "no key `descr`"),
        ("{'descr': '<f4', 'fortran_order': False}".into(), "no key `shape`"),
        ("{'descr': [('a', '<i4')]}".into(), "element type [('a', '<i4')]} is not supported"),
        (format!("{{'descr': {}", "[".repeat(60_000)), "is not supported"),
        ("{'descr': '<f4".into(), "where a closing quote is expected"),
        ("{'descr': '\u{e9}4'}".into(), "is not supported"),
        ("".into(), "ends where `{` is expected"),
    ] {
        let start: String = text.chars().take(80).collect();
        let error = refusal(&written(&folder, &file(1, &text, 64)));
        assert!(error.contains(expected) && error.len() < 1000, "{start}: {error}");
    }
    let long = with("(2,)");
    let long = file(2, &format!("{long}{}", " ".repeat(70_000 - long.len())), 8);
    let error = refusal(&written(&folder, &long));
    assert!(error.ends_with("the header takes 70000 bytes, the limit is 65536"), "{error}");
    let mut claimed = file(3, &with("(2,)"), 8);
    claimed[8..12].copy_from_slice(&[0xff; 4]);
    assert!(refusal(&written(&folder, &claimed)).contains("4294967295 bytes"));
}

#[test]
fn an_archive_is_read_as_far_as_its_headers_say() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bomb.npz");
    let mut archive = ZipWriter::new(File::create(&path).unwrap());
    archive.start_file("x.npy", SimpleFileOptions::default()).unwrap();
    let text = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n";
    archive.write_all(&file(1, text, 24)).unwrap();
    let zeros = vec![0; 1 << 20];
    for _ in 0..512 {
        archive.write_all(&zeros).unwrap();
    }
    archive.finish().unwrap();
    assert!(path.metadata().unwrap().len() < 1 << 20);
    let peak = || hloom_test_support::resident_kib("VmHWM");
    let before = peak();
    let arrays = npy::load_all(&*hloom_test_support::CPU, &path).unwrap();
    assert_eq!(arrays["x"].to_vec::<f32>().unwrap(), [0.0; 6]);
    // Other tests of this process use some of the memory; the archive holds 512 MiB.
    assert!(peak() - before < 256 << 10, "{} KiB", peak() - before);
}
