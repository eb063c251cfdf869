//! Index files of sharded checkpoints, which map tensors to files.

use crate::{Error, Result, open_file, raw_header::UniqueMap};
use hloom_files::file_kind;
use serde::Deserialize;
use std::{
    collections::BTreeMap,
    path::{Component, Path},
};

/// The size limit of an index in bytes: the index of a million tensors takes a tenth of it.
const MAX_SIZE: u64 = 1 << 30;

/// `model.safetensors.index.json`; its other field (`metadata`) is not needed to read it.
#[derive(Deserialize)]
struct IndexFile {
    weight_map: UniqueMap,
}

/// The tensors of a sharded checkpoint, each with the name of its file in the index file's folder.
///
/// # Errors
/// The file cannot be read, is not a regular file, is larger than 1 GiB, is not valid JSON of this form, names a tensor
/// twice, or names a file outside its folder.
pub fn read(path: &Path) -> Result<BTreeMap<String, String>> {
    let bytes = open_file::read_regular(path, MAX_SIZE)
        .map_err(|source| Error::Read { path: path.to_owned(), source })?;
    parse(&bytes).map_err(|message| Error::Index { path: path.to_owned(), message })
}

/// As [`read`], from the file's bytes.
pub fn parse(bytes: &[u8]) -> Result<BTreeMap<String, String>, String> {
    // serde would read a list as the fields in order.
    let is_object = bytes.trim_ascii_start().starts_with(b"{");
    let index: IndexFile = match file_kind(bytes) {
        Some(kind) => return Err(format!("not the index of a sharded checkpoint, but {kind}")),
        None if !is_object => {
            let expected = "expected a JSON object with a `weight_map`";
            return Err(format!("not the index of a sharded checkpoint: {expected}"));
        }
        None => serde_json::from_slice(bytes)
            .map_err(|error| format!("not the index of a sharded checkpoint: {error}"))?,
    };
    for (tensor, file) in &index.weight_map.0 {
        if !is_file_name(file) {
            let (tensor, file) = (tensor.escape_debug(), file.escape_debug());
            return Err(format!(
                "tensor `{tensor}`: `{file}` is not a file name in the folder of the index"
            ));
        }
    }
    Ok(index.weight_map.0)
}

/// Whether `name` names a file in any folder it is joined to, on every system: not empty, neither
/// `.` nor `..`, without separators, drive letters or control characters.
fn is_file_name(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None))
        && !name.contains(['/', '\\', ':'])
        && !name.contains(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tensors_name_their_files() {
        let text = br#"{"metadata": {"total_size": 8}, "weight_map": {"b": "2.safetensors", "a": "1.safetensors"}}"#;
        let index = parse(text).unwrap();
        let expected = [("a", "1.safetensors"), ("b", "2.safetensors")];
        assert!(index.iter().map(|(a, b)| (a.as_str(), b.as_str())).eq(expected));
    }

    #[test]
    fn names_outside_the_folder_are_refused() {
        for file in [
            "../x",
            "/etc/passwd",
            "a/b",
            "..",
            ".",
            "",
            "a\\\\b",
            "a/",
            "C:a",
            "C:\\\\a",
            "a\\u0000b",
            "a\\nb",
            "\\u001b[2J",
        ] {
            let text = format!(r#"{{"weight_map": {{"w": "{file}"}}}}"#);
            let message = parse(text.as_bytes()).unwrap_err();
            assert!(message.contains("is not a file name"), "{file}: {message}");
        }
    }

    #[test]
    fn what_is_no_index_is_refused() {
        for (text, expected) in [
            (&b"{}"[..], "missing field `weight_map`"),
            (br#"{"weight_map": {"w": "a", "w": "a"}}"#, "duplicate name `w`"),
            (br#"{"weight_map": {"w": 3}}"#, "expected a string"),
            (br#"[{"w": "a"}]"#, "expected a JSON object with a `weight_map`"),
            (b"\xff", "expected a JSON object"),
            (b"", "expected a JSON object"),
            (b"{", "EOF"),
        ] {
            let message = parse(text).unwrap_err();
            assert!(message.contains(expected), "{message}");
        }
    }
}
