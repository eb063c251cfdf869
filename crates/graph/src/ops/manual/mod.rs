//! Manual computations, which run per device on local parts.

mod reverse;

use super::{
    control::{handles, leaves, rebuild, shapes},
    replication::{MeshAxes, splitting, varying},
};
use crate::{
    Graph, Manual, MeshShape, PartitionSpec, RegionKind, ResolvedSharding, Shape, TensorTree, Tree,
    definition::{AttributeText, Definition, InferContext, Shapes, owner},
    trace::{Rule, current_graph, emit, in_region_of},
    vmap::not_batched,
};
pub(crate) use reverse::ReverseManual;
use std::{
    fmt::{self, Write},
    hash::{Hash, Hasher},
    panic::Location,
};

impl Definition for Manual {
    fn name(&self) -> &'static str {
        "manual"
    }

    fn infer(&self, context: &InferContext<'_>) -> Rule<Shapes> {
        let mesh = context.mesh()?;
        if context.is_manual() {
            return Err(INSIDE_MANUAL.into());
        }
        let (taken, given) =
            (context.region_parameters(self.body), context.region_results(self.body));
        let ranks = |values: &[Shape], splits: &[ResolvedSharding]| {
            values.iter().map(Shape::rank).eq(splits.iter().map(ResolvedSharding::rank))
        };
        let fit = ranks(context.operands, &self.inputs) && ranks(&given, &self.outputs);
        let local = || {
            context
                .operands
                .iter()
                .zip(&self.inputs)
                .map(|(whole, split)| split.local(whole, &mesh))
        };
        if !fit
            || taken.len() != self.inputs.len()
            || !local().zip(&taken).all(|(part, taken)| part.fits(taken))
        {
            return Err("the body's parameters do not match the local parts of the inputs".into());
        }
        let whole = given.iter().zip(&self.outputs).map(|(part, joined)| {
            let sizes = part.sizes().iter().enumerate();
            Ok(part
                .with_sizes(sizes.map(|(axis, &size)| size.saturating_mul(joined.parts(axis))))?)
        });
        whole.collect()
    }

    fn write_attributes(&self, out: &mut AttributeText<'_>) -> fmt::Result {
        let Some(mesh) = out.mesh() else {
            return Ok(());
        };
        let described = |splits: &[ResolvedSharding], values: Vec<Shape>| {
            let each =
                splits.iter().zip(&values).map(|(split, shape)| split.describe(shape, &mesh));
            each.collect::<Vec<_>>().join(", ")
        };
        let (taken, given) =
            (described(&self.inputs, out.operands()), described(&self.outputs, out.results()));
        write!(out, " takes {taken} gives {given}")
    }

    fn hash_attributes(&self, mut hasher: &mut dyn Hasher) {
        self.inputs.hash(&mut hasher);
        self.outputs.hash(&mut hasher);
    }

    fn result_count(&self, _: &Graph, _: usize) -> usize {
        self.outputs.len()
    }
}

owner!(Manual { body: "do" });
not_batched!(Manual, "runs on each device; call `vmap` in its body");

const INSIDE_MANUAL: &str = "`manual` is nested inside `manual`, where every mesh axis is in use";

/// Runs `body` on every device of the mesh, each with its own parts of `inputs`, and joins its
/// results.
///
/// `split` holds the partition of each input, and `joined` that of each result: along the mesh axes
/// that it names, the devices' parts are concatenated; along all others every device must return
/// the same values, of which one is used. The body uses no outside values except its inputs; it may
/// use collectives such as [`Tensor::all_reduce`](crate::Tensor::all_reduce).
///
/// # Replication
/// A result that may differ along a mesh axis which its partition does not name is an error. Values
/// differ along the axes that split the inputs they are computed from; `all_reduce`, `all_gather`
/// and `collective_broadcast` make them the same along their axes again. [`manual_unchecked`] is
/// for bodies whose results are the same for another reason.
///
/// # Derivatives
///
/// The derivative by an input is summed over the mesh axes that its partition does not name. A
/// derivative taken inside of the body is the derivative of the sum of all devices' results.
///
/// ```
/// use hloom_graph::{PartitionSpec, Reduction, Tensor, manual};
///
/// /// A product whose contracted axis lies on several devices: each multiplies its own part.
/// fn product(x: Tensor, w: Tensor) -> Tensor {
///     let split = (PartitionSpec::shard("in", "model"), PartitionSpec::shard("in", "model"));
///     manual((x, w), split, PartitionSpec::replicated(), |(x, w)| {
///         x.dot(w, "in").all_reduce(Reduction::Sum, "model")
///     })
/// }
/// ```
#[track_caller]
pub fn manual<I: TensorTree, R: TensorTree>(
    inputs: I,
    split: I::With<PartitionSpec>,
    joined: R::With<PartitionSpec>,
    body: impl FnOnce(I) -> R,
) -> R {
    manual_at(Location::caller(), true, inputs, split, joined, body)
}

/// As [`manual`], without the check that results are the same along the mesh axes that their
/// partitions do not name. Where they are not, the values of any of the devices are used.
#[doc(alias = "check_rep")]
#[doc(alias = "check_vma")]
#[track_caller]
pub fn manual_unchecked<I: TensorTree, R: TensorTree>(
    inputs: I,
    split: I::With<PartitionSpec>,
    joined: R::With<PartitionSpec>,
    body: impl FnOnce(I) -> R,
) -> R {
    manual_at(Location::caller(), false, inputs, split, joined, body)
}

fn manual_at<I: TensorTree, R: TensorTree>(
    location: &'static Location<'static>,
    is_checked: bool,
    inputs: I,
    split: I::With<PartitionSpec>,
    joined: R::With<PartitionSpec>,
    body: impl FnOnce(I) -> R,
) -> R {
    let operands = leaves(&inputs);
    let (split, joined) = (partitions(&split), partitions(&joined));
    let prepared = emit("manual", &operands, location, |builder, s, _| {
        let mesh = builder.mesh()?;
        if builder.is_manual() {
            return Err(INSIDE_MANUAL.into());
        }
        Ok((mesh, inputs_of(s, &split, &mesh)?))
    });
    // If a tensor has no shape, `emit` has recorded the error.
    let (Some((mesh, inputs_split)), Some(whole)) = (prepared, shapes(&operands)) else {
        let result = body(rebuild(&inputs, &[]));
        return rebuild(&result, &[]);
    };
    let parts: Vec<Shape> =
        whole.iter().zip(&inputs_split).map(|(s, p)| p.local(s, &mesh)).collect();
    let (traced, result) =
        in_region_of("manual", RegionKind::Manual, &parts, &operands, location, |own| {
            let result = body(rebuild(&inputs, own));
            (leaves(&result), result)
        });
    let values = traced.and_then(|region| {
        let given: Vec<MeshAxes> =
            inputs_split.iter().map(|split| splitting(split, mesh.sizes())).collect();
        let look = |graph: &Graph| varying(graph, region, &given, mesh.sizes());
        let varying = is_checked.then(|| current_graph(look)).flatten().unwrap_or_default();
        emit("manual", &operands, location, |builder, _, v| {
            let given = builder.region_results(region);
            let outputs = results_of(&given, &joined, &mesh)?;
            check_replication(&varying, &outputs, &mesh)?;
            let manual = Manual { body: region, inputs: inputs_split, outputs };
            builder.add_many(manual, v)
        })
    });
    let count = leaves(&result).len();
    rebuild(&result, &handles(values, count))
}

fn partitions(tree: &impl Tree<Leaf = PartitionSpec>) -> Vec<PartitionSpec> {
    let mut all = Vec::new();
    tree.visit(&mut |_, &partition| all.push(partition));
    all
}

fn check_count(what: &str, expected: usize, found: usize) -> Rule<()> {
    if expected == found {
        Ok(())
    } else {
        Err(format!("there are {expected} {what} and {found} partitions for them").into())
    }
}

fn check_definite(partition: &PartitionSpec, sharding: &ResolvedSharding) -> Rule<()> {
    if sharding.has_open() {
        return Err("a partition leaves an axis open; inside of `manual` nothing is left to the \
                    compiler"
            .into());
    }
    if sharding.is_padded() {
        Err(format!("{partition:?} is padded; inside of `manual` every part is whole").into())
    } else {
        Ok(())
    }
}

fn inputs_of(
    whole: &[Shape],
    split: &[PartitionSpec],
    mesh: &MeshShape,
) -> Rule<Vec<ResolvedSharding>> {
    check_count("inputs", whole.len(), split.len())?;
    let each = whole.iter().zip(split).map(|(shape, partition)| {
        let sharding = partition.resolve(shape, mesh)?;
        check_definite(partition, &sharding)?;
        Ok(sharding)
    });
    each.collect()
}

/// Checks that results differ only along the mesh axes that their shardings name.
fn check_replication(
    varying: &[MeshAxes],
    outputs: &[ResolvedSharding],
    mesh: &MeshShape,
) -> Rule<()> {
    for (at, (varies, output)) in varying.iter().zip(outputs).enumerate() {
        let unnamed = varies & !splitting(output, mesh.sizes());
        if unnamed != 0 {
            let axis = mesh.name(unnamed.trailing_zeros() as usize);
            return Err(format!(
                "result {at} may differ along the mesh axis `{axis}`, which its partition does not \
                 name: `all_reduce` or `all_gather` over `{axis}` makes it the same there, a \
                 partition with `{axis}` joins the parts, and `manual_unchecked` trusts that it is \
                 the same"
            )
            .into());
        }
    }
    Ok(())
}

/// The shardings of the results.
fn results_of(
    parts: &[Shape],
    joined: &[PartitionSpec],
    mesh: &MeshShape,
) -> Rule<Vec<ResolvedSharding>> {
    check_count("results", parts.len(), joined.len())?;
    let each = parts.iter().zip(joined).map(|(part, partition)| {
        let sharding = partition.place(part, mesh)?;
        check_definite(partition, &sharding)?;
        Ok(sharding)
    });
    each.collect()
}
