//! What an executable takes and gives.

use crate::Sharding;
use hloom_graph::{Graph, Shape};

/// The inputs and outputs of an executable, in order, each with a name that is its path in the function's arguments or result.
#[derive(Clone, Debug, PartialEq)]
pub struct Signature {
    /// What a call passes.
    pub inputs: Vec<Input>,
    /// What a call gives.
    pub outputs: Vec<Output>,
}

/// An input of an executable.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// The path in the arguments: that of the first argument as it is (`fc1.weight`), of the others behind `arg1`, `arg2`...
    pub name: String,
    /// What it looks like.
    pub shape: Shape,
    /// How it lies on the mesh; `None` when the program runs on one device.
    pub sharding: Option<Sharding>,
    /// Whether a call consumes it.
    pub donated: bool,
}

/// An output of an executable.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// The path in the result; `result` when the function gives one tensor.
    pub name: String,
    /// What it looks like.
    pub shape: Shape,
    /// How it lies on the mesh; `None` when the program runs on one device.
    pub sharding: Option<Sharding>,
    /// The position of the input whose memory it takes over.
    pub reuses: Option<usize>,
}

impl Input {
    /// The shape of each device's part.
    pub(crate) fn local(&self) -> Shape {
        local(self.shape, self.sharding.as_ref())
    }
}

impl Output {
    /// The shape of each device's part.
    pub(crate) fn local(&self) -> Shape {
        local(self.shape, self.sharding.as_ref())
    }
}

fn local(shape: Shape, sharding: Option<&Sharding>) -> Shape {
    match sharding {
        Some(sharding) => sharding.partitioning().local(&shape, &sharding.mesh().shape()),
        None => shape,
    }
}

impl Signature {
    /// The signature of a graph, for one device.
    pub fn of(graph: &Graph) -> Signature {
        let inputs = graph.parameters().iter().map(|parameter| Input {
            name: parameter.name.clone(),
            shape: parameter.spec.shape(),
            sharding: None,
            donated: parameter.donated,
        });
        let outputs = graph
            .results()
            .iter()
            .zip(&graph.root().results)
            .map(|(result, &value)| Output {
                name: result.name.clone(),
                shape: graph.shape(value),
                sharding: None,
                reuses: result.reuses,
            });
        Signature {
            inputs: inputs.collect(),
            outputs: outputs.collect(),
        }
    }

    /// The position of an input.
    pub fn input(&self, name: &str) -> Option<usize> {
        self.inputs.iter().position(|input| input.name == name)
    }

    /// The position of an output.
    pub fn output(&self, name: &str) -> Option<usize> {
        self.outputs.iter().position(|output| output.name == name)
    }

    /// Bytes of all inputs together.
    pub fn input_bytes(&self) -> usize {
        self.inputs.iter().map(|input| input.shape.byte_size()).sum()
    }

    /// Bytes of all outputs together.
    pub fn output_bytes(&self) -> usize {
        self.outputs.iter().map(|output| output.shape.byte_size()).sum()
    }
}
