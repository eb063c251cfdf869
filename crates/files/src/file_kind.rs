//! Recognition of files of another kind than expected: incomplete downloads, and formats that are
//! easily confused.

/// The first bytes of files, and the kinds that they show, with what to do where that is not
/// obvious.
const KINDS: &[(&[u8], &str)] = &[
    (b"version https://git-lfs", "a pointer of Git LFS: `git lfs pull` fetches the file itself"),
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
    (b"HloModule", "a program in the text form of HLO, which XLA prints"),
    (b"RIFF", "a RIFF file, such as audio in WAV files is"),
    (b"fLaC", "audio in FLAC"),
    (b"OggS", "audio in Ogg"),
    (b"ID3\x03", "audio in MP3"),
    (b"ID3\x04", "audio in MP3"),
];

/// The kind of a file by its first bytes; `None` for others. Eight are enough, except for
/// checkpoints in safetensors, which take nine.
pub fn file_kind(start: &[u8]) -> Option<&'static str> {
    let is = |magic: &[u8]| {
        let len = magic.len().min(start.len());
        // A shorter magic could be that of another file.
        len >= magic.len().min(8) && start[..len] == magic[..len]
    };
    let known = KINDS.iter().find(|(magic, _)| is(magic)).map(|(_, kind)| *kind);
    // The length of a header in JSON, below 4 GiB, and its first byte.
    let is_checkpoint = start.get(4..9).is_some_and(|bytes| bytes == b"\0\0\0\0{");
    known.or_else(|| is_checkpoint.then_some("a checkpoint in safetensors"))
}

/// The kind of a file where a binary format is expected: as [`file_kind`], or a text.
pub fn binary_kind(start: &[u8]) -> Option<&'static str> {
    let start = &start[..start.len().min(8)];
    let is_text = |byte: &u8| matches!(byte, b' '..=b'~' | b'\n' | b'\r' | b'\t');
    let text = || match start {
        // Shorter ones may be the beginning of anything.
        [b'{' | b'[', ..] if start.len() == 8 => Some("a JSON document, such as hubs reply with"),
        _ if start.len() == 8 => Some("a text, such as hubs send instead of a file"),
        _ => None,
    };
    file_kind(start).or_else(|| if start.iter().all(is_text) { text() } else { None })
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
            (b"\x18\0\0\0\0\0\0\0{\"a\"", "safetensors"),
            (b"fLaC\0\0\0\x22", "FLAC"),
        ] {
            assert!(file_kind(start).is_some_and(|kind| kind.contains(part)), "{part}");
        }
        for start in [&b""[..], b"{", b"<!", b"\x10\0\0\0\0\0\0\0", b"versions", b"version 2 of it"]
        {
            assert_eq!(file_kind(start), None, "{start:?}");
        }
    }

    #[test]
    fn texts_are_other_kinds_where_bytes_are_expected() {
        for (start, part) in [
            (&b"{\"error\": \"not found\"}"[..], "JSON"),
            (b"[1, 2, 3]", "JSON"),
            (b"Entry not found", "a text"),
            (b"GGUF\x03\0\0\0", "GGUF"),
        ] {
            assert!(binary_kind(start).is_some_and(|kind| kind.contains(part)), "{part}");
        }
        for start in [&b"{"[..], b"", b"\x7b\0\0\0\0\0\0\0", b"{\"a\"\0\0\0\0"] {
            assert_eq!(binary_kind(start), None, "{start:?}");
        }
    }
}
