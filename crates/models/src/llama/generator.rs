//! A loaded model.

use super::{
    Config, Llama, Session, buckets, parallel,
    products::{self, LowRank},
    programs::{Bound, KvShape, Programs},
    weights,
};
use crate::{
    Error, ModelSource, Result, buffers,
    config_fields::check_layers,
    joined_threads::JoinedThreads,
    lora::{AdapterFolder, Adapters, Lora},
    once::lock,
};
use hloom_graph::{DType, PartitionSpec, Spec, Tensor, Tree};
use hloom_io::Checkpoint;
use hloom_nn::{RopeScaling, Sampler, SamplerState, Sampling};
use hloom_runtime::{Buffer, Kernels, Platform};
use once_cell::sync::OnceCell;
use std::{
    collections::BTreeMap,
    fmt,
    path::PathBuf,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

/// A model of the Llama family on a platform: its weights and its programs. Clones are cheap; all
/// its sessions share both.
#[derive(Clone)]
pub struct Generator(pub(super) Arc<Inner>, pub(super) Arc<JoinedThreads>);

pub(super) struct Inner {
    pub config: Config,
    pub eos_tokens: Vec<u32>,
    pub context: usize,
    pub sampling: Sampling,
    pub seed: u64,
    progress: bool,
    /// The folder of adapters, and those that are added to weights.
    adapter: Option<(AdapterFolder, Adapters<Spec>)>,
    pub programs: Programs,
    checkpoint: Checkpoint,
    weights: OnceCell<Arc<Bound<Buffer>>>,
    load_time: Mutex<Duration>,
}

/// Options for loading and running a model.
#[derive(Clone, Debug)]
pub struct Options {
    /// The element types of the weights.
    pub dtype: Dtype,
    /// The element type of the cache of keys and values: `bf16`, `f16`, `f32` or `f64`. By default
    /// it is the one that most bytes of the weights have, or `bf16` if that is another type.
    pub cache_dtype: Dtype,
    /// The maximum number of positions of a text; by default the model's own limit, at most 32768.
    pub context: Option<usize>,
    /// Adapters whose products are added to the weights when these are loaded. For weights of 8 bits
    /// or fewer, which would lose most of such a sum, each call computes the products of the
    /// adapter: the weights stay as they are.
    pub adapter: Option<AdapterFolder>,
    /// The sampling of tokens.
    pub sampling: Sampling,
    /// The seed of random numbers.
    pub seed: u64,
    /// The number of the platform's devices, starting with the first, that share the model: each
    /// holds a shard of its weights and of the cache.
    pub devices: usize,
    /// Whether answers continue after the tokens that end a text.
    pub ignore_eos: bool,
    /// Whether to show the progress of loading on standard error, when that is a terminal.
    pub progress: bool,
    /// The folder for dumps of graphs and compiled programs.
    pub dump: Option<PathBuf>,
    /// The platform kernels that the programs may use.
    pub kernels: Kernels,
}

/// The choice of element types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Dtype {
    /// That of the checkpoint: each weight has the type of its tensor there, or `bf16` where that
    /// has quantised blocks of another kind than `q4_0`, `q4_1`, `q8_0`, `q4_k`, `q5_k` and `q6_k`,
    /// whose products have kernels on CPUs.
    #[default]
    Auto,
    /// That of the checkpoint, with quantised blocks of all kinds: the least memory. A product with
    /// a kind without a kernel decodes the weight each time. For a cache it is `Auto`.
    Stored,
    /// The given type; weights that are floats of other types are converted when they are loaded.
    /// With a kind of quantised blocks, matrices are quantised ([`hloom_io::quantized`]), and other
    /// weights are as with [`Auto`](Self::Auto).
    As(DType),
}

/// Statistics of loading and compiling.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Stats {
    /// Time to load the weights.
    pub load: Duration,
    /// Time to compile programs; the times of parallel compilations are added.
    pub compile: Duration,
    /// Bytes of the weights.
    pub weight_bytes: usize,
    /// Bytes of weights on each device, as the devices report them, once they are loaded.
    pub device_bytes: Vec<usize>,
    /// The element type that most bytes of the weights have.
    pub dtype: DType,
    /// The element type of the cache.
    pub cache_dtype: DType,
}

/// The default maximum number of positions of a text: tables of angles have this length.
const MAX_POSITIONS: usize = 32_768;
/// The maximum number of positions that a model can be opened for.
pub const MAX_CONTEXT: usize = 1 << 24;

impl Default for Options {
    fn default() -> Options {
        Options {
            dtype: Dtype::Auto,
            cache_dtype: Dtype::Auto,
            context: None,
            adapter: None,
            sampling: Sampling::default(),
            seed: 0,
            devices: 1,
            ignore_eos: false,
            progress: false,
            dump: None,
            kernels: Kernels::default(),
        }
    }
}

impl Generator {
    /// Opens a model, a folder or a GGUF file, and starts to load its weights, which continues while
    /// programs are compiled.
    ///
    /// # Errors
    /// The configuration is not supported, the checkpoint does not match it, or an option is out of
    /// range. Errors of loading the weights are reported by the first call that needs them.
    pub fn open(
        platform: &Platform,
        source: impl Into<ModelSource>,
        options: Options,
    ) -> Result<Generator> {
        options.sampling.check()?;
        let source = source.into();
        let config = source.llama_config()?;
        let mut eos_tokens = source.generation()?.eos_tokens();
        if eos_tokens.is_empty() {
            eos_tokens = config.eos_tokens.clone();
        }
        if options.ignore_eos {
            eos_tokens.clear();
        }
        let checkpoint = source.llama_weights(&config)?;
        if let ModelSource::Folder(folder) = &source {
            let tensors = checkpoint.names().count();
            check_layers(&folder.config(), "num_hidden_layers", config.layers(), tensors)?;
        }
        let made_for = match config.rope.scaling {
            // This scaling is intended to exceed the trained length.
            RopeScaling::Dynamic { .. } => MAX_POSITIONS,
            _ => config.max_positions.min(MAX_POSITIONS),
        };
        let context = options.context.unwrap_or(made_for);
        if !(1..=MAX_CONTEXT).contains(&context) {
            let message = format!(
                "a context of {context} positions is not possible; it must be from 1 to \
                 {MAX_CONTEXT}"
            );
            return Err(Error::Request(message));
        }
        let devices = platform.device_count();
        if options.devices > devices {
            let message = format!(
                "{} devices are asked for, and the platform has {devices}",
                options.devices
            );
            return Err(Error::Request(message));
        }
        let mut weights = weights::specs(&config, &checkpoint, options.dtype)?.tensor_parallel();
        weights = parallel::with_whole_blocks(weights, options.devices);
        let (mut adapter, mut low_rank) = (None, LowRank::default());
        if let Some(folder) = options.adapter {
            let (apart, added) = products::divided(folder.specs(&weights)?, &weights);
            weights = weights::addable(weights, &added);
            low_rank = LowRank { adapters: parallel::split(apart), scale: folder.lora().scale() };
            adapter = Some((folder, added));
        }
        let dtype = weights::most_common_dtype(&weights);
        let bound = Bound {
            weights,
            low_rank,
            rope: config.rope_spec(context),
            sampler: Sampler::new(&options.sampling),
        };
        let mesh =
            (options.devices != 1).then(|| parallel::mesh(platform, options.devices, &config));
        let programs = Programs {
            platform: platform.clone(),
            mesh: mesh.transpose()?,
            dump: options.dump,
            kernels: options.kernels,
            bound,
            state: SamplerState::new(&options.sampling),
            kv: KvShape::of(&config, dtype, options.cache_dtype)?,
            pieces: buckets::pieces(context),
            caches: buckets::caches(context),
            compile_time: Mutex::default(),
            prefill: Default::default(),
            score: Default::default(),
            decode: Default::default(),
            grow: Default::default(),
        };
        let inner = Inner {
            config,
            eos_tokens,
            context,
            sampling: options.sampling,
            seed: options.seed,
            progress: options.progress,
            adapter,
            programs,
            checkpoint,
            weights: OnceCell::new(),
            load_time: Mutex::default(),
        };
        let generator = Generator(Arc::new(inner), Arc::default());
        let inner = generator.0.clone();
        // A failure occurs again, and is reported, where the weights are needed.
        generator.1.begin(move || drop(inner.loaded()));
        Ok(generator)
    }

    /// Starts a new text.
    pub fn session(&self) -> Session {
        Session::new(self.clone())
    }

    /// The model's shape.
    pub fn config(&self) -> &Config {
        &self.0.config
    }

    /// The tokens that end an answer.
    pub fn eos_tokens(&self) -> &[u32] {
        &self.0.eos_tokens
    }

    /// The maximum number of positions of a text.
    pub fn context(&self) -> usize {
        self.0.context
    }

    fn device_bytes(&self) -> Vec<usize> {
        let mut bytes = Vec::new();
        if let Some(bound) = self.0.weights.get() {
            bound.weights.visit(&mut |_, buffer| {
                bytes.resize(buffer.shards().len(), 0);
                for (total, part) in bytes.iter_mut().zip(buffer.shards()) {
                    *total += part.on_device_size().unwrap_or(0);
                }
            });
        }
        bytes
    }

    /// The statistics so far.
    pub fn stats(&self) -> Stats {
        let mut weight_bytes = 0;
        self.0
            .programs
            .bound
            .weights
            .visit(&mut |_, spec| weight_bytes += spec.shape().byte_size());
        Stats {
            load: *lock(&self.0.load_time),
            compile: self.0.programs.compile_time(),
            weight_bytes,
            device_bytes: self.device_bytes(),
            dtype: weights::most_common_dtype(&self.0.programs.bound.weights),
            cache_dtype: self.0.programs.kv.dtype,
        }
    }
}

impl Inner {
    /// The arguments that programs are bound to, loaded on first use.
    pub fn loaded(&self) -> Result<Arc<Bound<Buffer>>> {
        let loaded = self.weights.get_or_try_init(|| {
            let start = Instant::now();
            let bound = self.load()?;
            *lock(&self.load_time) = start.elapsed();
            Ok(Arc::new(bound))
        });
        loaded.cloned()
    }

    fn load(&self) -> Result<Bound<Buffer>> {
        let (place, bound) = (self.programs.place(), &self.programs.bound);
        let loader = self.checkpoint.root().loader().unused(weights::unused(&self.config));
        let loader = if self.progress { loader.bar() } else { loader };
        let mut weights: Llama<Buffer> = loader.load(place, &bound.weights)?;
        let mut low_rank = LowRank { adapters: Adapters::new(), scale: bound.low_rank.scale };
        if let Some((folder, added)) = &self.adapter {
            let apart = &bound.low_rank.adapters;
            let all = added.iter().chain(apart);
            let all = all.map(|(layer, adapter)| (layer.clone(), adapter.clone())).collect();
            let loaded = folder.load(place, &all)?.into_iter();
            let (apart, loaded) = loaded.partition(|(layer, _)| apart.contains_key(layer));
            low_rank.adapters = apart;
            if !added.is_empty() {
                weights = self.adapted(weights, folder.lora(), added, &loaded)?;
            }
        }
        let rope = self.config.rope_buffers(place, self.context)?;
        let sampler = buffers::build(bound.sampler.clone(), |path, _: &Spec| {
            let value = match path {
                "repeat_penalty" => self.sampling.repeat_penalty,
                "temperature" => self.sampling.temperature,
                "top_p" => self.sampling.top_p,
                _ => self.sampling.min_p,
            };
            Ok(Buffer::scalar(place, value as f32)?)
        })?;
        Ok(Bound { weights, low_rank, rope, sampler })
    }

    /// The weights with the products of adapters; weights without an adapter are used unchanged.
    fn adapted(
        &self,
        weights: Llama<Buffer>,
        lora: Lora,
        specs: &Adapters<Spec>,
        adapters: &Adapters<Buffer>,
    ) -> Result<Llama<Buffer>> {
        let bound = &self.programs.bound.weights;
        let mut partitions: BTreeMap<String, PartitionSpec> = BTreeMap::new();
        bound.visit(&mut |path, spec| {
            let path = path.to_string();
            if path.strip_suffix(".weight").is_some_and(|layer| specs.contains_key(layer)) {
                partitions.insert(path, spec.partition_spec());
            }
        });
        let merge = move |weights: Llama, adapters: Adapters| {
            let mut merged: BTreeMap<String, Tensor> = BTreeMap::new();
            lora.merge(weights, &adapters).visit(&mut |path, weight| {
                let path = path.to_string();
                if let Some(&partition) = partitions.get(&path) {
                    // Keeps the sharding with which the weight was loaded.
                    merged.insert(path, weight.constrain(partition));
                }
            });
            merged
        };
        let exe = self.programs.prepare("merge_adapter", |compiler| {
            compiler.compile(merge, (bound.clone(), specs.clone()))
        })?;
        let mut merged = exe.call((&weights, adapters))?;
        Ok(weights.map(&mut |path, buffer| merged.remove(&path.to_string()).unwrap_or(buffer)))
    }
}

impl fmt::Debug for Generator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dtype = weights::most_common_dtype(&self.0.programs.bound.weights);
        write!(f, "Generator({:?}, {dtype}, context {})", self.0.config.family, self.0.context)
    }
}
