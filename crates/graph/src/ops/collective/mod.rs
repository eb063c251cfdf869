//! Collectives: communication between devices, inside [`manual`](crate::manual).
//!
//! Each op is over one mesh axis or several. Devices that differ only along those axes form a
//! group, in which they are numbered with the first axis slowest; groups work independently.

mod reverse;

use super::slice::resized;
use crate::{
    Axis, Collective, DType, IntoMeshAxes, MeshShape, Name, PartitionSpec, PerAxis, Reduction,
    Shape, Tensor,
    definition::{AttributeText, Definition, InferContext, Shapes, hash_sizes, one, plain},
    trace::{Builder, Rule, emit},
    vmap::not_batched,
};
pub(super) use reverse::summed;
use std::{
    fmt::{self, Write},
    hash::Hasher,
    panic::Location,
};

impl Definition for Collective {
    fn name(&self) -> &'static str {
        Collective::name(self)
    }

    fn infer(&self, context: &InferContext<'_>) -> Rule<Shapes> {
        let mesh = context.mesh()?;
        if self.over().iter().any(|&axis| axis >= mesh.rank()) {
            return Err(format!("{:?} are not axes of the mesh {mesh}", self.over()).into());
        }
        if !context.is_manual() {
            return Err(OUTSIDE_MANUAL.into());
        }
        let count = devices(&mesh, self.over());
        if let Collective::AxisIndex(_) = self {
            context.operands::<0>()?;
            return one(Shape::scalar(DType::I32));
        }
        let operand = context.operand()?;
        let is_axis = |&axis: &usize| axis < operand.rank();
        match self {
            Collective::AllReduce { reduction, .. } => {
                reduction.check(operand)?;
                one(*operand)
            }
            Collective::AllGather { axis, .. } if is_axis(axis) => {
                one(resized(operand, *axis, operand.sizes()[*axis].saturating_mul(count))?)
            }
            Collective::ReduceScatter { reduction, axis, .. } if is_axis(axis) => {
                reduction.check(operand)?;
                one(resized(operand, *axis, split_size(operand, *axis, count)?)?)
            }
            Collective::AllToAll { split, concat, .. } if is_axis(split) && is_axis(concat) => {
                let moved = resized(operand, *split, split_size(operand, *split, count)?)?;
                one(resized(&moved, *concat, moved.sizes()[*concat].saturating_mul(count))?)
            }
            Collective::Permute { pairs, .. } => {
                check_pairs(pairs, count)?;
                one(*operand)
            }
            Collective::Broadcast { source, .. } if *source < count => one(*operand),
            Collective::Broadcast { source, .. } => {
                Err(format!("device {source}: the group has {count} devices").into())
            }
            Collective::AllGather { .. }
            | Collective::ReduceScatter { .. }
            | Collective::AllToAll { .. }
            | Collective::AxisIndex(_) => Err(format!("an axis is not there in {operand}").into()),
        }
    }

    fn write_attributes(&self, out: &mut AttributeText<'_>) -> fmt::Result {
        match out.mesh() {
            Some(mesh) => write!(out, " {}", self.describe(&mesh)),
            None => Ok(()),
        }
    }

    fn hash_attributes(&self, hasher: &mut dyn Hasher) {
        hasher.write(self.name().as_bytes());
        hash_sizes(hasher, self.over());
        match self {
            Collective::AllReduce { reduction, .. } => hasher.write(reduction.name().as_bytes()),
            Collective::AllGather { axis, .. } => hasher.write_usize(*axis),
            Collective::ReduceScatter { reduction, axis, .. } => {
                hasher.write(reduction.name().as_bytes());
                hasher.write_usize(*axis);
            }
            Collective::AllToAll { split, concat, .. } => hash_sizes(hasher, &[*split, *concat]),
            Collective::Permute { pairs, .. } => {
                let ends: Vec<usize> =
                    pairs.iter().flat_map(|&(source, target)| [source, target]).collect();
                hash_sizes(hasher, &ends);
            }
            Collective::Broadcast { source, .. } => hasher.write_usize(*source),
            Collective::AxisIndex(_) => {}
        }
    }
}

plain!(Collective);
not_batched!(Collective, "communicates between devices, which has no form over a mapped axis");

const OUTSIDE_MANUAL: &str = "outside of `manual` a tensor is one value, not one for each device; \
                              there is nothing to exchange";

/// Checks the pairs of source and target in a group of this many devices.
fn check_pairs(pairs: &[(usize, usize)], count: usize) -> Rule<()> {
    for (i, &(source, target)) in pairs.iter().enumerate() {
        if source >= count || target >= count {
            return Err(format!("{source} to {target}: the group has {count} devices").into());
        }
        if pairs[..i].iter().any(|earlier| earlier.0 == source) {
            return Err(format!("device {source} of the group sends twice").into());
        }
        if pairs[..i].iter().any(|earlier| earlier.1 == target) {
            return Err(format!("device {target} of the group is sent to twice").into());
        }
    }
    Ok(())
}

#[hloom_derive::tensor_methods(collective)]
impl Tensor {
    /// Reduces elementwise across all devices of the group; each device gets the result.
    #[doc(alias = "psum")]
    #[doc(alias = "pmax")]
    #[doc(alias = "pmin")]
    #[track_caller]
    pub fn all_reduce(self, reduction: Reduction, over: impl IntoMeshAxes) -> Tensor {
        collective("all_reduce", self, over.into_mesh_axes(), |_, over| {
            Ok(Collective::AllReduce { reduction, over })
        })
    }

    /// Concatenates the tensors of all devices of the group along `axis`; each device gets the
    /// result.
    ///
    /// Outside [`manual`](crate::manual) it constrains the axis to be replicated.
    #[doc(alias = "all_gather_into_tensor")]
    #[track_caller]
    pub fn all_gather(self, axis: impl Into<Axis>, over: impl IntoMeshAxes) -> Tensor {
        let axis = axis.into();
        let gathered = |shape: &Shape, over: PerAxis<usize>| {
            let axis = shape.position(axis)?;
            Ok(Collective::AllGather { axis, over })
        };
        let whole = move |shape: &Shape, _: &[Name]| {
            let kept = shape.position(axis)?;
            let others = (0..shape.rank()).filter(|&other| other != kept);
            Ok(others.fold(PartitionSpec::replicated(), |all, other| all.open(other)))
        };
        collective_or_constraint("all_gather", self, over.into_mesh_axes(), gathered, Some(&whole))
    }

    /// Reduces elementwise across all devices of the group; each device gets its part of the
    /// result, split along `axis`, whose size must be divisible by the number of devices.
    #[doc(alias = "psum_scatter")]
    #[doc(alias = "reduce_scatter_tensor")]
    #[track_caller]
    pub fn reduce_scatter(
        self,
        reduction: Reduction,
        axis: impl Into<Axis>,
        over: impl IntoMeshAxes,
    ) -> Tensor {
        let axis = axis.into();
        collective("reduce_scatter", self, over.into_mesh_axes(), |shape, over| {
            let axis = shape.position(axis)?;
            Ok(Collective::ReduceScatter { reduction, axis, over })
        })
    }

    /// Each device splits its tensor along `split`, sends one part to each device of the group, and
    /// concatenates the parts that it receives along `concat`.
    ///
    /// Outside [`manual`](crate::manual) it constrains `split` to be split over those mesh axes and
    /// `concat` to be whole.
    #[doc(alias = "all_to_all_single")]
    #[track_caller]
    pub fn all_to_all(
        self,
        split: impl Into<Axis>,
        concat: impl Into<Axis>,
        over: impl IntoMeshAxes,
    ) -> Tensor {
        let (split, concat) = (split.into(), concat.into());
        let moved = |shape: &Shape, over: PerAxis<usize>| {
            let (split, concat) = (shape.position(split)?, shape.position(concat)?);
            Ok(Collective::AllToAll { split, concat, over })
        };
        let constraint = move |shape: &Shape, over: &[Name]| {
            let (at, whole) = (shape.position(split)?, shape.position(concat)?);
            let others = (0..shape.rank()).filter(|&other| other != at && other != whole);
            Ok(others.fold(PartitionSpec::shard(split, over), |all, other| all.open(other)))
        };
        collective_or_constraint(
            "all_to_all",
            self,
            over.into_mesh_axes(),
            moved,
            Some(&constraint),
        )
    }

    /// The tensor of the device that sends to this one, by `pairs` of source and target in the
    /// group; zeros if none does.
    #[doc(alias = "ppermute")]
    #[doc(alias = "send")]
    #[doc(alias = "recv")]
    #[track_caller]
    pub fn collective_permute(
        self,
        over: impl IntoMeshAxes,
        pairs: impl IntoIterator<Item = (usize, usize)>,
    ) -> Tensor {
        let pairs: Vec<(usize, usize)> = pairs.into_iter().collect();
        collective("collective_permute", self, over.into_mesh_axes(), |_, over| {
            Ok(Collective::Permute { pairs, over })
        })
    }

    /// The tensor of one device of the group, numbered from 0, on all of them.
    #[doc(alias = "pbroadcast")]
    #[doc(alias = "broadcast")]
    #[track_caller]
    pub fn collective_broadcast(self, source: usize, over: impl IntoMeshAxes) -> Tensor {
        collective("collective_broadcast", self, over.into_mesh_axes(), |_, over| {
            Ok(Collective::Broadcast { source, over })
        })
    }
}

fn devices(mesh: &MeshShape, over: &[usize]) -> usize {
    over.iter().map(|&axis| mesh.sizes()[axis]).product()
}

fn split_size(shape: &Shape, axis: usize, parts: usize) -> Rule<usize> {
    let size = shape.sizes()[axis];
    if size.is_multiple_of(parts) {
        Ok(size / parts)
    } else {
        let axis = shape.label(axis);
        Err(format!("axis {axis} has size {size}, which is not divisible by {parts} devices")
            .into())
    }
}

#[track_caller]
fn collective(
    op: &'static str,
    x: Tensor,
    over: Vec<Name>,
    rule: impl FnOnce(&Shape, PerAxis<usize>) -> Rule<Collective>,
) -> Tensor {
    collective_or_constraint(op, x, over, rule, None)
}

/// The constraint that is equivalent to a collective, for a tensor that is one value for all
/// devices.
type Constraint<'a> = &'a dyn Fn(&Shape, &[Name]) -> Rule<PartitionSpec>;

/// Adds a collective; outside a manual body, the equivalent constraint, if there is one.
#[track_caller]
fn collective_or_constraint(
    op: &'static str,
    x: Tensor,
    over: Vec<Name>,
    rule: impl FnOnce(&Shape, PerAxis<usize>) -> Rule<Collective>,
    constraint: Option<Constraint<'_>>,
) -> Tensor {
    let value = emit(op, &[x], Location::caller(), |builder: &mut Builder<'_>, s, v| {
        let mesh = builder.mesh()?;
        let axes = mesh.positions(&over)?;
        match (builder.is_manual(), constraint) {
            (true, _) => builder.add(rule(&s[0], axes)?, v),
            (false, Some(constraint)) => {
                builder.add(constraint(&s[0], &over)?.resolve(&s[0], &mesh)?, v)
            }
            (false, None) => Err(OUTSIDE_MANUAL.into()),
        }
    });
    Tensor::or_poisoned(value)
}
