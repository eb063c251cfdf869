use super::*;
use crate::{
    example::{array, calling, instruction, module, numbered, shaped, tuple},
    hlo::{InputOutputAlias, InputOutputAliases, Instruction, Module, OutputOperandAlias},
};

fn memory(module: &Module) -> Memory {
    of(&ModuleGraph::new(module)).memory
}

fn parameter(id: i64, number: i64) -> Instruction {
    numbered(instruction(id, "parameter", &[256], &[]), number)
}

/// An instruction with a result of 1 KiB.
fn op(id: i64, opcode: &str, operands: &[i64]) -> Instruction {
    instruction(id, opcode, &[256], operands)
}

fn element(id: i64, of: i64, index: i64) -> Instruction {
    numbered(op(id, "get-tuple-element", &[of]), index)
}

/// Name, KiB, kind, first and last step of each buffer, in the order of definition.
fn buffers(memory: &Memory) -> Vec<(&str, u64, &str, usize, usize)> {
    let mut all: Vec<_> = memory.buffers.iter().collect();
    all.sort_by_key(|buffer| buffer.node);
    let row =
        |buffer: &&Buffer| (buffer.bytes / 1024, buffer.kind.name(), buffer.start, buffer.end);
    let rows = all.iter().map(|buffer| (row(buffer), buffer.instruction.as_str()));
    rows.map(|((kib, kind, start, end), name)| (name, kib, kind, start, end)).collect()
}

#[test]
fn a_value_lives_from_its_definition_to_its_last_use() {
    let memory = memory(&module(vec![vec![
        parameter(1, 0),
        op(2, "abs", &[1]),
        op(3, "sine", &[2]),
        op(4, "cosine", &[2]),
        instruction(5, "constant", &[256], &[]),
        op(6, "add", &[3, 4]),
        op(7, "multiply", &[6, 5]),
    ]]));
    assert_eq!(memory.steps, ["abs.2", "sine.3", "cosine.4", "add.6", "multiply.7"]);
    let expected = [
        ("parameter.1", 1, "argument", 0, 4),
        ("abs.2", 1, "temporary", 0, 2),
        ("sine.3", 1, "temporary", 1, 3),
        ("cosine.4", 1, "temporary", 2, 3),
        ("constant.5", 1, "constant", 0, 4),
        ("add.6", 1, "temporary", 3, 4),
        ("multiply.7", 1, "result", 4, 4),
    ];
    assert_eq!(buffers(&memory), expected);
    assert_eq!(memory.live, [1024, 2048, 3072, 3072, 2048]);
    assert_eq!((memory.peak, memory.peak_bytes()), (2, 3072), "the first of several peaks");
    assert_eq!(memory.bytes(BufferKind::Argument), 1024);
}

#[test]
fn tuples_their_elements_and_bitcasts_have_no_memory() {
    let pair = || tuple(&[&[256], &[256]]);
    let memory = memory(&module(vec![vec![
        parameter(1, 0),
        op(2, "abs", &[1]),
        op(3, "bitcast", &[2]),
        shaped(op(4, "tuple", &[3, 1]), pair()),
        element(5, 4, 0),
        op(6, "sine", &[5]),
        op(7, "cosine", &[6]),
        shaped(op(8, "tuple", &[7, 3]), pair()),
    ]]));
    let expected = [
        ("parameter.1", 1, "argument", 0, 2),
        ("abs.2", 1, "result", 0, 2),
        ("sine.6", 1, "temporary", 1, 2),
        ("cosine.7", 1, "result", 2, 2),
    ];
    assert_eq!(buffers(&memory), expected);
}

#[test]
fn an_update_is_in_place_where_its_operand_is_not_used_again() {
    let update = |module: Vec<Instruction>| {
        let all = memory(&crate::example::module(vec![module]));
        all.live.iter().max().copied().unwrap_or(0) / 1024
    };
    let start = || vec![parameter(1, 0), op(2, "abs", &[1]), op(3, "sine", &[1])];
    let then = |more: &[Instruction]| [start(), more.to_vec()].concat();
    let in_place = then(&[op(4, "dynamic-update-slice", &[2, 3])]);
    assert_eq!(update(in_place), 2);
    let used_again = then(&[op(4, "dynamic-update-slice", &[2, 3]), op(5, "add", &[4, 2])]);
    assert_eq!(update(used_again), 3);
    let of_argument =
        vec![parameter(1, 0), op(2, "abs", &[1]), op(4, "dynamic-update-slice", &[1, 2])];
    assert_eq!(update(of_argument), 2, "an argument that is not donated is kept");
}

#[test]
fn a_fusion_that_ends_in_an_update_is_in_place() {
    let fused = |last: &str| {
        let module = module(vec![
            vec![
                parameter(1, 0),
                op(2, "abs", &[1]),
                op(3, "sine", &[1]),
                calling(op(4, "fusion", &[3, 2]), &[2]),
            ],
            vec![parameter(5, 0), parameter(6, 1), op(7, "bitcast", &[6]), op(8, last, &[7, 5])],
        ]);
        memory(&module).live[2] / 1024
    };
    assert_eq!(fused("dynamic-update-slice"), 2);
    assert_eq!(fused("add"), 3);
}

#[test]
fn a_loop_runs_in_the_memory_of_its_state() {
    let state = || tuple(&[&[256], &[256]]);
    let module = module(vec![
        vec![
            parameter(1, 0),
            op(2, "abs", &[1]),
            op(3, "sine", &[1]),
            shaped(op(4, "tuple", &[2, 3]), state()),
            calling(shaped(op(5, "while", &[4]), state()), &[2, 3]),
            element(6, 5, 0),
            op(7, "negate", &[6]),
        ],
        vec![
            shaped(parameter(11, 0), state()),
            element(12, 11, 0),
            element(13, 11, 1),
            op(14, "multiply", &[12, 13]),
            op(15, "exponential", &[14]),
            shaped(op(16, "tuple", &[15, 13]), state()),
        ],
        vec![
            shaped(parameter(21, 0), state()),
            element(22, 21, 0),
            instruction(23, "is-finite", &[], &[22]),
        ],
    ]);
    let memory = memory(&module);
    let steps = ["abs.2", "sine.3", "while.5", "is-finite.23", "multiply.14", "exponential.15"];
    assert_eq!(memory.steps[..6], steps, "the condition runs before the body");
    let expected = [
        ("parameter.1", 1, "argument", 0, 6),
        ("abs.2", 1, "temporary", 0, 6),
        ("sine.3", 1, "temporary", 1, 5),
        ("negate.7", 1, "result", 6, 6),
        ("multiply.14", 1, "temporary", 4, 5),
        ("is-finite.23", 0, "temporary", 3, 3),
    ];
    assert_eq!(buffers(&memory), expected, "the invariant `sine.3` lives as long as the loop");
    assert_eq!(memory.live, [1024, 2048, 2048, 2052, 3072, 3072, 2048]);
}

#[test]
fn branches_share_the_memory_of_their_result() {
    let module = module(vec![
        vec![
            numbered(instruction(1, "parameter", &[], &[]), 0),
            parameter(2, 1),
            calling(op(3, "conditional", &[1, 2, 2]), &[2, 3]),
            op(4, "negate", &[3]),
        ],
        vec![parameter(5, 0), op(6, "sine", &[5])],
        vec![parameter(7, 0), op(8, "cosine", &[7])],
    ]);
    let expected = [
        ("parameter.1", 0, "argument", 0, 3),
        ("parameter.2", 1, "argument", 0, 3),
        ("negate.4", 1, "result", 3, 3),
        ("sine.6", 1, "temporary", 1, 3),
    ];
    assert_eq!(buffers(&memory(&module)), expected);
}

#[test]
fn results_over_donated_parameters_are_arguments() {
    let mut module = module(vec![vec![
        parameter(1, 0),
        op(2, "sine", &[1]),
        op(3, "add", &[1, 2]),
        shaped(op(4, "tuple", &[2, 3]), tuple(&[&[256], &[256]])),
    ]]);
    let before: Vec<_> = memory(&module).live;
    assert_eq!(before, [1024, 2048]);
    let mut alias = InputOutputAlias::default();
    alias.output = vec![1];
    let mut all = InputOutputAliases::default();
    all.entries = vec![alias];
    module.aliases = Some(all);
    let after = memory(&module);
    assert_eq!(after.live, [1024, 1024]);
    assert_eq!(after.bytes(BufferKind::Argument), 1024);
}

#[test]
fn a_custom_call_declares_what_it_writes_over() {
    let call = |aliases: Vec<OutputOperandAlias>| {
        let mut call = op(3, "custom-call", &[2]);
        call.aliases = aliases;
        let module = module(vec![vec![parameter(1, 0), op(2, "abs", &[1]), call]]);
        memory(&module).live
    };
    assert_eq!(call(vec![]), [1024, 2048]);
    assert_eq!(call(vec![OutputOperandAlias::default()]), [1024, 1024]);
    let mut wrong = OutputOperandAlias::default();
    wrong.operand = 7;
    assert_eq!(call(vec![wrong]), [1024, 2048]);
}

#[test]
fn a_copy_that_overlaps_counts_its_source_once() {
    let mut context = array(&[]);
    context.element_type = 8; // `xla.PrimitiveType.U32`
    let mut started = tuple(&[&[256], &[256]]);
    started.parts.push(context);
    let memory = memory(&module(vec![vec![
        parameter(1, 0),
        op(2, "abs", &[1]),
        shaped(op(3, "copy-start", &[2]), started),
        op(4, "sine", &[2]),
        op(5, "copy-done", &[3]),
        op(6, "add", &[5, 4]),
    ]]));
    assert_eq!(memory.live, [1024, 2052, 3076, 3076, 3072]);
}

#[test]
fn modules_that_make_no_sense_are_read_without_harm() {
    let huge = shaped(op(2, "abs", &[1]), array(&[i64::MAX, 4]));
    let ring = |id, opcode: &str| calling(op(id, opcode, &[id, 77]), &[1, 2, 2, 99]);
    let mut update = op(9, "dynamic-update-slice", &[9]);
    update.aliases = vec![OutputOperandAlias::default()];
    let all = memory(&module(vec![
        vec![
            huge.clone(),
            ring(3, "while"),
            ring(4, "call"),
            ring(5, "conditional"),
            ring(6, "async-start"),
            numbered(op(7, "get-tuple-element", &[2]), -1),
            op(8, "tuple", &[]),
            update,
            op(10, "copy-done", &[]),
            op(11, "all-gather-start", &[3]),
            Instruction::default(),
        ],
        vec![ring(12, "while"), numbered(op(13, "parameter", &[]), i64::MIN)],
    ]));
    assert_eq!(all.buffers[0].bytes, u64::MAX);
    assert_eq!(all.live.len(), all.steps.len());
    let empty = memory(&module(vec![vec![]]));
    assert_eq!((empty.peak_bytes(), empty.buffers.len()), (0, 0));
}
