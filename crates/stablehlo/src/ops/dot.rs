//! Dot products.

use crate::{
    applied::Applied, attribute::Attribute, emit::Value, lower::Lower, lowering::Lowering,
    types::Type,
};
use hloom_graph::{DType, DotDims, Precision};

impl Lower for DotDims {
    type Results = Value;

    /// A dot product that accumulates in the result's type. Plugins accept operands of another type
    /// only if the result's is wider, of the same kind, and neither is below a byte; otherwise the
    /// operands are converted before, or the result after.
    fn lower(&self, l: &mut Lowering<'_>, n: &Applied<'_>) -> Value {
        let attributes = [
            (
                "dot_dimension_numbers",
                Attribute::text(format!(
                    "#stablehlo.dot<lhs_batching_dimensions = {:?}, \
                     rhs_batching_dimensions = {:?}, lhs_contracting_dimensions = {:?}, \
                     rhs_contracting_dimensions = {:?}>",
                    self.left_batch,
                    self.right_batch,
                    self.left_contracting,
                    self.right_contracting
                )),
            ),
            ("precision_config", precisions(self.precision)),
        ];
        products(l, n, "stablehlo.dot_general", &attributes)
    }
}

/// The precision of both operands.
pub(super) fn precisions(precision: Precision) -> Attribute<'static> {
    let precision = match precision {
        Precision::Default => "DEFAULT",
        Precision::High => "HIGH",
        Precision::Highest => "HIGHEST",
    };
    Attribute::text(format!(
        "[#stablehlo<precision {precision}>, #stablehlo<precision {precision}>]"
    ))
}

/// An op that sums products of two operands, in the result's type.
pub(super) fn products(
    l: &mut Lowering<'_>,
    n: &Applied<'_>,
    op: &'static str,
    attributes: &[(&'static str, Attribute<'_>)],
) -> Value {
    let (mut operands, result) = (n.operands.clone(), n.result());
    let (from, to) = (n.operand(0).dtype(), result.dtype());
    let to = match to {
        // Partial sums start from zero, which this type does not have.
        to if [from, to].contains(&DType::F8E8M0FNU) && to.bits() < 32 => DType::F32,
        to => to,
    };
    let widens = to.bits() > from.bits();
    if widens && !is_mixed_natively(from, to) {
        for (position, operand) in operands.iter_mut().enumerate() {
            let wide = Type::from(n.operand(position).with_dtype(to));
            *operand = l.op("stablehlo.convert", &[*operand], wide, &[]);
        }
    }
    let sums = if widens { to } else { from };
    let product = Type::from(result.with_dtype(sums));
    let value = l.op(op, &operands, product, attributes);
    if sums == result.dtype() {
        return value;
    }
    l.op("stablehlo.convert", &[value], result, &[])
}

fn is_mixed_natively(from: DType, to: DType) -> bool {
    from.bits() >= 8 && from.is_signed_int() == to.is_signed_int()
}
