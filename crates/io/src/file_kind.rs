//! Recognition of files of another kind than expected: incomplete downloads, and formats that are
//! easily confused.

/// The first bytes of files, and the kinds that they show. A kind says what to do where that is not obvious.
const KINDS: &[(&[u8], &str)] = &[
    (b"version ", "a pointer of Git LFS: `git lfs pull` fetches the file itself"),
    (b"<!DOCTYPE", "an HTML page, such as a hub or proxy sends instead of a file"),
    (b"<!doctype", "an HTML page, such as a hub or proxy sends instead of a file"),
    (b"<html", "an HTML page, such as a hub or proxy sends instead of a file"),
    (b"<?xml", "an XML document, such as a store sends instead of a file"),
    (b"GGUF", "a GGUF file of llama.cpp"),
    (b"PK\x03\x04", "a zip archive, such as `.npz` files and checkpoints of PyTorch are"),
    (b"\x80\x02", "a Python pickle, such as older checkpoints of PyTorch are"),
    (b"\x80\x03", "a Python pickle"),
    (b"\x80\x04", "a Python pickle"),
    (b"\x80\x05", "a Python pickle"),
    (b"\x93NUMPY", "a `.npy` file of NumPy"),
    (b"\x89HDF", "an HDF5 file, such as checkpoints of Keras are"),
    (b"\x1f\x8b", "a gzip file, which must be unpacked"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard file, which must be unpacked"),
    (b"ML\xefR", "a program in MLIR bytecode"),
];

/// The kind of a file by its first bytes, of which eight are enough; `None` for others.
pub fn file_kind(start: &[u8]) -> Option<&'static str> {
    let is = |magic: &[u8]| {
        let len = magic.len().min(start.len());
        // A shorter magic could be that of another file.
        len >= magic.len().min(8) && start[..len] == magic[..len]
    };
    KINDS.iter().find(|(magic, _)| is(magic)).map(|(_, kind)| *kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_recognized_by_eight_bytes() {
        for (start, part) in [
            (&b"version https://git-lfs"[..], "Git LFS"),
            (b"<!DOCTYP", "HTML"),
            (b"GGUF\x03\0\0\0", "GGUF"),
            (b"PK\x03\x04\x14\0\0\0", "zip"),
            (b"\x80\x02}q\0", "pickle"),
            (b"\x93NUMPY\x01\0", "NumPy"),
        ] {
            assert!(file_kind(start).is_some_and(|kind| kind.contains(part)), "{part}");
        }
        for start in [&b""[..], b"{", b"<!", b"\x10\0\0\0\0\0\0\0", b"versions"] {
            assert_eq!(file_kind(start), None, "{start:?}");
        }
    }
}
