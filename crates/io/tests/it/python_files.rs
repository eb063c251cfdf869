//! Files that Python's `safetensors` wrote, and values that `ml_dtypes` computed
//! (`tests/oracle/safetensors_files.py`).

use hloom_graph::{DType, Shape, Spec, Tensor, Tree};
use hloom_io::{Checkpoint, LoadPlan, Unused};
use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::atomic::{AtomicUsize, Ordering},
};

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/safetensors").join(name)
}

const DTYPES: [(&str, DType); 20] = [
    ("BOOL", DType::Bool),
    ("U8", DType::U8),
    ("I8", DType::I8),
    ("U16", DType::U16),
    ("I16", DType::I16),
    ("U32", DType::U32),
    ("I32", DType::I32),
    ("U64", DType::U64),
    ("I64", DType::I64),
    ("F4", DType::F4E2M1FN),
    ("F8_E4M3", DType::F8E4M3FN),
    ("F8_E4M3FNUZ", DType::F8E4M3FNUZ),
    ("F8_E5M2", DType::F8E5M2),
    ("F8_E5M2FNUZ", DType::F8E5M2FNUZ),
    ("F8_E8M0", DType::F8E8M0FNU),
    ("F16", DType::F16),
    ("BF16", DType::BF16),
    ("F32", DType::F32),
    ("F64", DType::F64),
    ("C64", DType::C64),
];

#[test]
fn every_element_type_is_read() {
    let checkpoint = Checkpoint::open(fixture("dtypes.safetensors")).unwrap();
    let expected = std::fs::read_to_string(fixture("dtypes.json")).unwrap();
    let expected: BTreeMap<String, String> = serde_json::from_str(&expected).unwrap();
    assert_eq!(checkpoint.len(), DTYPES.len());
    for (name, dtype) in DTYPES {
        let tensor = checkpoint.root().tensor(name).unwrap();
        let columns = if name == "F4" { 4 } else { 3 };
        assert_eq!(tensor.shape(), Shape::new(dtype, [2, columns]).unwrap());
        let hex: String =
            tensor.bytes().unwrap().iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, expected[name], "{name}");
    }
    let values: Vec<i64> = checkpoint.root().tensor("I64").unwrap().to_vec().unwrap();
    assert_eq!(values, [i64::MIN, i64::MAX, 0, 1, 2, 100]);
    let values: Vec<bool> = checkpoint.root().tensor("BOOL").unwrap().to_vec().unwrap();
    assert_eq!(values, [true, false, false, true, true, false]);
    let error = checkpoint.root().tensor("I64").unwrap().to_vec::<f32>().unwrap_err();
    assert_eq!(error.to_string(), "tensor `I64`: its elements are i64, not f32");
}

#[test]
fn every_rank_and_size_is_read() {
    let checkpoint = Checkpoint::open(fixture("shapes.safetensors")).unwrap();
    let read = |name: &str| {
        let tensor = checkpoint.get(name).unwrap();
        (tensor.shape().to_string(), tensor.to_vec::<f32>().unwrap())
    };
    assert_eq!(read("scalar"), ("f32[]".to_owned(), vec![7.5]));
    assert_eq!(read("empty"), ("f32[0, 3]".to_owned(), vec![]));
    assert_eq!(read("one"), ("f32[1]".to_owned(), vec![-1.0]));
    let deep = (0..16).map(|i| i as f32).collect();
    assert_eq!(read("deep"), ("f32[1, 2, 1, 2, 2, 1, 2, 1]".to_owned(), deep));
    assert_eq!(checkpoint.get("odd").unwrap().to_vec::<u8>().unwrap(), [0, 1, 2, 3, 4]);
    assert_eq!(checkpoint.metadata()["format"], "np");
}

#[derive(Tree)]
struct Layers<T = Tensor> {
    layers: Vec<Layer<T>>,
}

#[derive(Tree)]
struct Layer<T = Tensor> {
    #[axes(out, in)]
    weight: T,
}

#[test]
fn shards_are_one_checkpoint_however_they_are_named() {
    let folder = fixture("sharded");
    for path in [folder.clone(), folder.join("model.safetensors.index.json")] {
        let checkpoint = Checkpoint::open(path).unwrap();
        assert_eq!(checkpoint.files().len(), 2);
        let spec: Layers<Spec> = Layers::spec(&checkpoint.root()).unwrap();
        assert_eq!(spec.layers.len(), 4);
        assert_eq!(spec.layers[3].weight, Spec::f32([("out", 2), ("in", 2)]));
        for i in 0..4 {
            let view = checkpoint.at("layers").at(&i.to_string());
            assert_eq!(view.tensor("weight").unwrap().to_vec::<f32>().unwrap(), [i as f32; 4]);
        }
    }
}

/// The result of loading a tensor when a tree asks for elements of `to`.
fn loaded(checkpoint: &Checkpoint, name: &str, to: DType) -> Vec<u8> {
    let shape = checkpoint.get(name).unwrap().shape().with_dtype(to);
    let mut trees = BTreeMap::new();
    trees.insert(name.to_owned(), Spec::of(shape));
    // A path with a dot in its segment prints as the tensor's name.
    let plan = LoadPlan::new(&checkpoint.root(), &trees, &Unused::Allowed).unwrap();
    let mut bytes = vec![0; shape.byte_size()];
    let consumed = AtomicUsize::new(0);
    plan.tensors[0]
        .write_into(&mut bytes, &|count| {
            consumed.fetch_add(count, Ordering::Relaxed);
        })
        .unwrap();
    assert_eq!(consumed.into_inner(), plan.tensors[0].file_size());
    bytes
}

#[test]
fn small_floats_are_what_ml_dtypes_says() {
    let checkpoint = Checkpoint::open(fixture("floats.safetensors")).unwrap();
    for name in ["F8_E4M3", "F8_E4M3FNUZ", "F8_E5M2", "F8_E5M2FNUZ", "F8_E8M0"] {
        let found = loaded(&checkpoint, &format!("{name}.codes"), DType::F32);
        let expected = checkpoint.get(&format!("{name}.values")).unwrap();
        for (code, (found, expected)) in
            found.chunks(4).zip(expected.bytes().unwrap().chunks(4)).enumerate()
        {
            let float = |bytes: &[u8]| f32::from_le_bytes(bytes.try_into().unwrap());
            let (found, expected) = (float(found), float(expected));
            let same = found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan();
            assert!(same, "{name} {code:#04x}: {found} is not {expected}");
        }
    }
}

#[test]
fn narrowing_rounds_as_ml_dtypes_does() {
    let checkpoint = Checkpoint::open(fixture("floats.safetensors")).unwrap();
    for (name, to) in [("f32.BF16", DType::BF16), ("f32.F16", DType::F16)] {
        let found = loaded(&checkpoint, "f32", to);
        let expected = checkpoint.get(name).unwrap();
        let source: Vec<f32> = checkpoint.get("f32").unwrap().to_vec().unwrap();
        assert_eq!(found.len(), expected.bytes().unwrap().len());
        for (x, (found, expected)) in
            source.iter().zip(found.chunks(2).zip(expected.bytes().unwrap().chunks(2)))
        {
            assert!(
                x.is_nan() || found == expected,
                "{x:e} as {to}: {found:02x?} is not {expected:02x?}"
            );
            if x.is_nan() {
                let bits = u16::from_le_bytes(found.try_into().unwrap()) & 0x7fff;
                let infinity = if to == DType::F16 { 0x7c00 } else { 0x7f80 };
                assert!(bits > infinity, "{to} {bits:#06x} is no NaN");
            }
        }
    }
}
