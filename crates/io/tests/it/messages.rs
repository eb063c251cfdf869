//! Snapshots of the errors of checkpoints that do not fit a tree.

use hloom_graph::{DType, Shape, Spec, Tensor, Tree};
use hloom_io::{Checkpoint, LoadAndCompile, Writer};
use hloom_runtime::Buffer;
use hloom_test_support::CPU;
use std::fmt::Display;

#[derive(Tree, Clone)]
struct Linear<T = Tensor> {
    weight: T,
    bias: Option<T>,
}

#[derive(Tree, Clone)]
struct Model<T = Tensor> {
    layer: Vec<Linear<T>>,
    norm: Option<T>,
}

impl Model {
    fn forward(&self, x: Tensor) -> Tensor {
        x + self.layer[0].weight
    }
}

#[test]
fn each_mistake_has_its_message() {
    let folder = tempfile::tempdir().unwrap();
    let open = |name: &str, tensors: &[(&str, DType, usize)]| {
        let mut writer = Writer::new();
        for &(name, dtype, size) in tensors {
            let shape = Shape::new(dtype, [size]).unwrap();
            writer.tensor(name, shape, vec![0u8; shape.byte_size()]).unwrap();
        }
        let path = folder.path().join(name);
        writer.save(&path).unwrap();
        Checkpoint::open(&path).unwrap()
    };
    let f32s = DType::F32;
    let plural = open("plural.safetensors", &[("layers.0.weight", f32s, 2), ("norm", f32s, 2)]);
    let misspelt = open(
        "misspelt.safetensors",
        &[
            ("layer.0.weight", f32s, 2),
            ("layer.0.biass", f32s, 2),
            ("nrom", f32s, 2),
            ("layer.0.num_batches_tracked", DType::I64, 1),
        ],
    );
    let integers = open("integers.safetensors", &[("layer.0.weight", DType::U8, 2)]);
    let spec = |checkpoint: &Checkpoint| Model::<Spec>::spec(checkpoint);
    let found = spec(&misspelt).unwrap();
    let other = Model {
        layer: vec![Linear { weight: Spec::f32([3]), bias: Some(Spec::f32([2])) }],
        norm: None,
    };
    let mut into = Buffer::zeros_tree(&CPU, other.clone()).unwrap();
    let x = || (Spec::f32([2]),);
    fn message<T>(outcome: Result<T, impl Display>) -> String {
        outcome.map(drop).map_err(|error| error.to_string()).expect_err("a mistake")
    }
    let messages = [
        ("a list of another name", message(spec(&plural))),
        ("fields of other names", message(misspelt.root().load(&CPU, &found))),
        (
            "with patterns",
            message(misspelt.root().loader().ignore(["*.num_batches_tracked"]).load(&CPU, &found)),
        ),
        ("another tree", message(misspelt.root().load(&CPU, &other))),
        ("another type", message(integers.root().load(&CPU, &other))),
        ("into another tree", message(misspelt.load_into(&CPU, &mut into))),
        ("in one call", message(CPU.load_and_compile(Model::forward, &plural.root(), x()))),
    ];
    let text = messages.map(|(what, message)| format!("# {what}\n{message}\n")).join("\n");
    let folder = folder.path().display().to_string();
    insta::assert_snapshot!(text.replace(&folder, "FOLDER"));
}
