//! The ops of random programs: each creates valid operands.

mod combine;
mod control;
mod devices;
mod elementwise;
mod structure;
mod windows;

use super::generator::Generator;
use hloom::{DType, Tensor};

/// Creates an op on tensors of an element type, and returns its results.
type Make = Box<dyn Fn(&Generator<'_>, DType) -> Vec<Tensor> + Send + Sync>;

/// An op with a choice of attributes.
pub struct Template {
    pub name: String,
    /// Whether it is for programs over a mesh.
    pub over_mesh: bool,
    pub make: Make,
}

impl Template {
    fn new(
        name: impl Into<String>,
        make: impl Fn(&Generator<'_>, DType) -> Vec<Tensor> + Send + Sync + 'static,
    ) -> Template {
        Template { name: name.into(), over_mesh: false, make: Box::new(make) }
    }
}

/// All ops, by family: a program chooses the family first.
pub fn families() -> Vec<Vec<Template>> {
    vec![
        elementwise::unary(),
        elementwise::binary(),
        elementwise::comparisons(),
        elementwise::conversions(),
        structure::shapes(),
        structure::parts(),
        structure::constants(),
        combine::reductions(),
        combine::orders(),
        combine::products(),
        combine::indexing(),
        windows::all(),
        control::control(),
        devices::collectives(),
    ]
}
