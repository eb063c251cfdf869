//! Compiles StableHLO text with a PJRT plugin (`cpu`, or the name or path given) and runs it.

use hloom_pjrt::{CompileOptions, ExecuteOptions, Plugin, Program, Result};

const LINEAR: &str = r#"
module @linear {
  func.func @main(%x: tensor<2x3xf32>, %w: tensor<3xf32>) -> tensor<2xf32> {
    %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2xf32>
    return %y : tensor<2xf32>
  }
}"#;

fn main() -> Result<()> {
    let plugin = Plugin::load(std::env::args().nth(1).unwrap_or("cpu".into()))?;
    let client = plugin.client()?;
    // SAFETY: the program is the one above.
    let linear = unsafe { client.compile(&Program::mlir(LINEAR), &CompileOptions::new())? };

    let x = client.buffer(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0], &[2, 3])?;
    let w = client.buffer(&[1.0f32, 0.0, -1.0], &[3])?;
    let y = linear.execute(&[&x, &w], &ExecuteOptions::new())?;

    println!("{} on {}: {:?}", linear.name(), client.platform_name(), y[0].to_vec::<f32>()?);
    Ok(())
}
