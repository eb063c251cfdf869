//! Residual networks of both published forms, in training: batch norms by the batch's statistics.

use super::{Expected, distance, numbers, stored, with_floats};
use crate::fixture::path;
use hloom_graph::{ConvOptions, DType, PoolOptions, Tensor, Tree, value_and_grad_aux};
use hloom_io::Checkpoint;
use hloom_nn::{BatchNorm, Conv, Linear, loss::cross_entropy};
use hloom_runtime::Buffer;
use hloom_test_support::CPU_BY_TEST as CPU;
use serde::Deserialize;

#[derive(Deserialize)]
struct Config {
    depths: Vec<usize>,
    layer_type: String,
}

#[derive(Tree, Clone)]
#[tree(config = Config)]
struct ResNet<T = Tensor> {
    #[tree(rename = "resnet.embedder.embedder")]
    embedder: Normalized<T>,
    #[tree(rename = "resnet.encoder.stages", count = config.depths.len())]
    stages: Vec<Stage<T>>,
    #[tree(rename = "classifier.1")]
    classifier: Linear<T>,
    /// The layer of a block that has its stride.
    #[tree(value = usize::from(config.layer_type == "bottleneck"))]
    strided: usize,
}

#[derive(Tree, Clone)]
struct Stage<T = Tensor> {
    layers: Vec<Block<T>>,
}

/// Two convolutions, or three of a bottleneck, next to a shortcut.
#[derive(Tree, Clone)]
struct Block<T = Tensor> {
    shortcut: Option<Normalized<T>>,
    layer: Vec<Normalized<T>>,
}

#[derive(Tree, Clone)]
struct Normalized<T = Tensor> {
    convolution: Conv<T>,
    normalization: BatchNorm<T>,
}

impl ResNet {
    /// From `[batch, channel, height, width]` to `[batch, label]`; updates the statistics.
    fn train(&mut self, pixels: Tensor) -> Tensor {
        let x = self.embedder.train(pixels, 2).relu();
        let mut x = x.max_pool(["height", "width"], PoolOptions::new(3).strides(2).padding(1));
        for (at, stage) in self.stages.iter_mut().enumerate() {
            for (i, block) in stage.layers.iter_mut().enumerate() {
                x = block.train(x, if at > 0 && i == 0 { 2 } else { 1 }, self.strided);
            }
        }
        self.classifier.to("label").forward(x.mean(["height", "width"]))
    }
}

impl Block {
    fn train(&mut self, x: Tensor, stride: usize, strided: usize) -> Tensor {
        let last = self.layer.len() - 1;
        let mut y = x;
        for (at, layer) in self.layer.iter_mut().enumerate() {
            y = layer.train(y, if at == strided { stride } else { 1 });
            y = if at == last { y } else { y.relu() };
        }
        let x = self.shortcut.as_mut().map_or(x, |shortcut| shortcut.train(x, stride));
        (x + y).relu()
    }
}

impl Normalized {
    fn train(&mut self, x: Tensor, stride: usize) -> Tensor {
        let padding = self.convolution.weight.size(-1) / 2;
        let options = ConvOptions::new().strides(stride).padding(padding);
        let (y, updated) =
            self.normalization.train(self.convolution.with(options).forward(x), "channel");
        self.normalization = updated;
        y
    }
}

/// The mean loss of a batch, the network with its updated statistics, and the gradient.
fn loss(weights: ResNet, pixels: Tensor, labels: Tensor) -> (Tensor, ResNet, ResNet) {
    let ((loss, updated), gradient) = value_and_grad_aux(weights, |mut weights| {
        let logits = weights.train(pixels);
        (cross_entropy(logits, labels, "label").mean(..), weights)
    });
    (loss, updated, gradient)
}

#[test]
fn losses_gradients_and_statistics_of_resnet_are_those_of_the_reference() {
    let cases = ["resnet", "resnet_basic"];
    for (case, dtype) in cases.iter().flat_map(|case| [(case, DType::F32), (case, DType::F64)]) {
        let expected = Expected::open(case);
        let folder = path("ports").join(case);
        let config = std::fs::read(folder.join("config.json")).unwrap();
        let config: Config = serde_json::from_slice(&config).unwrap();
        let weights = Checkpoint::open(&folder).unwrap().root();
        let specs = with_floats(ResNet::spec_with(&weights, &config).unwrap(), dtype);
        let weights: ResNet<Buffer> = weights.load(&*CPU, &specs).unwrap();
        let sizes = expected.sizes("pixels");
        let axes = ["batch", "channel", "height", "width"];
        let dims: Vec<(&str, usize)> = axes.into_iter().zip(sizes).collect();
        let pixels = expected.load("pixels", dtype, &dims[..]);
        let labels = expected.load("labels", DType::I32, &dims[..1]);
        let (loss, updated, gradient) = CPU.jit(loss).call((&weights, &pixels, &labels)).unwrap();
        expected.check(&loss, &gradient);

        let mut count = 0;
        updated.visit(&mut |path, buffer| {
            if let Some(running) = expected.results.get(&format!("updated.{path}")) {
                let off = distance(&numbers(buffer), &stored(&running));
                assert!(off < 1e-6, "{case}: {path} is off by {off:.1e}");
                count += 1;
            }
        });
        let names = expected.results.names().filter(|name| name.starts_with("updated."));
        assert_eq!(count, names.count(), "{case}");
    }
}
