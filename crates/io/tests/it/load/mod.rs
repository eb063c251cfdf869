//! Loading into the CPU plugin's buffers.

mod spans;

use half::bf16;
use hloom_graph::{DType, PartitionSpec, Shape, Spec, Tensor, Tree, shard_tree};
use hloom_io::{Access, Checkpoint, Error, Loader, Progress, Unused, Writer};
use hloom_runtime::{Buffer, Donated, Mesh, Platform};
use hloom_test_support::{CPU, is_alone, resident_kib};
use std::sync::Mutex;
use tempfile::TempDir;

#[derive(Tree, Clone)]
struct Linear<T = Tensor> {
    #[axes(out, in)]
    weight: T,
    #[axes(out)]
    bias: Option<T>,
}

impl Linear {
    fn forward(self, x: Tensor) -> Tensor {
        let y = x.dot(self.weight, "in");
        match self.bias {
            Some(bias) => y + bias,
            None => y,
        }
    }
}

/// `weight` of f32 `[16, 4]`, which is aligned, `bias` of `[16]`, aligned too, and `odd` of `[3]`
/// and `[5]`.
fn checkpoint() -> (TempDir, Checkpoint) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.safetensors");
    let mut writer = Writer::new();
    for (name, sizes) in
        [("weight", vec![16, 4]), ("bias", vec![16]), ("odd.0", vec![3]), ("odd.1", vec![5])]
    {
        let shape = Shape::new(DType::F32, sizes).unwrap();
        let values: Vec<u8> =
            (0..shape.element_count()).flat_map(|i| (i as f32).to_le_bytes()).collect();
        writer.tensor(name, shape, values).unwrap();
    }
    writer.save(&path).unwrap();
    (folder, Checkpoint::open(path).unwrap())
}

/// Loads `weight`, and `bias` where the tree has it.
fn layer(checkpoint: &Checkpoint) -> Loader<'static> {
    checkpoint.root().loader().ignore(["odd.*"]).ignore(["bias"])
}

fn address(buffer: &Buffer) -> usize {
    buffer.as_pjrt().unsafe_pointer().unwrap()
}

fn mapped(checkpoint: &Checkpoint, name: &str) -> usize {
    // SAFETY: the tests do not change their files.
    unsafe { checkpoint.get(name).unwrap().mapped().unwrap().as_ptr().addr() }
}

#[test]
fn a_loaded_tree_is_called() {
    let (folder, checkpoint) = checkpoint();
    let spec: Linear<Spec> = Linear::spec(&checkpoint.root()).unwrap();
    let weights = layer(&checkpoint).load(&CPU, &spec).unwrap();
    assert_eq!(weights.weight.shape().to_string(), "f32[out=16, in=4]");
    let exe = CPU.compile(Linear::forward, (spec, Spec::f32([("batch", 1), ("in", 4)]))).unwrap();
    // The buffers keep the mapping, and the mapping keeps the file's bytes.
    drop(checkpoint);
    folder.close().unwrap();
    let exe = exe.bind(&weights).unwrap();
    drop(weights);
    let x = Buffer::from_slice(&CPU, &[0f32, 0.0, 0.0, 1.0], [("batch", 1), ("in", 4)]).unwrap();
    let y = exe.call((&x,)).unwrap();
    let expected: Vec<f32> = (0..16).map(|i| (4 * i + 3) as f32 + i as f32).collect();
    assert_eq!(y.to_vec::<f32>().unwrap(), expected);
}

#[test]
fn aligned_tensors_are_used_where_they_are_mapped() {
    let (_folder, checkpoint) = checkpoint();
    let spec: Linear<Spec> = Linear::spec(&checkpoint.root()).unwrap();
    let weights = layer(&checkpoint).load(&CPU, &spec).unwrap();
    assert_eq!(address(&weights.weight), mapped(&checkpoint, "weight"));
    assert_eq!(address(weights.bias.as_ref().unwrap()), mapped(&checkpoint, "bias"));

    let spec: Vec<Spec> = Vec::spec(&checkpoint.at("odd")).unwrap();
    let odd = checkpoint.at("odd").load(&CPU, &spec).unwrap();
    assert_ne!(address(&odd[1]), mapped(&checkpoint, "odd.1"));
    assert_eq!(odd[0].to_vec::<f32>().unwrap(), [0.0, 1.0, 2.0]);
    assert_eq!(odd[1].to_vec::<f32>().unwrap(), [0.0, 1.0, 2.0, 3.0, 4.0]);
}

#[test]
fn a_mapped_buffer_that_is_donated_is_not_written_to() {
    let (_folder, checkpoint) = checkpoint();
    let spec = Spec::f32([16]);
    let increment = |x: Tensor| (x + 1.0).reuse(x);
    let exe = CPU.compile(increment, (Donated(spec.clone()),)).unwrap();
    for _ in 0..2 {
        let bias = checkpoint.at("bias").load(&CPU, &spec).unwrap();
        let expected: Vec<f32> = (1..17).map(|i| i as f32).collect();
        assert_eq!(exe.call((bias,)).unwrap().to_vec::<f32>().unwrap(), expected);
    }
}

#[test]
fn floats_are_converted_to_what_the_tree_asks_for() {
    let (_folder, checkpoint) = checkpoint();
    let spec: Linear<Spec> = Linear::spec(&checkpoint.root()).unwrap();
    let spec: Linear<Spec> = spec.map(&mut |_, spec| spec.with_dtype(DType::BF16));
    let weights = layer(&checkpoint).load(&CPU, &spec).unwrap();
    let values: Vec<bf16> = weights.weight.to_vec().unwrap();
    assert!(values.iter().map(|value| value.to_f32()).eq((0..64).map(|i| i as f32)));
}

#[test]
fn every_element_type_of_a_file_is_loaded() {
    let path =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/safetensors/dtypes.safetensors");
    let checkpoint = Checkpoint::open(path).unwrap();
    for name in checkpoint.names() {
        let tensor = checkpoint.get(name).unwrap();
        let buffer = checkpoint.at(name).load(&CPU, &Spec::of(tensor.shape()));
        let buffer = buffer.unwrap_or_else(|error| panic!("{name}: {error}"));
        let expected = match name {
            "F4" => {
                tensor.bytes().unwrap().iter().flat_map(|byte| [byte & 15, byte >> 4]).collect()
            }
            _ => tensor.bytes().unwrap().to_vec(),
        };
        assert_eq!(buffer.to_bytes().unwrap(), expected, "{name}");
    }
}

#[test]
fn scalars_and_empty_tensors_are_loaded() {
    let path =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/safetensors/shapes.safetensors");
    let checkpoint = Checkpoint::open(path).unwrap();
    for (name, expected) in [("scalar", vec![7.5f32]), ("empty", vec![]), ("one", vec![-1.0])] {
        let spec = Spec::of(checkpoint.get(name).unwrap().shape());
        assert_eq!(
            checkpoint.at(name).load(&CPU, &spec).unwrap().to_vec::<f32>().unwrap(),
            expected,
            "{name}"
        );
    }
}

#[test]
fn progress_ends_at_the_whole() {
    let (_folder, checkpoint) = checkpoint();
    let spec: Linear<Spec> = Linear::spec(&checkpoint.root()).unwrap();
    let seen = Mutex::new(Vec::new());
    let record = |progress: Progress| seen.lock().unwrap().push(progress);
    layer(&checkpoint).progress(record).load(&CPU, &spec).unwrap();
    let seen = seen.into_inner().unwrap();
    let total = 4 * (64 + 16);
    assert!(seen.iter().all(|progress| progress.total == total && progress.loaded <= total));
    assert_eq!(seen.iter().map(|progress| progress.loaded).max(), Some(total));
}

#[test]
fn what_does_not_fit_is_reported_before_anything_is_loaded() {
    let (_folder, checkpoint) = checkpoint();
    let spec = Linear { weight: Spec::f32([16, 5]), bias: Some(Spec::f32([16])) };
    let error = checkpoint.root().loader().unused(Unused::Refused).load(&CPU, &spec).err().unwrap();
    let Error::Mismatch(mismatch) = &error else {
        panic!("{error}");
    };
    let names: Vec<&str> = mismatch.problems.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["weight", "odd.0", "odd.1"]);
}

#[test]
fn tensors_of_several_pieces_and_batches_are_loaded_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.safetensors");
    // 40 tensors of about 1.2 MB, of which 39 do not begin at a multiple of 64 bytes.
    let values = |i: usize| (0..300_001).map(move |k| (k % 1000 + i) as f32);
    let mut writer = Writer::new();
    for i in 0..40 {
        let shape = Shape::new(DType::F32, [300_001]).unwrap();
        let bytes: Vec<u8> = values(i).flat_map(f32::to_le_bytes).collect();
        writer.tensor(&i.to_string(), shape, bytes).unwrap();
    }
    writer.save(&path).unwrap();
    let checkpoint = Checkpoint::open(&path).unwrap();
    let spec: Vec<Spec> = Vec::spec(&checkpoint.root()).unwrap();
    let buffers = layer(&checkpoint).load(&CPU, &spec).unwrap();
    assert_eq!(buffers.len(), 40);
    for (i, buffer) in buffers.iter().enumerate() {
        assert!(buffer.to_vec::<f32>().unwrap().into_iter().eq(values(i)), "{i}");
    }
}

#[test]
fn over_a_mesh_each_device_has_its_part_of_the_file() {
    let (_folder, weights) = checkpoint();
    let platform = Platform::builder()
        .plugin(pjrt_plugins::ensure("cpu").unwrap())
        .client_option("cpu_device_count", 4)
        .build()
        .unwrap();
    let mesh = Mesh::new(&platform, [("x", 2), ("y", 2)]).unwrap();
    let specs = Linear::<Spec>::spec(&weights.root()).unwrap();
    let values: Vec<f32> = (0..64).map(|i| i as f32).collect();
    let narrow = |spec: Spec| spec.with_dtype(DType::BF16);
    for (rows, columns) in [("x", "y"), ("y", "x")] {
        let rules = [
            ("weight", PartitionSpec::shard("out", rows)),
            ("bias", PartitionSpec::shard(0, columns)),
        ];
        let split = shard_tree(specs.clone(), &rules).unwrap();
        let loaded = layer(&weights).load(&mesh, &split).unwrap();
        assert_eq!(loaded.weight.to_vec::<f32>().unwrap(), values);
        assert_eq!(loaded.bias.unwrap().to_vec::<f32>().unwrap(), values[..16]);
        // Halves that are aligned are used without a copy by all devices that have them.
        let start = mapped(&weights, "weight");
        let mut places: Vec<usize> = loaded
            .weight
            .shards()
            .iter()
            .map(|part| part.unsafe_pointer().unwrap() - start)
            .collect();
        places.sort_unstable();
        assert_eq!(places, [0, 0, 128, 128]);

        let both = split.weight.clone().shard("in", columns);
        let part =
            layer(&weights).load(&mesh, &Linear { weight: both, bias: None }).unwrap().weight;
        assert_eq!(part.shard(3).unwrap().shape().sizes(), [8, 2]);
        assert_eq!(part.shard(3).unwrap().to_vec::<f32>().unwrap()[..4], [34.0, 35.0, 38.0, 39.0]);
        assert_eq!(part.to_vec::<f32>().unwrap(), values);

        let converted = split.map(&mut |_, spec: Spec| narrow(spec));
        let converted = layer(&weights).load(&mesh, &converted).unwrap();
        let expected: Vec<bf16> = values.iter().map(|&value| bf16::from_f32(value)).collect();
        assert_eq!(converted.weight.to_vec::<bf16>().unwrap(), expected);
        assert_eq!(converted.bias.unwrap().to_vec::<bf16>().unwrap(), expected[..16]);
    }
    let odd =
        vec![Spec::f32([3]).shard(0, "x").padded(), Spec::f32([5]).shard(0, ["x", "y"]).padded()];
    let odd = weights.at("odd").load(&mesh, &odd).unwrap();
    assert_eq!(odd[0].to_vec::<f32>().unwrap(), values[..3]);
    assert_eq!(odd[1].to_vec::<f32>().unwrap(), values[..5]);
    assert_eq!(odd[1].shard(2).unwrap().to_vec::<f32>().unwrap(), [4.0, 0.0]);
    let odd = weights.at("odd").loader().unused(Unused::Allowed);
    let error = odd.load(&mesh, &vec![Spec::f32([3]).shard(0, "x")]).unwrap_err();
    assert!(error.to_string().contains("size 3, which is not divisible by 2"), "{error}");
}

#[test]
fn files_that_are_read_give_the_buffers_that_mapped_ones_give() {
    let (_folder, mapped) = checkpoint();
    let read = Checkpoint::open_with(mapped.path(), Access::Read).unwrap();
    assert!(!read.get("weight").unwrap().is_mapped());
    let mesh = Mesh::new(&Platform::cpus(4).unwrap(), [("x", 2), ("y", 2)]).unwrap();
    let specs = Linear::<Spec>::spec(&mapped.root()).unwrap();
    let by_rows =
        [("weight", PartitionSpec::shard("out", "x")), ("bias", PartitionSpec::shard(0, "y"))];
    let by_columns =
        [("weight", PartitionSpec::shard("in", "x")), ("bias", PartitionSpec::shard(0, "x"))];
    for dtype in [DType::F32, DType::BF16, DType::F64] {
        let specs = specs.clone().map(&mut |_, spec: Spec| spec.with_dtype(dtype));
        let bytes = |buffer: &Buffer| buffer.to_bytes().unwrap();
        let [a, b] = [&mapped, &read].map(|weights| layer(weights).load(&CPU, &specs).unwrap());
        assert_eq!(bytes(&a.weight), bytes(&b.weight), "{dtype}");
        assert_eq!(bytes(a.bias.as_ref().unwrap()), bytes(b.bias.as_ref().unwrap()), "{dtype}");
        for rules in [&by_rows[..], &by_columns[..]] {
            let split = shard_tree(specs.clone(), rules).unwrap();
            let [a, b] =
                [&mapped, &read].map(|weights| layer(weights).load(&mesh, &split).unwrap());
            assert_eq!(bytes(&a.weight), bytes(&b.weight), "{dtype} {rules:?}");
            for device in 0..4 {
                let part =
                    |tree: &Linear<Buffer>| tree.weight.shard(device).unwrap().to_bytes().unwrap();
                assert_eq!(part(&a), part(&b), "{dtype} {rules:?} on device {device}");
            }
        }
    }
}

#[test]
fn a_file_that_was_truncated_before_it_is_loaded_is_an_error_with_both_lengths() {
    let mesh = Mesh::new(&Platform::cpus(2).unwrap(), [("x", 2)]).unwrap();
    for access in [Access::Mapped, Access::Read] {
        let (_folder, weights) = checkpoint();
        let weights = Checkpoint::open_with(weights.path(), access).unwrap();
        let whole = std::fs::metadata(weights.path()).unwrap().len();
        let file = std::fs::File::options().write(true).open(weights.path()).unwrap();
        file.set_len(100).unwrap();
        let expected = format!("truncated since it was opened: expected {whole} bytes, found 100");
        let f32s = Spec::f32([16, 4]);
        for spec in [f32s.clone(), f32s.clone().with_dtype(DType::BF16)] {
            let error = weights.at("weight").load(&CPU, &spec).unwrap_err().to_string();
            assert!(
                error.contains(&expected) && error.contains("a.safetensors"),
                "{access:?}: {error}"
            );
        }
        for axis in [0, 1] {
            for spec in [f32s.clone(), f32s.clone().with_dtype(DType::BF16)] {
                let error = weights
                    .at("weight")
                    .load(&mesh, &spec.shard(axis, "x"))
                    .unwrap_err()
                    .to_string();
                assert!(error.contains(&expected), "{access:?}, axis {axis}: {error}");
            }
        }
    }
}

/// Memory of this process of a kind that the system counts.
fn resident_mib(kind: &str) -> f64 {
    resident_kib(kind) as f64 / 1024.0
}

#[test]
fn over_a_mesh_each_device_reads_its_own_slice_of_the_file() {
    // The memory of other tests in this process would be counted as well.
    if !is_alone("load::over_a_mesh_each_device_reads_its_own_slice_of_the_file") {
        return;
    }
    const SIDE: usize = 4096;
    const WHOLE: f64 = 64.0;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.safetensors");
    let shape = Shape::new(DType::F32, [SIDE, SIDE]).unwrap();
    let bytes: Vec<u8> = (0..SIDE * SIDE).flat_map(|i| (i as f32).to_le_bytes()).collect();
    let mut writer = Writer::new();
    writer.tensor("weight", shape, bytes).unwrap();
    writer.save(&path).unwrap();
    drop(writer);

    let platform = Platform::cpus(4).unwrap();
    let mesh = Mesh::new(&platform, [("x", 4)]).unwrap();
    let checkpoint = Checkpoint::open(&path).unwrap();
    let weight = checkpoint.at("weight");
    // The memory that loading allocates, and the part of the file that it reads.
    let load = |spec: Spec| {
        let before = ["RssAnon", "RssFile"].map(resident_mib);
        let loaded = weight.load(&mesh, &spec).unwrap();
        let after = ["RssAnon", "RssFile"].map(resident_mib);
        (loaded, after[0] - before[0], after[1] - before[1])
    };
    let near = |found: f64, expected: f64| (found - expected).abs() < 6.0;
    let spec = Spec::f32([SIDE, SIDE]);

    let (_converted, own, _) = load(Spec::new(DType::BF16, [SIDE, SIDE]).shard(0, "x"));
    assert!(near(own, WHOLE / 2.0), "each device has its rows, converted: {own} MiB");
    let (rows, own, read) = load(spec.clone().shard(0, "x"));
    assert!(near(own, 0.0) && near(read, 0.0), "rows lie in the file: {own} and {read} MiB");
    let before = resident_mib("RssFile");
    let part = rows.shard(2).unwrap().to_vec::<f32>().unwrap();
    assert_eq!(part[1], (2 * SIDE / 4 * SIDE + 1) as f32);
    let read = resident_mib("RssFile") - before;
    assert!(near(read, WHOLE / 4.0), "a quarter of the file is read: {read} MiB");
    drop((rows, part));

    let (columns, own, _) = load(spec.clone().shard(1, "x"));
    assert!(near(own, WHOLE), "each device has its columns and no more: {own} MiB");
    assert_eq!(columns.shard(1).unwrap().to_vec::<f32>().unwrap()[0], (SIDE / 4) as f32);
    drop(columns);

    let (_whole, own, _) = load(spec);
    // Memory that was dropped before may be freed meanwhile.
    assert!(own < 6.0, "all devices use one mapping: {own} MiB");
}

impl Linear {
    fn by_reference(&self, x: Tensor) -> Tensor {
        self.clone().forward(x)
    }
}

/// E1: a model's tensors are found in a checkpoint, its function is compiled, and the tensors are
/// bound.
#[test]
fn a_model_is_loaded_and_compiled_in_one_call() {
    use hloom_io::LoadAndCompile;

    let (_folder, checkpoint) = checkpoint();
    let x = Spec::f32([("batch", 2), ("in", 4)]);
    let ones = Buffer::from_slice(&CPU, &[1f32; 8], &x).unwrap();
    let by_value = CPU.load_and_compile(Linear::forward, layer(&checkpoint), (x.clone(),)).unwrap();
    let by_reference =
        CPU.load_and_compile(Linear::by_reference, layer(&checkpoint), (x.clone(),)).unwrap();
    let closure = |layer: &Linear, x: Tensor| layer.by_reference(x);
    let closure = CPU.load_and_compile(closure, layer(&checkpoint), (x.clone(),)).unwrap();
    // Row i of the weight is 4 i, 4 i + 1, 4 i + 2, 4 i + 3, and bias i is i.
    let expected: Vec<f32> = (0..32).map(|i| (17 * (i % 16) + 6) as f32).collect();
    for exe in [by_value, by_reference, closure] {
        assert_eq!(exe.call((&ones,)).unwrap().to_vec::<f32>().unwrap(), expected);
    }
    let unused = CPU.load_and_compile(Linear::forward, &checkpoint, (x.clone(),));
    let unused = unused.map(drop).unwrap_err().to_string();
    assert!(unused.contains("odd.1: not used by the tree"), "{unused}");
    let error = CPU.load_and_compile(Linear::forward, &checkpoint.at("odd"), (x,));
    let error = error.map(drop).unwrap_err().to_string();
    assert!(error.contains("odd.weight: missing"), "{error}");
}

#[derive(Tree, Clone)]
#[tree(config = f64)]
struct Scaled<T = Tensor> {
    #[tree(flatten)]
    linear: Linear<T>,
    #[tree(value = *config)]
    scale: f64,
}

#[test]
fn a_configuration_reaches_the_compiled_model() {
    use hloom_io::LoadAndCompile;
    let (_folder, checkpoint) = checkpoint();
    let x = Spec::f32([("batch", 1), ("in", 4)]);
    let ones = Buffer::from_slice(&CPU, &[1f32; 4], &x).unwrap();
    let scaled = |model: Scaled, x: Tensor| model.linear.forward(x) * model.scale;
    let exe = CPU.load_and_compile_with(scaled, layer(&checkpoint), &0.5, (x,)).unwrap();
    let expected: Vec<f32> = (0..16).map(|i| (17 * i + 6) as f32 / 2.0).collect();
    assert_eq!(exe.call((&ones,)).unwrap().to_vec::<f32>().unwrap(), expected);
}

#[test]
fn a_tree_is_saved_and_loaded_into_another() {
    let (folder, checkpoint) = checkpoint();
    let spec = Linear::<Spec>::spec(&checkpoint.root()).unwrap();
    let weights = layer(&checkpoint).load(&CPU, &spec).unwrap();
    let path = folder.path().join("saved.safetensors");
    hloom_io::save(&path, &weights).unwrap();
    let saved = Checkpoint::open(&path).unwrap();
    assert_eq!(saved.names().collect::<Vec<_>>(), ["bias", "weight"]);
    let mut other = Buffer::zeros_tree(&CPU, spec.clone()).unwrap();
    saved.load_into(&CPU, &mut other).unwrap();
    let same = weights.zip_fold(&other, true, |same, _, a: &Buffer, b: &Buffer| {
        same && a.shape() == b.shape() && a.to_bytes().unwrap() == b.to_bytes().unwrap()
    });
    assert!(same.unwrap());
    // A tree that does not fit stays as it was.
    let mut fewer = Linear { weight: Buffer::zeros(&CPU, &spec.weight).unwrap(), bias: None };
    let error = saved.load_into(&CPU, &mut fewer).unwrap_err().to_string();
    assert!(error.contains("bias: not used by the tree"), "{error}");
    assert_eq!(fewer.weight.to_vec::<f32>().unwrap(), [0.0; 64]);
    let nowhere = folder.path().join("no/such/folder/a.safetensors");
    assert!(hloom_io::save(nowhere, &weights).is_err());
}
