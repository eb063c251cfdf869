//! Rust code inside programs, on the CPU plugin.
//!
//! Apart from `it`: handlers stay registered until the process ends, and the memory checkers run all
//! of it.

mod arrays;
mod attributes;
mod carried;
mod deferred;
mod failures;
mod registration;
mod registry;
mod threads;

use hloom_pjrt::{
    Buffer, Client, CompileOptions, Error, ExecuteOptions, LoadedExecutable, Program,
    extension::ffi::{Ffi, HandlerError},
};
use hloom_test_support::{CompileOwn, plugin};

type Outcome = Result<(), HandlerError>;

fn client() -> Client {
    hloom_test_support::client(1)
}

fn ffi() -> Ffi {
    plugin().ffi().expect("the CPU plugin has an FFI")
}

/// A program of one custom call; `config` is its `backend_config`.
fn call(
    client: &Client,
    target: &str,
    inputs: &[&str],
    output: &str,
    config: &str,
) -> Result<LoadedExecutable, Error> {
    let names: Vec<String> = (0..inputs.len()).map(|index| format!("%a{index}")).collect();
    let arguments: Vec<String> =
        names.iter().zip(inputs).map(|(name, ty)| format!("{name}: {ty}")).collect();
    let text = format!(
        "func.func @main({}) -> {output} {{\n  %0 = stablehlo.custom_call @{target}({}) \
         {{api_version = 4 : i32, backend_config = {{{config}}}}} : ({}) -> {output}\n  return %0 \
         : {output}\n}}\n",
        arguments.join(", "),
        names.join(", "),
        inputs.join(", "),
    );
    client.compile_own(&Program::mlir(text), &CompileOptions::default())
}

fn run(executable: &LoadedExecutable, arguments: &[&Buffer]) -> Result<Buffer, Error> {
    let outputs = executable.execute(arguments, &ExecuteOptions::new())?;
    let output = outputs.into_iter().next().expect("the program has a result");
    output.wait()?;
    Ok(output)
}
