//! Legalization: passes over graphs that work around the defects of plugins.
//!
//! The lowering is neutral: it emits the StableHLO op of each op. Before it, [`legalize`] rewrites
//! ops that the plugin in use compiles wrongly, slowly, or not at all. [`PASSES`] is the only list
//! of these passes; `docs/plugin-defects.md` demonstrates their defects.
//!
//! # Work-arounds that are not passes
//! - `xla_cpu_enable_fast_min_max` (`compile/settings.rs`) keeps NaN in `maximum` and `minimum`: it
//!   is an option of the compiler.
//! - A `while` whose condition has an effect evaluates it before the loop and in its body
//!   (`stablehlo/src/ops/control.rs`): the token that orders calls cannot leave a condition, so the
//!   lowering needs this form also where the plugin keeps the effects.
//! - A `gather` without elements is lowered as a constant (`stablehlo/src/ops/gather.rs`): slices of
//!   size one do not fit into an empty operand, which StableHLO forbids. A `scatter` of no updates
//!   or into no elements is its operand.
//! - The comparator of a float sort (`stablehlo/src/ops/sort.rs`), the wider accumulation of prefix
//!   sums (`stablehlo/src/ops/cumulative.rs`) and the conversions around products of mixed types
//!   (`stablehlo/src/ops/dot.rs`) define the ops in terms of StableHLO, for every plugin.
//! - Quotients by a repeated divisor are lost on one plugin: nothing works around it.

mod bf16_sums;
mod bool_addition;
mod bool_clamp;
mod checkpoint;
mod columns;
mod complex_convolution;
mod complex_dot;
mod complex_extremes;
mod complex_modulus;
mod complex_root;
mod complex_sine;
mod cropped_convolution;
mod cropped_pad;
mod device_broadcast;
mod device_extremes;
mod empty_collective;
mod empty_slice;
mod erf;
mod flat_dot;
mod imaginary_part;
mod indexless_scatter;
mod integer_convolution;
mod integer_division;
mod integer_power;
mod long_sums;
mod narrow;
mod narrow_collective;
mod narrow_dot;
mod narrow_float;
mod narrow_function;
mod narrow_movement;
mod narrow_population;
mod narrow_reduction;
mod narrow_sort;
mod nested_division;
mod shifted_update;
mod small_bf16_dot;
mod start_indices;
#[cfg(test)]
mod tests;

use crate::Result;
use hloom_graph::{Binary, Graph, NodeId, Op, Replay, Rewrite, Tensor, ValueId, called_from};
use hloom_pjrt::PlatformKind;
use std::borrow::Cow;

/// A pass that works around defects of plugins.
struct Pass {
    name: &'static str,
    /// Rows of `docs/plugin-defects.md`.
    defects: &'static [&'static str],
    platforms: Platforms,
    /// The first minor version of the C API whose CPU plugin has none of the defects.
    until: Option<i32>,
    change: Change,
}

/// The platforms whose plugins have a defect, as far as is known.
enum Platforms {
    All,
    Only(&'static [PlatformKind]),
    Except(&'static [PlatformKind]),
}

/// The function of a pass that looks at a node: it returns `None` for a node that the pass keeps, and
/// otherwise the code that replaces its results.
enum Change {
    Tensors(fn(&Graph, NodeId) -> Option<Replacement<'_>>),
    Replayed(fn(&Graph, NodeId) -> Option<ReplayedReplacement<'_>>),
    Values(fn(&Graph, NodeId) -> Option<ValueReplacement<'_>>),
}

/// Computes the results of a node from the replacements of its operands; `None` keeps the node.
type Replacement<'g> = Box<dyn FnOnce(&[Tensor]) -> Option<Vec<Tensor>> + 'g>;

/// Computes the results of a node, also replaying its regions; `None` keeps the node.
type ReplayedReplacement<'g> = Box<dyn FnOnce(&mut Replay<'_>) -> Option<Vec<Tensor>> + 'g>;

/// Adds nodes to the rewritten graph that compute the results of a node; `None` keeps the node.
type ValueReplacement<'g> = Box<dyn FnOnce(&mut Rewrite<'_>) -> Option<Vec<ValueId>> + 'g>;

/// A replacement of any number of operands and results.
fn tensors<'g>(
    compute: impl FnOnce(&[Tensor]) -> Option<Vec<Tensor>> + 'g,
) -> Option<Replacement<'g>> {
    Some(Box::new(compute))
}

/// A replacement of `N` operands and one result.
fn tensor<'g, const N: usize>(
    compute: impl FnOnce([Tensor; N]) -> Tensor + 'g,
) -> Option<Replacement<'g>> {
    tensors(|operands| Some(vec![compute(operands.try_into().ok()?)]))
}

/// Every pass, in the order in which they run: the ops that a pass adds are not seen by the passes
/// before it.
const PASSES: &[Pass] = &[
    checkpoint::PASS,
    shifted_update::PASS,
    cropped_convolution::PASS,
    nested_division::PASS,
    integer_power::PASS,
    integer_division::PASS,
    narrow_function::PASS,
    erf::PASS,
    imaginary_part::PASS,
    complex_extremes::PASS,
    complex_root::PASS,
    complex_sine::PASS,
    complex_modulus::PASS,
    bool_addition::PASS,
    bool_clamp::PASS,
    device_extremes::PASS,
    empty_collective::PASS,
    narrow_population::PASS,
    narrow_float::PASS,
    narrow_sort::PASS,
    narrow_reduction::PASS,
    narrow_dot::PASS,
    integer_convolution::PASS,
    complex_convolution::PASS,
    complex_dot::PASS,
    flat_dot::PASS,
    bf16_sums::PASS,
    small_bf16_dot::PASS,
    narrow_movement::PASS,
    narrow_collective::PASS,
    indexless_scatter::PASS,
    long_sums::PASS,
    device_broadcast::PASS,
    start_indices::PASS,
    cropped_pad::PASS,
    empty_slice::PASS,
    columns::FEW_ROWS,
    columns::MANY_ROWS,
];

impl Pass {
    /// Whether a plugin needs the pass. `version` is the minor version of its C API, if known: an
    /// unknown plugin gets every pass of its platform.
    fn is_needed(&self, platform: PlatformKind, version: Option<i32>) -> bool {
        let has_defect = match self.platforms {
            Platforms::All => true,
            Platforms::Only(kinds) => kinds.contains(&platform),
            Platforms::Except(kinds) => !kinds.contains(&platform),
        };
        // The versions are those of CPU plugins; for other plugins none are known.
        let is_cpu = platform == PlatformKind::Cpu;
        let is_over = |until| is_cpu && version.is_some_and(|version| version >= until);
        has_defect && !self.until.is_some_and(is_over)
    }

    fn matches(&self, graph: &Graph, node: NodeId) -> bool {
        match self.change {
            Change::Tensors(change) => change(graph, node).is_some(),
            Change::Replayed(change) => change(graph, node).is_some(),
            Change::Values(change) => change(graph, node).is_some(),
        }
    }

    fn apply(&self, graph: &Graph) -> Result<Graph> {
        Ok(match self.change {
            Change::Tensors(change) => graph.transform(&mut |replay, node| {
                let replacement = change(graph, node)?;
                let operands = operands(replay, node)?;
                called_from(graph.node(node).location, || replacement(&operands))
            })?,
            Change::Replayed(change) => graph.transform(&mut |replay, node| {
                let replacement = change(graph, node)?;
                called_from(graph.node(node).location, || replacement(replay))
            })?,
            Change::Values(change) => {
                graph.rewrite(|rewrite, node| change(graph, node)?(rewrite))?
            }
        })
    }
}

/// The same function in the form that the plugin of a platform compiles correctly: for programs
/// that are lowered without [`Platform::compile`](crate::Platform::compile), such as those compiled
/// ahead of time.
///
/// `version` is the minor version of the plugin's C API; without it, every work-around for the
/// platform is applied.
///
/// # Errors
/// None for a graph made by tracing.
pub fn legalize<'g>(
    graph: &'g Graph,
    platform: &str,
    version: Option<i32>,
) -> Result<Cow<'g, Graph>> {
    let kind = PlatformKind::of(platform);
    let passes: Vec<&Pass> = PASSES.iter().filter(|pass| pass.is_needed(kind, version)).collect();
    // Loops over elements contain slices that passes replace.
    let mut graph = graph.expand()?;
    let mut matching = first_match(&graph, &passes);
    while let Some(position) = matching {
        let pass = passes[position];
        tracing::debug!(program = graph.name(), pass = pass.name, defects = ?pass.defects, "legalization");
        graph = Cow::Owned(pass.apply(&graph)?);
        let rest = position + 1;
        matching = first_match(&graph, &passes[rest..]).map(|next| rest + next);
    }
    Ok(graph)
}

/// The first pass that matches a node.
fn first_match(graph: &Graph, passes: &[&Pass]) -> Option<usize> {
    let mut first = passes.len();
    for (id, node) in graph.nodes() {
        // No pass replaces these frequent ops.
        if checkpoint::is_checkpoint(&node.op) {
            // A pass may replace the other ops.
        } else if let Op::Parameter(_)
        | Op::Constant(_)
        | Op::Splat(_)
        | Op::Iota(_)
        | Op::Compare(_)
        | Op::Select(_)
        | Op::BroadcastInDim(_)
        | Op::Reshape(_)
        | Op::Binary(Binary::Sub | Binary::Mul)
        | Op::Composite(_) = node.op
        {
            continue;
        }
        if let Some(found) = passes[..first].iter().position(|pass| pass.matches(graph, id)) {
            first = found;
        }
    }
    (first < passes.len()).then_some(first)
}

/// The replacements of a node's operands.
fn operands(replay: &Replay<'_>, node: NodeId) -> Option<Vec<Tensor>> {
    replay.from().operands(node).iter().map(|&value| replay.get(value)).collect()
}

/// The shape of a node's only result.
fn result(graph: &Graph, node: NodeId) -> hloom_graph::Shape {
    let value = graph.node_results(node).next();
    graph.shape(value.expect("the ops that passes match have results"))
}
