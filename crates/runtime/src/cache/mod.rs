//! Compiled programs that are kept: in memory, and in a folder for the next processes.
//!
//! - **Keys.** The key of a program is a hash of the module that the plugin would compile and of
//!   everything else that the result depends on: see [`Target`]. An entry of another key is never
//!   loaded.
//! - **Trust.** The plugin runs what it loads: native code. Entries are read from a folder that
//!   only its owner can write to, and by that owner.
//! - **Failures.** A folder that cannot be used, and an entry that is not sound, are misses, with a
//!   message in the log.

mod entry;
mod folder;
mod installed_hash;
mod lock;
mod memory;
mod saved;
mod saved_program;
mod statistics;
mod target;

pub use saved::LoadError;
pub(crate) use saved::{
    Executable, Loaded, Needs, ProgramFile, load, load_any, serialize, to_bytes,
};
pub use saved_program::SavedProgram;
pub(crate) use target::{Devices, Machine, ProgramSource, file_hash};

use crate::Platform;
use entry::ProgramEntry;
use folder::Folder;
use hloom_pjrt::LoadedExecutable;
use lock::Locks;
use memory::Memory;
pub(crate) use statistics::Statistics;
use std::{
    env, fmt, io,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::SystemTime,
};
use target::Target;

/// The bytes that a folder holds by default.
const FOLDER_LIMIT: u64 = 4 << 30;
/// The bytes that are kept in memory.
const MEMORY_LIMIT: usize = 64 << 20;

/// A cache of compiled programs, for a platform: see [`Platform::set_cache`]. Clones share it.
///
/// ```no_run
/// # use hloom_runtime::*;
/// let platform = Platform::cpu()?;
/// platform.set_cache(CompilationCache::of_user());
/// // Programs that this or another process compiled before are now loaded.
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct CompilationCache(Arc<Inner>);

struct Inner {
    /// The folder as it was given; `None` for a cache in memory alone.
    path: Option<PathBuf>,
    /// The bytes that the folder holds at most.
    limit: AtomicU64,
    /// The folder once it is used, or the reason why it cannot be used.
    folder: OnceLock<Result<Folder, String>>,
    memory: Mutex<Memory>,
    compiling: Locks,
    counters: Counters,
    /// The reason why the first program that could not be kept in the folder was not kept.
    unkept: OnceLock<String>,
    /// The name and the target of the last miss.
    missed: Mutex<Option<(String, Target)>>,
}

#[derive(Default)]
struct Counters {
    memory_hits: AtomicU64,
    folder_hits: AtomicU64,
    misses: AtomicU64,
    failures: AtomicU64,
}

/// Cache statistics: hits, misses, failures.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct CacheStats {
    /// Programs found in memory.
    pub memory_hits: u64,
    /// Programs loaded from the folder.
    pub folder_hits: u64,
    /// Programs that were compiled.
    pub misses: u64,
    /// Entries that could not be read, loaded or written; each is also a miss, or a program that
    /// is not kept.
    pub failures: u64,
}

/// A program of a cache's folder.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct CacheEntry {
    /// The name of the program.
    pub program: String,
    /// The platform that it was compiled for.
    pub platform: String,
    /// Its file.
    pub path: PathBuf,
    /// The size of the file in bytes.
    pub bytes: u64,
    /// The time when it was written, or loaded last.
    pub used: SystemTime,
}

impl CompilationCache {
    /// A cache in a folder, which is created with its first entry. It has to belong to this user,
    /// and nobody else may write to it or replace it; otherwise programs are kept in memory alone,
    /// and a warning says why.
    pub fn at(folder: impl Into<PathBuf>) -> CompilationCache {
        CompilationCache::new(Some(folder.into()))
    }

    /// A cache in this user's folder for caches: `hloom/programs` in `$XDG_CACHE_HOME` or
    /// `~/.cache`. In memory alone if there is no such folder.
    pub fn of_user() -> CompilationCache {
        CompilationCache::new(hloom_pjrt::cache_folder().map(|folder| folder.join("programs")))
    }

    /// A cache of this process.
    pub fn in_memory() -> CompilationCache {
        CompilationCache::new(None)
    }

    fn new(path: Option<PathBuf>) -> CompilationCache {
        CompilationCache(Arc::new(Inner {
            path,
            limit: AtomicU64::new(FOLDER_LIMIT),
            folder: OnceLock::new(),
            memory: Mutex::new(Memory::new(MEMORY_LIMIT)),
            compiling: Locks::default(),
            counters: Counters::default(),
            unkept: OnceLock::new(),
            missed: Mutex::new(None),
        }))
    }

    /// Limits the bytes that this cache and its clones keep in the folder, 4 GiB by default. A
    /// program that is written beyond the limit removes those that were used least recently.
    #[must_use]
    pub fn with_limit(self, bytes: u64) -> CompilationCache {
        self.0.limit.store(bytes, Ordering::Relaxed);
        self
    }

    /// The cache that the environment variable `HLOOM_CACHE` selects: its value is a folder, or
    /// `user` for [`of_user`](Self::of_user); `None` if it is not set or `off`.
    pub fn from_environment() -> Option<CompilationCache> {
        let value = env::var_os("HLOOM_CACHE")?;
        match value.to_str() {
            Some("" | "off") => None,
            Some("user") => Some(CompilationCache::of_user()),
            _ => Some(CompilationCache::at(value)),
        }
    }

    /// The folder; `None` for a cache in memory alone.
    pub fn folder(&self) -> Option<&Path> {
        self.0.path.as_deref()
    }

    /// Statistics so far.
    pub fn stats(&self) -> CacheStats {
        let counters = &self.0.counters;
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        CacheStats {
            memory_hits: read(&counters.memory_hits),
            folder_hits: read(&counters.folder_hits),
            misses: read(&counters.misses),
            failures: read(&counters.failures),
        }
    }

    /// The programs in the folder.
    ///
    /// # Errors
    /// The folder cannot be read, or others can write to it.
    pub fn entries(&self) -> io::Result<Vec<CacheEntry>> {
        let Some(folder) = self.existing()? else { return Ok(Vec::new()) };
        let listed = folder.files()?.into_iter().filter_map(|(path, bytes)| {
            let header = ProgramEntry::header(&mut folder.open_file(&path).ok()?).ok()?;
            let (program, platform) = (header.program, header.target.platform);
            let used = path.metadata().and_then(|data| data.modified()).ok()?;
            Some(CacheEntry { program, platform, path, bytes, used })
        });
        Ok(listed.collect())
    }

    /// Removes all programs, in memory and in the folder; returns the bytes of the files.
    ///
    /// # Errors
    /// The folder cannot be read, others can write to it, or a file cannot be removed.
    pub fn clear(&self) -> io::Result<u64> {
        *self.memory() = Memory::new(MEMORY_LIMIT);
        let Some(folder) = self.existing()? else { return Ok(0) };
        hloom_files::remove_abandoned(folder.path());
        let mut total = 0;
        for (path, bytes) in folder.files()? {
            std::fs::remove_file(path)?;
            total += bytes;
        }
        Ok(total)
    }

    /// The reason why the last program that was compiled was not found: the difference from the
    /// entry of the same name that is most like it, or why the folder is not used. `None` if there
    /// was no miss.
    pub fn explain_miss(&self) -> Option<String> {
        let missed = self.0.missed.lock().unwrap_or_else(PoisonError::into_inner);
        let (program, target) = missed.as_ref()?;
        let existing = self.existing();
        let unused = match (&existing, self.0.folder.get(), self.0.unkept.get()) {
            (Err(error), ..) => Some(error.to_string()),
            (_, Some(Err(reason)), _) | (_, _, Some(reason)) => Some(reason.clone()),
            _ => None,
        };
        if let (Some(reason), Some(folder)) = (unused, &self.0.path) {
            let folder = folder.display();
            return Some(format!("`{program}`: programs are not kept in `{folder}`: {reason}"));
        }
        let others = existing.ok().flatten().map(|folder| {
            let files = folder.files().unwrap_or_default();
            let header = |path| ProgramEntry::header(&mut folder.open_file(path).ok()?).ok();
            let headers = files.iter().filter_map(|(path, _)| header(path));
            headers.filter(|header| header.program == *program).collect::<Vec<_>>()
        });
        let differences = |other: &Target| target.differences(other);
        let nearest = others.unwrap_or_default().into_iter();
        let nearest = nearest.map(|header| differences(&header.target)).filter(|d| !d.is_empty());
        Some(match nearest.min_by_key(Vec::len) {
            Some(differences) => format!("`{program}`: {}", differences.join("; ")),
            None => format!("`{program}`: there is no entry of this name"),
        })
    }

    fn memory(&self) -> std::sync::MutexGuard<'_, Memory> {
        // A panic cannot leave the programs in memory in an incomplete state.
        self.0.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The folder if it exists.
    fn existing(&self) -> io::Result<Option<Folder>> {
        match &self.0.path {
            Some(path) if path.symlink_metadata().is_ok() => Folder::open(path).map(Some),
            _ => Ok(None),
        }
    }

    /// The folder, created if it does not exist.
    fn usable(&self) -> Option<&Folder> {
        let path = self.0.path.as_deref()?;
        let open = || {
            Folder::create(path).map_err(|error| {
                let folder = path.display();
                tracing::warn!(%folder, %error, "compiled programs are not kept");
                error.to_string()
            })
        };
        self.0.folder.get_or_init(open).as_ref().ok()
    }

    /// The stored program of a module, or else the program that `compile` returns, which is stored.
    pub(crate) fn compiled(
        &self,
        devices: Devices<'_>,
        program: &str,
        code: Vec<u8>,
        source: &ProgramSource,
        compile: impl FnOnce(Vec<u8>) -> hloom_pjrt::Result<LoadedExecutable>,
    ) -> hloom_pjrt::Result<Executable> {
        let target = match Target::of_module(&devices.machine(), &code, source, self.usable()) {
            Ok(target) => target,
            Err(error) => {
                self.failed(program, &error);
                return compile(code).map(Executable::from);
            }
        };
        let digest = target.digest();
        // Other threads that want the same program wait for it.
        let _compiling = self.0.compiling.lock(&digest);
        if let Some(loaded) = self.found(devices.platform, program, &target, &digest) {
            return Ok(loaded);
        }
        self.0.counters.misses.fetch_add(1, Ordering::Relaxed);
        tracing::debug!(program, digest, "compilation cache: miss");
        let loaded = compile(code)?;
        *self.0.missed.lock().unwrap_or_else(PoisonError::into_inner) =
            Some((program.to_owned(), target.clone()));
        self.keep(program, target, &digest, &loaded);
        Ok(loaded.into())
    }

    fn found(
        &self,
        platform: &Platform,
        program: &str,
        target: &Target,
        digest: &str,
    ) -> Option<Executable> {
        let kept = self.memory().get(digest);
        if let Some(code) = kept {
            match saved::deserialize(platform, program, code) {
                Ok(loaded) => {
                    self.0.counters.memory_hits.fetch_add(1, Ordering::Relaxed);
                    return Some(loaded);
                }
                Err(error) => self.failed(program, &error),
            }
        }
        let folder = self.usable()?;
        let path = folder.file(digest);
        let bytes = match folder.read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
            Err(error) => {
                self.failed(program, &error);
                return None;
            }
        };
        let loaded =
            ProgramEntry::read(&bytes).map_err(|error| error.to_string()).and_then(|entry| {
                if entry.header.target == *target {
                    saved::deserialize(platform, program, entry.code.into())
                        .map_err(|error| error.to_string())
                } else {
                    Err("it is of another target".into())
                }
            });
        match loaded {
            Ok(loaded) => {
                self.0.counters.folder_hits.fetch_add(1, Ordering::Relaxed);
                folder.used(&path);
                if let Some(code) = &loaded.code {
                    self.memory().insert(digest.to_owned(), code.clone());
                }
                Some(loaded)
            }
            Err(error) => {
                self.failed(program, &error);
                drop(std::fs::remove_file(path));
                None
            }
        }
    }

    fn keep(&self, program: &str, target: Target, digest: &str, loaded: &LoadedExecutable) {
        let code = match loaded.executable().serialize() {
            Ok(code) => code,
            Err(error) => return self.failed(program, &error),
        };
        if let Some(folder) = self.usable() {
            let bytes = ProgramEntry::write(program, target, None, Statistics::default(), &code);
            if let Err(error) = folder.write(digest, &bytes) {
                if self.0.unkept.set(error.to_string()).is_ok() {
                    let folder = folder.path().display();
                    tracing::warn!(%folder, %error, "compiled programs are not kept");
                }
                self.failed(program, &error);
            }
            folder.shrink(self.0.limit.load(Ordering::Relaxed));
        }
        self.memory().insert(digest.to_owned(), code.into());
    }

    fn failed(&self, program: &str, error: &dyn fmt::Display) {
        self.0.counters.failures.fetch_add(1, Ordering::Relaxed);
        tracing::info!(program, %error, "compilation cache: failure");
    }
}

/// The bytes that [`keep_note`] kept under this key on this machine, with this plugin; `None`
/// without a folder.
pub(crate) fn read_note(platform: &Platform, key: &str) -> Option<Vec<u8>> {
    with_note(platform, key, |folder, path| folder.read(path))
}

/// Keeps bytes in the folder of the platform's cache; nothing happens if that is not possible.
pub(crate) fn keep_note(platform: &Platform, key: &str, bytes: &[u8]) {
    with_note(platform, key, |folder, path| folder.write_file(path, bytes));
}

fn with_note<T>(
    platform: &Platform,
    key: &str,
    act: impl FnOnce(&Folder, &Path) -> io::Result<T>,
) -> Option<T> {
    let cache = platform.cache()?;
    let folder = cache.usable()?;
    let done = target::note_of_machine(&platform.client().plugin(), folder, key)
        .and_then(|name| act(folder, &folder.note(&name)));
    match done {
        Ok(done) => Some(done),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => {
            tracing::info!(key, %error, "compilation cache: failure");
            None
        }
    }
}

impl fmt::Debug for CompilationCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CompilationCache")
            .field("folder", &self.0.path)
            .field("stats", &self.stats())
            .finish()
    }
}
