//! Plugin files: checked without running them, then loaded permanently.

use crate::{PluginProblem, plugin::cache, sys};
use object::{Object, ObjectSymbol};
use std::{
    fs::File,
    path::{Path, PathBuf},
};

/// The exported function of every plugin.
const SYMBOL: &str = "GetPjrtApi";

/// The identity of a file, equal for all paths to it.
pub(crate) struct Identity {
    /// The path without links.
    pub(crate) path: PathBuf,
    file: (u64, u64),
}

impl Identity {
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.file != (0, 0) && self.file == other.file
    }
}

/// The identity of the file at a path.
pub(crate) fn identity(path: &Path) -> Result<Identity, PluginProblem> {
    let real = path.canonicalize().map_err(|e| unreadable(&e))?;
    let metadata = real.metadata().map_err(|e| unreadable(&e))?;
    if !metadata.is_file() {
        return Err(PluginProblem::NotAFile);
    }
    #[cfg(unix)]
    let file = {
        use std::os::unix::fs::MetadataExt;
        (metadata.dev(), metadata.ino())
    };
    #[cfg(not(unix))]
    let file = (0, 0);
    Ok(Identity { path: real, file })
}

fn unreadable(error: &std::io::Error) -> PluginProblem {
    match error.kind() {
        std::io::ErrorKind::NotFound => PluginProblem::Missing,
        _ => PluginProblem::Unreadable(error.to_string()),
    }
}

/// Whether a file is a shared library of this platform that exports `GetPjrtApi` and, if it is in
/// Hloom's cache, one that no other user can have put there. Runs nothing.
pub(crate) fn check(path: &Path) -> Result<(), PluginProblem> {
    let not_a_library = |why: String| PluginProblem::NotALibrary(why);
    identity(path)?;
    if let Some(root) = cache::folder() {
        cache::check_owner(path, &root)?;
    }
    let file = File::open(path).map_err(|e| unreadable(&e))?;
    // SAFETY: the map is private and read-only. Should another process truncate the file in this
    // moment, reading it would raise a signal; loading it would do the same.
    let map = unsafe { memmap2::Mmap::map(&file) }.map_err(|e| unreadable(&e))?;
    let object = object::File::parse(&*map).map_err(|e| not_a_library(e.to_string()))?;
    if object.kind() != object::ObjectKind::Dynamic {
        return Err(not_a_library(format!("it is of kind {:?}", object.kind())));
    }
    let expected = std::env::consts::ARCH;
    let found = match object.architecture() {
        object::Architecture::X86_64 => "x86_64",
        object::Architecture::Aarch64 => "aarch64",
        object::Architecture::Riscv64 => "riscv64",
        object::Architecture::PowerPc64 => "powerpc64",
        object::Architecture::S390x => "s390x",
        _ => "another processor",
    };
    if found != expected {
        return Err(not_a_library(format!("it is for {found}, expected {expected}")));
    }
    // Mach-O symbols begin with an underscore.
    let is_entry = |name: &str| name.strip_prefix('_').unwrap_or(name) == SYMBOL;
    let exported =
        object.dynamic_symbols().any(|s| s.is_definition() && s.name().is_ok_and(is_entry))
            || object.exports().is_ok_and(|all| {
                all.iter().any(|e| std::str::from_utf8(e.name()).is_ok_and(is_entry))
            });
    if exported { Ok(()) } else { Err(PluginProblem::NoSymbol) }
}

/// Loads a library, never to be unloaded, and returns its table (which may be null).
pub(crate) fn open(path: &Path) -> Result<*const sys::PJRT_Api, PluginProblem> {
    let loader = |e: libloading::Error| PluginProblem::Loader(e.to_string());
    #[cfg(unix)]
    let library = {
        use libloading::os::unix::{Library, RTLD_LAZY, RTLD_LOCAL};
        // Local: two plugins with the same C++ libraries must not resolve each other's symbols.
        // SAFETY: loading runs the library's initializers; a plugin is trusted like the program.
        unsafe { Library::open(Some(path), RTLD_LAZY | RTLD_LOCAL) }.map_err(loader)?
    };
    #[cfg(not(unix))]
    // SAFETY: as above.
    let library = unsafe { libloading::Library::new(path) }.map_err(loader)?;
    // Its threads and destructors must find the code in place until the process ends.
    let library = std::mem::ManuallyDrop::new(library);
    type GetPjrtApi = unsafe extern "C" fn() -> *const sys::PJRT_Api;
    // SAFETY: a symbol of this name has this type in every plugin.
    let entry = unsafe { library.get::<GetPjrtApi>(SYMBOL.as_bytes()) }
        .map_err(|_| PluginProblem::NoSymbol)?;
    // SAFETY: takes nothing and returns a pointer.
    Ok(unsafe { entry() })
}

/// Whether the user's argument is a path and not a plugin's name.
pub(crate) fn is_path(given: &Path) -> bool {
    given.components().count() != 1
        || given.to_str().is_none_or(|s| s.contains(['/', '\\']) || s.starts_with('.'))
        || is_library_name(given)
}

/// Whether a file's name has a shared library's suffix.
pub(crate) fn is_library_name(path: &Path) -> bool {
    let Some(name) = path.file_name().and_then(|n| n.to_str()) else {
        return false;
    };
    [".so", ".dylib", ".dll"].iter().any(|end| name.ends_with(end)) || name.contains(".so.")
}

/// The plugin's name in a file's name, if the file is named as plugins are.
pub(crate) fn recognised_name(path: &Path) -> Option<String> {
    let file = path.file_name()?.to_str()?;
    let stem = file.split('.').next()?;
    let stem = stem.strip_prefix("lib").filter(|s| s.len() > 3).unwrap_or(stem);
    if stem == "tpu" || file.starts_with("libtpu.") {
        return Some("tpu".to_owned());
    }
    const FORMS: [(&str, &str); 9] = [
        ("pjrt_c_api_", "_plugin"),
        ("pjrt_plugin_", ""),
        ("pjrt-plugin-", ""),
        ("pjrt_plugin-", ""),
        ("pjrt-plugin_", ""),
        ("xla_", "_pjrt"),
        ("xla_", "_plugin"),
        ("pjrt_", "_plugin"),
        ("pjrt_", ""),
    ];
    let name = FORMS.iter().find_map(|(start, end)| {
        stem.strip_prefix(start)?.strip_suffix(end).filter(|name| !name.is_empty())
    })?;
    // Wheels for several versions of CUDA or ROCm differ only in the folder's name.
    let folder = path.parent().and_then(|p| p.file_name()).and_then(|n| n.to_str());
    let versioned = folder.and_then(|f| f.strip_prefix("xla_")).filter(|f| f.starts_with(name));
    let versioned = versioned.filter(|f| f[name.len()..].bytes().all(|b| b.is_ascii_digit()));
    Some(versioned.unwrap_or(name).replace('-', "_").to_lowercase())
}

/// The plugin's name for a file: as recognised, else the stem of the file's name.
pub(crate) fn plugin_name(path: &Path) -> String {
    recognised_name(path).unwrap_or_else(|| {
        let file = path.file_name().map(|f| f.to_string_lossy().into_owned()).unwrap_or_default();
        file.split('.').next().unwrap_or_default().to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_from_files() {
        for (file, name) in [
            ("pjrt_c_api_cpu_plugin.so", Some("cpu")),
            ("/a/pjrt_plugin_metal_14.dylib", Some("metal_14")),
            ("pjrt-plugin-cpu.so", Some("cpu")),
            ("xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so", Some("cpu")),
            ("jax_plugins/xla_cuda13/xla_cuda_plugin.so", Some("cuda13")),
            ("jax_plugins/xla_rocm7/xla_rocm_plugin.so", Some("rocm7")),
            ("elsewhere/xla_cuda_plugin.so", Some("cuda")),
            ("libtpu/libtpu.so", Some("tpu")),
            ("libpjrt_trn.so", Some("trn")),
            ("libc.so.6", None),
            ("xla_.so", None),
        ] {
            assert_eq!(recognised_name(Path::new(file)).as_deref(), name, "{file}");
        }
        assert_eq!(plugin_name(Path::new("/x/strange.so")), "strange");
    }

    #[test]
    fn paths_and_names_are_told_apart() {
        for path in ["/a/b", "a/b", "./cpu", "x.so", "x.so.1", "x.dylib", "."] {
            assert!(is_path(Path::new(path)), "{path}");
        }
        for name in ["cpu", "cuda13", "my_plugin"] {
            assert!(!is_path(Path::new(name)), "{name}");
        }
    }

    #[test]
    fn files_that_are_no_plugins_are_told_apart() {
        let folder = std::env::temp_dir().join(format!("hloom-library-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        assert_eq!(check(&folder.join("none.so")), Err(PluginProblem::Missing));
        assert_eq!(check(&folder), Err(PluginProblem::NotAFile));
        let text = folder.join("text.so");
        std::fs::write(&text, "not a library").unwrap();
        assert!(matches!(check(&text), Err(PluginProblem::NotALibrary(_))));
        let empty = folder.join("empty.so");
        std::fs::write(&empty, "").unwrap();
        assert!(check(&empty).is_err());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
