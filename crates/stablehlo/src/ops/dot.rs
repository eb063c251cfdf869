//! Products.

use crate::lowering::{Applied, Lowering};
use hloom_graph::{DotDims, Precision};
use melior::ir::Value;

pub(crate) fn dot<'a>(l: &mut Lowering<'a>, n: &Applied<'a>, dims: &DotDims) -> Value<'a, 'a> {
    let precision = match dims.precision {
        Precision::Default => "DEFAULT",
        Precision::High => "HIGH",
        Precision::Highest => "HIGHEST",
    };
    let attributes = [
        (
            "dot_dimension_numbers",
            l.parsed(format!(
                "#stablehlo.dot<lhs_batching_dimensions = {:?}, rhs_batching_dimensions = {:?}, \
                 lhs_contracting_dimensions = {:?}, rhs_contracting_dimensions = {:?}>",
                dims.left_batch, dims.right_batch, dims.left_contracting, dims.right_contracting
            )),
        ),
        (
            "precision_config",
            l.parsed(format!("[#stablehlo<precision {precision}>, #stablehlo<precision {precision}>]")),
        ),
    ];
    l.op("stablehlo.dot_general", &n.operands, l.types.tensor(&n.result()), &attributes)
}
