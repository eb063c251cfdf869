//! Composites, emitted as calls of functions with their bodies; otherwise the bodies are inlined.

use super::custom_call::dictionary;
use crate::{
    applied::Applied,
    attribute::Attribute,
    emit::{Location, Value},
    lower::Lower,
    lowering::{CompositeForm, Lowering},
    types::Type,
};
use hloom_graph::{RegionId, op::Composite};

impl Lower for Composite {
    type Results = Vec<Value>;

    fn lower(&self, l: &mut Lowering<'_>, n: &Applied<'_>) -> Vec<Value> {
        let types: Vec<Type> = n.results().map(Type::from).collect();
        let attributes = [
            ("name", Attribute::string(&*self.name)),
            ("version", Attribute::i32(self.version)),
            ("composite_attributes", dictionary(&self.attributes)),
            ("decomposition", Attribute::text(format!("@{}", symbol(self.body)))),
        ];
        l.operation("stablehlo.composite", &n.operands, &types, &attributes, Vec::new()).to_vec()
    }
}

/// Adds the decomposition functions that composites refer to.
pub(crate) fn decompositions(l: &mut Lowering<'_>) {
    if l.composites == CompositeForm::Inlined {
        return;
    }
    for composite in l.composites() {
        let [inputs, results] = l.signature(composite.body);
        let arguments: Vec<_> = inputs.iter().map(|&input| (input, Location::UNKNOWN)).collect();
        let body = l.located_region("func.return", &arguments, |l, arguments| {
            l.body(composite.body, arguments)
        });
        let attributes = [
            ("sym_name", Attribute::string(symbol(composite.body))),
            ("sym_visibility", Attribute::string("private")),
            ("function_type", Attribute::Function { inputs, results }),
        ];
        l.operation("func.func", &[], &[], &attributes, vec![body]);
    }
}

fn symbol(body: RegionId) -> String {
    format!("composite_{}", body.index())
}
