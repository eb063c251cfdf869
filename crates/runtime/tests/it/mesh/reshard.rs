//! Buffers that are resharded, read, and used by several programs at the same time.

use super::{CPUS, counted, mesh};
use hloom_graph::{DType, PartitionSpec, Shape, Spec, Tensor};
use hloom_runtime::{Buffer, Exe, Mesh, NamedSharding, TensorAssert};

#[test]
fn a_buffer_is_moved_to_every_place() {
    let values = counted(48);
    let shape = Shape::new(DType::F32, [("a", 12), ("b", 4)]).unwrap();
    let (grid, row) = (mesh([("x", 2), ("y", 3)]), mesh([("z", 6)]));
    let far = Mesh::over(&CPUS, CPUS.devices()[3..].to_vec(), [("x", 3)]).unwrap();
    let turned = Mesh::over(&CPUS, CPUS.devices().into_iter().rev(), [("z", 6)]).unwrap();
    let split = |mesh: &Mesh, partition: PartitionSpec| {
        NamedSharding::new(mesh, &shape, partition).unwrap()
    };
    let places = [
        split(&grid, PartitionSpec::replicated()),
        split(&grid, PartitionSpec::shard("a", "x")),
        split(&grid, PartitionSpec::shard("a", "y").and("b", "x")),
        split(&grid, PartitionSpec::shard("a", ["y", "x"])),
        split(&row, PartitionSpec::shard("a", "z")),
        split(&row, PartitionSpec::shard("b", "z").padded()),
        split(&turned, PartitionSpec::shard("a", "z")),
        split(&far, PartitionSpec::shard("a", "x")),
        split(&far, PartitionSpec::replicated()),
    ];
    for from in &places {
        let buffer = Buffer::from_slice(from, &values, shape.axes()).unwrap();
        for to in &places {
            let moved = buffer.to(to).unwrap();
            assert_eq!(moved.sharding(), Some(to));
            assert_eq!(moved.shape(), shape);
            assert_eq!(moved.to_vec::<f32>().unwrap(), values, "{from:?} to {to:?}");
            for (part, device) in moved.shards().iter().zip(to.mesh().devices()) {
                assert_eq!(part.device().unwrap(), *device);
            }
        }
        let single = buffer.to(&CPUS).unwrap();
        assert!(single.sharding().is_none());
        assert_eq!(single.to(from).unwrap().to_vec::<f32>().unwrap(), values);
        assert_eq!(buffer.to(&grid).unwrap().sharding().unwrap(), &places[0]);
    }
    // Shards that are already in place are shared.
    let buffer = Buffer::from_slice(&places[0], &values, shape.axes()).unwrap();
    let same = buffer.to(&places[0]).unwrap();
    assert_eq!(
        buffer.as_pjrt().unsafe_pointer().unwrap(),
        same.as_pjrt().unsafe_pointer().unwrap()
    );
}

#[test]
fn a_buffer_says_how_it_lies() {
    let mesh = mesh([("x", 2), ("y", 3)]);
    assert_eq!(mesh.to_string(), "cpu [x=2, y=3]\n  0 1 2\n  3 4 5");
    let spec = Spec::i32([("a", 2), ("b", 3)]).shard("a", "x").shard("b", "y");
    let sharding = mesh.sharding(&spec).unwrap();
    let buffer = Buffer::from_slice(&sharding, &[1, 2, 3, 4, 5, 6], [("a", 2), ("b", 3)]).unwrap();
    assert_eq!(
        buffer.to_string(),
        "[[1 2 3]\n [4 5 6]]\ni32[a=2/x, b=3/y] over the mesh [x=2, y=3] of cpu devices 0, 1, 2, \
         3, 4, 5"
    );
}

#[test]
fn parts_on_their_devices_make_a_tensor() {
    let mesh = mesh([("x", 2)]);
    let shape = Shape::new(DType::F32, [4]).unwrap();
    let local = Shape::new(DType::F32, [2]).unwrap();
    let sharding = NamedSharding::new(&mesh, &shape, PartitionSpec::shard(0, "x")).unwrap();
    let part = |device: usize, values: [f32; 2]| {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_ne_bytes()).collect();
        Buffer::on_device(&mesh, device, local, bytes).unwrap()
    };
    let whole =
        Buffer::from_shards(&sharding, shape, vec![part(0, [1.0, 2.0]), part(1, [3.0, 4.0])])
            .unwrap();
    assert_eq!(whole.to_vec::<f32>().unwrap(), [1.0, 2.0, 3.0, 4.0]);
}

#[test]
fn programs_on_disjoint_devices_run_at_the_same_time() {
    let devices = CPUS.devices();
    let halves = [devices[..3].to_vec(), devices[3..].to_vec()];
    let spec = Spec::f32([("n", 12)]).shard("n", "x");
    std::thread::scope(|scope| {
        for (half, devices) in halves.into_iter().enumerate() {
            let spec = spec.clone();
            scope.spawn(move || {
                let mesh = Mesh::over(&CPUS, devices, [("x", 3)]).unwrap();
                let sums = |x: Tensor| (x + x.sum("n")).constrain([("n", "x")]);
                let exe = mesh.compile(sums, (spec.clone(),)).unwrap();
                let start = vec![half as f32; 12];
                let x = Buffer::from_slice(&mesh.sharding(&spec).unwrap(), &start, [("n", 12)])
                    .unwrap();
                for _ in 0..200 {
                    assert_eq!(
                        exe.call((&x,)).unwrap().to_vec::<f32>().unwrap(),
                        [13.0 * half as f32; 12]
                    );
                }
            });
        }
    });
}

/// A program with a collective: 61 in each of 60 x 60 places, for ones.
fn exchange(x: Tensor) -> Tensor {
    (x.sort("a", true) + x.sum("a")).constrain([("a", "y")])
}

#[test]
fn many_calls_are_under_way_without_being_waited_for() {
    let mesh = mesh([("x", 2), ("y", 3)]);
    let spec = Spec::f32([("a", 60), ("b", 60)]).shard("a", "x").shard("b", "y");
    let ones =
        Buffer::from_slice(&mesh.sharding(&spec).unwrap(), &[1f32; 3600], spec.shape().axes())
            .unwrap();
    let plain = mesh.compile(exchange, (spec.clone(),)).unwrap();
    let checked = |x: Tensor| exchange(x.assert(|x| x.is_finite(), "it is finite"));
    let checked = mesh.compile(checked, (spec,)).unwrap();
    let call = |exe: &Exe<(Spec,), Tensor>, count: usize| {
        let results: Vec<Buffer> = (0..count).map(|_| exe.call((&ones,)).unwrap()).collect();
        for result in [&results[0], &results[count - 1]] {
            assert_eq!(result.to_vec::<f32>().unwrap(), [61.0; 3600]);
        }
    };
    call(&plain, 300);
    std::thread::scope(|scope| {
        for thread in 0..12 {
            let (exe, call) = (if thread % 3 == 0 { &checked } else { &plain }, &call);
            scope.spawn(move || call(exe, 30));
        }
    });
}
