//! Models in several files, and headers longer than the first part that is read.

use hloom_io::{
    Access,
    gguf::{Array, Gguf, GgufType, GgufWriter, Value},
};
use std::{
    fs::{self, File},
    path::{Path, PathBuf},
};

fn path(folder: &Path, number: u64, count: u64) -> PathBuf {
    folder.join(format!("model-{number:05}-of-{count:05}.gguf"))
}

/// Writes a file with the keys of a split model, and one tensor.
fn write(path: &Path, index: u16, count: u16, tensors: i32, name: &str) {
    let mut writer = GgufWriter::new();
    writer.metadata("split.no", Value::U16(index)).unwrap();
    writer.metadata("split.count", Value::U16(count)).unwrap();
    writer.metadata("split.tensors.count", Value::I32(tensors)).unwrap();
    if index == 0 {
        writer.metadata("general.name", Value::String("split".to_owned())).unwrap();
    }
    writer.tensor(name, GgufType::I8, &[3], vec![index as u8; 3]).unwrap();
    writer.save(path).unwrap();
}

fn three(folder: &Path) -> PathBuf {
    for (index, name) in [(0, "a"), (1, "b"), (2, "c")] {
        write(&path(folder, u64::from(index) + 1, 3), index, 3, 3, name);
    }
    path(folder, 1, 3)
}

fn refusal(path: &Path) -> String {
    Gguf::open(path).unwrap_err().to_string()
}

#[test]
fn a_split_model_opens_from_its_first_file() {
    let folder = tempfile::tempdir().unwrap();
    let first = three(folder.path());
    for access in [Access::Mapped, Access::Read] {
        let model = Gguf::open_with(&first, access).unwrap();
        assert_eq!((model.len(), model.files().len(), model.byte_size()), (3, 3, 9));
        assert_eq!(model.metadata()["general.name"].as_str(), Some("split"));
        for (name, value) in [("a", 0), ("b", 1), ("c", 2)] {
            let tensor = model.get(name).unwrap();
            assert_eq!(tensor.bytes().unwrap(), [value; 3]);
            assert!(
                tensor.file().path().ends_with(format!("model-0000{}-of-00003.gguf", value + 1))
            );
        }
    }
}

#[test]
fn files_that_do_not_belong_together_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let first = three(folder);
    let at = |number| path(folder, number, 3);
    assert_eq!(
        refusal(&at(2)),
        format!(
            "{}: file 2 of 3 of a split model: open its first file, `model-00001-of-00003.gguf`",
            at(2).display()
        )
    );
    let renamed = folder.join("renamed.gguf");
    fs::copy(at(2), &renamed).unwrap();
    assert!(refusal(&renamed).ends_with(": file 2 of 3 of a split model: open its first file"));
    fs::copy(at(1), &renamed).unwrap();
    let expected = "the first of 3 files of a split model: its name must end in \
                    `-00001-of-00003.gguf`";
    assert!(refusal(&renamed).ends_with(expected));
    write(&at(3), 1, 3, 3, "c");
    let expected = "expected file 3 of 3 of a split model, found file 2 of 3";
    assert_eq!(refusal(&first), format!("{}: {expected}", at(3).display()));
    write(&at(3), 2, 3, 3, "a");
    let expected = format!("tensor `a` is also in the file {}", first.display());
    assert_eq!(refusal(&first), format!("{}: {expected}", at(3).display()));
    write(&at(3), 2, 3, 3, "c");
    write(&first, 0, 3, 4, "a");
    let expected = "`split.tensors.count` is 4, and the files of the split model have 3 tensors";
    assert_eq!(refusal(&first), format!("{}: {expected}", first.display()));
    fs::remove_file(at(3)).unwrap();
    assert!(refusal(&first).starts_with(&format!("{}: ", at(3).display())));
    write(&first, 3, 3, 3, "a");
    let expected = "metadata key `split.no`: expected an integer from 0 to 2, found 3";
    assert_eq!(refusal(&first), format!("{}: {expected}", first.display()));
}

#[test]
fn headers_of_any_length_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("long.gguf");
    // More than the first part that is read.
    let texts: Vec<String> = (0..200_000).map(|i| format!("token {i}")).collect();
    let texts = Value::Array(Array::String(texts));
    let mut writer = GgufWriter::new();
    writer.metadata("tokenizer.ggml.tokens", texts.clone()).unwrap();
    writer.tensor("w", GgufType::I8, &[3], &[1, 2, 3][..]).unwrap();
    writer.save(&path).unwrap();
    let model = Gguf::open(&path).unwrap();
    assert_eq!(model.metadata()["tokenizer.ggml.tokens"], texts);
    assert_eq!(model.get("w").unwrap().dequantize().unwrap(), [1.0, 2.0, 3.0]);
}

#[test]
fn a_sparse_file_with_a_header_beyond_the_limit_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sparse.gguf");
    let mut start = b"GGUF\x03\0\0\0".to_vec();
    start.extend([0u64, 1, 1].map(u64::to_le_bytes).concat());
    start.extend(b"k");
    start.extend(8u32.to_le_bytes());
    start.extend((1u64 << 39).to_le_bytes());
    fs::write(&path, start).unwrap();
    File::options().write(true).open(&path).unwrap().set_len(1 << 40).unwrap();
    let message = Gguf::open_with(&path, Access::Read).unwrap_err().to_string();
    let expected = "sparse.gguf: the header is longer than 268435456 bytes";
    assert!(message.ends_with(expected), "{message}");
}

#[test]
fn a_file_that_was_truncated_after_it_was_opened_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("w.gguf");
    let mut writer = GgufWriter::new();
    writer.tensor("w", GgufType::I8, &[3], &[1, 2, 3][..]).unwrap();
    writer.save(&path).unwrap();
    for access in [Access::Mapped, Access::Read] {
        writer.save(&path).unwrap();
        let model = Gguf::open_with(&path, access).unwrap();
        File::options().write(true).open(&path).unwrap().set_len(10).unwrap();
        let message = model.get("w").unwrap().dequantize().unwrap_err().to_string();
        assert!(message.contains("w.gguf: truncated since it was opened"), "{message}");
    }
}
