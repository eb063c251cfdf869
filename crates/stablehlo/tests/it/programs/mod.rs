//! Small programs that together contain every op: one for each op, and some for what ops make
//! together. Each op also has a wrong call.

mod control;
mod elementwise;
mod linear_algebra;
mod mesh;
mod structure;
mod windows;

use hloom_graph::{Graph, Spec, Tensor, TraceScope};

/// A program and its name, which is unique: the op that it is there for.
pub type OpProgram = (&'static str, Graph);

/// The tensors that wrong calls are made with.
#[derive(Clone, Copy)]
pub struct Arguments {
    /// `f32[row=3, column=4]`
    pub x: Tensor,
    /// `f32[out=5, in=4]`
    pub w: Tensor,
    /// `i32[row=3, column=4]`
    pub i: Tensor,
    /// `bool[row=3]`
    pub b: Tensor,
    /// `c64[row=3, column=4]`
    pub c: Tensor,
    /// `u8[row=3]`
    pub u: Tensor,
}

/// An op's name and a call of it with wrong arguments.
pub type Mistake = (&'static str, fn(Arguments) -> Tensor);

/// A wrong call of each op.
pub fn mistakes() -> Vec<Mistake> {
    let all = [
        control::MISTAKES,
        elementwise::MISTAKES,
        linear_algebra::MISTAKES,
        mesh::MISTAKES,
        structure::MISTAKES,
        windows::MISTAKES,
    ];
    all.concat()
}

/// Every program.
pub fn all() -> Vec<OpProgram> {
    let mut all = vec![
        ("mlp", control::mlp()),
        ("while", control::loops()),
        ("for_loop", control::counted()),
        ("scan", control::scanned()),
        ("case", control::branches()),
        ("optimization_barrier", control::barrier()),
        ("cache", control::cache()),
        ("custom_call", control::calls()),
        ("call_order", control::order()),
        ("composite", control::composites()),
    ];
    all.extend(elementwise::constants());
    all.extend(elementwise::unary());
    all.extend(elementwise::bits());
    all.extend(elementwise::complex());
    all.extend(elementwise::binary());
    all.extend(elementwise::integers());
    all.extend(elementwise::compare());
    all.extend(structure::reshape());
    all.extend(structure::slice());
    all.extend(structure::dot());
    all.extend(structure::reduce());
    all.extend(structure::cumulative());
    all.extend(windows::all());
    all.extend(structure::index());
    all.extend(structure::sort());
    all.extend(structure::bodies());
    all.extend(structure::random());
    all.extend(linear_algebra::all());
    all.extend(over_mesh());
    all
}

/// The programs over a mesh.
pub fn over_mesh() -> Vec<OpProgram> {
    mesh::all()
}

/// A trace with arguments named by their index.
fn traced(name: &str, specs: &[Spec], function: impl FnOnce(&[Tensor]) -> Vec<Tensor>) -> Graph {
    let trace = TraceScope::begin(name);
    let arguments: Vec<Tensor> = (specs.iter().enumerate())
        .map(|(i, spec)| trace.parameter(i.to_string(), spec, false))
        .collect();
    let results = function(&arguments).into_iter().enumerate();
    let results = results.map(|(i, tensor)| (i.to_string(), tensor)).collect();
    trace.finish(results).expect("the program's shapes fit")
}

type Function = fn(&[Tensor]) -> Vec<Tensor>;

/// A program for each op of a family, all with the same arguments.
fn each(specs: &[Spec], functions: &[(&'static str, Function)]) -> Vec<OpProgram> {
    functions.iter().map(|&(name, function)| (name, traced(name, specs, function))).collect()
}
