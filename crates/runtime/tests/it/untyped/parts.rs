//! Buffers by offsets in bytes, compared with a plain vector of bytes.

use crate::mesh::mesh;
use hloom_graph::{DType, Shape, Spec, Tensor};
use hloom_runtime::Buffer;
use hloom_test_support::CPU;

fn shape(dtype: DType, sizes: [usize; 2]) -> Shape {
    Shape::new(dtype, [("row", sizes[0]), ("column", sizes[1])]).unwrap()
}

/// R6: every range of bytes is read and replaced, for every element type and for tensors of no
/// elements.
#[test]
fn ranges_of_bytes_are_those_of_the_host_layout() {
    for dtype in DType::ALL {
        for sizes in [[0, 3], [1, 1], [3, 5]] {
            let shape = shape(dtype, sizes);
            // Small numbers have the same bytes in every type of one byte or less.
            let bytes: Vec<u8> = (0..shape.byte_size()).map(|i| (i % 2) as u8).collect();
            let size = bytes.len();
            let buffer = Buffer::from_bytes(&CPU, shape, &bytes).unwrap();
            for (start, end) in [(0, size), (0, 0), (size, size), (size / 3, size / 2 + 1)] {
                let range = start..end.min(size);
                let mut found = vec![9; range.len()];
                buffer.copy_to_host(range.start, &mut found).unwrap();
                assert_eq!(found, bytes[range.clone()], "{shape} {range:?}");
                let other: Vec<u8> = range.clone().map(|i| u8::from(i % 3 == 0)).collect();
                let mut expected = bytes.clone();
                expected[range.clone()].copy_from_slice(&other);
                let changed = Buffer::from_bytes(&CPU, shape, &bytes).unwrap();
                let changed = changed.copy_from_host(range.start, &other).unwrap();
                assert_eq!(changed.to_bytes().unwrap(), expected, "{shape} {range:?}");
                assert_eq!(changed.shape(), shape);
            }
            assert_eq!(buffer.to_bytes().unwrap(), bytes, "the source stays as it is");
        }
    }
}

#[test]
fn ranges_outside_of_the_buffer_are_errors() {
    let buffer = || Buffer::from_slice(&CPU, &[1f32, 2.0], [("x", 2)]).unwrap();
    for (offset, count) in [(0, 9), (8, 1), (9, 0), (usize::MAX, 2)] {
        let error = buffer().copy_to_host(offset, &mut vec![0; count]).unwrap_err().to_string();
        let expected = format!("{count} bytes from byte {offset} on exceed its 8 bytes");
        assert!(error.contains(&expected) && error.contains("f32[x=2]"), "{error}");
        let error = buffer().copy_from_host(offset, &vec![0; count]).unwrap_err().to_string();
        assert!(error.contains(&expected), "{error}");
        let mut uninit = Buffer::uninit(&CPU, Spec::f32([("x", 2)])).unwrap();
        let error = uninit.copy_from_host(offset, &vec![0; count]).unwrap_err().to_string();
        assert!(error.contains(&expected), "{error}");
    }
}

#[test]
fn a_result_is_read_in_parts_when_it_is_ready() {
    let exe = CPU.compile(|x: Tensor| x.cumsum("x"), (Spec::f32([("x", 4096)]),)).unwrap();
    let ones = Buffer::from_slice(&CPU, &[1f32; 4096], [("x", 4096)]).unwrap();
    let sums = exe.call((&ones,)).unwrap();
    let mut last = [0; 4];
    sums.copy_to_host(4095 * 4, &mut last).unwrap();
    assert_eq!(f32::from_le_bytes(last), 4096.0);
}

/// R6: a buffer is allocated first and filled in parts, in any order; it can only be used when all
/// of it has been written.
#[test]
fn a_buffer_is_used_when_it_is_fully_written() {
    let bytes: Vec<u8> = (0..24).collect();
    let mut uninit = Buffer::uninit(&CPU, shape(DType::U8, [4, 6])).unwrap();
    assert_eq!(uninit.missing(), std::slice::from_ref(&(0..24)));
    for part in [20..24, 3..9, 5..12, 10..10] {
        uninit.copy_from_host(part.start, &bytes[part]).unwrap();
    }
    assert_eq!(uninit.missing(), [0..3, 12..20]);
    assert_eq!(format!("{uninit:?}"), "UninitBuffer(u8[row=4, column=6], 11 of 24 bytes missing)");
    uninit.copy_from_host(0, &[7; 3]).unwrap();
    uninit.copy_from_host(0, &bytes[..14]).unwrap();
    uninit.copy_from_host(13, &bytes[13..21]).unwrap();
    assert!(uninit.missing().is_empty());
    assert_eq!(uninit.finish().unwrap().to_bytes().unwrap(), bytes);

    let mut uninit = Buffer::uninit(&CPU, shape(DType::U8, [4, 6])).unwrap();
    uninit.copy_from_host(2, &bytes[2..9]).unwrap();
    let error = uninit.finish().unwrap_err().to_string();
    assert!(error.contains("bytes 0 to 1 and 1 more ranges have not been written"), "{error}");
    // No elements, no bytes to wait for.
    let empty = Buffer::uninit(&CPU, Spec::f32([("x", 0)])).unwrap();
    assert_eq!(empty.finish().unwrap().to_vec::<f32>().unwrap(), [0.0; 0]);
    assert!(Buffer::uninit(&CPU, Spec::f32([("x", 2), ("x", 3)])).is_err());
}

#[test]
fn shards_are_read_and_written_in_parts() {
    let mesh = mesh([("x", 2)]);
    let spec = Spec::f32([("row", 4), ("column", 2)]).shard("row", "x");
    let mut uninit = Buffer::uninit(&mesh, spec.clone()).unwrap();
    let values: Vec<f32> = (0..8).map(|i| i as f32).collect();
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    uninit.copy_from_host(12, &bytes[12..]).unwrap();
    uninit.copy_from_host(0, &bytes[..12]).unwrap();
    let buffer = uninit.finish().unwrap();
    assert_eq!(buffer.shards().len(), 2);
    let mut middle = [0; 8];
    buffer.copy_to_host(12, &mut middle).unwrap();
    assert_eq!(middle, bytes[12..20]);
    let buffer = buffer.copy_from_host(4, &9f32.to_le_bytes()).unwrap();
    assert_eq!(buffer.shards().len(), 2);
    assert_eq!(buffer.to_vec::<f32>().unwrap()[..3], [0.0, 9.0, 2.0]);
}
