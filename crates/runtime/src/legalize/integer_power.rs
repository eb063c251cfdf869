//! Powers of integers by squaring, over all bits of the exponents.

use super::{
    Change, Pass, Platforms, Replacement,
    narrow::{narrowed, wide_integer, widened},
    result, tensor,
};
use hloom_graph::{
    Binary, Graph, NodeId, Op, PerAxis, Reduction, Scalar, Tensor, op::Reduce, record, while_loop,
};

pub(super) const PASS: Pass = Pass {
    name: "integer_power",
    defects: &["integer_powers_of_six_bits"],
    platforms: Platforms::All,
    until: None,
    change: Change::Tensors(change),
};

/// A negative exponent returns 1 divided by the power, rounded toward 0: the power itself if the
/// base is 1 or -1, else 0.
fn change(graph: &Graph, node: NodeId) -> Option<Replacement<'_>> {
    let Op::Binary(Binary::Pow) = graph.node(node).op else { return None };
    let dtype = result(graph, node).dtype();
    if !dtype.is_int() {
        return None;
    }
    tensor(move |operands| {
        let wide = wide_integer(dtype);
        let [base, exponent] = match wide {
            Some(wide) => operands.map(|x| widened(x, dtype, wide)),
            None => operands,
        };
        let power = match known(graph, node).and_then(natural) {
            Some(exponent) => known_power(base, exponent),
            None => power(base, exponent),
        };
        if wide.is_some() { narrowed(power, dtype, dtype) } else { power }
    })
}

/// The exponent, if it is one known number.
fn known(graph: &Graph, node: NodeId) -> Option<&Scalar> {
    match &graph.node(graph.value(graph.operands(node)[1]).node).op {
        Op::Splat(splat) => Some(&splat.scalar),
        _ => None,
    }
}

/// The exponent as a number, if it is not negative.
fn natural(exponent: &Scalar) -> Option<u64> {
    let bytes = exponent.bytes();
    let mut wide = [0; 8];
    wide[..bytes.len()].copy_from_slice(bytes);
    let negative =
        exponent.dtype().is_signed_int() && bytes.last().is_some_and(|byte| byte >> 7 == 1);
    (!negative).then(|| u64::from_le_bytes(wide))
}

fn known_power(base: Tensor, mut exponent: u64) -> Tensor {
    let (mut power, mut square) = (None, base);
    while exponent > 0 {
        if exponent & 1 == 1 {
            power = Some(power.map_or(square, |power: Tensor| power * square));
        }
        exponent >>= 1;
        if exponent > 0 {
            square = square * square;
        }
    }
    power.unwrap_or_else(|| base.full_like(1))
}

fn power(base: Tensor, exponent: Tensor) -> Tensor {
    if base.dtype().is_unsigned_int() {
        return squarings(base, exponent);
    }
    let power = squarings(base, exponent.maximum(0));
    // 1 and -1 are their own reciprocals: the lowest bit of the exponent decides.
    let unit = (exponent & 1).ne(0).select(base, 1);
    let quotient = base.abs().eq(1).select(unit, 0);
    exponent.lt(0).select(quotient, power)
}

/// A loop over the bits of the largest exponent; no exponent is negative. It carries the power so
/// far, the base squared once per step, the remaining bits of the exponents, and those of the
/// largest exponent.
fn squarings(base: Tensor, exponent: Tensor) -> Tensor {
    let largest = match exponent.rank() {
        0 => exponent,
        rank => {
            let axes = PerAxis::collect(0..rank);
            record(Reduce { reduction: Reduction::Max, axes }, &[exponent])[0]
        }
    };
    let (power, ..) = while_loop(
        (base.full_like(1), base, exponent, largest),
        |(.., largest)| largest.ne(0),
        |(power, square, left, largest)| {
            let power = (left & 1).ne(0).select(power * square, power);
            let (left, largest) = (left.shift_right_logical(1), largest.shift_right_logical(1));
            (power, square * square, left, largest)
        },
    );
    power
}
