//! Weights in several tensors, as the layouts of quantised checkpoints have them
//! (`tests/oracle/packed_files.py`).

use hloom_graph::{BlockKind, DType, Spec};
use hloom_io::{Access, Checkpoint, QuantizationConfig, Writer};
use hloom_runtime::{Buffer, Mesh};
use hloom_test_support::{CPU, cpus};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/packed")
}

fn compressed(format: &str, kind: &str, bits: u32) -> Value {
    let groups = json!({"group_0": {"weights": {"num_bits": bits, "type": kind}}});
    json!({"quant_method": "compressed-tensors", "format": format, "config_groups": groups})
}

fn layouts() -> Vec<(&'static str, Value)> {
    vec![
        ("fp8_block", json!({"quant_method": "fp8", "weight_block_size": [128, 128]})),
        ("fp8", json!({"quant_method": "fp8"})),
        ("fp8", compressed("float-quantized", "float", 8)),
        ("int8", compressed("int-quantized", "int", 8)),
        ("codes8", json!({"quant_method": "bitsandbytes", "load_in_8bit": true})),
        ("packed4", compressed("pack-quantized", "int", 4)),
        ("packed8", compressed("pack-quantized", "int", 8)),
        ("mxfp4", json!({"quant_method": "mxfp4"})),
        ("nvfp4", compressed("nvfp4-pack-quantized", "float", 4)),
        ("awq", json!({"quant_method": "awq", "bits": 4, "version": "gemm"})),
        ("gptq2", json!({"quant_method": "gptq", "bits": 2})),
        ("gptq4", json!({"quant_method": "gptq", "bits": 4})),
        ("gptq8", json!({"quant_method": "gptq", "bits": 8, "checkpoint_format": "gptq"})),
        ("nf4", json!({"quant_method": "bitsandbytes", "load_in_4bit": true})),
    ]
}

fn open(name: &str, config: &Value, dtype: DType, access: Access) -> Checkpoint {
    let file = fixtures().join(format!("{name}.safetensors"));
    let config = QuantizationConfig::from_json(config).unwrap();
    Checkpoint::open_with(file, access).unwrap().unpacked(&config, dtype).unwrap()
}

#[test]
fn values_of_every_layout_are_those_that_were_packed() {
    let values = Checkpoint::open(fixtures().join("values.safetensors")).unwrap();
    for (name, config) in layouts() {
        let prefix = format!("{name}.");
        let names: Vec<&str> =
            values.names().filter_map(|weight| weight.strip_prefix(&prefix)).collect();
        for access in [Access::Mapped, Access::Read] {
            let checkpoint = open(name, &config, DType::F32, access);
            assert_eq!(checkpoint.names().collect::<Vec<_>>(), names, "{name}");
            for weight in &names {
                let expected = values.get(&format!("{name}.{weight}")).unwrap();
                let found = checkpoint.get(weight).unwrap();
                assert_eq!(found.shape().sizes(), expected.shape().sizes(), "{name} {weight}");
                let [found, expected]: [Vec<f32>; 2] =
                    [found, expected].map(|tensor| tensor.to_vec().unwrap());
                let is_same = |(x, y): (&f32, &f32)| x == y;
                let differs = found.iter().zip(&expected).position(|pair| !is_same(pair));
                let at = differs.map(|at| (at, found[at], expected[at]));
                assert_eq!(at, None, "{name} {weight} {access:?}");
            }
        }
    }
}

#[test]
fn packed_weights_load_as_other_types_and_over_meshes() {
    let config = json!({"quant_method": "awq", "bits": 4});
    let values = Checkpoint::open(fixtures().join("values.safetensors")).unwrap();
    let spec = |dtype| Spec::new(dtype, [("out", 24), ("in", 64)]);
    let load = |checkpoint: &Checkpoint, path: &str, spec: &Spec| -> Vec<u8> {
        let buffer: Buffer = checkpoint.at(path).load(&*CPU, spec).unwrap();
        buffer.to_bytes().unwrap()
    };
    for access in [Access::Mapped, Access::Read] {
        let checkpoint = open("awq", &config, DType::F32, access);
        for dtype in [DType::F32, DType::BF16, DType::F16, DType::Block(BlockKind::Q8_0)] {
            let found = load(&checkpoint, "w.weight", &spec(dtype));
            assert!(found == load(&values, "awq.w.weight", &spec(dtype)), "{dtype}");
            let mesh = Mesh::new(&cpus(2), [("d", 2)]).unwrap();
            for axis in ["out", "in"] {
                let split = spec(dtype).partitioned([(axis, "d")]);
                let buffer: Buffer = checkpoint.at("w.weight").load(&mesh, &split).unwrap();
                assert!(buffer.to_bytes().unwrap() == found, "{dtype} along {axis}");
            }
        }
        let rounded = open("awq", &config, DType::BF16, access);
        assert_eq!(rounded.get("w.weight").unwrap().shape().dtype(), DType::BF16);
        let expected = load(&values, "awq.w.weight", &spec(DType::BF16));
        assert!(rounded.get("w.weight").unwrap().bytes().unwrap() == expected);
    }
}

#[test]
fn layers_that_the_configuration_excepts_stay_as_they_are() {
    let config = json!({
        "quant_method": "fp8",
        "weight_block_size": [128, 128],
        "modules_to_not_convert": ["a"],
    });
    let checkpoint = open("fp8_block", &config, DType::BF16, Access::Mapped);
    assert_eq!(checkpoint.names().collect::<Vec<_>>(), ["a.weight", "a.weight_scale_inv"]);
}

#[test]
fn forms_that_are_not_supported_are_named() {
    for (config, found) in [
        (json!({}), "a configuration without `quant_method`"),
        (json!(null), "a configuration without `quant_method`"),
        (json!({"quant_method": "hqq"}), "hqq"),
        (json!({"quant_method": "awq", "bits": 3}), "3 bits"),
        (json!({"quant_method": "awq", "bits": 4, "version": "gemv"}), "awq of the version gemv"),
        (json!({"quant_method": "gptq", "bits": 3}), "3 bits"),
        (json!({"quant_method": "gptq", "bits": "4"}), "\"4\" bits"),
        (
            json!({"quant_method": "gptq", "bits": 4, "checkpoint_format": "marlin"}),
            "gptq of the format marlin",
        ),
        (json!({"quant_method": "fp8", "weight_block_size": [0, 1]}), "fp8 with blocks of [0,1]"),
        (compressed("pack-quantized", "int", 3), "pack-quantized of other than 4 or 8 bits"),
        (compressed("marlin-24", "int", 4), "compressed-tensors of the format `marlin-24`"),
    ] {
        let error = QuantizationConfig::from_json(&config).unwrap_err().to_string();
        let start = format!(
            "quantised weights of a form that is not supported: {found}; supported are fp8"
        );
        assert!(error.starts_with(&start), "{error}");
    }
}

/// Every layout with one tensor left out, or with a row more.
#[test]
fn parts_that_are_missing_or_do_not_fit_are_errors() {
    let needed = ["scale", "qzeros", "absmax", "quant_map", "SCB"];
    let is_needed = |name: &str| {
        needed.iter().any(|part| name.contains(part)) && !name.ends_with(".input_scale")
    };
    for (name, config) in layouts() {
        let file = fixtures().join(format!("{name}.safetensors"));
        let whole = Checkpoint::open(file).unwrap();
        let config = QuantizationConfig::from_json(&config).unwrap();
        for broken in whole.names() {
            for is_left_out in [true, false] {
                let folder = tempfile::tempdir().unwrap();
                let path = folder.path().join("model.safetensors");
                let mut writer = Writer::new();
                for tensor in whole.names().map(|name| whole.get(name).unwrap()) {
                    let (mut shape, mut bytes) = (tensor.shape(), tensor.bytes().unwrap());
                    if tensor.name() == broken {
                        if is_left_out {
                            continue;
                        }
                        let mut sizes = shape.sizes().to_vec();
                        let Some(first) = sizes.first_mut() else { continue };
                        let row = bytes.len() / *first;
                        *first += 1;
                        bytes.extend(vec![1; row]);
                        shape = hloom_graph::Shape::new(shape.dtype(), sizes).unwrap();
                    }
                    writer.tensor(tensor.name(), shape, bytes).unwrap();
                }
                writer.save(&path).unwrap();
                let found = Checkpoint::open(&path).unwrap().unpacked(&config, DType::F32);
                match found {
                    Err(error) => assert!(error.to_string().contains("tensor `"), "{error}"),
                    Ok(checkpoint) => {
                        assert!(!(is_left_out && is_needed(broken)), "{name} without {broken}");
                        // Values, or an error.
                        checkpoint.names().for_each(|name| {
                            drop(checkpoint.get(name).unwrap().bytes());
                        });
                    }
                }
            }
        }
    }
}
