//! Memory that host and plugin share: for interpreters and sanitizers above all.

use fake_plugin::working::Session;
use hloom_pjrt::{AlignedVec, CompileOptions, DType, Donation, ExecuteOptions, Program};
use hloom_test_support::CompileOwn;
use std::{
    future::Future,
    pin::pin,
    task::{Context, Poll, Waker},
};

use crate::{client, script::ADD};

/// Bytes that lie within their owner, as an array's do.
#[repr(align(64))]
struct Inline([u8; 8]);

impl AsRef<[u8]> for Inline {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl AsMut<[u8]> for Inline {
    fn as_mut(&mut self) -> &mut [u8] {
        &mut self.0
    }
}

impl Inline {
    fn of(values: [f32; 2]) -> Self {
        let mut bytes = [0; 8];
        bytes[..4].copy_from_slice(&values[0].to_le_bytes());
        bytes[4..].copy_from_slice(&values[1].to_le_bytes());
        Self(bytes)
    }
}

#[test]
fn an_owner_that_holds_its_bytes_itself_stays_where_it_is() {
    let session = Session::begin();
    let client = client(&session);
    let one = client.buffer(&[1f32; 2], &[2]).expect("a buffer");
    let add = client.compile_own(&Program::mlir(ADD), &CompileOptions::new()).expect("compiles");
    let (buffer, lease) =
        client.host_buffer(DType::F32, &[2]).zero_copy(Inline::of([1.0, 2.0])).expect("lends");
    let sum = add.execute(&[&buffer, &one], &ExecuteOptions::new()).expect("executes");
    assert_eq!(sum[0].to_vec::<f32>().expect("reads"), [2.0, 3.0]);
    drop((buffer, sum));
    assert_eq!(lease.wait().expect("over").0, Inline::of([1.0, 2.0]).0);
    // The execution writes its result into the owner.
    let lent = client.host_buffer(DType::F32, &[2]).zero_copy_mut(Inline::of([1.0, 2.0]));
    let (buffer, lease) = lent.expect("lends");
    let options = ExecuteOptions::new().donate(Donation::Mask(&[true, false]));
    let sum = add.execute(&[&buffer, &one], &options).expect("executes");
    assert_eq!(sum[0].to_vec::<f32>().expect("reads"), [2.0, 3.0]);
    drop((buffer, sum));
    assert_eq!(lease.wait().expect("over").0, Inline::of([2.0, 3.0]).0);
    // Sent to the device only when the plugin processes it.
    session.hold();
    let (buffer, lease) =
        client.host_buffer(DType::F32, &[2]).transfer(Inline::of([5.0, 6.0])).expect("lends");
    let moved = Box::new(lease);
    session.release();
    assert_eq!(buffer.to_vec::<f32>().expect("reads"), [5.0, 6.0]);
    assert_eq!(moved.wait().expect("over").0, Inline::of([5.0, 6.0]).0);
    let mapping = client.dma_map(Inline::of([0.0; 2])).expect("maps");
    let moved = Box::new(mapping);
    assert_eq!(moved.as_ref().as_ref(), [0; 8]);
    drop((buffer, one, add, moved, client));
    session.assert_clean();
}

#[test]
fn views_see_what_the_device_wrote_and_forbid_donation() {
    let session = Session::begin();
    let client = client(&session);
    let add = client.compile_own(&Program::mlir(ADD), &CompileOptions::new()).expect("compiles");
    let a = client.buffer(&[1f32, 2.0], &[2]).expect("a buffer");
    let sum = add.execute(&[&a, &a], &ExecuteOptions::new()).expect("executes").remove(0);
    let (view, bytes) = (sum.host_view().expect("a view"), sum.host_view().expect("a view"));
    assert_eq!(view.as_slice::<f32>().expect("floats"), [2.0, 4.0]);
    assert_eq!(bytes.as_bytes().len(), 8);
    let options = ExecuteOptions::new().donate(Donation::All);
    assert!(add.execute(&[&sum, &a], &options).is_err() && sum.delete().is_err(), "viewed");
    assert_eq!(a.to_vec::<f32>().expect("still there"), [1.0, 2.0]);
    drop((view, bytes));
    assert!(add.execute(&[&sum, &a], &options).is_ok());
    drop((a, sum, add, client));
    session.assert_clean();
}

#[test]
fn shared_memory_is_written_between_executions() {
    let session = Session::begin();
    let client = client(&session);
    let add = client.compile_own(&Program::mlir(ADD), &CompileOptions::new()).expect("compiles");
    let memory = AlignedVec::from_slice(&[0f32; 2]).expect("memory");
    let mut shared = client.shared_buffer(memory, &[2], None).expect("a buffer");
    for step in 0..3 {
        shared.write().expect("nothing reads").fill(step as f32);
        let sum = add
            .execute(&[shared.buffer(), shared.buffer()], &ExecuteOptions::new())
            .expect("executes");
        let read = shared.read().expect("reading is allowed");
        assert_eq!(
            (read[0], sum[0].to_vec::<f32>().expect("reads")[1]),
            (step as f32, 2.0 * step as f32)
        );
    }
    let buffer = shared.into_buffer();
    let options = ExecuteOptions::new().donate(Donation::Indices(&[0]));
    let zero = client.buffer(&[0f32; 2], &[2]).expect("a buffer");
    let sum = add.execute(&[&buffer, &zero], &options).expect("executes");
    drop((buffer, zero, add));
    assert_eq!(sum[0].to_vec::<f32>().expect("reads"), [2.0; 2]);
    drop((sum, client));
    session.assert_clean();
}

#[test]
fn threads_execute_one_program_at_a_time_each() {
    let session = Session::begin();
    let client = client(&session);
    let add = client.compile_own(&Program::mlir(ADD), &CompileOptions::new()).expect("compiles");
    let a = client.buffer(&[1f32, 2.0], &[2]).expect("a buffer");
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for _ in 0..10 {
                    let sum = add.execute(&[&a, &a], &ExecuteOptions::new()).expect("executes");
                    assert_eq!(sum[0].to_vec::<f32>().expect("reads"), [2.0, 4.0]);
                    let view = a.host_view().expect("a view");
                    assert_eq!(view.as_slice::<f32>().expect("floats"), [1.0, 2.0]);
                }
            });
        }
    });
    drop((a, add, client));
    session.assert_clean();
}

#[test]
fn events_are_futures() {
    let session = Session::begin();
    let client = client(&session);
    let host = client.host_event().expect("an event");
    let second = client.host_event().expect("an event");
    assert!(!host.event().is_ready().expect("it is asked"));
    let mut event = pin!(host.set(Ok(())).expect("it happens"));
    let mut context = Context::from_waker(Waker::noop());
    assert!(matches!(event.as_mut().poll(&mut context), Poll::Ready(Ok(()))));
    let failed = second.set(Err((hloom_pjrt::ErrorCode::Aborted, "stopped"))).expect("it happens");
    let error = failed.wait().expect_err("set to an error");
    assert!(error.to_string().contains("stopped"), "{error}");
    let lease = client.host_buffer(DType::U8, &[3]).transfer(vec![1u8, 2, 3]).expect("lends").1;
    let mut lease = pin!(lease);
    assert!(matches!(lease.as_mut().poll(&mut context), Poll::Ready(Ok(_))));
    drop((failed, client));
}

#[test]
fn a_client_dropped_in_a_callback_is_destroyed_on_another_thread() {
    let session = Session::begin();
    let client = client(&session);
    session.hold();
    let a = client.buffer(&[1f32, 2.0], &[2]).expect("a buffer");
    let event = a.copy_to_device(&client.addressable_device(1).expect("two devices"));
    let event = event.and_then(|copy| copy.ready_event()).expect("an event");
    drop(a);
    event.on_ready(move |_| drop(client)).expect("registers");
    drop(event);
    session.release();
    // Waits until nothing is alive.
    session.destroy_spared();
    session.assert_clean();
}
