//! The lines of the user's source that a plugin's message is about.

use hloom_graph::{Graph, Op, Shape};
use std::{fmt::Write, panic::Location};

/// The largest value that a program computes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LargestValue {
    shape: Shape,
    location: &'static Location<'static>,
}

impl LargestValue {
    /// The largest value of a graph that is not an input.
    pub fn of(graph: &Graph) -> Option<LargestValue> {
        let computed = graph.nodes().filter(|(_, node)| !matches!(node.op, Op::Parameter(_)));
        let values = computed.flat_map(|(id, node)| {
            let shapes = graph.node_results(id).map(|value| graph.shape(value));
            shapes.map(|shape| LargestValue { shape, location: node.location })
        });
        // The first one of several of equal size: later ones often reuse its memory.
        values.reduce(|largest, other| {
            if other.shape.byte_size() > largest.shape.byte_size() { other } else { largest }
        })
    }

    /// The value, its size and its line.
    pub fn describe(&self) -> String {
        let LargestValue { shape, location } = self;
        format!("the largest value is {shape}, {} bytes, at {location}", shape.byte_size())
    }
}

/// The custom calls of a graph whose targets a message of the plugin names, with their lines.
pub(crate) fn named_calls(graph: &Graph, message: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || "._-$".contains(c);
    let mut text = String::new();
    for (_, node) in graph.nodes() {
        let Op::CustomCall(call) = &node.op else { continue };
        let named = message.match_indices(&*call.target).any(|(at, target)| {
            let (before, after) = (&message[..at], &message[at + target.len()..]);
            !before.ends_with(is_word)
                && (!after.starts_with(is_word) || after.starts_with(". ") || after == ".")
        });
        if named {
            let _ = write!(text, "; `{}` is called at {}", call.target, node.location);
        }
    }
    text
}
