//! Kinds of files, by how they begin.

use crate::failure::{Failure, Outcome};
use hloom_runtime::SavedProgram;
use std::{io::Read, path::Path};

/// The kind of contents of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileKind {
    /// A program that was saved after its compilation.
    SavedProgram,
    /// A safetensors file, an index of several, or a folder with them.
    Checkpoint,
    /// A program in StableHLO: MLIR text or bytecode, or a function of `jax.export`.
    StableHlo,
    /// A folder that `torch_xla` wrote, with a program in StableHLO and its weights.
    StableHloFolder,
    /// A GGUF file, or the first one of a split model.
    Gguf,
    /// One array of NumPy.
    Npy,
    /// Arrays of NumPy by name.
    Npz,
}

impl FileKind {
    /// The kind of a file or folder.
    ///
    /// # Errors
    /// It cannot be read, or is neither a file nor a folder.
    pub fn of(path: &Path) -> Outcome<FileKind> {
        let failed = |error| Failure::new(format!("{}: {error}", path.display()));
        if path.is_dir() {
            return Ok(if path.join("functions").is_dir() {
                FileKind::StableHloFolder
            } else {
                FileKind::Checkpoint
            });
        }
        let mut start = Vec::new();
        let file = hloom_io::open_regular(path).map_err(failed)?;
        file.take(16).read_to_end(&mut start).map_err(failed)?;
        let ends_with = |end: &str| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.to_ascii_lowercase().ends_with(end)
        };
        Ok(match &start[..] {
            start if SavedProgram::begins_with(start) => FileKind::SavedProgram,
            start if start.starts_with(b"\x93NUMPY") => FileKind::Npy,
            start if start.starts_with(b"GGUF") => FileKind::Gguf,
            start if start.starts_with(b"PK") => FileKind::Npz,
            // The length of a header in eight bytes, and the header.
            start if start.get(8) == Some(&b'{') && start[4..8] == [0; 4] => FileKind::Checkpoint,
            // Damaged files are identified by their names.
            _ if ends_with(".safetensors") || ends_with(".index.json") => FileKind::Checkpoint,
            _ if ends_with(".hloom") => FileKind::SavedProgram,
            _ if ends_with(".gguf") => FileKind::Gguf,
            _ if ends_with(".npy") => FileKind::Npy,
            _ if ends_with(".npz") => FileKind::Npz,
            // Other forms of StableHLO have no mark at their start.
            _ => FileKind::StableHlo,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn files_are_known_by_their_start_and_else_by_their_name() {
        let folder = tempfile::tempdir().unwrap();
        for (name, content, expected) in [
            ("a", &b"HLOOMEXE\x02"[..], FileKind::SavedProgram),
            ("b.bin", b"\x93NUMPY\x01\x00", FileKind::Npy),
            ("c", b"PK\x03\x04", FileKind::Npz),
            ("d", b"\x08\0\0\0\0\0\0\0{}      ", FileKind::Checkpoint),
            ("e.safetensors", b"", FileKind::Checkpoint),
            ("model", b"GGUF\x03\0\0\0", FileKind::Gguf),
            ("model.gguf", b"", FileKind::Gguf),
            ("model.safetensors.index.json", b"{", FileKind::Checkpoint),
            ("f.hloom", b"HLOOM", FileKind::SavedProgram),
            ("g.NPY", b"", FileKind::Npy),
            ("h.npz", b"", FileKind::Npz),
            ("i.mlir", b"module {", FileKind::StableHlo),
            ("j.jax", b"\x18\0\0\0", FileKind::StableHlo),
            ("k", b"ML\xefR", FileKind::StableHlo),
            ("l", b"", FileKind::StableHlo),
        ] {
            let path = folder.path().join(name);
            fs::write(&path, content).unwrap();
            assert_eq!(FileKind::of(&path).unwrap(), expected, "{name}");
        }
        assert_eq!(FileKind::of(folder.path()).unwrap(), FileKind::Checkpoint);
        fs::create_dir_all(folder.path().join("exported/functions")).unwrap();
        let exported = folder.path().join("exported");
        assert_eq!(FileKind::of(&exported).unwrap(), FileKind::StableHloFolder);
        assert!(FileKind::of(&folder.path().join("none")).is_err());
        assert!(FileKind::of(Path::new("/dev/zero")).is_err());
    }
}
