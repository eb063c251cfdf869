//! Estimates of what an instruction of an optimized program costs.

use crate::{
    DType,
    hlo::{Instruction, Shape},
};

impl Shape {
    /// The number of elements, of all parts of a tuple together.
    pub fn elements(&self) -> u64 {
        match self.parts.as_slice() {
            [] => product(&self.dimensions),
            parts => parts.iter().fold(0, |sum, part| sum.saturating_add(part.elements())),
        }
    }

    /// Its size in bytes; elements that this crate does not know, and tokens, count nothing.
    pub fn bytes(&self) -> u64 {
        if !self.parts.is_empty() {
            return self.parts.iter().fold(0, |sum, part| sum.saturating_add(part.bytes()));
        }
        let bits = DType::from_primitive_type(self.element_type).and_then(DType::bits);
        let all = u128::from(product(&self.dimensions)) * bits.unwrap_or(0) as u128;
        u64::try_from(all.div_ceil(8)).unwrap_or(u64::MAX)
    }

    /// As in the compiler's text: `f32[2,3]`, or `(f32[2], s32[])`.
    pub fn text(&self) -> String {
        if !self.parts.is_empty() {
            let parts: Vec<_> = self.parts.iter().map(Shape::text).collect();
            return format!("({})", parts.join(", "));
        }
        // `xla.PrimitiveType`.
        const TUPLE: i32 = 13;
        match DType::from_primitive_type(self.element_type) {
            Some(dtype) => {
                let dims: Vec<_> = self.dimensions.iter().map(i64::to_string).collect();
                format!("{dtype}[{}]", dims.join(","))
            }
            None if self.element_type == TUPLE => "()".to_owned(),
            None => format!("type {}", self.element_type),
        }
    }
}

fn product(sizes: &[i64]) -> u64 {
    sizes.iter().fold(1, |product: u64, &size| product.saturating_mul(size.max(0) as u64))
}

/// The arithmetic operations of an instruction by itself: without those of the computations that it
/// calls. `None` where they are unknown, as for custom calls.
pub(crate) fn flops(instruction: &Instruction, operands: &[&Shape]) -> Option<u64> {
    let result = instruction.shape.as_ref().map_or(0, Shape::elements);
    let first = operands.first().copied();
    Some(match instruction.opcode.as_str() {
        "dot" => {
            let contracting = instruction.dot.as_ref()?.lhs_contracting.iter();
            let dims = &first?.dimensions;
            let size = |&axis: &i64| dims.get(usize::try_from(axis).ok()?).copied();
            let sizes = contracting.map(size).collect::<Option<Vec<_>>>()?;
            product(&sizes).saturating_mul(result).saturating_mul(2)
        }
        "convolution" => {
            let axis = instruction.convolution.as_ref()?.kernel_output_feature;
            let kernel = operands.get(1)?;
            let features = *kernel.dimensions.get(usize::try_from(axis).ok()?)?;
            let each = kernel.elements().checked_div(u64::try_from(features).ok()?)?;
            each.saturating_mul(result).saturating_mul(2)
        }
        "fft" => {
            let length = product(&instruction.fft_length);
            first?.elements().saturating_mul(5 * u64::from(length.max(1).ilog2()))
        }
        "sort" => {
            let elements = first?.elements();
            elements.saturating_mul(u64::from(elements.max(1).ilog2()))
        }
        "reduce" | "reduce-scatter" => first?.elements().saturating_sub(result),
        "reduce-window" => {
            let window = instruction.window.as_ref()?.dimensions.iter();
            let sizes: Vec<_> = window.map(|dimension| dimension.size).collect();
            product(&sizes).saturating_sub(1).saturating_mul(result)
        }
        "select-and-scatter" => first?.elements(),
        "scatter" => operands.last()?.elements(),
        opcode if ARITHMETIC.contains(&opcode) => result,
        opcode if MOVES.contains(&opcode) => 0,
        _ => return None,
    })
}

/// One operation for each element of the result.
const ARITHMETIC: [&str; 51] = [
    "abs",
    "add",
    "all-reduce",
    "and",
    "atan2",
    "cbrt",
    "ceil",
    "clamp",
    "compare",
    "complex",
    "cosine",
    "count-leading-zeros",
    "divide",
    "erf",
    "exponential",
    "exponential-minus-one",
    "floor",
    "imag",
    "is-finite",
    "log",
    "log-plus-one",
    "logistic",
    "map",
    "maximum",
    "minimum",
    "multiply",
    "negate",
    "not",
    "or",
    "popcnt",
    "power",
    "real",
    "reduce-precision",
    "remainder",
    "round-nearest-afz",
    "round-nearest-even",
    "rsqrt",
    "select",
    "shift-left",
    "shift-right-arithmetic",
    "shift-right-logical",
    "sign",
    "sine",
    "sqrt",
    "stochastic-convert",
    "subtract",
    "tan",
    "tanh",
    "xor",
    "acos",
    "acosh",
];

/// They only move elements, or convert them. A `fusion` has the operations of its computation.
const MOVES: [&str; 32] = [
    "all-gather",
    "all-to-all",
    "after-all",
    "bitcast",
    "bitcast-convert",
    "broadcast",
    "collective-broadcast",
    "collective-permute",
    "concatenate",
    "constant",
    "convert",
    "copy",
    "copy-done",
    "copy-start",
    "dynamic-reshape",
    "dynamic-slice",
    "dynamic-update-slice",
    "fusion",
    "gather",
    "get-dimension-size",
    "get-tuple-element",
    "iota",
    "opt-barrier",
    "pad",
    "parameter",
    "partition-id",
    "replica-id",
    "reshape",
    "reverse",
    "slice",
    "transpose",
    "tuple",
];
