//! Calls of kernels whose text is in the program.

use hloom_graph::{BackendConfig, CustomCall, Shape};
use std::fmt::Write;

/// The call that XLA compiles to the launch of a kernel.
const TARGET: &str = "__gpu$xla.gpu.ptx";

/// A kernel, whose parameters are pointers to the operands and then to the results.
pub struct Ptx<'a> {
    /// The name of its function.
    pub name: &'a str,
    /// Its text, in which sizes are names.
    pub text: &'a str,
    /// The number of each name.
    pub numbers: &'a [(&'a str, u32)],
    /// The number of blocks.
    pub blocks: usize,
    /// Threads of a block.
    pub threads: usize,
    /// Bytes of a block's dynamic shared memory.
    pub shared: usize,
}

impl Ptx<'_> {
    /// The call with this number of operands.
    pub fn call(&self, operands: usize, results: Vec<Shape>) -> CustomCall {
        let mut text = self.text.to_owned();
        for (name, number) in self.numbers {
            text = text.replace(&format!("{name};"), &format!("{number};"));
        }
        let mut config = String::with_capacity(text.len() + 300);
        write!(config, "{{name = \"{}\", kernel_type = \"ptx\", kernel_data = \"", self.name)
            .and_then(|()| write_escaped(&mut config, &text))
            .expect("a string takes all text");
        let outputs: Vec<String> =
            (operands..operands + results.len()).map(|at| format!("{at} : i32")).collect();
        write!(
            config,
            "\", grid_x = {} : i32, grid_y = 1 : i32, grid_z = 1 : i32, block_x = {} : i32, \
             block_y = 1 : i32, block_z = 1 : i32, shared_mem_bytes = {} : i32, \
             output_indices = [{}]}}",
            self.blocks,
            self.threads,
            self.shared,
            outputs.join(", ")
        )
        .expect("a string takes all text");
        let mut call = CustomCall::new(TARGET, results);
        call.config = BackendConfig::Opaque { api_version: 2, config };
        call
    }
}

/// Writes a text as the inside of a string of MLIR.
fn write_escaped(out: &mut String, text: &str) -> std::fmt::Result {
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' | 0..=0x1f | 0x7f.. => write!(out, "\\{byte:02X}")?,
            _ => out.push(char::from(byte)),
        }
    }
    Ok(())
}
