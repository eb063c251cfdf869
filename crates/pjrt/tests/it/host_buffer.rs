//! From the host to a buffer and back (G8, G9, G10, G17).

use crate::{client, client_with};
use half::{bf16, f16};
use hloom_pjrt::{
    Client, DType, Element, Error, F4E2M1FN, F8E4M3FN, F8E5M2, I2, I4, Spec, U2, U4, as_bytes,
};
use std::fmt::Debug;

/// Host to device and back, in every way, for several shapes.
fn round_trip<T: Element + Debug + PartialEq>(client: &Client, values: &[T]) {
    let len = values.len() as i64;
    for dims in [vec![len], vec![1, len], vec![len, 1, 1]] {
        let buffer = client.buffer(values, &dims).unwrap();
        assert_eq!(buffer.dtype(), T::DTYPE);
        assert_eq!(buffer.dims(), dims);
        assert_eq!(buffer.to_vec::<T>().unwrap(), values, "{}", T::DTYPE);
        assert_eq!(buffer.to_bytes().unwrap(), as_bytes(values), "{}", T::DTYPE);
        assert_eq!(buffer.to_vec_async::<T>().unwrap().wait().unwrap(), values);
        let mut copy = values.to_vec();
        copy.reverse();
        buffer.read_into(&mut copy).unwrap();
        assert_eq!(copy, values);
    }
    let scalar = client.scalar(values[0]).unwrap();
    assert_eq!(scalar.dims(), [0i64; 0]);
    assert_eq!(scalar.to_scalar::<T>().unwrap(), values[0]);
    let empty = client.buffer::<T>(&[], &[3, 0]).unwrap();
    assert_eq!(empty.to_vec::<T>().unwrap(), []);
    assert_eq!(empty.element_count().unwrap(), 0);
}

#[test]
fn every_dtype_makes_the_round_trip() {
    let client = client();
    round_trip(&client, &[true, false, true]);
    round_trip(&client, &[i8::MIN, -1, i8::MAX]);
    round_trip(&client, &[i16::MIN, -1, i16::MAX]);
    round_trip(&client, &[i32::MIN, -1, i32::MAX]);
    round_trip(&client, &[i64::MIN, -1, i64::MAX]);
    round_trip(&client, &[0u8, 1, u8::MAX]);
    round_trip(&client, &[0u16, 1, u16::MAX]);
    round_trip(&client, &[0u32, 1, u32::MAX]);
    round_trip(&client, &[0u64, 1, u64::MAX]);
    round_trip(&client, &[f16::ONE, f16::INFINITY, f16::MIN_POSITIVE]);
    round_trip(&client, &[bf16::ONE, bf16::NEG_INFINITY, bf16::MAX]);
    round_trip(&client, &[-0.0f32, f32::MAX, f32::INFINITY]);
    round_trip(&client, &[-0.0f64, f64::MIN_POSITIVE, 1e300]);
    round_trip(&client, &[[1.0f32, -2.0], [0.0, f32::INFINITY]]);
    round_trip(&client, &[[1.0f64, -2.0], [0.0, 1e-300]]);
    round_trip(&client, &[I4(-8), I4(-2), I4(7), I4(0), I4(-1)]);
    round_trip(&client, &[U4(0), U4(15), U4(9)]);
    round_trip(&client, &[I2(-2), I2(1), I2(-1), I2(0), I2(1)]);
    round_trip(&client, &[U2(0), U2(3), U2(2)]);
    round_trip(&client, &[F8E4M3FN(0x7f), F8E4M3FN(0x80), F8E4M3FN(0x01)]);
    round_trip(&client, &[F8E5M2(0x7c), F8E5M2(0xff)]);
    round_trip(&client, &[F4E2M1FN(0x0f), F4E2M1FN(0x01), F4E2M1FN(0x08)]);
}

/// G9: an array with its dimensions in one call, and one whose type is known at run time.
#[test]
fn arrays_come_with_their_dimensions_and_type() {
    let client = client();
    let buffer = client.buffer(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0], &[2, 3]).unwrap();
    let (values, dims) = buffer.to_array::<f32>().unwrap();
    assert_eq!((values, dims), (vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0], vec![2, 3]));
    assert!(matches!(buffer.to_array::<i32>(), Err(Error::DType { .. })));
    let array = buffer.to_host().unwrap();
    assert_eq!((array.dtype(), array.dims()), (DType::F32, &[2i64, 3][..]));
    assert_eq!(array.as_slice::<f32>().unwrap(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!(array.as_bytes(), buffer.to_bytes().unwrap());
    let error = array.as_slice::<f64>().unwrap_err();
    assert!(
        matches!(error, Error::DType { expected: DType::F32, found: DType::F64, .. }),
        "{error}"
    );
    drop((buffer, array.clone()));

    // Whatever the type is, without naming it; what the device keeps in other bits is a value.
    let bools = client.host_buffer(DType::Pred, &[3]).copy(&[0, 1, 0xfe]).unwrap();
    let buffers = [
        bools,
        client.buffer(&[I4(-8), I4(7)], &[2]).unwrap(),
        client.buffer(&[[1.0f64, -2.0]], &[1, 1]).unwrap(),
        client.buffer::<bf16>(&[], &[3, 0]).unwrap(),
        client.scalar(7u8).unwrap(),
    ];
    let arrays: Vec<_> = buffers.iter().map(|buffer| buffer.to_host().unwrap()).collect();
    let dims: Vec<_> = arrays.iter().map(|array| array.dims()).collect();
    assert_eq!(dims, [&[3i64][..], &[2], &[1, 1], &[3, 0], &[]]);
    assert_eq!(arrays[0].as_slice::<bool>().unwrap(), [false, true, true]);
    assert_eq!(arrays[1].as_slice::<I4>().unwrap(), [I4(-8), I4(7)]);
    assert_eq!(arrays[2].as_slice::<[f64; 2]>().unwrap(), [[1.0, -2.0]]);
    assert!(arrays[3].as_slice::<bf16>().unwrap().is_empty());
    assert_eq!(arrays[4].as_slice::<u8>().unwrap(), [7]);
    assert_eq!(format!("{:?}", arrays[2]), "HostArray(c128[1,1])");
    buffers[0].delete().unwrap();
    assert!(matches!(buffers[0].to_host(), Err(Error::Deleted { .. })));
}

/// G21: a scalar goes to the device of an index.
#[test]
fn a_scalar_goes_to_the_device_of_an_index() {
    let client = client_with(3);
    for (index, device) in client.devices().iter().enumerate() {
        let buffer = client.scalar_on(index, index as i64 - 1).unwrap();
        assert_eq!(buffer.device().unwrap(), *device);
        assert_eq!((buffer.dtype(), buffer.dims()), (DType::S64, &[][..]));
        assert_eq!(buffer.to_scalar::<i64>().unwrap(), index as i64 - 1);
    }
    let error = client.scalar_on(3, true).unwrap_err().to_string();
    assert!(error.contains("no addressable device 3") && error.contains("has 3"), "{error}");
}

#[test]
fn nans_keep_their_bits() {
    let client = client();
    let bits = [0x7fc0_0001u32, 0xffc0_dead, 0x7f80_0001];
    let values = bits.map(f32::from_bits);
    let back = client.buffer(&values, &[3]).unwrap().to_vec::<f32>().unwrap();
    assert_eq!(back.iter().map(|v| v.to_bits()).collect::<Vec<_>>(), bits);
}

#[test]
fn booleans_of_any_byte_are_true_or_false() {
    let client = client();
    let buffer = client.host_buffer(DType::Pred, &[3]).copy(&[0, 1, 0xfe]).unwrap();
    assert_eq!(buffer.to_vec::<bool>().unwrap(), [false, true, true]);
    assert_eq!(buffer.to_bytes().unwrap(), [0, 1, 1]);
}

#[test]
fn wrong_sizes_are_refused_before_the_call() {
    let client = client();
    for (bytes, dims) in [(23, [2, 3]), (25, [2, 3]), (0, [2, 3]), (4, [0, 3])] {
        let error = client.host_buffer(DType::F32, &dims).copy(&vec![0; bytes]).unwrap_err();
        let text = error.to_string();
        assert!(matches!(error, Error::Size { found, .. } if found == bytes), "{text}");
        assert!(text.contains("f32") && text.contains(&format!("found {bytes}")), "{text}");
    }
    assert!(client.buffer(&[1.0f32], &[-1]).is_err());
    assert!(client.buffer(&[1.0f32], &[i64::MAX, i64::MAX]).is_err());
    assert!(client.host_buffer(DType::Token, &[]).copy(&[]).is_err());
    assert!(client.host_buffer(DType::Other(77), &[1]).copy(&[0]).is_err());
}

#[test]
fn wrong_reads_are_refused_before_the_call() {
    let client = client();
    let buffer = client.buffer(&[1.0f32, 2.0, 3.0], &[3]).unwrap();
    let error = buffer.to_vec::<i32>().unwrap_err();
    assert!(
        matches!(error, Error::DType { expected: DType::F32, found: DType::S32, .. }),
        "{error}"
    );
    assert!(buffer.to_vec_async::<f64>().is_err());
    for len in [0, 2, 4] {
        let error = buffer.read_into(&mut vec![0.0f32; len]).unwrap_err();
        assert!(matches!(error, Error::Size { expected: 3, .. }), "{error}");
        assert!(buffer.read_into_bytes(&mut vec![0; len]).is_err());
    }
    let error = buffer.to_scalar::<f32>().unwrap_err();
    assert!(matches!(error, Error::Size { expected: 1, found: 3, .. }), "{error}");
}

#[test]
fn strides_of_the_host_are_followed() {
    let client = client();
    // The columns of a matrix of two rows and three columns.
    let rows = [1i32, 2, 3, 4, 5, 6];
    let buffer = client
        .host_buffer(DType::S32, &[3, 2])
        .byte_strides(&[4, 12])
        .copy(as_bytes(&rows))
        .unwrap();
    assert_eq!(buffer.to_vec::<i32>().unwrap(), [1, 4, 2, 5, 3, 6]);
    // Every second element; the memory may be longer.
    let buffer =
        client.host_buffer(DType::S32, &[2]).byte_strides(&[8]).copy(as_bytes(&rows)).unwrap();
    assert_eq!(buffer.to_vec::<i32>().unwrap(), [1, 3]);
    // The same element again and again.
    let buffer =
        client.host_buffer(DType::S32, &[4]).byte_strides(&[0]).copy(as_bytes(&rows[..1])).unwrap();
    assert_eq!(buffer.to_vec::<i32>().unwrap(), [1; 4]);
    for strides in [&[4i64][..], &[4, 16], &[-4, 12], &[i64::MAX, 4]] {
        let outcome =
            client.host_buffer(DType::S32, &[3, 2]).byte_strides(strides).copy(as_bytes(&rows));
        assert!(outcome.is_err(), "{strides:?}");
    }
}

#[test]
fn buffers_go_where_they_are_sent() {
    let client = client_with(2);
    let device = &client.devices()[1];
    let buffer = client.host_buffer(DType::U8, &[2]).on_device(device).copy(&[7, 8]).unwrap();
    assert_eq!(buffer.device().unwrap(), *device);
    assert_eq!(buffer.memory().unwrap(), device.default_memory().unwrap());
    assert_eq!(buffer.client(), client);
    assert!(buffer.is_on_cpu().unwrap());
    for memory in device.memories() {
        let buffer = client.host_buffer(DType::U8, &[2]).in_memory(&memory).copy(&[7, 8]).unwrap();
        assert_eq!(buffer.memory().unwrap(), memory);
        assert_eq!(buffer.to_vec::<u8>().unwrap(), [7, 8]);
        let copy = buffer.copy_to_memory(&client.devices()[0].default_memory().unwrap()).unwrap();
        assert_eq!(copy.device().unwrap(), client.devices()[0]);
        assert_eq!(copy.to_vec::<u8>().unwrap(), [7, 8]);
    }
    let copy = buffer.copy_to_device(&client.devices()[0]).unwrap();
    assert_eq!(copy.device().unwrap(), client.devices()[0]);
    assert_eq!(copy.to_vec::<u8>().unwrap(), [7, 8]);
    assert_eq!(buffer.to_vec::<u8>().unwrap(), [7, 8], "the original stays");
}

#[test]
fn devices_and_memories_of_another_client_are_refused() {
    let (client, other) = (client_with(1), client_with(1));
    let device = &other.devices()[0];
    let memory = &device.default_memory().unwrap();
    let buffer = client.scalar(1u8).unwrap();
    let errors = [
        client.host_buffer(DType::U8, &[]).on_device(device).copy(&[1]).unwrap_err(),
        client.host_buffer(DType::U8, &[]).in_memory(memory).copy(&[1]).unwrap_err(),
        buffer.copy_to_device(device).unwrap_err(),
        buffer.copy_to_memory(memory).unwrap_err(),
        // SAFETY: nobody reads the contents.
        unsafe { client.device_buffer(DType::U8, &[]).on_device(device).uninitialized() }
            .unwrap_err(),
        client.transfer_manager(&[Spec::new(DType::U8, [])], Some(memory)).unwrap_err(),
    ];
    for error in errors {
        assert!(matches!(error, Error::ForeignClient { .. }), "{error}");
    }
}

/// G10: the type, dimensions and sizes of a buffer.
#[test]
fn sizes_and_shapes_on_the_device() {
    let client = client();
    let buffer = client.buffer(&[1.0f32; 6], &[2, 3]).unwrap();
    assert_eq!(buffer.host_size().unwrap(), 24);
    assert!(buffer.on_device_size().unwrap() >= 24);
    assert_eq!(buffer.unpadded_dims().unwrap(), [2, 3]);
    assert_eq!(buffer.dynamic_dims().unwrap_or_default(), [0usize; 0]);
    assert_eq!(format!("{buffer:?}"), "Buffer(f32[2,3])");
    assert_ne!(buffer.unsafe_pointer().unwrap(), 0);
    let narrow = client.buffer(&[I4(1); 5], &[5]).unwrap();
    assert_eq!(narrow.host_size().unwrap(), 5);
    assert_eq!(narrow.on_device_size().unwrap(), 3, "packed");
}

#[test]
fn deleted_buffers_keep_their_shape_and_nothing_else() {
    let client = client();
    let buffer = client.buffer(&[1.0f32, 2.0], &[2]).unwrap();
    assert!(!buffer.is_deleted().unwrap());
    buffer.delete().unwrap();
    buffer.delete().unwrap();
    assert!(buffer.is_deleted().unwrap() && !buffer.is_donated());
    assert_eq!((buffer.dtype(), buffer.dims()), (DType::F32, &[2i64][..]));
    assert_eq!(format!("{buffer:?}"), "Buffer(f32[2] (deleted))");
    let errors = [
        buffer.to_vec::<f32>().unwrap_err(),
        buffer.to_bytes().unwrap_err(),
        buffer.ready_event().unwrap_err(),
        buffer.copy_to_device(&client.devices()[0]).unwrap_err(),
        buffer.external_reference().unwrap_err(),
        buffer.unsafe_pointer().unwrap_err(),
        buffer.read_raw(0, &mut [0; 4]).unwrap_err(),
        buffer.layout().unwrap_err(),
    ];
    for error in errors {
        assert!(matches!(error, Error::Deleted { .. }), "{error}");
        assert!(error.to_string().contains("deleted"), "{error}");
    }
}

#[test]
fn buffers_pass_through_raw_pointers() {
    let client = client();
    let raw = client.buffer(&[1i64, 2], &[2]).unwrap().into_raw();
    assert_eq!(client.alive().buffers, 0);
    // SAFETY: given up just now.
    let buffer = unsafe { hloom_pjrt::Buffer::from_raw(&client, raw) }.unwrap();
    assert_eq!((buffer.dtype(), buffer.dims()), (DType::S64, &[2i64][..]));
    assert_eq!(buffer.to_vec::<i64>().unwrap(), [1, 2]);
}
