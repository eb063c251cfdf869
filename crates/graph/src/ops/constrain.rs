//! Sharding constraints.

use crate::{
    Collective, IntoMeshAxes, PartitionSpec, ResolvedSharding, Tensor,
    definition::{AttributeText, Definition, InferContext, Shapes, one, plain},
    grad::{Pull, Vjp, keeps_operands},
    record,
    trace::{Rule, emit, mesh},
    vmap::not_batched,
};
use std::{
    fmt::{self, Write},
    hash::{Hash, Hasher},
    panic::Location,
};

impl Definition for ResolvedSharding {
    fn name(&self) -> &'static str {
        "constrain"
    }

    fn infer(&self, context: &InferContext<'_>) -> Rule<Shapes> {
        let operand = context.operand()?;
        context.mesh()?;
        if context.is_manual() {
            return Err(INSIDE_MANUAL.into());
        }
        if self.rank() == operand.rank() {
            one(*operand)
        } else {
            Err(format!("a sharding of {} axes", self.rank()).into())
        }
    }

    fn write_attributes(&self, out: &mut AttributeText<'_>) -> fmt::Result {
        match (out.mesh(), out.operands().first()) {
            (Some(mesh), Some(shape)) => write!(out, " as {}", self.describe(shape, &mesh)),
            _ => Ok(()),
        }
    }

    fn hash_attributes(&self, mut hasher: &mut dyn Hasher) {
        self.hash(&mut hasher);
    }
}

plain!(ResolvedSharding);
not_batched!(ResolvedSharding, "places a value on the mesh; place the result of `vmap`");

impl Vjp for ResolvedSharding {
    keeps_operands!();

    /// The cotangent has the sharding of the value.
    fn pull(&self, pull: &Pull<'_>) -> Vec<Option<Tensor>> {
        pull.one(record(*self, &[pull.g()])[0])
    }
}

const INSIDE_MANUAL: &str =
    "inside of `manual` a tensor is a device's own; there is nothing to split";

#[hloom_derive::tensor_methods(constrain)]
impl Tensor {
    /// Constrains the sharding of the values over the mesh: a list of pairs such as `[("batch",
    /// "data")]`, or a [`PartitionSpec`]. Axes that are not mentioned are whole on every device,
    /// unless they are left open.
    ///
    /// A result of the function is returned with this sharding. A function compiled for one
    /// device ignores it.
    #[doc(alias = "with_sharding_constraint")]
    #[doc(alias = "distribute_tensor")]
    #[doc(alias = "withSharding")]
    #[track_caller]
    pub fn constrain(self, partition: impl Into<PartitionSpec>) -> Tensor {
        let partition = partition.into();
        let Some(mesh) = mesh() else {
            return self;
        };
        let value = emit("constrain", &[self], Location::caller(), |builder, s, v| {
            if builder.is_manual() {
                return Err(INSIDE_MANUAL.into());
            }
            builder.add(partition.resolve(&s[0], &mesh)?, v)
        });
        Tensor::or_poisoned(value)
    }
}

#[hloom_derive::tensor_methods(constrain_to)]
impl Tensor {
    /// Constrains the values to a resolved sharding.
    #[track_caller]
    pub fn constrain_to(self, sharding: ResolvedSharding) -> Tensor {
        let value = emit("constrain", &[self], Location::caller(), |builder, _, v| {
            builder.add(sharding, v)
        });
        Tensor::or_poisoned(value)
    }
}

/// The number of devices along mesh axes: the product of their sizes, also outside
/// [`manual`](crate::manual). 1 if the function is compiled for one device.
#[track_caller]
pub fn axis_size(over: impl IntoMeshAxes) -> usize {
    let over = over.into_mesh_axes();
    let Some(mesh) = mesh() else {
        return 1;
    };
    let size = emit("axis_size", &[], Location::caller(), |_, _, _| {
        let axes = mesh.positions(&over)?;
        Ok(axes.iter().map(|&axis| mesh.sizes()[axis]).product())
    });
    size.unwrap_or(1)
}

/// The index of the device along mesh axes, the first slowest, as an `i32` scalar; inside
/// [`manual`](crate::manual).
#[track_caller]
pub fn axis_index(over: impl IntoMeshAxes) -> Tensor {
    let over = over.into_mesh_axes();
    let value = emit("axis_index", &[], Location::caller(), |builder, _, _| {
        let mesh = builder.mesh()?;
        if !builder.is_manual() {
            return Err("outside of `manual` there is one program, not one for each device".into());
        }
        let axes = mesh.positions(&over)?;
        builder.add(Collective::AxisIndex(axes), &[])
    });
    Tensor::or_poisoned(value)
}
