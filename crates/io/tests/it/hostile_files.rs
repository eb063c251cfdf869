//! Paths that are not regular files, files that lose bytes while they are used, or that the system
//! cannot read or write.

use hloom_graph::{DType, Shape};
use hloom_io::{Access, Checkpoint, CheckpointFile, Writer, explain_bus_errors};
use hloom_test_support::{Child, Ended};
use std::{
    fs::{self, File},
    io::{Seek, SeekFrom, Write},
    os::unix::{fs::symlink, net::UnixListener, process::ExitStatusExt},
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

/// The error's message, or a panic after ten seconds: opening a pipe without a writer would wait
/// forever.
fn refusal(path: &Path) -> String {
    let path = path.to_owned();
    let (send, answer) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        send.send(Checkpoint::open(&path).map(drop).unwrap_err().to_string())
    });
    answer.recv_timeout(Duration::from_secs(10)).expect("it does not wait")
}

/// Writes a checkpoint of one tensor `w` whose bytes repeat 0 to 250.
fn checkpoint(folder: &Path) -> (PathBuf, Vec<u8>) {
    let path = folder.join("a.safetensors");
    // Far more than a page; small enough for an interpreter.
    let size = if cfg!(miri) { 8 << 10 } else { 4usize << 20 };
    let bytes: Vec<u8> = (0..size).map(|i| (i % 251) as u8).collect();
    let mut writer = Writer::new();
    writer.tensor("w", Shape::new(DType::U8, [bytes.len()]).unwrap(), &bytes[..]).unwrap();
    writer.save(&path).unwrap();
    (path, bytes)
}

#[test]
#[cfg_attr(miri, ignore = "Miri starts no processes")]
fn what_is_no_regular_file_is_refused_and_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for name in ["pipe.safetensors", "pipe.json"] {
        assert!(Command::new("mkfifo").arg(at(name)).status().unwrap().success());
        let expected =
            format!("{}: expected a regular file, found a named pipe", at(name).display());
        assert_eq!(refusal(&at(name)), expected);
    }
    let _listener = UnixListener::bind(at("s.safetensors")).unwrap();
    assert!(refusal(&at("s.safetensors")).ends_with("expected a regular file, found a socket"));
    assert_eq!(
        refusal(Path::new("/dev/null")),
        "/dev/null: expected a regular file, found a device"
    );
    symlink("/dev/zero", at("zero.safetensors")).unwrap();
    assert!(refusal(&at("zero.safetensors")).ends_with("expected a regular file, found a device"));
    fs::create_dir(at("folder")).unwrap();
    let index = at("a.safetensors.index.json");
    for (shard, found) in [
        ("pipe.safetensors", "a named pipe"),
        ("folder", "a folder"),
        ("zero.safetensors", "a device"),
    ] {
        fs::write(&index, format!(r#"{{"weight_map":{{"w":"{shard}"}}}}"#)).unwrap();
        let expected = format!("{}: expected a regular file, found {found}", at(shard).display());
        assert_eq!(refusal(&index), expected);
    }
}

/// A caller's bytes do not change when somebody writes to the file.
#[test]
fn bytes_of_a_tensor_are_a_copy() {
    let folder = tempfile::tempdir().unwrap();
    let (path, bytes) = checkpoint(folder.path());
    for access in [Access::Mapped, Access::Read] {
        let tensor = Checkpoint::open_with(&path, access).unwrap().get("w").unwrap();
        let before = tensor.bytes().unwrap();
        let mut file = File::options().write(true).open(&path).unwrap();
        file.seek(SeekFrom::Start(tensor.range().start as u64)).unwrap();
        file.write_all(&vec![255; bytes.len()]).unwrap();
        assert_eq!(before[..], bytes[..], "{access:?}");
        assert_eq!(tensor.bytes().unwrap(), vec![255; bytes.len()], "{access:?}");
        checkpoint(folder.path());
    }
}

#[test]
fn links_to_files_are_the_files() {
    let folder = tempfile::tempdir().unwrap();
    let (path, bytes) = checkpoint(folder.path());
    let link = folder.path().join("link.safetensors");
    symlink(path, &link).unwrap();
    for access in [Access::Mapped, Access::Read] {
        let tensor = Checkpoint::open_with(&link, access).unwrap().get("w").unwrap();
        assert_eq!(&tensor.bytes().unwrap()[..], &bytes[..]);
        assert_eq!(tensor.is_mapped(), access == Access::Mapped && !cfg!(miri));
        assert_eq!(tensor.to_vec::<u8>().unwrap(), bytes);
    }
}

#[test]
fn a_file_that_was_truncated_before_it_is_read_is_an_error_with_both_lengths() {
    for access in [Access::Mapped, Access::Read] {
        let folder = tempfile::tempdir().unwrap();
        let (path, bytes) = checkpoint(folder.path());
        let whole = fs::metadata(&path).unwrap().len();
        let weights = Checkpoint::open_with(&path, access).unwrap();
        let tensor = weights.get("w").unwrap();
        File::options().write(true).open(&path).unwrap().set_len(1000).unwrap();
        let expected = format!(
            "{}: truncated since it was opened: expected {whole} bytes, found 1000; replace files \
             by renaming new ones over them",
            path.display()
        );
        assert_eq!(tensor.bytes().unwrap_err().to_string(), expected);
        assert_eq!(tensor.to_vec::<u8>().unwrap_err().to_string(), expected);
        let mut output = vec![0; bytes.len()];
        let error = tensor.file().read_at(tensor.range().start, &mut output).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn a_disk_that_cannot_be_read_is_an_error_with_file_and_place() {
    // The first page of a process is never mapped, and reading it is an input error.
    let file = CheckpointFile::open(Path::new("/proc/self/mem"), Access::Read).unwrap();
    let error = file.read_at(0, &mut [0; 8]).unwrap_err().to_string();
    assert_eq!(error, "/proc/self/mem: cannot read at byte 0: Input/output error (os error 5)");
}

#[test]
fn a_header_that_declares_more_than_the_file_holds_reads_nothing_beyond_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.safetensors");
    for (bytes, expected) in [
        (&b""[..], "0 bytes are too few"),
        (&b"1234567"[..], "7 bytes are too few"),
        (
            &[3, 0, 0, 0, 0, 0, 0, 0, b'{', b'}'][..],
            "a header of 3 bytes does not fit the 2 that follow",
        ),
        (&[255; 8][..], "longer than the 100000000"),
    ] {
        fs::write(&path, bytes).unwrap();
        for access in [Access::Mapped, Access::Read] {
            let message = Checkpoint::open_with(&path, access).unwrap_err().to_string();
            assert!(message.contains(expected), "{message}");
        }
    }
}

/// Runs an ignored test of this binary by a shell after `setting`, for ten seconds at most.
fn in_child(test: &str, setting: &str, folder: &Path) -> Ended {
    let child = Child::ignored(test).after(setting).env("HLOOM_TEST_FOLDER", folder);
    child.limit(Duration::from_secs(10)).run()
}

fn folder_of_child() -> PathBuf {
    std::env::var_os("HLOOM_TEST_FOLDER").expect("a parent set it").into()
}

#[test]
#[cfg_attr(miri, ignore = "Miri starts no processes")]
fn lost_pages_of_a_mapped_file_end_the_process_with_a_message() {
    let folder = tempfile::tempdir().unwrap();
    let output = in_child("hostile_files::child_touches_lost_pages", "ulimit -c 0", folder.path());
    let text = &output.stderr;
    assert_eq!(
        output.status.unwrap().signal(),
        Some(libc::SIGBUS),
        "SIGBUS as without the message: {text}"
    );
    assert_eq!(
        text.matches("a checkpoint was truncated or overwritten while it was loaded").count(),
        1,
        "{text}"
    );
}

#[test]
#[ignore = "ends by SIGBUS: run by `lost_pages_of_a_mapped_file_end_the_process_with_a_message`"]
fn child_touches_lost_pages() {
    explain_bus_errors();
    explain_bus_errors();
    let (path, _) = checkpoint(&folder_of_child());
    let weights = Checkpoint::open(&path).unwrap();
    let tensor = weights.get("w").unwrap();
    // SAFETY: nothing is left to read when the file has changed: that ends the process.
    let mapped = unsafe { tensor.mapped().unwrap() };
    File::options().write(true).open(&path).unwrap().set_len(0).unwrap();
    let sum: u64 = mapped.iter().map(|&byte| u64::from(byte)).sum();
    panic!("lost pages were read: {sum}");
}

/// Files end at 64 KiB, as on a disk that is full, and the signal that comes with it is ignored.
const FULL: &str = "ulimit -f 128 && trap '' XFSZ";

#[test]
#[cfg_attr(miri, ignore = "Miri starts no processes")]
fn a_disk_that_fills_up_leaves_the_file_that_was_there_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.safetensors"), "what was there").unwrap();
    in_child("hostile_files::child_writes_on_a_full_disk", FULL, folder.path()).passed();
    let left: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["a.safetensors"]);
    assert_eq!(fs::read(folder.path().join("a.safetensors")).unwrap(), b"what was there");
}

#[test]
#[ignore = "needs a limit on files: run by \
            `a_disk_that_fills_up_leaves_the_file_that_was_there_and_nothing_else`"]
fn child_writes_on_a_full_disk() {
    let path = folder_of_child().join("a.safetensors");
    let bytes = vec![1; 1 << 20];
    let mut writer = Writer::new();
    writer.tensor("w", Shape::new(DType::U8, [bytes.len()]).unwrap(), &bytes[..]).unwrap();
    let error = writer.save(&path).unwrap_err().to_string();
    assert_eq!(error, format!("{}: cannot write: File too large (os error 27)", path.display()));
}

#[test]
fn a_place_that_cannot_be_written_to_is_an_error_with_the_files_name() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("a.safetensors")).unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    let writer = Writer::new();
    // No one, not even root, can make files in /proc.
    for path in [
        Path::new("/proc/a.safetensors"),
        &folder.path().join("a.safetensors"),
        &folder.path().join("file/a.safetensors"),
        &folder.path().join("none/a.safetensors"),
    ] {
        let message = writer.save(path).unwrap_err().to_string();
        assert!(message.starts_with(&format!("{}: cannot write: ", path.display())), "{message}");
    }
    let mut left: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["a.safetensors", "file"]);
}
