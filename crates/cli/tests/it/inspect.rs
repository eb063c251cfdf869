use crate::hloom::{error, hloom, json, stdout};
use hloom_graph::{DType, Shape, Spec, Tensor};
use hloom_io::{
    Writer,
    gguf::{Array, GgufType, GgufWriter, Value as Entry},
};
use hloom_runtime::{CompilationCache, Donated, NO_RESULTS, callback};
use hloom_test_support::{CPU, cpus};
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
};

fn fixture(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures").join(path)
}

fn text(path: impl AsRef<Path>) -> String {
    stdout(hloom(["inspect"]).arg(path.as_ref()))
}

fn value(path: impl AsRef<Path>) -> Value {
    json(hloom(["inspect", "--json"]).arg(path.as_ref()))
}

fn refused(path: impl AsRef<Path>) -> String {
    let message = error(hloom(["inspect"]).arg(path.as_ref()));
    assert_eq!(error(hloom(["inspect", "--json"]).arg(path.as_ref())), message);
    message
}

/// Saves a program with a donated input.
fn save(path: &Path) {
    let f = |kept: Tensor, x: Tensor| ((kept + x).reuse(kept), x.exp());
    let spec = || Spec::f32([("n", 1000)]);
    let compiler = CPU.compiler().name("grow").inputs(["kept", "x"]);
    compiler.compile(f, (Donated(spec()), spec())).unwrap().save(path).unwrap();
}

#[test]
fn a_saved_program_is_shown_without_a_plugin() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("grow.hloom");
    save(&path);
    let no_plugin = folder.path().join("none");
    let inspect = |json: bool| {
        let mut command = hloom(["inspect"]);
        command.args(json.then_some("--json")).arg(&path);
        command.env("HLOOM_PLUGIN_CPU", &no_plugin).env("XDG_CACHE_HOME", folder.path());
        stdout(&mut command)
    };
    let text = inspect(false);
    for line in [
        "saved program grow",
        "2 inputs, 8.0 kB",
        "  kept  f32[n=1000]  4.0 kB  donated",
        "  x     f32[n=1000]  4.0 kB",
        "2 outputs, 8.0 kB",
        "  arguments                               8.0 kB",
        "    of these in the memory of arguments   4.0 kB",
    ] {
        assert!(text.lines().any(|found| found == line), "{line} in {text}");
    }
    assert!(text.contains("in the memory of kept") && text.contains("bytes accessed"), "{text}");
    assert!(text.contains("platform     cpu") && text.contains("1 × cpu"), "{text}");
    let value: Value = serde_json::from_str(&inspect(true)).unwrap();
    assert_eq!((&value["kind"], &value["name"]), (&json!("saved program"), &json!("grow")));
    let input = json!({
        "name": "kept", "dtype": "f32", "shape": [1000], "axes": ["n"], "bytes": 4000,
        "donated": true,
    });
    assert_eq!(value["signature"]["inputs"][0], input);
    assert_eq!(value["signature"]["outputs"][0]["reuses"], 0);
    assert_eq!(value["memory"]["aliases"], 4000);
    assert!(value["cost"]["flops"].as_f64().unwrap() >= 1000.0, "{value}");
    assert!(value["optimized_program"]["bytes"].as_u64().unwrap() > 0, "{value}");
    assert_eq!(value["target"]["devices"], json!(["cpu"]));
}

#[test]
fn needs_and_entries_of_caches_are_shown() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("saved.hloom");
    let f = |x: Tensor| {
        callback("nothing", x, NO_RESULTS, |_, _, _| Ok(()));
        x + 1.0
    };
    CPU.compile(f, (Spec::f32([3]),)).unwrap().save(&path).unwrap();
    let shown = text(&path);
    let needs = "needs        its function, since it calls Rust functions: nothing";
    assert!(shown.contains(needs), "{shown}");
    assert_eq!(value(&path)["needs"]["rust_functions"], json!(["nothing"]));

    let platform = cpus(1);
    let cache = CompilationCache::at(folder.path().join("cache"));
    platform.set_cache(cache.clone());
    platform.compile(|x: Tensor| x + 1.0, (Spec::f32([3]),)).unwrap();
    let entry = cache.entries().unwrap()[0].path.clone();
    let shown = text(&entry);
    assert!(shown.contains("an entry of a cache"), "{shown}");
    assert!(value(&entry)["signature"].is_null());
}

#[test]
fn damaged_programs_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("program.hloom");
    save(&path);
    let sound = fs::read(&path).unwrap();
    let name = path.display();
    for (bytes, expected) in [
        (&sound[..4], "the file is truncated"),
        (&sound[..100], "the file is truncated"),
        (&sound[..sound.len() - 1], "checksum mismatch: the file is corrupt"),
        (b"text", "it is not a saved program"),
        (b"", "the file is truncated"),
        (b"HLOOMEXE\x01\0\0\0\0\0\0\0", "it has format 1; this version reads format 3"),
    ] {
        fs::write(&path, bytes).unwrap();
        assert_eq!(refused(&path), format!("{name}: {expected}"));
    }
}

#[test]
fn safetensors_are_shown() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.safetensors");
    let shape = |dtype, dims: [(&str, usize); 2]| Shape::new(dtype, dims).unwrap();
    let mut writer = Writer::new();
    writer.tensor("fc1.weight", shape(DType::F32, [("out", 2), ("in", 3)]), &[0; 24][..]).unwrap();
    writer.tensor("fc1.bias", Shape::new(DType::BF16, [2]).unwrap(), &[0; 4][..]).unwrap();
    writer.metadata("license", "CC0-1.0");
    writer.save(&path).unwrap();
    // The folder has one checkpoint.
    for path in [&*path, folder.path()] {
        let text = text(path);
        let expected = "safetensors, 2 tensors, 28 B\n";
        assert!(text.starts_with(expected) && text.contains("  license: CC0-1.0\n"), "{text}");
        assert!(
            text.ends_with(
                "\n\ntensor      shape             size\n\
             fc1.bias    bf16[2]            4 B\n\
             fc1.weight  f32[out=2, in=3]  24 B\n"
            ),
            "{text}"
        );
        let value = value(path);
        assert_eq!(value["metadata"]["license"], "CC0-1.0");
        assert_eq!(value["tensors"][0]["dtype"], "bf16");
        assert_eq!(value["tensors"][1]["axes"], json!(["out", "in"]));
    }
}

#[test]
fn sharded_checkpoints_are_shown() {
    let folder = fixture("safetensors/sharded");
    let index = fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path());
    let index = index.into_iter().find(|path| path.extension().is_some_and(|end| end == "json"));
    for path in [index.unwrap(), folder] {
        let shown = text(&path);
        assert!(shown.lines().next().unwrap().ends_with(" files"), "{shown}");
        let value = value(&path);
        assert!(value["files"].as_array().unwrap().len() > 1, "{value}");
        let mut total = 0;
        for tensor in value["tensors"].as_array().unwrap() {
            total += tensor["bytes"].as_u64().unwrap();
        }
        assert_eq!(value["bytes"], total);
    }
}

#[test]
fn gguf_files_are_shown() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.gguf");
    let mut writer = GgufWriter::new();
    let tokens = (0..10).map(|i| format!("t\u{1b}{i}")).collect();
    for (key, value) in [
        ("general.architecture", Entry::String("llama".to_owned())),
        ("general.name", Entry::String("n".repeat(150))),
        ("llama.rope.freq_base", Entry::F32(10_000.5)),
        ("test.infinite", Entry::F64(f64::INFINITY)),
        ("tokenizer.ggml.tokens", Entry::Array(Array::String(tokens))),
        ("tokenizer.ggml.types", Entry::Array(Array::I32(vec![1, -2]))),
    ] {
        writer.metadata(key, value).unwrap();
    }
    writer.tensor("blk.0.attn_q.weight", GgufType::Q4_1, &[2, 64], vec![0; 80]).unwrap();
    writer.tensor("output_norm.weight", GgufType::F32, &[64], vec![0; 256]).unwrap();
    writer.save(&path).unwrap();
    let name = "n".repeat(100);
    let tokens = "t\\u{1b}0, t\\u{1b}1, t\\u{1b}2, t\\u{1b}3, t\\u{1b}4, t\\u{1b}5, … (4 more)";
    let expected = format!(
        "GGUF version 3, 2 tensors, 336 B\n\
         \x20 general.architecture: llama\n\
         \x20 general.name: {name}… (50 more characters)\n\
         \x20 llama.rope.freq_base: 10000.5\n\
         \x20 test.infinite: inf\n\
         \x20 tokenizer.ggml.tokens: [{tokens}]\n\
         \x20 tokenizer.ggml.types: [1, -2]\n\
         \n\
         tensor               type  shape     size\n\
         blk.0.attn_q.weight  Q4_1  [2, 64]   80 B\n\
         output_norm.weight   F32   [64]     256 B\n"
    );
    assert_eq!(text(&path), expected);
    let value = value(&path);
    let tensor = json!({
        "name": "blk.0.attn_q.weight", "type": "Q4_1", "shape": [2, 64], "bytes": 80,
    });
    assert_eq!(value["tensors"][0], tensor);
    let types = json!({ "elements": "i32", "length": 2, "first": [1, -2] });
    assert_eq!(value["metadata"]["tokenizer.ggml.types"], types);
    assert_eq!(value["metadata"]["tokenizer.ggml.tokens"]["length"], 10);
    assert_eq!(value["metadata"]["test.infinite"], "inf");
    let damaged = folder.path().join("damaged.gguf");
    fs::write(&damaged, b"GGUF\0\0\0\x03").unwrap();
    assert!(refused(&damaged).contains("big endian"));
}

#[test]
fn arrays_of_numpy_are_shown() {
    assert!(text(fixture("npy/small.npy")).starts_with("npy, "));
    let shown = text(fixture("npy/row_major.npz"));
    assert!(shown.starts_with("npz, "), "{shown}");
    let listed = value(fixture("npy/row_major.npz"));
    let arrays = listed["arrays"].as_array().unwrap();
    let loaded = hloom_io::npy::load_all(&*CPU, fixture("npy/row_major.npz")).unwrap();
    assert_eq!(arrays.len(), loaded.len());
    for array in arrays {
        let buffer = &loaded[array["name"].as_str().unwrap()];
        assert_eq!(array["dtype"], buffer.dtype().name());
        assert_eq!(array["shape"], json!(buffer.shape().sizes()));
    }
    let message = refused(fixture("npy/dates.npy"));
    assert!(message.contains("is not supported"), "{message}");
}

#[test]
fn other_and_damaged_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    };
    let small = fs::read(fixture("npy/small.npy")).unwrap();
    let arrays = fs::read(fixture("npy/arrays.npz")).unwrap();
    for (path, expected) in [
        (folder.path().join("missing"), "No such file"),
        (write("text.txt", b"hello"), "neither a saved program, StableHLO nor"),
        (write("empty", b""), "neither a saved program, StableHLO nor"),
        (write("short.npy", &small[..small.len() - 1]), " bytes, and "),
        (write("header.npy", &small[..20]), "header.npy: "),
        (write("short.npz", &arrays[..arrays.len() / 2]), "short.npz: "),
        (write("none.safetensors", b""), "none.safetensors: "),
        (write("m.safetensors.index.json", b"{}"), "not the index of a sharded checkpoint"),
        (PathBuf::from("/dev/zero"), "expected a regular file, found a device"),
    ] {
        let message = refused(&path);
        assert!(message.contains(expected), "{message}");
        assert!(message.starts_with(&path.display().to_string()), "{message}");
    }
    let empty = folder.path().join("empty_folder");
    fs::create_dir(&empty).unwrap();
    assert!(refused(&empty).contains("no checkpoint here"));
}

#[test]
fn programs_in_stablehlo_are_shown() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("add.mlir");
    let program = "module @add { func.func @main(%x: tensor<3xf32> loc(\"x\")) -> tensor<3xf32> {
        return %x : tensor<3xf32> } }";
    fs::write(&path, program).unwrap();
    let shown = text(&path);
    assert!(shown.starts_with("StableHLO add, "), "{shown}");
    let expected = "\n1 input\n  name  shape   size\n  x     f32[3]  12 B\n\n1 output\n";
    assert!(shown.contains(expected), "{shown}");
    let leaf = &value(&path)["inputs"][0];
    assert_eq!((&leaf["name"], &leaf["shape"]), (&json!("x"), &json!([3])));

    let exported = value(fixture("stablehlo/jax/mlp/program.jax"));
    assert_eq!(exported["inputs"].as_array().unwrap().len(), 5, "{exported}");
    let sharded = value(fixture("stablehlo/jax/sharded/program.jax"));
    assert_eq!(sharded["devices"], 4);
    let bytecode = fixture("stablehlo/jax/mlp_bytecode/program.bytecode");
    assert!(value(&bytecode)["inputs"].is_null());
    assert!(text(&bytecode).contains("its inputs are known when it is compiled"));
    let torch = fixture("stablehlo/torch/classifier/program");
    let (shown, value) = (text(&torch), value(&torch));
    assert!(shown.contains("weight"), "{shown}");
    assert!(!value["weights"].as_array().unwrap().is_empty(), "{value}");
}
