//! Descriptions of devices, to compile for them ahead of time.

mod compile;
mod compiled;
mod gpu;
#[cfg(feature = "sandbox")]
mod sandboxed;

pub use compiled::CompiledProgram;
pub use gpu::Gpu;

use crate::{
    Compiler, Error, Result,
    compile::{Settings, TargetMesh},
};
use hloom_graph::{MeshShape, Name};
use hloom_pjrt::{NamedValue, NamedValues, PlatformKind, Plugin};
use std::fmt;

/// Devices to compile for that this machine need not have. The compiled program is saved, and
/// loaded on a machine that has them by [`Compiler::load`], with the same function and options.
///
/// The plugin of the platform has to be installed: it contains the compiler.
///
/// ```no_run
/// # use hloom_runtime::*; use hloom_graph::*;
/// # fn main() -> Result<()> {
/// let topology = Topology::tpu("v5e:2x2x1")?;
/// let program = topology.compile(|x: Tensor| x + x, (Spec::f32([3]),))?;
/// program.save("double.hloom")?;
/// # Ok(()) }
/// ```
pub struct Topology {
    inner: hloom_pjrt::Topology,
    /// The plugin's name of the devices, and its options.
    #[cfg(feature = "sandbox")]
    description: (String, NamedValues),
    plugin: Plugin,
    /// The platform that programs run on: `tpu`, `cuda`.
    platform: &'static str,
    /// The kind of each device.
    kinds: Vec<String>,
    ids: Vec<i64>,
}

impl Topology {
    /// A slice of TPUs, such as `v5e:2x2x1`: the chip, and how many there are along each dimension.
    /// On a machine outside of Google's cloud, set the environment variable `TPU_SKIP_MDS_QUERY` to
    /// 1 before the process begins: otherwise the plugin first waits minutes for a reply from
    /// Google's metadata server.
    ///
    /// # Errors
    /// The TPU plugin is not installed, or knows no such slice.
    pub fn tpu(slice: &str) -> Result<Topology> {
        Topology::create("tpu", slice, &NamedValues::new(), &format!("tpu:{slice}"))
    }

    /// One GPU of NVIDIA by its name, such as `h200`: see [`Gpu::named`].
    ///
    /// # Errors
    /// There is no description of this GPU, or the CUDA plugin is not installed.
    pub fn cuda(gpu: &str) -> Result<Topology> {
        Topology::cuda_of(&Gpu::named(gpu)?, 1)
    }

    /// GPUs of NVIDIA in one machine.
    ///
    /// # Errors
    /// The CUDA plugin is not installed, or does not take the description.
    pub fn cuda_of(gpu: &Gpu, count: usize) -> Result<Topology> {
        // Slices, hosts of a slice, devices of a host.
        let options = NamedValues::from([
            ("topology".to_owned(), NamedValue::String(format!("1x1x{count}"))),
            ("target_config".to_owned(), NamedValue::String(gpu.target_config())),
        ]);
        Topology::create("cuda", "", &options, &format!("cuda:{}x{count}", gpu.name))
    }

    /// The devices that a text names: `tpu:v5e:2x2x1`, `cuda:h200`, or `cuda:h200x4` for four of
    /// them.
    ///
    /// # Errors
    /// As for [`tpu`](Self::tpu) and [`cuda`](Self::cuda), or the text has another form.
    pub fn parse(target: &str) -> Result<Topology> {
        match target.split_once(':') {
            Some(("tpu", slice)) => Topology::tpu(slice),
            Some(("cuda", gpus)) => {
                let counted = gpus.rsplit_once('x').and_then(|(gpu, count)| {
                    Some((gpu, count.parse::<usize>().ok().filter(|&count| count > 0)?))
                });
                let (gpu, count) = counted.unwrap_or((gpus, 1));
                Topology::cuda_of(&Gpu::named(gpu)?, count)
            }
            _ => Err(Error::NoSuchTarget { target: target.into(), known: Gpu::names() }),
        }
    }

    fn create(
        platform: &'static str,
        name: &str,
        options: &NamedValues,
        target: &str,
    ) -> Result<Topology> {
        let failed = |error| Error::plugin(format!("target `{target}`"))(error);
        let plugin = Plugin::load(platform).map_err(failed)?;
        let inner = hloom_pjrt::Topology::new(plugin, name, options).map_err(failed)?;
        let devices = inner.devices().map_err(failed)?;
        let kinds = devices.iter().map(|device| device.kind().to_owned()).collect();
        let ids = devices.iter().map(|device| device.id()).collect();
        Ok(Topology {
            inner,
            #[cfg(feature = "sandbox")]
            description: (name.to_owned(), options.clone()),
            plugin,
            platform,
            kinds,
            ids,
        })
    }

    /// The platform that programs run on: `tpu` or `cuda`.
    pub fn platform(&self) -> &str {
        self.platform
    }

    /// The kind of the platform.
    pub(crate) fn kind(&self) -> PlatformKind {
        PlatformKind::of(self.platform)
    }

    /// The kind of each device.
    pub fn devices(&self) -> &[String] {
        &self.kinds
    }

    /// The topology of the plugin.
    pub fn as_pjrt(&self) -> &hloom_pjrt::Topology {
        &self.inner
    }

    /// Compiles with options.
    pub fn compiler(&self) -> Compiler<'_, Topology> {
        Compiler { on: self, settings: Settings::of(self.platform) }
    }
}

impl Compiler<'_, Topology> {
    /// Splits programs over a mesh of the first devices.
    ///
    /// # Errors
    /// The axes do not form a mesh, or there are too few devices.
    pub fn mesh<N: Into<Name>>(
        mut self,
        axes: impl IntoIterator<Item = (N, usize)>,
    ) -> Result<Self> {
        let shape = MeshShape::new(axes)?;
        let ids = self.on.ids.get(..shape.device_count());
        let ids = ids.ok_or_else(|| {
            Error::Mesh(crate::MeshError::TooLarge {
                mesh: Box::new(shape),
                platform: self.on.to_string(),
                found: self.on.ids.len(),
            })
        })?;
        self.settings.mesh = Some(TargetMesh::Topology { shape, ids: ids.to_vec() });
        Ok(self)
    }
}

impl fmt::Display for Topology {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = self.kinds.first().map_or("", String::as_str);
        write!(f, "{} ({} × {kind})", self.platform, self.kinds.len())
    }
}

impl fmt::Debug for Topology {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Topology({self})")
    }
}
