//! The order of calls with effects.

use crate::{emit::Value, types::Type};
use hloom_graph::{DType, Effect, Graph, Node, NodeId, RegionId};

/// The token that each ordered call takes from the one before, and the effects of regions.
pub(crate) struct CallOrder {
    /// The token of the last ordered call in the open region, if there was one.
    pub token: Option<Value>,
    tokens: Tokens,
    /// The strongest effect in each region, up to the last region with any.
    effects: Vec<Effect>,
}

/// Whether ordered calls pass a token.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tokens {
    /// Each call passes a token to the next one.
    Passed,
    /// There is only one ordered call, which needs no token.
    Unused,
}

impl CallOrder {
    /// The order of the live calls of a graph.
    pub fn new(graph: &Graph, live: &[bool]) -> CallOrder {
        let (effects, tokens) = if !graph.has_effects() {
            (Vec::new(), Tokens::Unused)
        } else if is_lone_host_call(graph, live) {
            (region_effects(graph, live), Tokens::Unused)
        } else {
            (region_effects(graph, live), Tokens::Passed)
        };
        CallOrder { token: None, tokens, effects }
    }

    /// The strongest effect in a region.
    pub fn effect(&self, region: RegionId) -> Effect {
        self.effects.get(region.index()).copied().unwrap_or(Effect::Pure)
    }

    /// Whether an op with this effect passes a token.
    pub fn passes_token(&self, effect: Effect) -> bool {
        effect == Effect::Ordered && self.tokens == Tokens::Passed
    }

    /// The type of the token.
    pub fn token_type() -> Type {
        Type::scalar(DType::U32)
    }
}

/// The strongest effect in each region, up to the last region with any.
fn region_effects(graph: &Graph, live: &[bool]) -> Vec<Effect> {
    let mut found: Vec<Effect> = Vec::new();
    for (_, node) in graph.nodes().filter(|(id, _)| live[id.index()]) {
        let effect = node.op.effect();
        if effect == Effect::Pure {
            continue;
        }
        let mut around = Some(node.region);
        while let Some(region) = around {
            if found.len() <= region.index() {
                found.resize(region.index() + 1, Effect::Pure);
            }
            found[region.index()] = found[region.index()].max(effect);
            around = graph.region(region).parent;
        }
    }
    found
}

/// Whether the program has exactly one ordered call, and it is a host call outside all bodies: it
/// needs no order, and its target works without a token.
fn is_lone_host_call(graph: &Graph, live: &[bool]) -> bool {
    let ordered =
        |(id, node): &(NodeId, &Node)| live[id.index()] && node.op.effect() == Effect::Ordered;
    let mut calls = graph.nodes().filter(ordered);
    match (calls.next(), calls.next()) {
        (Some((_, node)), None) => node.region == Graph::ROOT && node.op.host_slot().is_some(),
        _ => false,
    }
}
