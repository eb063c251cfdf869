//! The bundle's program as a file: what it needs of the machine that it runs on.

use std::{
    fs,
    path::{Path, PathBuf},
};

use object::{
    Endianness,
    elf::{DT_NEEDED, FileHeader64},
    read::elf::{Dyn, FileHeader},
};

use crate::{Result, cargo};

/// The newest glibc that every machine with a GPU has: that of Ubuntu 22.04 is 2.35.
const GLIBC: [u32; 2] = [2, 34];

/// The texts that a program with MLIR contains, also without its symbols.
const MLIR: [&str; 3] = ["_ZN4mlir", "mlir::", "mlirContext"];

/// The libraries of LLVM and of the C++ runtime begin with these.
const LIBRARIES: [&str; 3] = ["libMLIR", "libLLVM", "libstdc++"];

/// Checks that a program needs no newer glibc, neither contains nor loads MLIR, and does not know
/// the folder that it was built in.
///
/// # Errors
/// It does, or is not an ELF file of 64 bits.
pub fn check(path: &Path) -> Result {
    let bytes = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let folders = Folders { repository: cargo::workspace(), target: cargo::target() };
    check_bytes(&bytes, &folders).map_err(|why| format!("{}: {why}", path.display()))
}

/// The folders whose paths a program may know.
struct Folders {
    repository: PathBuf,
    /// The build outputs.
    target: PathBuf,
}

fn check_bytes(bytes: &[u8], folders: &Folders) -> Result {
    let needs = needs(bytes).map_err(|error| error.to_string())?;
    for version in &needs.versions {
        let Some(numbers) = version.strip_prefix("GLIBC_") else { continue };
        // `GLIBC_ABI_DT_RELR` and the like name features of new versions.
        let numbers: Option<Vec<u32>> = numbers.split('.').map(|n| n.parse().ok()).collect();
        if numbers.is_none_or(|numbers| numbers[..] > GLIBC[..]) {
            return Err(format!("it needs {version}, expected at most GLIBC_2.34"));
        }
    }
    let loads = |name: &&String| LIBRARIES.iter().any(|start| name.starts_with(start));
    if let Some(library) = needs.libraries.iter().find(loads) {
        return Err(format!("it loads {library}"));
    }
    let text = String::from_utf8_lossy(bytes);
    if let Some(found) = MLIR.iter().find(|found| text.contains(**found)) {
        return Err(format!("it contains MLIR: `{found}`"));
    }
    match own_path(&text, folders) {
        Some(path) => Err(format!("it contains the path {path}")),
        None => Ok(()),
    }
}

/// A path of this repository in the text of a program.
///
/// Paths of build outputs do not matter: a panic names its file, and that of a dependency with
/// generated code is there.
fn own_path(text: &str, folders: &Folders) -> Option<String> {
    let repository = folders.repository.display().to_string();
    let target = folders.target.display().to_string();
    let mut paths = text.match_indices(&repository).map(|(at, _)| &text[at..]);
    let path = paths.find(|path| !path.starts_with(&target))?;
    Some(path.chars().take(200).take_while(|c| !c.is_control()).collect())
}

/// Versions of symbols and libraries that the dynamic linker must find.
struct Needs {
    versions: Vec<String>,
    libraries: Vec<String>,
}

fn needs(bytes: &[u8]) -> object::Result<Needs> {
    let header = FileHeader64::<Endianness>::parse(bytes)?;
    let endian = header.endian()?;
    let sections = header.sections(endian, bytes)?;
    let mut needs = Needs { versions: Vec::new(), libraries: Vec::new() };
    let text = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
    if let Some((mut files, strings)) = sections.gnu_verneed(endian, bytes)? {
        let strings = sections.strings(endian, bytes, strings)?;
        while let Some((file, mut versions)) = files.next()? {
            needs.libraries.push(text(file.file(endian, strings)?));
            while let Some(version) = versions.next()? {
                needs.versions.push(text(version.name(endian, strings)?));
            }
        }
    }
    if let Some((entries, strings)) = sections.dynamic(endian, bytes)? {
        let strings = sections.strings(endian, bytes, strings)?;
        for entry in entries {
            if entry.is_string(endian) && entry.tag32(endian) == Some(DT_NEEDED) {
                needs.libraries.push(text(entry.string(endian, strings)?));
            }
        }
    }
    Ok(needs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own() -> Vec<u8> {
        fs::read(std::env::current_exe().unwrap()).unwrap()
    }

    /// This program with each `old` replaced by `new`, which has its length.
    fn own_with(old: &str, new: &str) -> Vec<u8> {
        let mut bytes = own();
        let (old, new) = (old.as_bytes(), new.as_bytes());
        assert_eq!(old.len(), new.len());
        for at in 0..bytes.len() - old.len() {
            if bytes[at] == old[0] && bytes[at..].starts_with(old) {
                bytes[at..at + new.len()].copy_from_slice(new);
            }
        }
        bytes
    }

    #[test]
    fn what_another_machine_may_lack_is_refused() {
        let nowhere = Folders { repository: "/nowhere".into(), target: "/nowhere/target".into() };
        let refused = |bytes: &[u8]| check_bytes(bytes, &nowhere).unwrap_err();
        assert!(refused(b"#!/bin/sh").contains("ELF"), "{}", refused(b"#!/bin/sh"));
        let newer = own_with("GLIBC_2.34\0", "GLIBC_2.43\0");
        assert_eq!(refused(&newer), "it needs GLIBC_2.43, expected at most GLIBC_2.34");
        let loads = own_with("libgcc_s.so.1\0", "libLLVM.so.22\0");
        assert_eq!(refused(&loads), "it loads libLLVM.so.22");
        // The names that this program searches for.
        assert!(refused(&own()).starts_with("it contains MLIR"), "{}", refused(&own()));
    }
    #[test]
    fn paths_of_the_repository_are_found() {
        let folders = Folders { repository: "/home/own".into(), target: "/home/own/target".into() };
        let found = |text: &str| own_path(text, &folders);
        assert_eq!(found("/home/other/a.rs\0/home/own/target/debug/build/x/out/y.rs\0"), None);
        let own = found("\0/home/own/target/y.rs\0/home/own/data/z\0");
        assert_eq!(own.as_deref(), Some("/home/own/data/z"));
    }
}
