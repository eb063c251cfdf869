//! Memory that host and device share (G11).

use crate::{ADD, ADD_IN_PLACE, SLEEP, client, compile, eventually, expect_alive, with_handlers};
use hloom_pjrt::{
    ALIGNMENT, AlignedVec, Alive, DType, Donation, Error, ExecuteOptions, I4, MemoryPlace, Spec,
};
use std::sync::Arc;

/// G11: host and device share the memory of a buffer.
#[test]
fn host_and_device_see_the_same_memory() {
    let client = client();
    let executable = compile(&client, ADD);
    let memory = AlignedVec::from_slice(&[1.0f32, 2.0]).unwrap();
    let address = memory.as_ptr() as usize;
    let mut shared = client.shared_buffer(memory, &[2], None).unwrap();
    assert!(shared.buffer().is_shared());
    assert_eq!(shared.buffer().unsafe_pointer().unwrap(), address);
    for step in 0..50 {
        shared.write().unwrap().copy_from_slice(&[step as f32, 1.0]);
        assert_eq!(&shared.read().unwrap()[..], [step as f32, 1.0]);
        let results = executable
            .execute(&[shared.buffer(), shared.buffer()], &ExecuteOptions::new())
            .unwrap();
        // Written at once again: waits for the execution, which must see the old values.
        shared.write().unwrap().fill(-1.0);
        assert_eq!(results[0].to_vec::<f32>().unwrap(), [2.0 * step as f32, 2.0]);
    }
    let memory = shared.into_memory().unwrap();
    assert_eq!(memory.as_ptr() as usize, address);
    assert_eq!(&memory[..], [-1.0, -1.0]);
    drop(executable);
    expect_alive(&client, Alive::default());
}

#[test]
fn writing_waits_for_executions_and_copies() {
    with_handlers();
    let client = client();
    let executable = compile(&client, SLEEP);
    let mut shared =
        client.shared_buffer(AlignedVec::from_slice(&[30i32]).unwrap(), &[], None).unwrap();
    let results = executable.execute(&[shared.buffer()], &ExecuteOptions::new()).unwrap();
    let copy = shared.buffer().copy_to_device(&client.devices()[0]).unwrap();
    let transfer = shared.buffer().to_vec_async::<i32>().unwrap();
    shared.write().unwrap()[0] = 0;
    assert_eq!(results[0].to_scalar::<i32>().unwrap(), 30);
    assert_eq!(copy.to_scalar::<i32>().unwrap(), 30);
    assert_eq!(transfer.wait().unwrap(), [30]);
    assert_eq!(shared.buffer().to_scalar::<i32>().unwrap(), 0);
}

#[test]
fn readers_forbid_donation_and_donation_forbids_readers() {
    let client = client();
    let executable = compile(&client, ADD_IN_PLACE);
    let mut shared =
        client.shared_buffer(AlignedVec::from_slice(&[1.0f32, 2.0]).unwrap(), &[2], None).unwrap();
    let other = client.buffer(&[1.0f32, 1.0], &[2]).unwrap();
    let donate = ExecuteOptions::new().donate(Donation::Indices(&[0]));
    let reader = shared.read().unwrap();
    let error = executable.execute(&[shared.buffer(), &other], &donate).unwrap_err();
    assert!(matches!(error, Error::Viewed { .. }), "{error}");
    assert_eq!(&reader[..], [1.0, 2.0]);
    drop(reader);
    let results = executable.execute(&[shared.buffer(), &other], &donate).unwrap();
    assert_eq!(results[0].to_vec::<f32>().unwrap(), [2.0, 3.0]);
    assert!(matches!(shared.read(), Err(Error::Donated { .. })));
    assert!(matches!(shared.write(), Err(Error::Donated { .. })));
    assert!(matches!(shared.into_memory(), Err(Error::Donated { .. })));
    drop(results);
    eventually("freeing the memory", || client.alive().host_memory == 0);
}

#[test]
fn shared_memory_outlives_the_handle() {
    let client = client();
    let shared = client
        .shared_buffer(AlignedVec::from_slice(&[5u8; 100]).unwrap(), &[10, 10], None)
        .unwrap();
    let buffer = shared.into_buffer();
    assert_eq!(buffer.to_vec::<u8>().unwrap(), [5; 100]);
    let counters = client.clone();
    drop(client);
    drop(buffer);
    expect_alive(&counters, Alive::default());
}

#[test]
fn wrong_shared_memory_is_refused() {
    let client = client();
    let error =
        client.shared_buffer(AlignedVec::<f32>::zeroed(3).unwrap(), &[2], None).unwrap_err();
    assert!(matches!(error, Error::Size { expected: 2, found: 3, .. }), "{error}");
    assert!(
        client.shared_buffer(AlignedVec::<I4>::zeroed(2).unwrap(), &[2], None).is_err(),
        "packed there"
    );
    let other = crate::client();
    let device = &other.devices()[0];
    let error = client
        .shared_buffer(AlignedVec::<f32>::zeroed(2).unwrap(), &[2], Some(device))
        .unwrap_err();
    assert!(matches!(error, Error::ForeignClient { .. }), "{error}");
    assert_eq!(client.alive(), Alive::default());
}

#[test]
fn buffers_are_made_over_memory_that_exists() {
    let client = client();
    let owner = Arc::new(AlignedVec::from_slice(&[1.0f32, 2.0, 3.0, 4.0]).unwrap());
    let start = owner.as_ptr().cast_mut().cast();
    let spec = Spec::new(DType::F32, [2, 2]);
    let keep: Arc<AlignedVec<f32>> = Arc::clone(&owner);
    // SAFETY: the memory lives as long as its owner, and nobody writes to it.
    let buffer = unsafe { client.view_memory(start, &spec, MemoryPlace::new(), keep) }.unwrap();
    assert_eq!(Arc::strong_count(&owner), 2);
    assert_eq!(buffer.to_vec::<f32>().unwrap(), [1.0, 2.0, 3.0, 4.0]);
    assert_eq!(buffer.dims(), [2, 2]);
    drop(buffer);
    eventually("dropping the owner", || Arc::strong_count(&owner) == 1);
    let keep = Arc::clone(&owner);
    let odd = start.wrapping_byte_add(4);
    let spec = Spec::new(DType::F32, [1]);
    // SAFETY: as above; the plugin refuses the address.
    let error = unsafe { client.view_memory(odd, &spec, MemoryPlace::new(), keep) }.unwrap_err();
    assert!(error.to_string().to_lowercase().contains("align"), "{ALIGNMENT} bytes: {error}");
    assert_eq!(Arc::strong_count(&owner), 1, "the owner is dropped");
    assert_eq!(client.alive(), Alive::default());
}

#[test]
fn views_show_the_contents_where_they_are() {
    let client = client();
    let buffer = client.buffer(&[1.0f32, 2.0], &[2]).unwrap();
    let (first, second) = (buffer.host_view().unwrap(), buffer.host_view().unwrap());
    assert_eq!(first.as_slice::<f32>().unwrap(), [1.0, 2.0]);
    assert_eq!(second.as_bytes().as_ptr() as usize, buffer.unsafe_pointer().unwrap());
    assert!(matches!(first.as_slice::<i32>(), Err(Error::DType { .. })));
    drop(first);
    assert!(matches!(buffer.delete(), Err(Error::Viewed { .. })), "one is left");
    drop(second);
    let reference = buffer.external_reference().unwrap();
    assert_eq!(reference.as_ptr() as usize, buffer.unsafe_pointer().unwrap());
    drop(reference);
    buffer.delete().unwrap();
    assert!(matches!(buffer.host_view(), Err(Error::Deleted { .. })));
    let empty = client.buffer::<f32>(&[], &[0]).unwrap();
    assert_eq!(empty.host_view().unwrap().as_slice::<f32>().unwrap(), [0.0f32; 0]);
    let flags = client.buffer(&[true, false], &[2]).unwrap();
    let view = flags.host_view().unwrap();
    assert_eq!(view.as_bytes(), [1, 0]);
    assert!(view.as_slice::<bool>().is_err());
    assert!(client.buffer(&[I4(1)], &[1]).unwrap().host_view().is_err(), "packed");
}
