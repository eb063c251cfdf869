//! Asynchronous transfers, raw reads, and buffers without host data (G19).

use crate::{ADD, client, client_with, compile, expect_alive, unless_unimplemented};
use hloom_pjrt::{
    AlignedVec, Alive, DType, Error, ErrorCode, ExecuteOptions, Layout, NamedValue, NamedValues,
    Spec, as_bytes,
};

/// Memory that no piece was transferred to is not read: it may hold anything.
#[test]
fn a_last_piece_that_leaves_a_gap_is_refused() {
    let client = client();
    let manager = client.transfer_manager(&[Spec::new(DType::F32, [1024])], None).unwrap();
    let buffer = manager.take_buffer(0).unwrap();
    manager.copy(0, 0, &[1; 96], false).unwrap();
    let message = manager.copy(0, 4000, &[1; 96], true).unwrap_err().to_string();
    assert!(message.contains("bytes 96..4000 of 4096 unwritten"), "{message}");
    manager.copy(0, 96, &[1; 3904], false).unwrap();
    manager.copy(0, 4000, &[1; 96], true).unwrap();
    assert!(buffer.to_bytes().unwrap().iter().all(|&byte| byte == 1));
}

#[test]
fn buffers_are_filled_piece_by_piece() {
    let client = client_with(2);
    let memory = client.devices()[1].default_memory().unwrap();
    let specs = [Spec::new(DType::F32, [2]), Spec::new(DType::U8, [1000])];
    let manager = client.transfer_manager(&specs, Some(&memory)).unwrap();
    assert_eq!((manager.len(), manager.is_empty()), (2, false));
    assert_eq!(manager.buffer_size(1).unwrap(), 1000);
    assert_eq!(manager.device().unwrap(), client.devices()[1]);
    let bytes = manager.take_buffer(1).unwrap();
    assert!(manager.take_buffer(1).is_err(), "once only");
    assert_eq!((bytes.dtype(), bytes.dims()), (DType::U8, &[1000i64][..]));
    let event = bytes.ready_event().unwrap();
    // Pieces from several threads, then the last one.
    std::thread::scope(|scope| {
        for piece in 0..9usize {
            let manager = &manager;
            scope.spawn(move || {
                let lease =
                    manager.transfer(1, piece * 100, vec![piece as u8; 100], false).unwrap();
                assert_eq!(lease.wait().unwrap().len(), 100, "the memory comes back");
            });
        }
    });
    assert!(!event.is_ready().unwrap());
    manager.copy(1, 900, &[9; 100], true).unwrap();
    event.wait().unwrap();
    let values = bytes.to_vec::<u8>().unwrap();
    assert!(values.iter().enumerate().all(|(i, &v)| usize::from(v) == i / 100), "{values:?}");
    drop((manager, bytes, event));
    expect_alive(&client, Alive::default());
}

#[test]
fn executions_wait_for_what_is_being_transferred() {
    let client = client();
    let executable = compile(&client, ADD);
    let manager = client.transfer_manager(&[Spec::new(DType::F32, [2])], None).unwrap();
    let input = manager.take_buffer(0).unwrap();
    let results = executable.execute(&[&input, &input], &ExecuteOptions::new()).unwrap();
    assert!(!results[0].ready_event().unwrap().is_ready().unwrap());
    let values = AlignedVec::from_slice(&[1.0f32, 2.0]).unwrap();
    let lease = manager.transfer(0, 0, values, true).unwrap();
    assert_eq!(results[0].to_vec::<f32>().unwrap(), [2.0, 4.0]);
    lease.wait().unwrap();
}

#[test]
fn impossible_transfers_are_refused_before_the_plugin_aborts() {
    let client = client();
    assert!(client.transfer_manager(&[], None).is_err());
    assert!(client.transfer_manager(&[Spec::new(DType::F32, [-2])], None).is_err());
    assert!(client.transfer_manager(&[Spec::new(DType::Token, [])], None).is_err());
    let spec = Spec::new(DType::U8, [10]);
    let layouts = [Layout::row_major(1), Layout::row_major(1)];
    assert!(
        client.transfer_manager_with_layouts(std::slice::from_ref(&spec), &layouts, None).is_err()
    );
    assert!(
        client
            .transfer_manager_with_layouts(
                std::slice::from_ref(&spec),
                &[Layout::row_major(2)],
                None
            )
            .is_err()
    );
    let manager = client.transfer_manager(&[spec], None).unwrap();
    assert!(manager.take_buffer(1).is_err() && manager.buffer_size(1).is_err());
    assert!(manager.copy(1, 0, &[0; 10], true).is_err());
    for (offset, len) in [(0, 11), (1, 10), (11, 0), (usize::MAX, 2)] {
        assert!(manager.copy(0, offset, &vec![0; len], false).is_err(), "{offset} {len}");
    }
    manager.copy(0, 0, &[7; 10], true).unwrap();
    for outcome in [
        manager.copy(0, 0, &[7; 10], true),
        manager.copy(0, 0, &[], false),
        manager.set_error(0, ErrorCode::Internal, "late"),
    ] {
        assert!(outcome.unwrap_err().to_string().contains("over"));
    }
    assert_eq!(manager.take_buffer(0).unwrap().to_vec::<u8>().unwrap(), [7; 10]);
    let metadata: NamedValues = [("who".to_owned(), NamedValue::from("me"))].into();
    manager.add_metadata(&metadata).unwrap();
}

#[test]
fn whole_buffers_are_transferred_in_row_major_order() {
    let client = client();
    let manager = client.transfer_manager(&[Spec::new(DType::S32, [2, 2])], None).unwrap();
    let values = AlignedVec::from_slice(&[1i32, 2, 3, 4]).unwrap();
    if let Some(lease) = unless_unimplemented(&[81], manager.transfer_whole(0, values)) {
        lease.wait().unwrap();
        assert_eq!(manager.take_buffer(0).unwrap().to_vec::<i32>().unwrap(), [1, 2, 3, 4]);
    }
}

#[test]
fn raw_bytes_are_read_from_any_range() {
    let client = client();
    let values: Vec<u16> = (0..100).collect();
    let buffer = client.buffer(&values, &[10, 10]).unwrap();
    let mut bytes = [0; 6];
    buffer.read_raw(20, &mut bytes).unwrap();
    assert_eq!(bytes, as_bytes(&values[10..13]));
    buffer.read_raw(200, &mut []).unwrap();
    assert_eq!(buffer.read_raw_async(198, 2).unwrap().wait().unwrap(), as_bytes(&values[99..]));
    for (offset, len) in [(195, 6), (201, 0), (usize::MAX, 1)] {
        let error = buffer.read_raw(offset, &mut vec![0; len]).unwrap_err();
        assert!(matches!(error, Error::Argument(_)), "{error}");
        assert!(buffer.read_raw_async(offset, len).is_err());
    }
}

#[test]
fn buffers_without_contents_have_their_shape() {
    let client = client_with(2);
    let device = &client.devices()[1];
    let buffer =
        // SAFETY: nobody reads the contents.
        unsafe { client.device_buffer(DType::F32, &[3, 2]).on_device(device).uninitialized() }
            .unwrap();
    assert_eq!((buffer.dtype(), buffer.dims()), (DType::F32, &[3i64, 2][..]));
    assert_eq!(buffer.device().unwrap(), *device);
    assert_eq!(buffer.to_vec::<f32>().unwrap().len(), 6);
    let memory = client.devices()[0].default_memory().unwrap();
    let buffer =
        // SAFETY: nobody reads the contents.
        unsafe { client.device_buffer(DType::U8, &[]).in_memory(&memory).uninitialized() }.unwrap();
    assert_eq!(buffer.memory().unwrap(), memory);
    // SAFETY: nobody reads the contents.
    assert!(unsafe { client.device_buffer(DType::F32, &[-1]).uninitialized() }.is_err());
}

#[test]
fn errors_and_promises_as_buffers() {
    let client = client();
    let error = client.device_buffer(DType::F32, &[2]).error(ErrorCode::NotFound, "no such tensor");
    if let Some(buffer) = unless_unimplemented(&[81], error) {
        let error = buffer.wait().unwrap_err();
        assert_eq!(error.code(), ErrorCode::NotFound, "{error}");
        assert!(error.to_string().contains("no such tensor"), "{error}");
    }
    let (alias, promise) = client.device_buffer(DType::F32, &[2]).alias().unwrap();
    let real = client.buffer(&[1.0f32, 2.0], &[2]).unwrap();
    promise.fulfill(&real).unwrap();
    assert_eq!(alias.to_vec::<f32>().unwrap(), [1.0, 2.0]);
    let (alias, promise) = client.device_buffer(DType::F32, &[2]).alias().unwrap();
    promise.fail(ErrorCode::Aborted, "gave up").unwrap();
    assert!(alias.wait().is_err());
    let (alias, promise) = client.device_buffer(DType::F32, &[2]).alias().unwrap();
    drop(promise);
    assert!(alias.wait().is_err());
}

#[test]
fn pinning_memory_is_asked_of_the_plugin() {
    let client = client();
    let memory = AlignedVec::<u8>::with_alignment(4096, 4096).unwrap();
    if let Some(mapping) = unless_unimplemented(&[81, 106, 115], client.dma_map(memory)) {
        assert_eq!(mapping.len(), 4096);
    }
}

#[test]
fn bitcasts_are_checked() {
    let client = client();
    let buffer = client.buffer(&[1.0f32, 2.0], &[2]).unwrap();
    assert!(matches!(buffer.bitcast(DType::F32, &[3], None), Err(Error::Size { .. })));
    if let Some(bits) = unless_unimplemented(&[81], buffer.bitcast(DType::U32, &[2], None)) {
        assert_eq!(bits.to_vec::<u32>().unwrap(), [0x3f80_0000, 0x4000_0000]);
    }
    let buffer = client.buffer(&[1.0f32, 2.0], &[2]).unwrap();
    let donated = unless_unimplemented(&[81, 106], buffer.donate_with_dependency());
    if let Some((buffer, dependency)) = donated {
        dependency.finish(Ok(()));
        assert_eq!(buffer.to_vec::<f32>().unwrap(), [1.0, 2.0]);
    }
}
