//! Compiling the programs of a model ahead of time for other devices.

use super::{
    Config, Dtype, Llama, parallel,
    products::LowRank,
    programs::{Bound, Cursor, KvShape, PromptPiece, decode, prefill},
};
use crate::Result;
use hloom_graph::{DType, Spec};
use hloom_nn::{Rope, Sampler, SamplerState, Sampling};
use hloom_runtime::{CompiledProgram, Compiler, Donated, Topology};

/// The sizes that a model is compiled for.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AheadOfTime {
    /// The element type of the weights; `bf16` by default.
    pub dtype: DType,
    /// The element type of the cache, as of [`Options`](super::Options).
    pub cache_dtype: Dtype,
    /// The positions of the cache; 1024 by default.
    pub positions: usize,
    /// The tokens of a prompt that one call processes; 128 by default.
    pub prompt: usize,
    /// The sampling of tokens.
    pub sampling: Sampling,
}

impl Default for AheadOfTime {
    fn default() -> AheadOfTime {
        let sampling = Sampling::default();
        let (dtype, cache_dtype) = (DType::BF16, Dtype::Auto);
        AheadOfTime { dtype, cache_dtype, positions: 1024, prompt: 128, sampling }
    }
}

impl AheadOfTime {
    /// Compiles the program that processes a prompt and the one that makes the next token, split
    /// over all devices of the topology.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use hloom_models::llama::{AheadOfTime, Config};
    /// let config = Config::read("Llama-3.2-1B/config.json")?;
    /// let topology = hloom_runtime::Topology::tpu("v5e:2x2x1")?;
    /// let [prefill, decode] = AheadOfTime::default().compile(&config, &topology)?;
    /// prefill.save("prefill.hloom")?;
    /// decode.save("decode.hloom")?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// The plugin's error, the heads cannot be split over this many devices, or a cache cannot have
    /// the requested element type.
    pub fn compile(&self, config: &Config, topology: &Topology) -> Result<[CompiledProgram; 2]> {
        let bound = Bound {
            weights: Llama::new(config, self.dtype).tensor_parallel(),
            low_rank: LowRank::default(),
            rope: Rope::new(&config.rope, self.positions),
            sampler: Sampler::new(&self.sampling),
        };
        let kv = KvShape::of(config, self.dtype, self.cache_dtype)?;
        let cache = || Donated(kv.cache(self.positions));
        let state = || SamplerState::new(&self.sampling);
        let compiler = |name: String| -> Result<Compiler<'_, Topology>> {
            let compiler = topology.compiler().name(name);
            Ok(match topology.devices().len() {
                1 => compiler,
                devices => compiler.mesh(parallel::axes(devices, config))?,
            })
        };
        let prefill = compiler(format!("prefill_{}_{}", self.prompt, self.positions))?.compile(
            prefill,
            (
                bound.clone(),
                cache(),
                PromptPiece::new(self.prompt),
                state(),
                Spec::scalar(DType::I32),
            ),
        )?;
        let decode = compiler(format!("decode_{}", self.positions))?
            .compile(decode, (bound, cache(), Cursor::new(), state()))?;
        Ok([prefill, decode])
    }
}
