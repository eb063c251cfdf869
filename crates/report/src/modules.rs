//! The module of a model that an instruction belongs to: a path such as `layers/0/mlp`.
//!
//! Programs of JAX and PyTorch name the scopes of their ops. Where a program does not, modules are
//! those of the weights: an instruction that reads `layers.0.mlp.up_proj.weight` belongs to
//! `layers/0/mlp/up_proj`, and any other to the innermost module that contains both the latest one
//! that it reads from and the first one that reads its result.

use crate::{memory::Analysis, program::ModuleGraph};
use std::collections::HashMap;

/// Names from the outermost module to the innermost.
type Path = Vec<String>;

/// The modules of a program.
pub(crate) struct Modules {
    /// The path of each instruction; empty where there is none.
    pub paths: Vec<Path>,
    /// Whether they come from the names of ops, not from those of weights.
    pub are_scopes: bool,
}

/// Finds the modules, by the names of ops or of parameters.
pub(crate) fn of(program: &ModuleGraph<'_>, analysis: &Analysis, names: &[String]) -> Modules {
    let scopes: Vec<_> = (0..program.nodes.len()).map(|node| scope(program, node)).collect();
    let are_scopes = scopes.iter().any(|path| !path.is_empty());
    let paths = if are_scopes { scopes } else { of_weights(program, analysis, names) };
    Modules { paths, are_scopes }
}

/// Instructions whose result is their operand, in another place or form.
const MOVES: [&str; 10] = [
    "bitcast",
    "bitcast-convert",
    "convert",
    "copy",
    "copy-done",
    "copy-start",
    "dynamic-slice",
    "reshape",
    "slice",
    "transpose",
];

/// The scopes that an op's name has before its last part.
fn scope(program: &ModuleGraph<'_>, node: usize) -> Path {
    let instruction = program.nodes[node].instruction;
    let name =
        program.metadata(node, |metadata| Some(&metadata.op_name).filter(|name| !name.is_empty()));
    let name = name.map_or("", String::as_str);
    // Merged instructions have the names of all their ops.
    let name = name.split(';').next().unwrap_or_default();
    match instruction.opcode.as_str() {
        "parameter" => Vec::new(),
        _ => match name.rsplit_once('/') {
            Some((path, _)) => {
                path.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect()
            }
            None => Vec::new(),
        },
    }
}

/// The parts of a parameter's name: `params['layers'][0].w` has four.
fn parts(name: &str) -> Path {
    let parts = name.split(['.', '/', '[', ']', '\'', '"']);
    parts.filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// The modules of the weights among the entry parameters: those of the largest tree of arguments.
fn weights(program: &ModuleGraph<'_>, names: &[String]) -> HashMap<usize, Path> {
    let mut trees: HashMap<String, u64> = HashMap::new();
    let mut paths = HashMap::new();
    for node in program.bodies[program.entry].nodes.clone() {
        let instruction = program.nodes[node].instruction;
        if instruction.opcode != "parameter" {
            continue;
        }
        let number = usize::try_from(instruction.parameter_number).ok();
        let metadata = instruction.metadata.as_ref();
        let name = match names {
            [] => metadata.map(|metadata| &metadata.op_name),
            given => number.and_then(|number| given.get(number)),
        };
        let mut path = name.map(|name| parts(name)).unwrap_or_default();
        if path.len() > 2 {
            path.pop();
            let bytes = trees.entry(path[0].clone()).or_default();
            *bytes = bytes.saturating_add(program.nodes[node].bytes());
            paths.insert(node, path);
        }
    }
    let largest = trees.iter().max_by_key(|(name, bytes)| (**bytes, std::cmp::Reverse(*name)));
    let Some((tree, _)) = largest else { return HashMap::new() };
    paths.retain(|_, path| path[0] == *tree);
    for path in paths.values_mut() {
        path.remove(0);
    }
    paths
}

fn of_weights(program: &ModuleGraph<'_>, analysis: &Analysis, names: &[String]) -> Vec<Path> {
    // Names that are not paths do not identify modules.
    let given = weights(program, names);
    let weights = if given.is_empty() { weights(program, &[]) } else { given };
    let count = program.nodes.len();
    let mut own: Vec<Option<Path>> = vec![None; count];
    // The module whose weight a value is, perhaps copied or converted.
    let mut weight_of: Vec<Option<Path>> = vec![None; count];
    for node in (0..count).filter(|_| !weights.is_empty()) {
        let one = &program.nodes[node];
        let in_memory = analysis.parameters[node].iter().filter_map(|one| weights.get(one));
        weight_of[node] = in_memory.cloned().reduce(|a, b| common(&a, &b));
        let read = one.operands.iter().filter_map(|&operand| weight_of[operand].clone());
        let read = read.reduce(|a, b| common(&a, &b));
        if MOVES.contains(&one.opcode()) {
            weight_of[node] = weight_of[node].take().or(read.clone());
        }
        if analysis.step_of[node].is_some() {
            own[node] = read;
        }
    }
    let (mut before, mut after) = (own.clone(), own.clone());
    // The latest step of the values that `before` is derived from.
    let mut latest: Vec<Option<usize>> = vec![None; count];
    for node in order(program, analysis) {
        let one = &program.nodes[node];
        if own[node].is_some() {
            latest[node] = analysis.step_of[node];
            continue;
        }
        let caller = match one.opcode() {
            "parameter" => analysis.callers[one.body],
            _ => None,
        };
        let sources = one.operands.iter().copied().chain(caller);
        let source =
            sources.filter(|&from| before[from].is_some()).max_by_key(|&from| latest[from]);
        if let Some(source) = source {
            before[node] = before[source].clone();
            latest[node] = latest[source].max(analysis.step_of[node]);
        }
    }
    // The module of the first user; users come after their operands.
    let mut first: Vec<Option<usize>> = vec![None; count];
    for node in (0..count).rev() {
        if own[node].is_none()
            && let Some(user) = first[node]
        {
            after[node] = after[user].clone();
        }
        if after[node].is_some() {
            for &operand in program.nodes[node].operands.iter().filter(|&&operand| operand < node) {
                first[operand] = Some(node);
            }
        }
    }
    let module = |((own, before), after): ((Option<_>, Option<Path>), Option<Path>)| {
        own.or_else(|| Some(common(&before?, &after?))).unwrap_or_default()
    };
    own.into_iter().zip(before).zip(after).map(module).collect()
}

/// Instructions with callers before the instructions that they call, otherwise in the order of
/// execution.
fn order(program: &ModuleGraph<'_>, analysis: &Analysis) -> Vec<usize> {
    let (mut order, mut open) = (Vec::new(), vec![program.entry]);
    let mut called: HashMap<usize, Vec<usize>> = HashMap::new();
    for (body, caller) in analysis.callers.iter().enumerate() {
        if let Some(caller) = caller {
            called.entry(program.nodes[*caller].body).or_default().push(body);
        }
    }
    while let Some(body) = open.pop() {
        order.extend(program.bodies[body].nodes.clone());
        open.extend(called.remove(&body).unwrap_or_default());
    }
    order
}

/// The path that two have in common.
fn common(a: &[String], b: &[String]) -> Path {
    a.iter().zip(b).take_while(|(a, b)| a == b).map(|(part, _)| part.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        example::{instruction, module, named, numbered},
        memory,
    };

    fn paths(module: &crate::hlo::Module, names: &[&str]) -> Vec<String> {
        let program = ModuleGraph::new(module);
        let names: Vec<_> = names.iter().map(|&name| name.to_owned()).collect();
        let modules = of(&program, &memory::of(&program), &names);
        modules.paths.iter().map(|path| path.join("/")).collect()
    }

    fn weight(id: i64, name: &str) -> crate::hlo::Instruction {
        named(numbered(instruction(id, "parameter", &[8], &[]), id), name)
    }

    #[test]
    fn instructions_belong_to_the_modules_of_the_weights_they_read() {
        let module = module(vec![vec![
            weight(0, "x"),
            weight(1, "model.layers.0.attention.q.weight"),
            weight(2, "model.layers.0.attention.o.weight"),
            weight(3, "model.layers.0.norm.weight"),
            weight(4, "model.layers.1.attention.q.weight"),
            instruction(5, "sine", &[8], &[0]),
            instruction(14, "copy", &[8], &[1]),
            instruction(15, "convert", &[8], &[14]),
            instruction(6, "multiply", &[8], &[5, 15]),
            instruction(7, "exponential", &[8], &[6]),
            instruction(8, "multiply", &[8], &[7, 2]),
            instruction(9, "add", &[8], &[8, 5]),
            instruction(10, "multiply", &[8], &[9, 3]),
            instruction(11, "add", &[8], &[10, 9]),
            instruction(12, "multiply", &[8], &[11, 4]),
            instruction(13, "negate", &[8], &[12]),
        ]]);
        let expected = [
            ("sine", ""),
            ("a copy of q", "layers/0/attention/q"),
            ("its conversion", "layers/0/attention/q"),
            ("q", "layers/0/attention/q"),
            ("between q and o", "layers/0/attention"),
            ("o", "layers/0/attention/o"),
            ("the residual", "layers/0"),
            ("the norm", "layers/0/norm"),
            ("between the layers", "layers"),
            ("the next q", "layers/1/attention/q"),
            ("the end", ""),
        ];
        let found = paths(&module, &[]);
        for ((what, expected), found) in expected.iter().zip(&found[5..]) {
            assert_eq!(found, expected, "{what}");
        }
        let other = paths(&module, &["x", "p['a'][0]['w']", "p['b'][0]['w']"]);
        assert_eq!((&*other[8], &*other[10]), ("a/0", "b/0"), "names that are given");
        assert_eq!(paths(&module, &["x", "y"]), paths(&module, &[]), "names that are not paths");
    }

    #[test]
    fn the_scopes_of_ops_are_their_modules() {
        let module = module(vec![vec![
            weight(1, "p.a.b.c"),
            named(instruction(2, "sine", &[8], &[1]), "jit(f)/block/sin"),
            named(instruction(3, "abs", &[8], &[2]), "abs"),
            named(instruction(4, "abs", &[8], &[2]), "jit(f)/a/abs;jit(f)/b/sin"),
        ]]);
        assert_eq!(paths(&module, &[]), ["", "jit(f)/block", "", "jit(f)/a"]);
    }
}
