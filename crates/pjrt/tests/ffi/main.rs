//! Rust code inside programs, on the CPU plugin.

mod arrays;
mod attributes;
mod carried;
mod deferred;
mod failures;
mod registration;
mod registry;
mod threads;

use hloom_pjrt::extension::ffi::{Ffi, HandlerError};
use hloom_pjrt::{
    Buffer, Client, CompileOptions, Error, ExecuteOptions, LoadedExecutable, Plugin, Program,
};
use std::path::PathBuf;
use std::sync::OnceLock;

type Outcome = Result<(), HandlerError>;

fn plugin() -> Plugin {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    let path =
        PATH.get_or_init(|| pjrt_plugins::ensure("cpu").expect("the CPU plugin can be installed"));
    Plugin::load(path).expect("the CPU plugin loads")
}

fn client() -> Client {
    plugin()
        .client_builder()
        .option("cpu_device_count", 1i64)
        .build()
        .expect("a client of the CPU plugin")
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
    client.compile(&Program::mlir(text), &CompileOptions::default())
}

fn run(executable: &LoadedExecutable, arguments: &[&Buffer]) -> Result<Buffer, Error> {
    let outputs = executable.execute(arguments, &ExecuteOptions::new())?;
    let output = outputs.into_iter().next().expect("the program has a result");
    output.wait()?;
    Ok(output)
}
