//! Statistics that the compiler reports about a program.

use hloom_graph::{Spec, Tensor, named_scope, value_and_grad};
use hloom_runtime::{Kernels, ModuleForm};
use hloom_test_support::CPU;

/// R8: the kernels of a compiled function, with names, costs and the lines they were made from.
#[test]
fn kernels_of_a_function_have_costs_and_lines() {
    let forward = |x: Tensor, w: Tensor| {
        let y = x.dot(w, "k").exp() * 3.0;
        y.sum("n")
    };
    let line = line!() - 3;
    let specs = (Spec::f32([("m", 64), ("k", 32)]), Spec::f32([("k", 32), ("n", 48)]));
    let exe = CPU.compiler().kernels(Kernels::off()).compile(forward, specs).unwrap();
    let kernels = exe.any().compiled_kernels().unwrap();
    let dot = kernels.iter().find(|kernel| kernel.flops == Some(2 * 64 * 32 * 48));
    let dot = dot.unwrap_or_else(|| panic!("the product is a kernel by itself:\n{kernels}"));
    assert_eq!(dot.bytes, 4 * (64 * 32 + 32 * 48 + 64 * 48));
    let (file, found) = dot.source.clone().expect("the op has a line");
    assert!(file.ends_with("statistics.rs") && found == line, "{file}:{found}");
    // The product, the exponentials, the factor and the sum, however they are fused.
    let expected = 2 * 64 * 32 * 48 + 2 * 64 * 48 + 64 * 47;
    assert!((expected..expected + 64 * 48).contains(&kernels.flops()), "{kernels}");
    // The plugin's own estimates, which may count no exponentials, or those of the kernels.
    let cost = exe.any().cost().unwrap();
    let cost = |name: &str| cost[name].as_f32().unwrap_or_else(|| panic!("{cost:?}"));
    let product = (2 * 64 * 32 * 48) as f32;
    assert!((product..expected as f32 * 1.1).contains(&cost("flops")), "{}", cost("flops"));
    let bytes = kernels.iter().map(|kernel| kernel.bytes).sum::<u64>() as f32;
    let least = (4 * (64 * 32 + 32 * 48 + 64)) as f32;
    assert!((least..=bytes * 1.1).contains(&cost("bytes accessed")), "{}", cost("bytes accessed"));
    let table = kernels.to_string();
    assert!(table.contains("196608") && table.contains("statistics.rs:"), "{table}");
}

/// R8: the modules of ops are in the names of kernels, in both forms of the module.
#[test]
fn kernels_are_in_the_modules_of_their_ops() {
    let layer = |x: Tensor, w: Tensor| {
        let y = named_scope("attention", || named_scope("query", || x.dot(w, "k")));
        named_scope("output", || y.softmax("n").sin())
    };
    let train = move |x: Tensor, w: Tensor| value_and_grad(w, |w| layer(x, w).sum(..));
    for form in [ModuleForm::default(), ModuleForm::Text] {
        let specs = (Spec::f32([("m", 64), ("k", 32)]), Spec::f32([("k", 32), ("n", 48)]));
        let compiler = CPU.compiler().kernels(Kernels::off()).form(form);
        let exe = compiler.compile(train, specs).unwrap();
        let kernels = exe.any().compiled_kernels().unwrap();
        let is_in = |module: &str| kernels.iter().any(|kernel| kernel.op.starts_with(module));
        // The product and its derivative, and what is fused with the sine.
        assert!(is_in("attention/query/dot_general") && is_in("output/"), "{kernels}");
        let product = kernels.iter().filter(|kernel| kernel.flops >= Some(2 * 64 * 32 * 48));
        assert!(product.clone().count() >= 2, "{kernels}");
        for kernel in product {
            assert!(kernel.op.starts_with("attention/query/"), "{kernels}");
            assert!(kernel.source.is_some(), "the line is still there: {kernels}");
        }
        assert!(kernels.to_string().contains("attention/query/dot_general "), "{kernels}");
    }
}
