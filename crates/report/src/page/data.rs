//! The data of the page: columns, which refer to instructions, files and kinds by index.

use crate::{
    BufferKind, Report, costs::Cost, memory::Analysis, modules::Modules, program::ModuleGraph,
    sources, text,
};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The data that the page's script reads.
#[derive(Serialize)]
pub(super) struct Data<'a> {
    computations: Vec<Computation<'a>>,
    /// One line for each instruction.
    lines: Vec<String>,
    names: Vec<&'a str>,
    operands: Vec<&'a [usize]>,
    called: Vec<&'a [usize]>,
    /// For each instruction, an index of `files`, or -1, and the line.
    file: Vec<i64>,
    line: Vec<u32>,
    files: Vec<File<'a>>,
    /// Instructions that do work.
    kernels: Vec<Kernel>,
    kinds: Vec<&'a str>,
    modules: Vec<&'a [String]>,
    are_scopes: bool,
    memory: Memory<'a>,
}

#[derive(Serialize)]
struct Computation<'a> {
    name: &'a str,
    start: usize,
    end: usize,
    root: Option<usize>,
    is_entry: bool,
    /// An instruction that calls the computation.
    caller: Option<usize>,
}

#[derive(Serialize)]
struct File<'a> {
    name: &'a str,
    /// Numbers and lines.
    lines: Vec<(u32, String)>,
}

#[derive(Serialize)]
struct Kernel {
    node: usize,
    kind: usize,
    module: usize,
    flops: Option<u64>,
    bytes: u64,
    times: u64,
}

#[derive(Serialize)]
struct Memory<'a> {
    steps: &'a [usize],
    live: &'a [u64],
    peak: usize,
    arguments: u64,
    constants: u64,
    buffers: Vec<Buffer<'a>>,
}

#[derive(Serialize)]
struct Buffer<'a> {
    node: usize,
    shape: &'a str,
    bytes: u64,
    kind: &'a str,
    start: usize,
    end: usize,
}

/// The maximum number of buffers on the page; the others are smaller.
const MAX_BUFFERS: usize = 2000;

impl<'a> Data<'a> {
    pub fn new(
        report: &'a Report,
        program: &'a ModuleGraph<'a>,
        analysis: &'a Analysis,
        costs: &'a [Cost],
        modules: &'a Modules,
    ) -> Self {
        let nodes = &program.nodes;
        let (files, file, line) = locations(report, program);
        let mut kinds = Table::default();
        let mut paths = Table::default();
        let kernels = costs.iter().map(|cost| Kernel {
            node: cost.node,
            kind: kinds.index(cost.kind.as_str()),
            module: paths.index(modules.paths[cost.node].as_slice()),
            flops: cost.flops,
            bytes: cost.bytes,
            times: cost.times,
        });
        let kernels = kernels.collect();
        Self {
            computations: computations(program),
            lines: (0..nodes.len()).map(|node| text::line(program, node)).collect(),
            names: nodes.iter().map(|node| node.instruction.name.as_str()).collect(),
            operands: nodes.iter().map(|node| node.operands.as_slice()).collect(),
            called: nodes.iter().map(|node| node.called.as_slice()).collect(),
            file,
            line,
            files,
            kernels,
            kinds: kinds.all,
            modules: paths.all,
            are_scopes: modules.are_scopes,
            memory: memory(analysis),
        }
    }
}

/// Distinct values, numbered.
struct Table<T> {
    all: Vec<T>,
    indices: HashMap<T, usize>,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self { all: Vec::new(), indices: HashMap::new() }
    }
}

impl<T: Copy + Eq + std::hash::Hash> Table<T> {
    fn index(&mut self, value: T) -> usize {
        *self.indices.entry(value).or_insert_with(|| {
            self.all.push(value);
            self.all.len() - 1
        })
    }
}

fn computations<'a>(program: &ModuleGraph<'a>) -> Vec<Computation<'a>> {
    let mut callers = vec![None; program.bodies.len()];
    for (node, one) in program.nodes.iter().enumerate() {
        for &body in &one.called {
            callers[body].get_or_insert(node);
        }
    }
    let one = |(index, caller): (usize, _)| {
        let body = &program.bodies[index];
        Computation {
            name: body.name,
            start: body.nodes.start,
            end: body.nodes.end,
            root: body.root,
            is_entry: index == program.entry,
            caller,
        }
    };
    callers.into_iter().enumerate().map(one).collect()
}

/// The files, and the place of each instruction.
fn locations<'a>(
    report: &'a Report,
    program: &ModuleGraph<'a>,
) -> (Vec<File<'a>>, Vec<i64>, Vec<u32>) {
    let mut names = Table::default();
    let mut used: BTreeMap<usize, BTreeSet<u32>> = BTreeMap::new();
    let (mut file, mut line) = (Vec::new(), Vec::new());
    for node in 0..program.nodes.len() {
        match program.metadata(node, |metadata| report.module.source(metadata)) {
            Some((name, number)) => {
                let index = names.index(name);
                used.entry(index).or_default().insert(number);
                file.push(i64::try_from(index).unwrap_or(-1));
                line.push(number);
            }
            None => {
                file.push(-1);
                line.push(0);
            }
        }
    }
    let nothing = BTreeSet::new();
    let read = |(index, name): (usize, &'a str)| {
        let used = used.get(&index).unwrap_or(&nothing);
        File { name, lines: sources::read(&report.roots, name, used).into_iter().collect() }
    };
    (names.all.into_iter().enumerate().map(read).collect(), file, line)
}

fn memory(analysis: &Analysis) -> Memory<'_> {
    let memory = &analysis.memory;
    let buffers = memory.buffers.iter().take(MAX_BUFFERS).map(|buffer| Buffer {
        node: buffer.node,
        shape: &buffer.shape,
        bytes: buffer.bytes,
        kind: buffer.kind.name(),
        start: buffer.start,
        end: buffer.end,
    });
    Memory {
        steps: &analysis.steps,
        live: &memory.live,
        peak: memory.peak,
        arguments: memory.bytes(BufferKind::Argument),
        constants: memory.bytes(BufferKind::Constant),
        buffers: buffers.collect(),
    }
}
