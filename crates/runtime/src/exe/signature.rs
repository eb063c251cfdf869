//! The inputs and outputs of an executable.

use crate::NamedSharding;
use hloom_graph::{BriefShapes, Graph, Shape};

/// The inputs and outputs of an executable, in order, each with a name that is its path in the
/// function's arguments or result.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Signature {
    /// The inputs of a call.
    pub inputs: Vec<Input>,
    /// The outputs of a call.
    pub outputs: Vec<Output>,
    /// The arguments of the exported function, by position, that a program of another system does
    /// not have, since no output depends on them; as far as the file lists them.
    pub left_out: Vec<usize>,
}

/// An input of an executable.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Input {
    /// The path in the arguments: within the first argument without a prefix (`fc1.weight`),
    /// within the others prefixed with `arg1`, `arg2`...
    pub name: String,
    /// The shape.
    pub shape: Shape,
    /// The sharding; `None` when the program runs on one device.
    pub sharding: Option<NamedSharding>,
    /// Whether a call consumes it.
    pub donated: bool,
}

/// An output of an executable.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Output {
    /// The path in the result; `result` when the function returns one tensor.
    pub name: String,
    /// The shape.
    pub shape: Shape,
    /// The sharding; `None` when the program runs on one device.
    pub sharding: Option<NamedSharding>,
    /// The position of the input whose memory it reuses.
    pub reuses: Option<usize>,
}

impl Input {
    /// The shape of each device's shard.
    pub(crate) fn local(&self) -> Shape {
        local(self.shape, self.sharding.as_ref())
    }
}

impl Output {
    /// The shape of each device's shard.
    pub(crate) fn local(&self) -> Shape {
        local(self.shape, self.sharding.as_ref())
    }
}

fn local(shape: Shape, sharding: Option<&NamedSharding>) -> Shape {
    match sharding {
        Some(sharding) => sharding.resolved().local(&shape, &sharding.mesh().shape()),
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
        let outputs =
            graph.results().iter().zip(&graph.root().results).map(|(result, &value)| Output {
                name: result.name.clone(),
                shape: graph.shape(value),
                sharding: None,
                reuses: result.reuses,
            });
        Signature { inputs: inputs.collect(), outputs: outputs.collect(), left_out: Vec::new() }
    }

    /// The shapes of the inputs, for logs.
    pub(crate) fn brief_inputs(&self) -> impl std::fmt::Display {
        BriefShapes(self.inputs.iter().map(|input| input.shape))
    }

    /// The shapes of the outputs, for logs.
    pub(crate) fn brief_outputs(&self) -> impl std::fmt::Display {
        BriefShapes(self.outputs.iter().map(|output| output.shape))
    }

    /// The position of the input with this name.
    pub fn input(&self, name: &str) -> Option<usize> {
        self.inputs.iter().position(|input| input.name == name)
    }

    /// The position of the output with this name.
    pub fn output(&self, name: &str) -> Option<usize> {
        self.outputs.iter().position(|output| output.name == name)
    }

    /// The total size of the inputs in bytes.
    pub fn input_bytes(&self) -> usize {
        self.inputs.iter().map(|input| input.shape.byte_size()).sum()
    }

    /// The total size of the outputs in bytes.
    pub fn output_bytes(&self) -> usize {
        self.outputs.iter().map(|output| output.shape.byte_size()).sum()
    }
}
