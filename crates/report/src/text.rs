//! Instructions as text, close to that of XLA.

use crate::{
    hlo::{Instruction, Literal, Shape},
    program::ModuleGraph,
};
use std::fmt::Write;

/// The maximum length of a result's type, in bytes: tuples may have hundreds of parts.
const MAX_TYPE: usize = 160;

/// The maximum length of a line, in bytes.
const MAX_LINE: usize = 600;

/// An instruction on one line: `sum.3 = f32[8] reduce(x.1, zero.2), dimensions={0}`.
pub(crate) fn line(program: &ModuleGraph<'_>, index: usize) -> String {
    let node = &program.nodes[index];
    let one = node.instruction;
    let r#type = one.shape.as_ref().map(Shape::text).unwrap_or_default();
    let mut out = format!("{} = {} {}(", one.name, cut(r#type, MAX_TYPE), one.opcode);
    match one.opcode.as_str() {
        "parameter" => out += &one.parameter_number.to_string(),
        "constant" => out += &one.literal.as_ref().and_then(scalar).unwrap_or("…".to_owned()),
        _ => {
            let names = node
                .operands
                .iter()
                .map(|&operand| program.nodes[operand].instruction.name.as_str());
            out += &join(names);
        }
    }
    out.push(')');
    attributes(program, index, &mut out);
    cut(out, MAX_LINE)
}

/// Cuts a text that is too long.
fn cut(mut text: String, most: usize) -> String {
    if text.len() > most {
        let end = (0..=most).rev().find(|&end| text.is_char_boundary(end));
        text.truncate(end.unwrap_or(0));
        text.push('…');
    }
    text
}

fn join<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut out = String::new();
    for name in names {
        if out.len() > MAX_LINE {
            break;
        }
        let comma = if out.is_empty() { "" } else { ", " };
        write!(out, "{comma}{name}").expect("text can be written to memory");
    }
    out
}

fn list(numbers: &[i64]) -> String {
    let numbers: Vec<_> = numbers.iter().map(i64::to_string).collect();
    format!("{{{}}}", numbers.join(","))
}

fn attributes(program: &ModuleGraph<'_>, index: usize, out: &mut String) {
    let node = &program.nodes[index];
    let one = node.instruction;
    let mut add = |name: &str, value: String| {
        write!(out, ", {name}={value}").expect("text can be written to memory");
    };
    if !one.fusion_kind.is_empty() {
        add("kind", one.fusion_kind.clone());
    }
    if one.opcode == "get-tuple-element" {
        add("index", one.tuple_index.to_string());
    }
    if !one.dimensions.is_empty() {
        add("dimensions", list(&one.dimensions));
    }
    if !one.comparison_direction.is_empty() {
        add("direction", one.comparison_direction.clone());
    }
    if !one.slices.is_empty() {
        add("slice", slices(one));
    }
    if !one.dynamic_slice_sizes.is_empty() {
        add("dynamic_slice_sizes", list(&one.dynamic_slice_sizes));
    }
    if let Some(dot) = &one.dot {
        let pairs = [
            ("lhs_batch_dims", &dot.lhs_batch),
            ("lhs_contracting_dims", &dot.lhs_contracting),
            ("rhs_batch_dims", &dot.rhs_batch),
            ("rhs_contracting_dims", &dot.rhs_contracting),
        ];
        for (name, dims) in pairs.into_iter().filter(|(_, dims)| !dims.is_empty()) {
            add(name, list(dims));
        }
    }
    if let Some(window) = one.window.as_ref().filter(|window| !window.dimensions.is_empty()) {
        let sizes: Vec<_> = window.dimensions.iter().map(|one| one.size.to_string()).collect();
        let strides: Vec<_> = window.dimensions.iter().map(|one| one.stride.to_string()).collect();
        add("window", format!("{{size={} stride={}}}", sizes.join("x"), strides.join("x")));
    }
    if !one.fft_length.is_empty() {
        add("fft_length", list(&one.fft_length));
    }
    if !one.custom_call_target.is_empty() {
        add("target", format!("{:?}", one.custom_call_target));
    }
    if let Some(iterations) = program.iterations(index) {
        add("iterations", iterations.to_string());
    }
    let called: Vec<_> = node.called.iter().map(|&body| program.bodies[body].name).collect();
    match (one.opcode.as_str(), called.as_slice()) {
        (_, []) => {}
        ("while", [body, condition]) => {
            add("condition", (*condition).to_owned());
            add("body", (*body).to_owned());
        }
        ("conditional", _) => add("branches", format!("{{{}}}", join(called.into_iter()))),
        ("fusion" | "async-start", _) => add("calls", join(called.into_iter())),
        _ => add("to_apply", join(called.into_iter())),
    }
}

fn slices(one: &Instruction) -> String {
    let slices = one.slices.iter().map(|slice| match slice.stride {
        0 | 1 => format!("[{}:{}]", slice.start, slice.limit),
        stride => format!("[{}:{}:{stride}]", slice.start, slice.limit),
    });
    format!("{{{}}}", slices.collect::<Vec<_>>().join(", "))
}

/// The value of a literal with one element.
fn scalar(literal: &Literal) -> Option<String> {
    let Literal { preds, s32s, s64s, u32s, u64s, f32s, f64s, f16s, bf16s, .. } = literal;
    fn one<T: ToString>(values: &[T]) -> Option<String> {
        match values {
            [value] => Some(value.to_string()),
            _ => None,
        }
    }
    let half = |bytes: &[u8]| <[u8; 2]>::try_from(bytes).ok();
    one(preds)
        .or_else(|| one(s32s))
        .or_else(|| one(s64s))
        .or_else(|| one(u32s))
        .or_else(|| one(u64s))
        .or_else(|| one(f32s))
        .or_else(|| one(f64s))
        .or_else(|| Some(half::f16::from_le_bytes(half(f16s)?).to_string()))
        .or_else(|| Some(half::bf16::from_le_bytes(half(bf16s)?).to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::{calling, instruction, module, numbered, shaped, tuple};

    #[test]
    fn instructions_are_printed_with_their_attributes() {
        let mut constant = instruction(2, "constant", &[], &[]);
        constant.literal.get_or_insert_default().f32s = vec![1.5];
        let mut stack = instruction(7, "constant", &[2], &[]);
        stack.literal.get_or_insert_default().f32s = vec![1.5, 2.0];
        let mut reduce = calling(instruction(3, "reduce", &[], &[1, 2]), &[2]);
        reduce.dimensions = vec![0];
        let mut dot = instruction(4, "dot", &[8], &[1, 1]);
        dot.dot.get_or_insert_default().lhs_contracting = vec![1];
        let mut call = shaped(instruction(5, "custom-call", &[], &[4]), tuple(&[&[1], &[2, 3]]));
        call.custom_call_target = "a\"b".to_owned();
        let module = module(vec![
            vec![
                numbered(instruction(1, "parameter", &[8], &[]), 4),
                constant,
                reduce,
                dot,
                call,
                numbered(instruction(6, "get-tuple-element", &[1], &[5]), 1),
                stack,
            ],
            vec![],
        ]);
        let program = ModuleGraph::new(&module);
        let lines: Vec<_> = (0..7).map(|node| line(&program, node)).collect();
        let expected = [
            "parameter.1 = f32[8] parameter(4)",
            "constant.2 = f32[] constant(1.5)",
            "reduce.3 = f32[] reduce(parameter.1, constant.2), dimensions={0}, \
             to_apply=computation.2",
            "dot.4 = f32[8] dot(parameter.1, parameter.1), lhs_contracting_dims={1}",
            "custom-call.5 = (f32[1], f32[2,3]) custom-call(dot.4), target=\"a\\\"b\"",
            "get-tuple-element.6 = f32[1] get-tuple-element(custom-call.5), index=1",
            "constant.7 = f32[2] constant(…)",
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn long_lines_are_cut() {
        let parts: Vec<&[i64]> = vec![&[1000, 1000]; 500];
        let operands = vec![1; 500];
        let call = shaped(instruction(2, "custom-call", &[], &operands), tuple(&parts));
        let module = module(vec![vec![instruction(1, "parameter", &[], &[]), call]]);
        let program = ModuleGraph::new(&module);
        let text = line(&program, 1);
        assert!(text.len() <= MAX_LINE + '…'.len_utf8(), "{}", text.len());
        assert!(text.contains("…) custom-call(") || text.contains("… custom-call("), "{text}");
        assert_eq!(cut("aé".to_owned(), 2), "a…");
    }
}
