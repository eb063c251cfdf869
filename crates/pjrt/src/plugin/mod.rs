//! Plugins: found, loaded once, and never unloaded.

pub(crate) mod api;
pub(crate) mod cache;
pub(crate) mod discovery;
pub(crate) mod ending_thread;
pub(crate) mod environment;
pub(crate) mod exit;
pub(crate) mod extension_list;
pub(crate) mod extension_type;
pub(crate) mod fork;
pub(crate) mod library;
pub(crate) mod log;
mod lookup;
mod system;

use crate::{
    Error, LogLevel, PluginProblem, Result,
    named_value::{self, NamedValues},
    plugin::{api::Api, discovery::Candidate},
    sys,
};
use std::{
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

/// A loaded plugin.
///
/// A plugin is loaded at most once for each file, and lives as long as the process: plugins start
/// threads and keep global state, so unloading one is never safe. A `Plugin` is a plain reference
/// to it, cheap to copy.
///
/// ```no_run
/// use hloom_pjrt::Plugin;
/// let plugin = Plugin::load("cpu")?;
/// let client = plugin.client()?;
/// println!("{} with {} devices", client.platform_name(), client.devices().len());
/// # Ok::<(), hloom_pjrt::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Plugin {
    inner: &'static Inner,
}

struct Inner {
    api: Api,
    attributes: NamedValues,
}

/// The plugins of this process.
static LOADED: Mutex<Vec<Plugin>> = Mutex::new(Vec::new());

fn loaded() -> MutexGuard<'static, Vec<Plugin>> {
    // The list is only ever pushed to, so it is whole even if a thread panicked.
    LOADED.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Plugin {
    /// Loads a plugin by name (`cpu`, `cuda`, `tpu`, ...) or by the path of its file.
    ///
    /// Text with a path separator or a shared library's suffix is a path; anything else is a name,
    /// looked up in the order of [`Plugin::available`]. The second load of a file, by whatever name
    /// or link, returns the same plugin.
    ///
    /// # Errors
    /// [`Error::PluginNotFound`] lists every place that was looked at; [`Error::Plugin`] describes
    /// what is wrong with a file; [`Error::Setting`] means that a variable for this name, or an
    /// entry of `PJRT_PLUGIN_LIBRARY_PATH`, cannot be used, even where another plugin would be
    /// found; [`Error::Call`] is an error of the plugin itself.
    pub fn load(name_or_path: impl AsRef<Path>) -> Result<Self> {
        Self::load_with(name_or_path.as_ref(), None)
    }

    /// As [`load`](Self::load), but the plugin never writes messages below `level`. Without effect
    /// on a plugin that is loaded already, where the environment has one of the variables by which
    /// the user asks for logs (`TF_CPP_MIN_LOG_LEVEL`, `TF_CPP_MAX_VLOG_LEVEL`, `TF_CPP_VMODULE`),
    /// and outside of Linux.
    ///
    /// # Errors
    /// As for [`load`](Self::load).
    pub fn load_with_log_level(name_or_path: impl AsRef<Path>, level: LogLevel) -> Result<Self> {
        Self::load_with(name_or_path.as_ref(), Some(level))
    }

    fn load_with(given: &Path, level: Option<LogLevel>) -> Result<Self> {
        match given.to_str().filter(|_| !library::is_path(given)) {
            Some(name) => Self::load_name(name, level),
            None => Self::load_file(given, None, level),
        }
    }

    /// Every plugin that can be found, in the order in which they are considered, each with the
    /// reason if it is unusable. Loads nothing: files are only read.
    ///
    /// Plugins are looked for in this order:
    /// 1. those of this process: registered or loaded before;
    /// 2. the file named by `HLOOM_PLUGIN_<NAME>` or `PJRT_PLUGIN_<NAME>`;
    /// 3. the folders (or files) of `PJRT_PLUGIN_LIBRARY_PATH`, separated by colons;
    /// 4. Hloom's cache, `$XDG_CACHE_HOME/hloom/plugins/<name>-<version>`, newest version first:
    ///    finished installations only, in folders that no other user can write to;
    /// 5. installed Python packages: of `VIRTUAL_ENV`, `CONDA_PREFIX`, `PYTHONPATH`, the user's and
    ///    the system's;
    /// 6. `LD_LIBRARY_PATH`, the folders of `/etc/ld.so.conf`, and the system's library folders,
    ///    those of the architecture included.
    pub fn available() -> Vec<Candidate> {
        let mut all: Vec<Candidate> =
            loaded().iter().map(|p| Candidate::loaded(p.name(), p.path())).collect();
        all.extend(discovery::candidates());
        discovery::mark_shadowed(&mut all);
        all
    }

    /// Checks what the environment variables name: the files of plugins of any name, and the
    /// entries of `PJRT_PLUGIN_LIBRARY_PATH`. For callers that choose among the available plugins.
    ///
    /// # Errors
    /// [`Error::Setting`] for the first that cannot be used.
    pub fn check_settings() -> Result<()> {
        discovery::wrong_setting(true).map_or(Ok(()), Err)
    }

    /// Registers the function table of a plugin that is linked into the program, or was loaded by
    /// other means, and initializes it.
    ///
    /// # Errors
    /// [`Error::PluginExists`] if the name is taken by another plugin of this process, else as for
    /// [`Plugin::load`]. Registering the same table under the same name again returns the first
    /// plugin.
    ///
    /// # Safety
    /// `table` is null or points to a function table of the PJRT C API that lives, with all its
    /// functions, as long as the process.
    pub unsafe fn register(name: &str, table: *const sys::PJRT_Api) -> Result<Self> {
        let mut loaded = loaded();
        if let Some(plugin) = loaded.iter().find(|p| p.name() == name) {
            if std::ptr::eq(plugin.api().as_ptr(), table) {
                return Ok(*plugin);
            }
            let existing = plugin.path().map(|p| p.display().to_string());
            return Err(Error::PluginExists {
                name: name.to_owned(),
                existing: existing.unwrap_or_else(|| "registered".to_owned()),
            });
        }
        // SAFETY: by the contract of this function.
        let plugin = unsafe { Self::initialize(name.to_owned(), None, table) }?;
        loaded.push(plugin);
        Ok(plugin)
    }

    /// Registers a plugin that is linked into the program, statically or dynamically, by its entry
    /// point `GetPjrtApi`, and initializes it. `docs/plugins.md` shows how to link one.
    ///
    /// ```no_run
    /// use hloom_pjrt::{Plugin, sys};
    ///
    /// unsafe extern "C" {
    ///     fn GetPjrtApi() -> *const sys::PJRT_Api;
    /// }
    /// // SAFETY: the entry point of the plugin that the build script links.
    /// let plugin = unsafe { Plugin::register_linked("cpu", GetPjrtApi) }?;
    /// # Ok::<(), hloom_pjrt::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Plugin::register`].
    ///
    /// # Safety
    /// `entry` is the entry point of a plugin: it returns null or a function table as for
    /// [`Plugin::register`].
    pub unsafe fn register_linked(
        name: &str,
        entry: unsafe extern "C" fn() -> *const sys::PJRT_Api,
    ) -> Result<Self> {
        // SAFETY: by the contract of this function.
        unsafe { Self::register(name, entry()) }
    }

    /// The name: the one it was loaded by, else the one in its file's name.
    pub fn name(&self) -> &'static str {
        self.inner.api.name()
    }

    /// The file; `None` for a registered plugin.
    pub fn path(&self) -> Option<&'static Path> {
        self.inner.api.path()
    }

    /// Major and minor version of the C API that the plugin was built with.
    pub fn version(&self) -> (i32, i32) {
        self.inner.api.version()
    }

    /// The plugin's attributes, such as `xla_version`. Empty if it has none.
    pub fn attributes(&self) -> &'static NamedValues {
        &self.inner.attributes
    }

    /// The newest StableHLO version that the plugin reads, such as `[1, 13, 3]`.
    pub fn stablehlo_current_version(&self) -> Option<[i64; 3]> {
        self.version_attribute("stablehlo_current_version")
    }

    /// The oldest StableHLO version that the plugin reads.
    pub fn stablehlo_minimum_version(&self) -> Option<[i64; 3]> {
        self.version_attribute("stablehlo_minimum_version")
    }

    fn version_attribute(&self, name: &str) -> Option<[i64; 3]> {
        self.attributes().get(name)?.as_i64_list()?.try_into().ok()
    }

    /// The function table.
    pub fn api(&self) -> &'static Api {
        &self.inner.api
    }

    /// Captures the standard error stream while `body` runs: see [`quiet`](crate::quiet).
    pub fn quiet<R>(&self, body: impl FnOnce() -> R) -> R {
        log::quiet(body)
    }

    fn load_name(name: &str, level: Option<LogLevel>) -> Result<Self> {
        let names = discovery::names_for(name);
        if let Some(plugin) = loaded().iter().find(|p| names.iter().any(|n| n == p.name())) {
            return Ok(*plugin);
        }
        if let Some(error) = discovery::wrong_setting(false) {
            return Err(error);
        }
        let mut searched = Vec::new();
        for candidate in discovery::candidates_for(&names, &mut searched) {
            match &candidate.problem {
                None => return Self::load_file(&candidate.path, Some(candidate.name), level),
                Some(problem) => match candidate.wrong_setting() {
                    Some(error) => return Err(error),
                    None => searched.push(format!("  {}: {problem}", candidate.path.display())),
                },
            }
        }
        let usable = Self::available().into_iter().filter(|candidate| candidate.problem.is_none());
        let mut available: Vec<String> = usable.map(|candidate| candidate.name).collect();
        available.sort();
        available.dedup();
        Err(Error::PluginNotFound { name: name.to_owned(), available, searched })
    }

    fn load_file(path: &Path, name: Option<String>, level: Option<LogLevel>) -> Result<Self> {
        let failed = |problem| Error::Plugin { path: path.to_owned(), problem };
        let identity = library::identity(path).map_err(failed)?;
        let mut loaded = loaded();
        if let Some(plugin) = loaded.iter().find(|p| p.is_file(&identity)) {
            return Ok(*plugin);
        }
        library::check(path).map_err(failed)?;
        let table = log::while_loading(level, || library::open(path)).map_err(failed)?;
        // The program may be linked with this very file, and have registered it.
        let known = |plugin: &&Plugin| plugin.path().is_none() && plugin.api().as_ptr() == table;
        if let Some(plugin) = loaded.iter().find(known) {
            return Ok(*plugin);
        }
        let name = name.unwrap_or_else(|| library::plugin_name(path));
        let file: PathBuf = identity.path;
        // SAFETY: the library stays loaded, and its symbol returns the table of the C API.
        let plugin = unsafe { Self::initialize(name, Some(file), table) }?;
        loaded.push(plugin);
        Ok(plugin)
    }

    fn is_file(&self, identity: &library::Identity) -> bool {
        self.path().is_some_and(|path| {
            path == identity.path
                || library::identity(path).is_ok_and(|other| other.is_same(identity))
        })
    }

    /// # Safety
    /// As for [`Api::new`].
    unsafe fn initialize(
        name: String,
        path: Option<PathBuf>,
        table: *const sys::PJRT_Api,
    ) -> Result<Self> {
        let shown = path.clone().unwrap_or_else(|| PathBuf::from(format!("<registered {name}>")));
        // SAFETY: by the contract of this function.
        let api = unsafe { Api::new(name, path, table) }?;
        if api.has::<sys::PJRT_Plugin_Initialize_Args>() {
            let mut args: sys::PJRT_Plugin_Initialize_Args = api.zeroed();
            // SAFETY: takes no arguments; called once, before anything else.
            unsafe { api.call(&mut args) }.map_err(|error| Error::Plugin {
                path: shown,
                problem: PluginProblem::Initialize(error.to_string()),
            })?;
        }
        let attributes = attributes(&api)?;
        // Lives as long as the process, like the plugin itself.
        let inner = Box::leak(Box::new(Inner { api, attributes }));
        let (path, version) = (inner.api.path(), inner.api.version());
        tracing::debug!(plugin = inner.api.name(), ?path, ?version, "loaded");
        Ok(Self { inner })
    }
}

fn attributes(api: &Api) -> Result<NamedValues> {
    if !api.has::<sys::PJRT_Plugin_Attributes_Args>() {
        return Ok(NamedValues::new());
    }
    let mut args: sys::PJRT_Plugin_Attributes_Args = api.zeroed();
    // SAFETY: no inputs; the array belongs to the plugin and is copied at once.
    match unsafe { api.call(&mut args) } {
        // SAFETY: the plugin returns an array of this length.
        Ok(()) => Ok(unsafe { named_value::from_raw(args.attributes, args.num_attributes) }),
        Err(error) if error.is_unimplemented() => Ok(NamedValues::new()),
        Err(error) => Err(error),
    }
}

impl PartialEq for Plugin {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.inner, other.inner)
    }
}

impl Eq for Plugin {}

/// The name, the version of the C API, and the file: `cpu (PJRT API 0.106, /path/of/plugin.so)`.
impl std::fmt::Display for Plugin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (major, minor) = self.version();
        write!(f, "{} (PJRT API {major}.{minor}, ", self.name())?;
        match self.path() {
            Some(path) => write!(f, "{})", path.display()),
            None => f.write_str("registered)"),
        }
    }
}

impl std::fmt::Debug for Plugin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Plugin")
            .field("name", &self.name())
            .field("path", &self.path())
            .field("version", &self.version())
            .finish_non_exhaustive()
    }
}
