//! Written files, read by this crate and by the format's reference implementation.

use hloom_graph::{DType, Shape};
use hloom_io::{ALIGNMENT, Checkpoint, Writer};
use proptest::prelude::*;

const DTYPES: [DType; 10] = [
    DType::Bool,
    DType::U8,
    DType::I16,
    DType::F8E4M3FN,
    DType::F4E2M1FN,
    DType::BF16,
    DType::F32,
    DType::I64,
    DType::C64,
    DType::F8E8M0FNU,
];

fn bytes_of(shape: Shape, seed: u8) -> Vec<u8> {
    let limit = match shape.dtype() {
        DType::Bool => 2,
        DType::F4E2M1FN => 16,
        _ => 251,
    };
    let bytes = (0..shape.byte_size()).map(|i| ((i + usize::from(seed)) % limit) as u8);
    bytes.collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 4 } else { 256 }))]

    #[test]
    fn what_is_written_is_read(
        tensors in proptest::collection::btree_map(
            "[a-c\\.\"\u{e9}]{1,6}",
            (
                0..DTYPES.len(),
                proptest::collection::vec(0usize..6, 0..5),
                any::<bool>(),
                any::<u8>(),
            ),
            0..12,
        )
    ) {
        let tensors: Vec<(String, Shape, Vec<u8>)> = tensors
            .into_iter()
            .filter_map(|(name, (dtype, sizes, named, seed))| {
                let names = ["_", "in", "out,", "\"b"];
                let shape = if named {
                    Shape::new(DTYPES[dtype], names.into_iter().zip(sizes).collect::<Vec<_>>())
                } else {
                    Shape::new(DTYPES[dtype], sizes)
                };
                let shape = shape.unwrap();
                // Half a byte cannot be written.
                let whole = DTYPES[dtype] != DType::F4E2M1FN || shape.element_count() % 2 == 0;
                whole.then(|| (name, shape, bytes_of(shape, seed)))
            })
            .collect();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.safetensors");
        let mut writer = Writer::new();
        writer.metadata("note", "\u{1f600} \"quoted\"");
        for (name, shape, bytes) in &tensors {
            writer.tensor(name, *shape, &bytes[..]).unwrap();
        }
        writer.save(&path).unwrap();

        let checkpoint = Checkpoint::open(&path).unwrap();
        let file = std::fs::read(&path).unwrap();
        let reference = safetensors::SafeTensors::deserialize(&file).unwrap();
        prop_assert_eq!(checkpoint.len(), tensors.len());
        prop_assert_eq!(reference.len(), tensors.len());
        prop_assert_eq!(&checkpoint.metadata()["note"], "\u{1f600} \"quoted\"");
        let mut misaligned = 0;
        for (name, shape, bytes) in &tensors {
            let tensor = checkpoint.get(name).unwrap();
            prop_assert_eq!(tensor.shape(), *shape);
            let by_reference = reference.tensor(name).unwrap();
            prop_assert_eq!(by_reference.shape(), shape.sizes());
            prop_assert_eq!(by_reference.data(), &tensor.bytes().unwrap()[..]);
            if shape.dtype() == DType::F4E2M1FN {
                let packed = tensor.bytes().unwrap();
                let unpacked: Vec<u8> =
                    packed.iter().flat_map(|byte| [byte & 15, byte >> 4]).collect();
                prop_assert_eq!(&unpacked, bytes);
            } else {
                prop_assert_eq!(&tensor.bytes().unwrap()[..], &bytes[..]);
            }
            if tensor.is_mapped() && tensor.range().len().is_multiple_of(ALIGNMENT) {
                prop_assert!(tensor.is_aligned(ALIGNMENT), "{} of {}", name, shape);
            }
            let width = shape.dtype().size();
            misaligned += usize::from(!tensor.range().start.is_multiple_of(width));
        }
        prop_assert_eq!(misaligned, 0, "every tensor is aligned to its own elements");
    }
}

#[test]
fn the_same_tensors_are_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.safetensors");
    let shape = Shape::new(DType::U8, [("in", 2)]).unwrap();
    let names = (0..8).map(|i| format!("layers.{i}"));
    let written = |names: &mut dyn Iterator<Item = String>| {
        let mut writer = Writer::new();
        for name in names {
            writer.tensor(&name, shape, &[1, 2][..]).unwrap();
            writer.metadata(&name, "note");
        }
        writer.save(&path).unwrap();
        std::fs::read(&path).unwrap()
    };
    let first = written(&mut names.clone());
    assert_eq!(written(&mut names.clone().rev()), first);
    let entries = std::str::from_utf8(&first[8..]).unwrap();
    assert!(
        entries.starts_with(
            r#"{"__metadata__":{"hloom.axes.layers.0":"[\"in\"]","hloom.axes.layers.1":"#
        ),
        "{entries}"
    );
}

fn refused(shape: Shape, bytes: &[u8]) -> String {
    Writer::new().tensor("w", shape, bytes).err().unwrap().to_string()
}

#[test]
fn what_the_format_cannot_hold_is_refused() {
    let of = |dtype, sizes: [usize; 1]| Shape::new(dtype, sizes).unwrap();
    assert_eq!(
        refused(of(DType::C128, [1]), &[0; 16]),
        "tensor `w`: safetensors files have no element type c128"
    );
    assert_eq!(
        refused(of(DType::I4, [2]), &[0; 2]),
        "tensor `w`: safetensors files have no element type i4"
    );
    let message = "tensor `w`: its 3 elements of 4 bits do not fill whole bytes";
    assert_eq!(refused(of(DType::F4E2M1FN, [3]), &[0; 3]), message);
    assert_eq!(
        refused(of(DType::F32, [2]), &[0; 7]),
        "tensor `w`: f32[2] takes 8 bytes, and 7 are given"
    );
    let mut writer = Writer::new();
    writer.tensor("w", of(DType::U8, [1]), vec![1]).unwrap();
    assert_eq!(
        writer.tensor("w", of(DType::U8, [1]), vec![1]).err().unwrap().to_string(),
        "tensor `w`: duplicate name"
    );
    let reserved =
        writer.tensor("__metadata__", of(DType::U8, [1]), vec![1]).err().unwrap().to_string();
    assert_eq!(reserved, "tensor `__metadata__`: the format reserves this name");
    let error = writer.save("/no such folder/a.safetensors").unwrap_err().to_string();
    assert!(error.starts_with("/no such folder/a.safetensors: cannot write: "), "{error}");
}

#[test]
fn a_file_that_is_replaced_stays_with_those_who_mapped_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.safetensors");
    let shape = Shape::new(DType::U8, [3]).unwrap();
    let save = |bytes: &[u8]| Writer::new().tensor("w", shape, bytes).unwrap().save(&path).unwrap();
    save(&[1, 2, 3]);
    let old = Checkpoint::open(&path).unwrap();
    save(&[4, 5, 6]);
    let new = Checkpoint::open(&path).unwrap();
    assert_eq!(old.get("w").unwrap().bytes().unwrap()[..], [1, 2, 3]);
    assert_eq!(new.get("w").unwrap().bytes().unwrap()[..], [4, 5, 6]);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file is left");
}

#[test]
fn a_checksum_is_that_of_the_contents() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.safetensors");
    let verify = || Checkpoint::open_with(&path, hloom_io::Access::Read).unwrap().verify();
    for dtype in DTYPES {
        let shape = Shape::new(dtype, [("out", 2), ("in", 4)]).unwrap();
        let mut writer = Writer::new();
        writer.tensor("b", shape, bytes_of(shape, 3)).unwrap();
        writer.tensor("a", Shape::new(dtype, [0]).unwrap(), &[][..]).unwrap();
        writer.metadata("note", "text").save(&path).unwrap();
        assert!(!verify().unwrap(), "{dtype} without a checksum");
        writer.checksum().save(&path).unwrap();
        assert!(verify().unwrap(), "{dtype}");
        let whole = std::fs::read(&path).unwrap();
        let text = whole.windows(4).position(|bytes| bytes == b"text").unwrap();
        for at in [whole.len() - 1, text] {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            std::fs::write(&path, changed).unwrap();
            let error = verify().unwrap_err();
            assert!(matches!(error, hloom_io::Error::Checksum { .. }), "{dtype}: {error}");
        }
    }
}

#[cfg(unix)]
#[test]
#[cfg_attr(miri, ignore = "Miri starts no processes")]
fn what_is_no_regular_file_is_written_into_and_links_stay() {
    use std::{fs, os::unix::fs::symlink, path::Path, process::Command, thread};

    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let mut writer = Writer::new();
    let shape = Shape::new(DType::U8, [3]).unwrap();
    writer.tensor("x", shape, &[1, 2, 3][..]).unwrap();

    // Devices that are reached through links, so that a writer which replaces its target replaces
    // only the link.
    for (device, expected) in
        [("/dev/full", Some("No space left on device (os error 28)")), ("/dev/null", None)]
    {
        let link = at("device");
        symlink(device, &link).unwrap();
        let failed = writer.save(&link).err().map(|error| error.to_string());
        let expected =
            expected.map(|message| format!("{}: cannot write: {message}", link.display()));
        assert_eq!(failed, expected, "{device}");
        assert_eq!(fs::read_link(&link).unwrap(), Path::new(device));
        fs::remove_file(link).unwrap();
        let left = fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(left, 0, "{device}: no temporary file is left");
    }

    assert!(Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
    let pipe = at("pipe");
    let reader = thread::spawn(move || fs::read(pipe).unwrap());
    writer.save(at("pipe")).unwrap();
    let piped = reader.join().unwrap();
    assert_eq!(hloom_io::format::parse(&piped).unwrap().tensors["x"].shape, shape);
    assert!(!at("pipe").metadata().unwrap().is_file());

    for (link, target) in [("link", "file"), ("dangling", "new")] {
        if link == "link" {
            fs::write(at(target), "old").unwrap();
        }
        symlink(at(target), at(link)).unwrap();
        writer.save(at(link)).unwrap();
        assert!(at(link).symlink_metadata().unwrap().is_symlink(), "{link}");
        let read = Checkpoint::open(at(target)).unwrap();
        assert_eq!(read.get("x").unwrap().to_vec::<u8>().unwrap(), [1, 2, 3], "{link}");
    }
}
