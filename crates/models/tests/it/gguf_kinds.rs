//! The table of what is known of each kind of quantised blocks, in `docs/quantization.md`.

use crate::fixture::{path, platform};
use hloom_graph::{DType, Spec, Tensor};
use hloom_io::{
    Checkpoint, Writer,
    gguf::{Gguf, GgufType, GgufWriter},
};
use hloom_runtime::{Args, Buffer, Function, ResultTree};
use std::{fmt::Write, fs, path::Path};

const ROWS: usize = 4;

/// Whether a file with a tensor of the kind opens, and its bytes arrive in a buffer.
fn is_read(kind: GgufType, spec: &Spec) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("model.gguf");
    let sizes = spec.shape().sizes().to_vec();
    let bytes: Vec<u8> = (0..spec.shape().byte_size()).map(|at| at as u8).collect();
    let mut writer = GgufWriter::new();
    writer.tensor("w", kind, &sizes, bytes.clone()).unwrap();
    writer.save(&file).unwrap();
    let checkpoint = Checkpoint::open(&file).unwrap();
    let loaded = checkpoint.at("w").load(&platform(), spec);
    loaded.is_ok_and(|buffer: Buffer| buffer.to_bytes().unwrap() == bytes)
}

/// Whether the values of the fixture's tensor of the kind are those of Python's `gguf`.
fn has_equal_bits(kind: GgufType) -> bool {
    let file = Gguf::open(path("gguf/blocks.gguf")).unwrap();
    let values = Checkpoint::open(path("gguf/values.safetensors")).unwrap();
    let Some(tensor) = file.tensors().find(|tensor| tensor.name() == kind.to_string()) else {
        return false;
    };
    let expected: Vec<f32> =
        values.get(&format!("blocks.{}", tensor.name())).unwrap().to_vec().unwrap();
    let found = tensor.dequantize().unwrap();
    let is_same = |(x, y): (&f32, &f32)| x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan();
    assert_eq!(found.len(), expected.len(), "{kind}");
    found.iter().zip(&expected).all(is_same)
}

/// Whether a function compiles, and whether the kernel of products computes it.
fn compiles<A: Args, Passing, F>(function: F, specs: A) -> (bool, bool)
where
    F: Function<A, Passing>,
    F::Output: ResultTree,
{
    let exe = platform().compile(function, specs);
    let is_kernel = |exe: &hloom_runtime::Exe<A, F::Output>| {
        exe.kernels().iter().any(|kernel| kernel.name == "hloom.block_linear.v1")
    };
    (exe.is_ok(), exe.as_ref().is_ok_and(is_kernel))
}

/// Whether a matrix of floats becomes blocks of the kind when it is loaded.
fn is_quantised(spec: &Spec) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("model.safetensors");
    let floats = spec.clone().with_dtype(DType::F32).shape();
    let mut writer = Writer::new();
    writer.tensor("w", floats, vec![0; floats.byte_size()]).unwrap();
    writer.save(&file).unwrap();
    let loaded = Checkpoint::open(&file).unwrap().at("w").load(&platform(), spec);
    loaded.is_ok_and(|buffer: Buffer| buffer.shape() == spec.shape())
}

fn row(kind: GgufType) -> [bool; 7] {
    let DType::Block(blocks) = kind.dtype() else { unreachable!("{kind} has blocks") };
    let dtype = DType::Block(blocks);
    let k = blocks.block_len();
    let weight = Spec::new(dtype, [("out", ROWS), ("in", k)]);
    let product = |rows: usize| {
        let x = Spec::f32([("row", rows), ("in", k)]);
        compiles(|x: Tensor, w: Tensor| x.dot(w, "in"), (x, weight.clone()))
    };
    let (in_program, one_row) = product(1);
    let (_, many_rows) = product(64);
    let stacked = Spec::new(dtype, [("expert", 2), ("out", ROWS), ("in", k)]);
    let groups = |x: Tensor, w: Tensor, sizes: Tensor| x.ragged_dot(w, sizes, ("in", "in"));
    let specs = (Spec::f32([("row", 3), ("in", k)]), stacked, Spec::i32([("expert", 2)]));
    let (ragged, _) = compiles(groups, specs);
    let quantised = is_quantised(&weight);
    [
        is_read(kind, &weight),
        has_equal_bits(kind),
        in_program,
        one_row,
        many_rows,
        ragged,
        quantised,
    ]
}

#[test]
fn the_table_of_kinds_is_up_to_date() {
    let mut table =
        "| kind | read | bits equal | program | one row | many rows | `ragged_dot` | quantise |\n\
                     |---|---|---|---|---|---|---|---|\n"
            .to_owned();
    for kind in GgufType::all().filter(|kind| kind.dtype().block().is_some()) {
        let cells = row(kind).map(|holds| if holds { "yes" } else { "" });
        writeln!(table, "| {kind} | {} |", cells.join(" | ")).unwrap();
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/quantization.md");
    let page = fs::read_to_string(&file).unwrap();
    let text = page.split("| kind |").next().unwrap();
    let expected = format!("{text}{table}");
    if std::env::var_os("HLOOM_WRITE_DOCS").is_some() {
        fs::write(&file, expected).unwrap();
    } else {
        assert!(
            page == expected,
            "docs/quantization.md is stale: HLOOM_WRITE_DOCS=1 with this test writes it"
        );
    }
}
