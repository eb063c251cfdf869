//! Low-rank adapters of linear layers ([Hu et al. 2021](https://arxiv.org/abs/2106.09685)), in the
//! files of PEFT: `adapter_config.json` and `adapter_model.safetensors`.
//!
//! An adapter changes the weight of a layer by the product of two thin matrices. Training takes
//! derivatives only of these:
//!
//! ```
//! use hloom_graph::{DType, Spec, TraceScope, Tree};
//! use hloom_models::lora::Lora;
//! use hloom_nn::Linear;
//!
//! let lora = Lora { rank: 4, alpha: 8.0 };
//! let model = vec![Linear::new(64, 32, false, DType::F32)];
//! let specs = lora.specs(&model, &["*"]);
//! assert_eq!(specs["0"].a.weight.shape().to_string(), "f32[out=4, in=64]");
//! assert_eq!(specs["0"].b.weight.shape().to_string(), "f32[out=32, in=4]");
//!
//! let trace = TraceScope::begin("step");
//! let parameter = |name: &str, spec: Spec| trace.parameter(name, &spec, false);
//! let model = model.map(&mut |path, spec| parameter(&path.to_string(), spec));
//! let adapters = specs.map(&mut |path, spec| parameter(&path.to_string(), spec));
//! let adapted = lora.merge(model, &adapters);
//! assert_eq!(adapted[0].weight.shape().to_string(), "f32[out=32, in=64]");
//! ```

use hloom_graph::{DType, Key, Spec, Tensor, Tree, function_scope, path_matches};
use hloom_nn::{Distribution, Fan, Initializer, Linear, initialize};
use std::collections::BTreeMap;

/// The adapters of a model, by the paths of the layers whose weights they change.
pub type Adapters<T = Tensor> = BTreeMap<String, Adapter<T>>;

/// The settings that all adapters of a model have in common.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Lora {
    /// The inner size of the products.
    pub rank: usize,
    /// The scale of the products, multiplied by the rank.
    pub alpha: f64,
}

/// The adapter of one layer: `alpha / rank` times the product of its matrices is added to the
/// layer's weight.
#[derive(Tree, Clone, Debug)]
pub struct Adapter<T = Tensor> {
    /// From the layer's inputs to the rank.
    #[tree(rename = "lora_A")]
    pub a: Linear<T>,
    /// From the rank to the layer's outputs.
    #[tree(rename = "lora_B")]
    pub b: Linear<T>,
}

impl Adapter {
    /// The product with `x` along the axis `in`, without the scale: what it adds to the results of
    /// its layer, which keep the name of that axis.
    ///
    /// - `x`: `[.., in]`.
    #[track_caller]
    pub fn forward(&self, x: Tensor) -> Tensor {
        function_scope("lora::Adapter", || self.b.forward(self.a.forward(x)))
    }
}

impl Lora {
    /// The factor of the products.
    pub fn scale(&self) -> f64 {
        self.alpha / self.rank as f64
    }

    /// The specs of `f32` adapters for the layers whose paths match one of the patterns, in which
    /// `*` matches any text: those with a `weight` of two axes.
    pub fn specs<W: Tree<Leaf = Spec>>(&self, weights: &W, layers: &[&str]) -> Adapters<Spec> {
        let mut adapters = Adapters::new();
        weights.visit(&mut |path, spec| {
            let path = path.to_string();
            let Some(layer) = path.strip_suffix(".weight") else { return };
            let [outputs, inputs] = spec.shape().sizes()[..] else { return };
            if layers.iter().any(|pattern| path_matches(pattern, layer)) {
                let linear = |inputs, outputs| Linear::new(inputs, outputs, false, DType::F32);
                let (a, b) = (linear(inputs, self.rank), linear(self.rank, outputs));
                adapters.insert(layer.to_owned(), Adapter { a, b });
            }
        });
        adapters
    }

    /// The initial values of adapters, as PEFT draws them: they do not change the model.
    #[track_caller]
    pub fn initial(&self, key: Key, specs: &Adapters<Spec>) -> Adapters {
        let (fan, distribution) = (Fan::In, Distribution::Uniform);
        initialize(key, specs, |path, _| {
            if path.to_string().ends_with("lora_A.weight") {
                Initializer::VarianceScaling { scale: 1.0 / 3.0, fan, distribution }
            } else {
                Initializer::Zeros
            }
        })
    }

    /// The weights of a model with these adapters, in their own element types: each adapted weight
    /// is computed in the type of its adapter. Adapters of layers that the tree does not have are
    /// ignored.
    #[track_caller]
    pub fn merge<W: Tree<Leaf = Tensor, With<Tensor> = W>>(
        &self,
        weights: W,
        adapters: &Adapters,
    ) -> W {
        function_scope("lora::merge", || {
            weights.map(&mut |path, weight: Tensor| {
                let path = path.to_string();
                match path.strip_suffix(".weight").and_then(|layer| adapters.get(layer)) {
                    Some(adapter) => weight_with(weight, adapter, self.scale()),
                    None => weight,
                }
            })
        })
    }
}

#[track_caller]
fn weight_with(weight: Tensor, adapter: &Adapter, scale: f64) -> Tensor {
    let a = adapter.a.weight.named(["rank", "in"]);
    let b = adapter.b.weight.named(["out", "rank"]);
    let (wide, dtype) = (b.dtype(), weight.dtype());
    (weight.convert(wide) + b.dot(a.convert(wide), "rank") * scale).convert(dtype)
}

#[cfg(feature = "run")]
pub use crate::lora_files::AdapterFolder;
