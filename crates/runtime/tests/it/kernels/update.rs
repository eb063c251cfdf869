//! Blocks that are written in place.

use super::{both, buffer, wide};
use crate::CPU;
use hloom_graph::{DType, Spec, Tensor, for_loop};
use hloom_runtime::{Buffer, Donated};

const SIZES: [usize; 3] = [3, 40, 50];

fn written(array: Tensor, block: Tensor, start: Tensor) -> Tensor {
    array.dynamic_update_slice(block, 1, start)
}

/// An array or block with arbitrary values.
fn values(dtype: DType, sizes: [usize; 3], seed: usize) -> Buffer {
    let flat = buffer(dtype, [1, sizes.iter().product()], seed);
    let reshape = CPU.compile(move |x: Tensor| x.reshape(sizes), (Spec::of(flat.shape()),));
    reshape.expect("it compiles").call((&flat,)).expect("it runs")
}

#[test]
fn a_block_is_the_same_with_kernels_and_without() {
    for dtype in [DType::BF16, DType::F16] {
        for (positions, start) in [(1, 0), (1, 39), (7, 20), (7, 38), (7, -5), (40, 3)] {
            let block = [SIZES[0], positions, SIZES[2]];
            let specs =
                (Spec::new(dtype, SIZES), Spec::new(dtype, block), Spec::scalar(DType::I32));
            let [with, without] = both(written, specs);
            assert_eq!(with.kernels()[0].name, "hloom.update.v1");
            assert_eq!(with.kernels().len(), 1);
            let (array, block) = (values(dtype, SIZES, 1), values(dtype, block, 2));
            let start = Buffer::scalar(&CPU, start).expect("a buffer");
            let [found, expected] = [with, without]
                .map(|exe| wide(&exe.call((&array, &block, &start)).expect("it runs")));
            assert_eq!(found, expected, "{dtype} {positions} {start:?}");
            // The array that was not donated is unchanged.
            assert_eq!(wide(&array), wide(&values(dtype, SIZES, 1)), "{dtype}");
        }
    }
}

#[test]
fn a_donated_array_is_written_in_its_own_memory() {
    let function =
        |array: Tensor, block: Tensor, start: Tensor| written(array, block, start).reuse(array);
    let block = [SIZES[0], 1, SIZES[2]];
    let specs = (Donated(Spec::f16(SIZES)), Spec::f16(block), Spec::scalar(DType::I32));
    let exe = CPU.compile(function, specs).expect("it compiles");
    assert_eq!(exe.kernels()[0].name, "hloom.update.v1");
    let temporaries = exe.any().memory().expect("the plugin tells").temporaries;
    assert!(temporaries < 1024, "{temporaries} bytes: the array is copied");
    let (array, block) = (values(DType::F16, SIZES, 1), values(DType::F16, block, 2));
    let start = Buffer::scalar(&CPU, 5i32).expect("a buffer");
    array.ready().expect("it is made");
    let memory = array.as_pjrt().unsafe_pointer().expect("an address");
    let array = exe.call((array, &block, &start)).expect("it runs");
    array.ready().expect("it is made");
    assert_eq!(array.as_pjrt().unsafe_pointer().expect("an address"), memory);
}

#[test]
fn a_value_that_is_read_later_is_not_overwritten() {
    let function = |array: Tensor, block: Tensor, start: Tensor| {
        let first = array + array;
        let second = written(first, block, start);
        let third = written(first, block * 2.0, start);
        (first, second, third)
    };
    let specs = (Spec::bf16(SIZES), Spec::bf16([SIZES[0], 2, SIZES[2]]), Spec::scalar(DType::I32));
    let exes = both(function, specs);
    assert_eq!(exes[0].kernels()[0].count, 2);
    let (array, start) = (values(DType::BF16, SIZES, 3), Buffer::scalar(&CPU, 9i32));
    let (block, start) =
        (values(DType::BF16, [SIZES[0], 2, SIZES[2]], 4), start.expect("a buffer"));
    let [found, expected] = exes.map(|exe| {
        let (a, b, c) = exe.call((&array, &block, &start)).expect("it runs");
        [a, b, c].map(|result| wide(&result))
    });
    assert_eq!(found, expected);
}

#[test]
fn loops_write_into_what_they_carry() {
    let function = |array: Tensor, block: Tensor| {
        // Each step also reads what the former ones have written.
        for_loop(6, array, move |i, array| {
            let read = array.dynamic_slice(1, i, 1);
            written(array, read + block, i + 1)
        })
    };
    let block = [SIZES[0], 1, SIZES[2]];
    let exes = both(function, (Spec::bf16(SIZES), Spec::bf16(block)));
    assert_eq!(exes[0].kernels()[0].count, 1);
    let (array, block) = (values(DType::BF16, SIZES, 5), values(DType::BF16, block, 6));
    let [found, expected] = exes.map(|exe| wide(&exe.call((&array, &block)).expect("it runs")));
    assert_eq!(found, expected);
}

#[test]
fn what_the_plugin_writes_in_place_is_left_to_it() {
    for (dtype, sizes, start) in [
        (DType::F32, SIZES, DType::I32),
        (DType::I8, SIZES, DType::I32),
        (DType::BF16, [2, 40, 50], DType::I32),
        (DType::BF16, SIZES, DType::I64),
    ] {
        let block = Spec::new(dtype, [sizes[0], 1, sizes[2]]);
        let specs = (Spec::new(dtype, sizes), block, Spec::scalar(start));
        let exe = CPU.compile(written, specs).expect("it compiles");
        assert!(exe.kernels().is_empty(), "{dtype} {sizes:?} {start}");
    }
}
