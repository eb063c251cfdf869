//! The choice of how dot products are computed.

use super::{
    buffer,
    near::{Near, assert_near, products},
};
use hloom_graph::{DType, DotOptions, Spec, Tensor};
use hloom_runtime::{
    Buffer, CompilationCache, DotClass, DotStrategy, DotTable, Exe, Kernels, LinearKernel, Platform,
};

const ROWS: usize = 5;
const SIDE: usize = 256;

pub fn product(x: Tensor, w: Tensor) -> Tensor {
    x.dot_with(w, "in", DotOptions { accumulate: Some(DType::F32), ..DotOptions::default() })
}

pub fn specs(dtype: DType) -> (Spec, Spec) {
    (
        Spec::new(dtype, [("row", ROWS), ("in", SIDE)]),
        Spec::new(dtype, [("out", SIDE), ("in", SIDE)]),
    )
}

pub fn class(dtype: DType) -> DotClass {
    DotClass::of(dtype, ROWS, SIDE * SIDE).expect("it is measured")
}

/// A platform of its own, whose table no other test sees.
pub fn platform() -> Platform {
    let platform = Platform::cpu().expect("the CPU plugin");
    platform.set_cache(CompilationCache::in_memory());
    platform
}

pub fn compile(platform: &Platform, dtype: DType) -> Exe<(Spec, Spec), Tensor> {
    platform.compile(product, specs(dtype)).expect("it compiles")
}

fn is_by_kernel(platform: &Platform, dtype: DType) -> bool {
    !compile(platform, dtype).kernels().is_empty()
}

/// The product of two matrices.
fn call(exe: &Exe<(Spec, Spec), Tensor>, dtype: DType) -> Vec<f32> {
    let platform = exe.any().platform();
    let moved = |buffer: Buffer| {
        let bytes = buffer.to_bytes().expect("it is read");
        Buffer::from_bytes(platform, buffer.shape(), &bytes).expect("a buffer")
    };
    let x = moved(buffer(dtype, [ROWS, SIDE], 1));
    let w = moved(buffer(dtype, [SIDE, SIDE], 2));
    let y = exe.call((&x, &w)).expect("it runs");
    let bytes = y.to_bytes().expect("it is read");
    super::wide(&Buffer::from_bytes(&*crate::CPU, y.shape(), &bytes).expect("a buffer"))
}

#[test]
fn every_strategy_computes_the_same() {
    let platform = platform();
    for dtype in [DType::F32, DType::BF16, DType::F16] {
        let by = |strategy| {
            let kernels = Kernels::off().with(LinearKernel::always(strategy));
            let compiler = platform.compiler().kernels(kernels);
            let exe = compiler.compile(product, specs(dtype)).expect("it compiles");
            assert_eq!(exe.kernels().is_empty(), strategy != DotStrategy::Kernel, "{strategy:?}");
            let compiled = exe.any().optimized_program().expect("it is told").1;
            (call(&exe, dtype), compiled)
        };
        let operands = [[ROWS, SIDE], [SIDE, SIDE]];
        let [x, w] = [1, 2].map(|seed| super::wide(&buffer(dtype, operands[seed - 1], seed)));
        let x: Vec<Near> = x.into_iter().map(Near::exact).collect();
        let expected = products(&x, &w, SIDE, DType::F32);
        let (kernel, _) = by(DotStrategy::Kernel);
        let (plugin, plain) = by(DotStrategy::Plugin);
        let (columns, turned) = by(DotStrategy::PluginColumns);
        if dtype == DType::F32 {
            assert_ne!(plain, turned, "rows of f32 have two forms");
        }
        for (found, by) in [(kernel, "kernel"), (plugin, "plugin"), (columns, "columns")] {
            assert_near(&format!("{by}, {dtype}"), &found, &expected);
        }
    }
}

#[test]
fn a_table_decides_which_products_the_kernel_computes() {
    let platform = platform();
    assert!(is_by_kernel(&platform, DType::BF16), "as built in");
    assert_eq!(platform.dot_table().entries().count(), 0, "nothing is measured without a folder");
    platform.set_dot_table(DotTable::built_in().with(class(DType::BF16), DotStrategy::Plugin));
    assert!(!is_by_kernel(&platform, DType::BF16));
    assert!(is_by_kernel(&platform, DType::F16), "as built in");
    platform.set_dot_table(DotTable::built_in().with(class(DType::BF16), DotStrategy::Kernel));
    assert!(is_by_kernel(&platform, DType::BF16));
}

#[test]
fn what_was_measured_is_kept_and_read() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let cache = folder.path().join("programs");
    let with_folder = || {
        let platform = platform();
        platform.set_cache(CompilationCache::at(&cache));
        // By default a busy machine keeps nothing.
        platform.set_dot_table(DotTable::measured());
        platform
    };
    let first = with_folder();
    drop(compile(&first, DType::F16));
    first.measure_dots().expect("it is measured");
    let strategy = first.dot_table().get(class(DType::F16)).expect("it was measured");
    drop(compile(&first, DType::F16));
    assert_eq!(first.dot_table().entries().count(), 1);

    // The kept table is used as it is, whatever a measurement would find.
    let mut notes = std::fs::read_dir(&cache).expect("it is there").filter_map(|entry| {
        let path = entry.expect("it is read").path();
        let text = std::fs::read_to_string(&path).ok()?;
        text.parse::<DotTable>().ok().filter(|table| table.entries().count() > 0).map(|_| path)
    });
    let note = notes.next().expect("the table is kept");
    let other = match strategy {
        DotStrategy::Kernel => DotStrategy::Plugin,
        _ => DotStrategy::Kernel,
    };
    let changed = DotTable::built_in().with(class(DType::F16), other).to_string();
    std::fs::write(&note, &changed).expect("it is written");
    let second = with_folder();
    assert_eq!(is_by_kernel(&second, DType::F16), other == DotStrategy::Kernel);
    assert_eq!(second.dot_table().to_string(), changed);

    // The classes of a damaged file are measured again.
    std::fs::write(&note, "f16 4 256 abacus\n").expect("it is written");
    let third = with_folder();
    drop(compile(&third, DType::F16));
    third.measure_dots().expect("it is measured");
    assert!(third.dot_table().get(class(DType::F16)).is_some());
    let kept = std::fs::read_to_string(&note).expect("it is read");
    assert_eq!(kept, third.dot_table().to_string());
}

#[test]
fn a_program_is_loaded_where_other_strategies_are_chosen() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("program");
    let (first, second) = (platform(), platform());
    compile(&first, DType::BF16).save(&path).expect("it is saved");
    second.set_dot_table(DotTable::built_in().with(class(DType::BF16), DotStrategy::Plugin));
    // SAFETY: the file is what was saved above, in a folder of this test.
    let loaded = unsafe { second.compiler().load(&path, product, specs(DType::BF16)) };
    let expected = call(&compile(&first, DType::BF16), DType::BF16);
    assert_eq!(call(&loaded.expect("it is the same function"), DType::BF16), expected);
}
