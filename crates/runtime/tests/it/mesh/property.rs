//! Random programs over random meshes with random shardings, compared with one device.
//!
//! `HLOOM_TEST_SHARDED_PROGRAMS` sets how many, if more than a few: each is compiled twice.

use super::{CPUS, counted};
use hloom_graph::{PartitionSpec, Spec, Tensor};
use hloom_runtime::{Buffer, Mesh};

const PROGRAMS: u64 = 12;

/// A random number generator that is the same everywhere (Knuth's).
struct Choices(u64);

impl Choices {
    fn below(&mut self, end: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    fn choose<T: Copy>(&mut self, among: &[T]) -> T {
        among[self.below(among.len())]
    }

    /// Each mesh axis splits an axis of a tensor of `rank` axes, or none; some axes are left open.
    fn partition(&mut self, rank: usize, mesh: &[(&'static str, usize)]) -> PartitionSpec {
        let mut partition = PartitionSpec::replicated().padded();
        for &(name, _) in mesh {
            let axis = self.below(rank + 1);
            if axis < rank {
                partition = partition.and(axis, name);
            }
        }
        if self.below(4) == 0 {
            partition = partition.open(self.below(rank));
        }
        partition
    }
}

/// Devices in any order, a name and a size for each axis.
fn axes(choices: &mut Choices) -> Vec<(&'static str, usize)> {
    choices
        .choose(&[&[2][..], &[3], &[4], &[5], &[6], &[2, 2], &[2, 3], &[3, 2], &[1, 4], &[2, 1, 3]])
        .iter()
        .zip(["x", "y", "z"])
        .map(|(&size, name)| (name, size))
        .collect()
}

/// A program of values `[6, 6]` that stay small integers, so that every order of summation is
/// exact. `split` occasionally constrains a tensor.
fn program(
    seed: u64,
    x: Tensor,
    y: Tensor,
    split: &mut dyn FnMut(Tensor) -> Tensor,
) -> Vec<Tensor> {
    let mut choices = Choices(seed);
    let mut pool = vec![x, y];
    for _ in 0..6 {
        let (a, b) = (choices.below(pool.len()), choices.below(pool.len()));
        let (a, b) = (pool[a], pool[b]);
        let small = |t: Tensor| t % 7.0;
        let next = match choices.below(11) {
            0 => small(a + b),
            1 => small(a * b),
            2 => small(a.dot_with(b, [1], Default::default()).reshape([6, 6])),
            3 => a.transpose([1, 0]),
            4 => small(a.sum(0).reshape([1, 6]).broadcast_to([6, 6]) + b),
            5 => a.reshape([4, 9]).reshape([6, 6]),
            6 => a.slice(0, 1..5).pad(0, 1, 1, 0),
            7 => a.max(1).reshape([6, 1]).broadcast_to([6, 6]),
            8 => small(
                a.reshape([2, 3, 6]).sum(1).reshape([1, 12]).broadcast_to([3, 12]).reshape([6, 6]),
            ),
            9 => a.reverse(0).sort(1, true),
            _ => a.ge(b).select(a, b),
        };
        pool.push(if choices.below(3) == 0 { split(next) } else { next });
    }
    pool.split_off(2)
}

#[test]
fn programs_split_at_random_compute_what_one_device_does() {
    let wanted = std::env::var("HLOOM_TEST_SHARDED_PROGRAMS").ok();
    let count = wanted.map_or(PROGRAMS, |count| count.parse().expect("it is a number of programs"));
    let values: Vec<f32> = counted(36).iter().map(|v| v % 5.0).collect();
    let others: Vec<f32> = counted(36).iter().map(|v| (v * 3.0) % 7.0).collect();
    for seed in 0..count {
        let mut choices = Choices(seed ^ 0xDA7A);
        let axes = axes(&mut choices);
        let devices: usize = axes.iter().map(|axis| axis.1).product();
        let mut order = CPUS.devices();
        order.rotate_left(choices.below(6));
        order.truncate(devices);
        let mesh = Mesh::over(&CPUS, order, axes.iter().copied()).unwrap();
        let specs = [0, 1].map(|_| Spec::f32([6, 6]).partitioned(choices.partition(2, &axes)));
        let one = CPUS.compile(
            |x: Tensor, y: Tensor| program(seed, x, y, &mut |t| t),
            (Spec::f32([6, 6]), Spec::f32([6, 6])),
        );
        let inputs =
            [&values, &others].map(|values| Buffer::from_slice(&CPUS, values, [6, 6]).unwrap());
        let expected = one.unwrap().call((&inputs[0], &inputs[1])).unwrap();
        let [x, y] = specs.clone();
        let function = |x: Tensor, y: Tensor| {
            program(seed, x, y, &mut |t| t.constrain(choices.partition(2, &axes)))
        };
        let exe = mesh
            .compile(function, (x, y))
            .unwrap_or_else(|error| panic!("seed {seed} over {mesh:?}: {error}"));
        let split: Vec<Buffer> = inputs
            .iter()
            .zip(&exe.signature().inputs)
            .map(|(buffer, input)| {
                buffer.to(input.sharding.as_ref().expect("it runs on a mesh")).unwrap()
            })
            .collect();
        let found = exe.call((&split[0], &split[1])).unwrap();
        for (i, (found, expected)) in found.iter().zip(&expected).enumerate() {
            let (found_values, expected) =
                (found.to_vec::<f32>().unwrap(), expected.to_vec::<f32>().unwrap());
            assert_eq!(found_values, expected, "seed {seed}, result {i}: {found:?} of {specs:?}");
            // And reshard it.
            let target =
                mesh.sharding(&Spec::of(found.shape()).partitioned(choices.partition(2, &axes)));
            let moved = found.to(&target.unwrap()).unwrap();
            assert_eq!(
                moved.to_vec::<f32>().unwrap(),
                expected,
                "seed {seed}, result {i}: {found:?} as {moved:?}"
            );
        }
    }
}
