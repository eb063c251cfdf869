//! Programs that the compiler makes slower, or larger, than they have to be.

use crate::{client, compile};
use hloom_pjrt::CompileOptions;

/// Two rows of `bf16` by a weight that is converted to `f32`, as a whole, at every call.
pub(crate) fn narrow_rows() -> bool {
    const SIZE: i64 = 512;
    let (x, w) = (format!("tensor<2x{SIZE}xbf16>"), format!("tensor<{SIZE}x{SIZE}xbf16>"));
    let text = format!(
        "func.func @main(%x: {x}, %w: {w}) -> {x} {{
            %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1]
                : ({x}, {w}) -> {x}
            return %0 : {x}
        }}"
    );
    let executable = compile(&client(1), &text, &CompileOptions::new()).unwrap();
    let temporaries = executable.executable().memory_stats().unwrap().temporaries;
    println!("{temporaries} bytes without the arguments and results");
    temporaries >= 4 * SIZE * SIZE
}

/// The operations of a product that is computed again after a barrier, compared with those of one.
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
    println!("{merged} operations with one product, {behind} with one of them after a barrier");
    2 * behind < 3 * merged
}
