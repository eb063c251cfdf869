//! Programs that the compiler makes slower, or larger, than they have to be.

use crate::{client, compile};
use hloom_pjrt::{Buffer, Client, CompileOptions, ExecuteOptions};
use std::time::{Duration, Instant};

/// Rows and columns of the weight.
const SIZE: i64 = 2048;

/// The shortest of several runs: others may use the machine.
fn shortest(client: &Client, text: &str, arguments: &[&Buffer]) -> Duration {
    let executable = compile(client, text, &CompileOptions::new()).unwrap();
    let time = |_| {
        let begin = Instant::now();
        let outputs = executable.execute(arguments, &ExecuteOptions::new()).unwrap();
        outputs[0].wait().unwrap();
        begin.elapsed()
    };
    (0..12).map(time).min().unwrap()
}

fn rows(count: i64, element: &str) -> String {
    format!(
        "func.func @main(%x: tensor<{count}x{SIZE}x{element}>, %w: \
         tensor<{SIZE}x{SIZE}x{element}>) -> tensor<{count}x{SIZE}x{element}> {{
            %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1]
                : (tensor<{count}x{SIZE}x{element}>, tensor<{SIZE}x{SIZE}x{element}>) -> \
         tensor<{count}x{SIZE}x{element}>
            return %0 : tensor<{count}x{SIZE}x{element}>
        }}"
    )
}

fn buffer(client: &Client, count: i64, dtype: hloom_pjrt::DType) -> Buffer {
    let bytes = vec![0u8; (count * SIZE) as usize * dtype.host_bytes().unwrap()];
    client.host_buffer(dtype, &[count, SIZE]).copy(&bytes).unwrap()
}

/// Two rows beside the same product with the weight on the left.
pub(crate) fn few_rows() -> bool {
    let client = client(1);
    let columns = format!(
        "func.func @main(%x: tensor<{SIZE}x2xf32>, %w: tensor<{SIZE}x{SIZE}xf32>) -> \
         tensor<{SIZE}x2xf32> {{
            %0 = stablehlo.dot_general %w, %x, contracting_dims = [1] x [0]
                : (tensor<{SIZE}x{SIZE}xf32>, tensor<{SIZE}x2xf32>) -> tensor<{SIZE}x2xf32>
            return %0 : tensor<{SIZE}x2xf32>
        }}"
    );
    let dtype = hloom_pjrt::DType::F32;
    let (x, w) = (buffer(&client, 2, dtype), buffer(&client, SIZE, dtype));
    let turned = client.buffer(&vec![0f32; 2 * SIZE as usize], &[SIZE, 2]).unwrap();
    let rows = shortest(&client, &rows(2, "f32"), &[&x, &w]);
    let columns = shortest(&client, &columns, &[&turned, &w]);
    println!("{rows:?} as rows, {columns:?} as columns");
    2 * rows > 3 * columns
}

/// Two rows of `bf16` beside one of `f32`, which reads twice as much.
pub(crate) fn narrow_rows() -> bool {
    let client = client(1);
    let time = |count, element, dtype| {
        let (x, w) = (buffer(&client, count, dtype), buffer(&client, SIZE, dtype));
        shortest(&client, &rows(count, element), &[&x, &w])
    };
    let narrow = time(2, "bf16", hloom_pjrt::DType::BF16);
    let wide = time(1, "f32", hloom_pjrt::DType::F32);
    println!("{narrow:?} for two rows of bf16, {wide:?} for one of f32");
    narrow > 5 * wide
}

/// The operations of a product that is computed again behind a barrier, beside those of one.
pub(crate) fn behind_barriers() -> bool {
    let client = client(1);
    let kind = "tensor<64x64xf32>";
    let product = |x: &str| {
        format!(
            "stablehlo.dot_general {x}, {x}, contracting_dims = [1] x [0]
                : ({kind}, {kind}) -> {kind}"
        )
    };
    let operations = |again: &str| {
        let text = format!(
            "func.func @main(%x: {kind}) -> {kind} {{
                %first = {}
                %tanh = stablehlo.tanh %first : {kind}
                {again}
                %sum = stablehlo.add %second, %tanh : {kind}
                return %sum : {kind}
            }}",
            product("%x")
        );
        let executable = compile(&client, &text, &CompileOptions::new()).unwrap();
        executable.executable().kernels().unwrap().flops()
    };
    let again = format!(
        "%same = stablehlo.optimization_barrier %x : {kind}
        %second = {}",
        product("%same")
    );
    let merged = operations(&format!("%second = stablehlo.add %first, %first : {kind}"));
    let behind = operations(&again);
    println!("{merged} operations with one product, {behind} with one of them behind a barrier");
    2 * behind < 3 * merged
}
