//! A custom kernel: Rust code that replaces a pattern of the graph.
//!
//! ```sh
//! cargo run --release --example kernel
//! ```
//!
//! The pattern is `x * x + x`, which this example calls `grow`. Replacing this pattern gains
//! nothing; patterns that a plugin runs slowly are replaced the same way.

#[macro_use]
#[path = "../common/stdout.rs"]
mod stdout;

use hloom::{
    graph::{Binary, CustomCall, NodeId, Op, Rewrite, ValueId},
    prelude::*,
    runtime::{
        Kernels, PlatformKernel,
        ffi::{self, CallFrame, Ffi, Handler, HandlerError, Handlers},
    },
};

/// The name of the kernel and of its handler, with the version.
const NAME: &str = "example.grow.v1";

/// The handler.
struct Grow;

impl Handler for Grow {
    fn call(frame: &mut CallFrame<'_>) -> Result<(), HandlerError> {
        let x = frame.argument(0)?.as_slice::<f32>()?;
        let mut y = frame.result(0)?;
        for (y, x) in y.as_mut_slice::<f32>()?.iter_mut().zip(x) {
            *y = x * x + x;
        }
        Ok(())
    }
}

/// The kernel, which matches the pattern.
struct GrowKernel;

impl PlatformKernel for GrowKernel {
    fn name(&self) -> &str {
        NAME
    }

    fn register(&self, ffi: &Ffi) -> ffi::Result<()> {
        ffi.register(NAME, &Handlers::new::<Grow>())
    }

    fn replace(
        &self,
        _: &Platform,
        rewrite: &mut Rewrite<'_>,
        node: NodeId,
    ) -> Option<Vec<ValueId>> {
        let graph = rewrite.from();
        let (Op::Binary(Binary::Add), &[square, x]) = (&graph.node(node).op, graph.operands(node))
        else {
            return None;
        };
        let factors = graph.value(square).node;
        if graph.node(factors).op != Op::Binary(Binary::Mul)
            || graph.operands(factors) != [x, x]
            || graph.dtype(x) != DType::F32
        {
            return None;
        }
        rewrite.add(CustomCall::new(NAME, [graph.shape(x)]), &[rewrite.value(x)?])
    }
}

fn main() -> hloom::Result<()> {
    let platform = Platform::cpu()?;
    let kernels = Kernels::default().with(GrowKernel);
    let compiler = platform.compiler().kernels(kernels);
    let exe = compiler.compile(|x: Tensor| x * x + x, (Spec::f32([4]),))?;
    for kernel in exe.kernels() {
        println!("{} replaces {} node", kernel.name, kernel.count);
    }
    let x = Buffer::from_slice(&platform, &[1f32, 2.0, 3.0, 4.0], [4])?;
    println!("{}", exe.call((&x,))?);
    Ok(())
}
