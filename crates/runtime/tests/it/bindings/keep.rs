//! Keeping donated inputs.

use super::{MESH, pair, read, reuses_after_kept, spec};
use hloom_graph::{Spec, Tensor, Tree};
use hloom_runtime::{Argument, Buffer, Donated, Placement};
use hloom_test_support::CPU;

#[derive(Tree, Clone)]
struct Cache<T = Tensor> {
    keys: T,
    values: Vec<T>,
}

fn step(cache: Cache, scale: Tensor, state: Tensor) -> (Cache, Tensor) {
    let keys = (cache.keys + scale).reuse(cache.keys);
    let values = cache.values.iter().map(|&v| (v * scale).reuse(v)).collect();
    (Cache { keys, values }, (state + scale).reuse(state))
}

fn start(buffer: &Buffer) -> usize {
    buffer.as_pjrt().unsafe_pointer().unwrap()
}

fn buffer(value: f32) -> Buffer {
    let mut buffer = Buffer::zeros(&CPU, Spec::f32([32])).unwrap();
    // A result, whose memory programs may reuse.
    let add = CPU.compile(move |x: Tensor| (x + value).reuse(x), (Donated(Spec::f32([32])),));
    buffer = add.unwrap().call((buffer,)).unwrap();
    buffer.ready().unwrap();
    buffer
}

fn cache() -> Cache<Buffer> {
    Cache { keys: buffer(1.0), values: vec![buffer(2.0), buffer(3.0)] }
}

/// E16: the argument that is kept is borrowed, with its type; the others are still consumed and
/// their memory is reused.
#[test]
fn one_argument_is_kept_and_the_others_are_consumed() {
    let one = || Spec::f32([32]);
    let specs = Cache { keys: one(), values: vec![one(), one()] };
    let exe = CPU.compile(step, (Donated(specs), one(), Donated(one()))).unwrap();
    let scale = buffer(10.0);

    // The first argument, a tree of three buffers.
    let (kept, state) = (cache(), buffer(5.0));
    let (kept_starts, state_start) = ([start(&kept.keys), start(&kept.values[1])], start(&state));
    let (new, new_state) = exe.keep::<0>().call((&kept, &scale, state)).unwrap();
    assert_eq!(read(&new.values[1]), [30.0; 32]);
    assert_eq!((read(&kept.keys), read(&kept.values[1])), (vec![1.0; 32], vec![3.0; 32]));
    assert!(![start(&new.keys), start(&new.values[1])].iter().any(|s| kept_starts.contains(s)));
    assert_eq!(start(&new_state) == state_start, reuses_after_kept(), "the state is consumed");

    // The last one, also when arguments before it are bound.
    let (donated, state) = (cache(), buffer(5.0));
    let donated_starts = [start(&donated.keys), start(&donated.values[0])];
    let (new, new_state) = exe.keep::<2>().call((donated, &scale, &state)).unwrap();
    assert_eq!([start(&new.keys), start(&new.values[0])], donated_starts);
    assert_eq!((read(&state), read(&new_state)), (vec![5.0; 32], vec![15.0; 32]));
    assert_ne!(start(&state), start(&new_state));
    let bound = exe.keep::<0>().bind(&kept).unwrap();
    let (new, _) = bound.keep::<1>().call((&scale, &state)).unwrap();
    assert_eq!((read(&new.keys), read(&state)), (vec![11.0; 32], vec![5.0; 32]));
    let (_, consumed) = bound.call((&scale, state)).unwrap();
    assert_eq!(read(&consumed), [15.0; 32]);

    // Keeping what is borrowed changes nothing, and keeping twice keeps both.
    let (kept_too, state) = (cache(), buffer(5.0));
    let both = exe.keep::<1>().keep::<0>().keep::<2>();
    for _ in 0..2 {
        let (_, new_state) = both.call((&kept_too, &scale, &state)).unwrap();
        assert_eq!(read(&new_state), [15.0; 32]);
    }
}

/// E16: untyped executables keep inputs by name; another borrowed donatable input keeps only
/// itself.
#[test]
fn inputs_are_kept_by_name() {
    let one = || Spec::f32([32]);
    let specs = Cache { keys: one(), values: vec![one(), one()] };
    let exe = CPU.compile(step, (Donated(specs), one(), Donated(one()))).unwrap();
    let kept = exe.any().keep("values.0").unwrap();
    let (scale, cache, state) = (buffer(10.0), cache(), buffer(5.0));
    let Cache { keys, values } = cache;
    let starts = [start(&keys), start(&values[0]), start(&values[1]), start(&state)];
    let [first, second] = <[Buffer; 2]>::try_from(values).unwrap();
    let held = first.as_pjrt().clone();
    let results = kept
        .call_named(
            [
                ("keys", Argument::Donated(keys)),
                ("values.0", Argument::Donated(first)),
                ("values.1", Argument::Donated(second)),
                ("arg1", Argument::Borrowed(&scale)),
                ("arg2", Argument::Borrowed(&state)),
            ],
            &["0.keys", "0.values.0", "0.values.1", "1"],
        )
        .unwrap();
    let reused: Vec<bool> = results.iter().zip(starts).map(|(r, old)| start(r) == old).collect();
    assert_eq!(reused, [true, false, reuses_after_kept(), false]);
    assert_eq!(held.to_bytes().unwrap()[..4], 2f32.to_le_bytes(), "it was not consumed");
    let error = exe.any().keep("value").unwrap_err().to_string();
    assert!(error.contains("`value`: no such input; there are `keys`, `values.0`"), "{error}");
}

/// E16: over a mesh, an argument is kept on every device.
#[test]
fn a_sharded_argument_is_kept_on_every_device() {
    let add = |a: Tensor, b: Tensor| ((a + b).reuse(a), (b * 2).reuse(b));
    let exe = MESH.compile(add, (Donated(spec()), Donated(spec()))).unwrap();
    let to = Placement::Mesh(&MESH);
    let (a, b) = (pair(to, [1.0, 2.0]), pair(to, [3.0, 4.0]));
    let parts = b.shards().to_vec();
    let (sum, double) = exe.keep::<1>().call((a, &b)).unwrap();
    assert_eq!((read(&sum), read(&double)), (vec![4.0, 6.0], vec![6.0, 8.0]));
    assert_eq!(read(&b), [3.0, 4.0]);
    assert!(parts.iter().all(|part| !part.is_deleted().unwrap()));
}
