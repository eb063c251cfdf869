//! Values that move between devices, inside of [`manual`](crate::manual).
//!
//! Each op is over one mesh axis or several. Devices that differ only along those form a group, in which they are counted with the
//! first axis slowest; each group works by itself.

use super::slice::resized;
use crate::{
    Axis, Collective, IntoMeshAxes, MeshShape, Name, Op, Partition, PerAxis, Reduction, Shape, Tensor,
    trace::{Builder, Rule, emit},
};
use std::panic::Location;

impl Tensor {
    /// The elements at the same place on all devices of the group, combined; each device gets the result.
    #[track_caller]
    pub fn all_reduce(self, reduction: Reduction, over: impl IntoMeshAxes) -> Tensor {
        collective("all_reduce", self, over.into_mesh_axes(), |shape, _, over| {
            reduction.check(shape)?;
            Ok((Collective::AllReduce { reduction, over }, *shape))
        })
    }

    /// The tensors of all devices of the group, one behind the other along `axis`; each device gets them all.
    ///
    /// Outside of [`manual`](crate::manual) it asks that the axis is whole on every device.
    #[track_caller]
    pub fn all_gather(self, axis: impl Into<Axis>, over: impl IntoMeshAxes) -> Tensor {
        let axis = axis.into();
        let gathered = |shape: &Shape, mesh: &MeshShape, over: PerAxis<usize>| {
            let axis = shape.position(axis)?;
            let whole = resized(shape, axis, shape.sizes()[axis].saturating_mul(devices(mesh, &over)))?;
            Ok((Collective::AllGather { axis, over }, whole))
        };
        let whole = move |shape: &Shape, _: &[Name]| {
            let kept = shape.position(axis)?;
            let others = (0..shape.rank()).filter(|&other| other != kept);
            Ok(others.fold(Partition::replicated(), |all, other| all.open(other)))
        };
        collective_or_constraint("all_gather", self, over.into_mesh_axes(), gathered, Some(&whole))
    }

    /// The elements at the same place on all devices of the group, combined; each device gets its part of the result, split along
    /// `axis`, whose size must be divisible by the number of devices.
    #[track_caller]
    pub fn reduce_scatter(self, reduction: Reduction, axis: impl Into<Axis>, over: impl IntoMeshAxes) -> Tensor {
        let axis = axis.into();
        collective("reduce_scatter", self, over.into_mesh_axes(), |shape, mesh, over| {
            reduction.check(shape)?;
            let axis = shape.position(axis)?;
            let part = resized(shape, axis, split_size(shape, axis, devices(mesh, &over))?)?;
            let scatter = Collective::ReduceScatter { reduction, axis, over };
            Ok((scatter, part))
        })
    }

    /// Each device splits its tensor along `split`, gives a part to each device of the group, and gets one from each, which stand one
    /// behind the other along `concat`.
    ///
    /// Outside of [`manual`](crate::manual) it asks that `split` is split over those mesh axes and `concat` is whole.
    #[track_caller]
    pub fn all_to_all(self, split: impl Into<Axis>, concat: impl Into<Axis>, over: impl IntoMeshAxes) -> Tensor {
        let (split, concat) = (split.into(), concat.into());
        let moved = |shape: &Shape, mesh: &MeshShape, over: PerAxis<usize>| {
            let (split, concat) = (shape.position(split)?, shape.position(concat)?);
            let count = devices(mesh, &over);
            let mut moved = resized(shape, split, split_size(shape, split, count)?)?;
            moved = resized(&moved, concat, moved.sizes()[concat].saturating_mul(count))?;
            Ok((Collective::AllToAll { split, concat, over }, moved))
        };
        let constraint = move |shape: &Shape, over: &[Name]| {
            let (at, whole) = (shape.position(split)?, shape.position(concat)?);
            let others = (0..shape.rank()).filter(|&other| other != at && other != whole);
            Ok(others.fold(Partition::shard(split, over), |all, other| all.open(other)))
        };
        collective_or_constraint("all_to_all", self, over.into_mesh_axes(), moved, Some(&constraint))
    }

    /// The tensor of the device that sends to this one, by `pairs` of source and target in the group; zeros where none does.
    #[track_caller]
    pub fn collective_permute(
        self,
        over: impl IntoMeshAxes,
        pairs: impl IntoIterator<Item = (usize, usize)>,
    ) -> Tensor {
        let pairs: Vec<(usize, usize)> = pairs.into_iter().collect();
        collective(
            "collective_permute",
            self,
            over.into_mesh_axes(),
            |shape, mesh, over| {
                let count = devices(mesh, &over);
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
                Ok((Collective::Permute { pairs, over }, *shape))
            },
        )
    }

    /// The tensor of one device of the group, counted from 0, on all of them.
    #[track_caller]
    pub fn collective_broadcast(self, source: usize, over: impl IntoMeshAxes) -> Tensor {
        collective(
            "collective_broadcast",
            self,
            over.into_mesh_axes(),
            |shape, mesh, over| {
                let count = devices(mesh, &over);
                match source < count {
                    true => Ok((Collective::Broadcast { source, over }, *shape)),
                    false => Err(format!("device {source}: the group has {count} devices").into()),
                }
            },
        )
    }
}

fn devices(mesh: &MeshShape, over: &[usize]) -> usize {
    over.iter().map(|&axis| mesh.sizes()[axis]).product()
}

fn split_size(shape: &Shape, axis: usize, parts: usize) -> Rule<usize> {
    let size = shape.sizes()[axis];
    match size.is_multiple_of(parts) {
        true => Ok(size / parts),
        false => Err(format!("axis {axis} has size {size}, which is not divisible by {parts} devices").into()),
    }
}

#[track_caller]
fn collective(
    op: &'static str,
    x: Tensor,
    over: Vec<Name>,
    rule: impl FnOnce(&Shape, &MeshShape, PerAxis<usize>) -> Rule<(Collective, Shape)>,
) -> Tensor {
    collective_or_constraint(op, x, over, rule, None)
}

/// What a collective asks of a tensor that is one value, not one for each device.
type Constraint<'a> = &'a dyn Fn(&Shape, &[Name]) -> Rule<Partition>;

/// Adds a collective; where the program is not written for each device, a constraint that comes to the same, if there is one.
#[track_caller]
fn collective_or_constraint(
    op: &'static str,
    x: Tensor,
    over: Vec<Name>,
    rule: impl FnOnce(&Shape, &MeshShape, PerAxis<usize>) -> Rule<(Collective, Shape)>,
    constraint: Option<Constraint<'_>>,
) -> Tensor {
    let value = emit(op, &[x], Location::caller(), |builder: &mut Builder<'_>, s, v| {
        let mesh = builder.mesh()?;
        let axes = mesh.positions(&over)?;
        match (builder.is_manual(), constraint) {
            (true, _) => {
                let (collective, shape) = rule(&s[0], &mesh, axes)?;
                Ok(builder.node(Op::Collective(Box::new(collective)), v, shape))
            }
            (false, Some(constraint)) => {
                let partitioning = constraint(&s[0], &over)?.resolve(&s[0], &mesh)?;
                Ok(builder.node(Op::Constrain(Box::new(partitioning)), v, s[0]))
            }
            (false, None) => Err(
                "outside of `manual` a tensor is one value, not one for each device; there is nothing to exchange"
                    .into(),
            ),
        }
    });
    Tensor::or_poisoned(value)
}
