//! Platforms.

use crate::{
    CacheStats, CompilationCache, DotTable, Error, Result, error::NoPlatform, kernels::Chooser,
    linear_algebra,
};
use hloom_graph::nearest_name;
use hloom_pjrt::{
    Client, CompileOptions, Device, LogLevel, NamedValue, PlatformKind, Plugin, XlaOption,
};
use std::{
    fmt, mem,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLock, Weak},
};

/// The devices of a PJRT plugin, which programs are compiled for and which hold buffers. Cheap to
/// clone.
///
/// A process forked from one with a platform has none of the plugin's threads. It cannot use the
/// platform or create another: calls return errors ([`hloom_pjrt::Error::Forked`]), and dropping
/// objects that the parent created does nothing. Fork before the first platform is created, or
/// start the other process by [`std::process::Command`].
#[derive(Clone)]
pub struct Platform(Arc<Inner>);

struct Inner {
    client: Client,
    name: String,
    /// Options of every program, unless its compiler sets others.
    xla_options: Vec<(String, XlaOption)>,
    cache: RwLock<Option<CompilationCache>>,
    dots: Chooser,
}

/// A platform that may be gone.
pub(crate) struct WeakPlatform(Weak<Inner>);

/// Selects a plugin and its options.
#[derive(Clone, Debug, Default)]
pub struct PlatformBuilder {
    plugin: Option<PathBuf>,
    options: Vec<(String, NamedValue)>,
    xla_options: Vec<(String, XlaOption)>,
}

/// The platforms that [`Platform::auto`] tries, in order: the name, and files of which one exists
/// when the devices do.
const PREFERRED: [(&str, &[&str]); 4] = [
    ("cuda", &["/dev/nvidiactl", "/dev/nvidia0", "/dev/dxg"]),
    ("rocm", &["/dev/kfd"]),
    ("tpu", &["/dev/accel0", "/dev/vfio/0"]),
    ("cpu", &[]),
];

impl Platform {
    /// The best platform of this machine: an accelerator with its plugin, otherwise the CPU.
    ///
    /// # Errors
    /// No plugin could be used; the error lists the reason for each. Or an environment variable,
    /// such as `PJRT_PLUGIN_LIBRARY_PATH`, names a file that is not a plugin, even where another
    /// plugin would be found.
    pub fn auto() -> Result<Platform> {
        Platform::builder().build()
    }

    fn preferred(settings: &PlatformBuilder) -> Result<Platform> {
        Plugin::check_settings().map_err(Error::plugin("the plugins of the environment"))?;
        let mut skipped = Vec::new();
        for (name, devices) in PREFERRED {
            if !devices.is_empty() && !devices.iter().any(|device| Path::new(device).exists()) {
                skipped.push((name.into(), format!("none of {} exists", devices.join(", "))));
                continue;
            }
            match settings.clone().plugin(name).build() {
                Ok(platform) => {
                    for (name, why) in &skipped {
                        tracing::debug!(%name, %why, "platform passed over");
                    }
                    return Ok(platform);
                }
                Err(error) => skipped.push((name.into(), error.to_string())),
            }
        }
        Err(Error::NoPlatform(NoPlatform { wanted: "platform".into(), skipped }))
    }

    /// The CPU as one device.
    ///
    /// # Errors
    /// There is no CPU plugin; the error lists where it was searched for.
    pub fn cpu() -> Result<Platform> {
        Platform::named("cpu")
    }

    /// The CPU as `count` devices, which share its threads and memory: for programs over meshes
    /// without other devices.
    ///
    /// # Errors
    /// As [`cpu`](Self::cpu).
    pub fn cpus(count: usize) -> Result<Platform> {
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        Platform::builder().plugin("cpu").client_option("cpu_device_count", count).build()
    }

    /// The platform of a name: `cpu`, `cuda`, `tpu`...
    ///
    /// # Errors
    /// There is no such plugin, or it does not create a client.
    pub fn named(name: &str) -> Result<Platform> {
        Platform::builder().plugin(name).build()
    }

    /// The platform of a plugin file.
    ///
    /// # Errors
    /// The file is not a plugin, or it does not create a client.
    pub fn load(path: impl AsRef<Path>) -> Result<Platform> {
        Platform::builder().plugin(path.as_ref()).build()
    }

    /// Selects a plugin and its options.
    pub fn builder() -> PlatformBuilder {
        PlatformBuilder::default()
    }

    /// The platform of an existing client. On the CPU, programs of its plugin can call the handlers
    /// of linear algebra from then on.
    pub fn from_client(client: Client) -> Platform {
        Platform::with_options(client, Vec::new())
    }

    fn with_options(client: Client, xla_options: Vec<(String, XlaOption)>) -> Platform {
        let name = client.platform_name().to_owned();
        linear_algebra::register(client.plugin(), client.platform_kind());
        let cache = RwLock::new(CompilationCache::from_environment());
        let dots = Chooser::default();
        Platform(Arc::new(Inner { client, name, xla_options, cache, dots }))
    }

    /// The plugin's name for its platform, such as `cpu` or `cuda`.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The kind of the platform.
    pub fn kind(&self) -> PlatformKind {
        self.client().platform_kind()
    }

    /// The underlying PJRT client.
    pub fn client(&self) -> &Client {
        &self.0.client
    }

    /// The devices that this process can use, in the platform's order.
    pub fn devices(&self) -> Vec<Device> {
        self.client().addressable_devices()
    }

    /// The number of devices that this process can use.
    pub fn device_count(&self) -> usize {
        self.client().addressable_devices().len()
    }

    /// Keeps the programs that are compiled from now on, and looks for them before compiling. By
    /// default there is a cache where the environment variable `HLOOM_CACHE` asks for one: it is a
    /// folder, or `user` for [`CompilationCache::of_user`].
    pub fn set_cache(&self, cache: impl Into<Option<CompilationCache>>) {
        // A panic cannot leave an assignment incomplete.
        *self.0.cache.write().unwrap_or_else(PoisonError::into_inner) = cache.into();
    }

    /// The cache of compiled programs.
    pub fn cache(&self) -> Option<CompilationCache> {
        self.0.cache.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Statistics of the cache of compiled programs; zeros without a cache.
    pub fn cache_stats(&self) -> CacheStats {
        self.cache().map(|cache| cache.stats()).unwrap_or_default()
    }

    /// Sets the strategies for the dot products of programs that are compiled from now on, on the
    /// CPU.
    ///
    /// By default, if the platform's cache has a folder, the table kept there for this processor,
    /// instruction set, number of threads and plugin is used; the classes of products that it lacks
    /// are computed by [`DotTable::built_in`], and measured [in the
    /// background](Self::set_background_measuring) for the programs that are compiled later.
    /// Without a folder, [`DotTable::built_in`] is used. The environment variable `HLOOM_DOTS`
    /// changes the default: `measure` (as [`DotTable::measured`]), `kept` (the table in the folder,
    /// and nothing is measured in the background) or `built-in`.
    pub fn set_dot_table(&self, table: DotTable) {
        self.0.dots.set(table);
    }

    /// The strategies for dot products, as far as they were set, measured or read from the cache.
    pub fn dot_table(&self) -> DotTable {
        self.0.dots.table()
    }

    /// Whether dot products that the table lacks are measured on a thread in the background, as by
    /// default. It waits until the platform was called, and then was not used for a second while
    /// the machine is idle; a call or a compilation interrupts it within milliseconds, unless it
    /// compiles. [`measure_dots`](Self::measure_dots) does the same at once.
    pub fn set_background_measuring(&self, is_on: bool) {
        self.0.dots.set_background(self, is_on);
    }

    /// Measures the dot products that programs had and the table lacked: a quarter of a second for
    /// each class. Then these programs are compiled again for the cache's folder, and the classes
    /// are added to the table and kept in the folder. Executables stay as they are. For an
    /// installation, or a program that is never idle: its next process begins with the table.
    ///
    /// # Errors
    /// The first error of a product or a program; the others are measured and compiled.
    pub fn measure_dots(&self) -> Result<()> {
        self.0.dots.measure(self)
    }

    /// Sets the options that every program of the platform has.
    pub(crate) fn set_xla_options(&self, options: &mut CompileOptions) {
        for (name, value) in &self.0.xla_options {
            options.set_option(name, value.clone());
        }
    }

    pub(crate) fn dots(&self) -> &Chooser {
        &self.0.dots
    }

    pub(crate) fn downgrade(&self) -> WeakPlatform {
        WeakPlatform(Arc::downgrade(&self.0))
    }

    /// Whether another handle exists.
    pub(crate) fn is_shared(&self) -> bool {
        Arc::strong_count(&self.0) > 1
    }

    /// Whether both handles are of the same platform, not only of the same kind of platform.
    pub fn is_same(&self, other: &Platform) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl WeakPlatform {
    pub fn upgrade(&self) -> Option<Platform> {
        self.0.upgrade().map(Platform)
    }
}

impl PlatformBuilder {
    /// The plugin, by name or by file path.
    pub fn plugin(mut self, name_or_path: impl AsRef<Path>) -> Self {
        self.plugin = Some(name_or_path.as_ref().to_owned());
        self
    }

    /// An option of the plugin, such as `cpu_device_count` (4) or `memory_fraction` (0.9).
    pub fn client_option(mut self, name: impl Into<String>, value: impl Into<NamedValue>) -> Self {
        self.options.push((name.into(), value.into()));
        self
    }

    /// An option of XLA for every program that is compiled on the platform, such as
    /// `xla_backend_optimization_level`. [`Compiler::xla_option`](crate::Compiler::xla_option)
    /// replaces it for one program. The plugin rejects an unknown name when it compiles.
    pub fn xla_option(mut self, name: impl Into<String>, value: impl ToString) -> Self {
        self.xla_options.push((name.into(), XlaOption::parse(&value.to_string())));
        self
    }

    /// Creates the platform; without a plugin, the first of [`Platform::auto`] that has these
    /// options. Its plugin writes warnings and errors to standard error, and less severe messages
    /// only if the environment variable `TF_CPP_MIN_LOG_LEVEL` is 0.
    ///
    /// # Errors
    /// There is no such plugin, an option is invalid, or the plugin does not create a client.
    pub fn build(mut self) -> Result<Platform> {
        let Some(name) = self.plugin.take() else {
            return Platform::preferred(&self);
        };
        let xla_options = mem::take(&mut self.xla_options);
        let client = self.client(&name).map_err(|error| {
            let hint = plugin_hint(&error).unwrap_or_default();
            Error::plugin(format!("platform `{}`{hint}", name.display()))(error)
        })?;
        Ok(Platform::with_options(client, xla_options))
    }

    fn client(self, name: &Path) -> hloom_pjrt::Result<Client> {
        // Plugins log to standard error.
        let plugin = Plugin::load_with_log_level(name, LogLevel::Warning)?;
        let mut builder = plugin.client_builder();
        // By default the plugin would create several devices of one processor that share its
        // threads.
        const COUNT: &str = "cpu_device_count";
        let counted = self.options.iter().any(|(name, _)| name == COUNT);
        if plugin.name() == "cpu" && !counted {
            builder = builder.option(COUNT, 1i64);
        }
        for (name, value) in &self.options {
            builder = builder.option(name.clone(), value.clone());
        }
        let client = builder.build()?;
        // A CPU plugin of another name is known as one by its client only.
        let is_cpu = client.platform_kind() == PlatformKind::Cpu;
        if !is_cpu || counted || client.devices().len() == 1 {
            return Ok(client);
        }
        let builder = plugin.client_builder().option(COUNT, 1i64);
        let options = self.options.into_iter();
        let single = options.fold(builder, |builder, (name, value)| builder.option(name, value));
        // A plugin without the option keeps its devices.
        Ok(single.build().unwrap_or(client))
    }
}

/// A hint for a plugin that was not found by its name: another name that is similar, or how to
/// install it.
fn plugin_hint(error: &hloom_pjrt::Error) -> Option<String> {
    let hloom_pjrt::Error::PluginNotFound { name, available, .. } = error else { return None };
    let known = PREFERRED.iter().map(|(name, _)| *name);
    if known.clone().any(|known| known == name) {
        return Some(format!(" (`hloom::plugins::ensure(\"{name}\")` installs its plugin)"));
    }
    let meant = nearest_name(name, known.chain(available.iter().map(String::as_str)))?;
    Some(format!(" (is `{meant}` meant?)"))
}

impl fmt::Debug for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Platform({}, {} devices)", self.name(), self.device_count())
    }
}

impl fmt::Display for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = self
            .client()
            .addressable_devices()
            .first()
            .map(|d| d.kind().to_owned())
            .unwrap_or_default();
        write!(f, "{} ({} × {kind})", self.name(), self.device_count())
    }
}
