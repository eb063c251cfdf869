//! Events that do not happen: nothing is freed before, and no drop waits.

use fake_plugin::working::Session;
use hloom_pjrt::{
    AlignedVec, CompileOptions, DType, Donation, ExecuteContext, ExecuteOptions, Program, Spec,
};
use hloom_test_support::CompileOwn;
use std::{
    future::Future,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll, Wake},
    time::Duration,
};

use crate::{client, script::ADD};

/// Host memory that counts how often it was freed.
struct Counted(Box<[u8]>, Arc<AtomicUsize>);

impl AsRef<[u8]> for Counted {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.1.fetch_add(1, Ordering::SeqCst);
    }
}

struct Woken(AtomicUsize);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn memory_that_is_lent_is_freed_by_whoever_lets_go_of_it() {
    let session = Session::begin();
    let client = client(&session);
    session.hold();
    let freed = Arc::new(AtomicUsize::new(0));
    let owner = |len: usize| Counted(vec![7; len].into(), Arc::clone(&freed));
    let (first, lease) = client.host_buffer(DType::U8, &[4]).transfer(owner(4)).expect("starts");
    drop(lease);
    let (second, lease) = client.host_buffer(DType::U8, &[4]).transfer(owner(4)).expect("starts");
    drop(second);
    assert!(!lease.is_over().expect("it is asked"));
    assert!(!lease.event().wait_timeout(Duration::from_millis(1)).expect("it is asked"));
    let manager = client.transfer_manager(&[Spec::new(DType::U8, [4])], None).expect("a manager");
    drop(manager.transfer(0, 0, owner(4), true).expect("starts"));
    drop(manager);
    assert_eq!(freed.load(Ordering::SeqCst), 0, "the plugin still reads");
    session.release();
    assert_eq!(freed.load(Ordering::SeqCst), 2, "all but the one whose lease is there");
    assert_eq!(lease.wait().expect("over").as_ref(), [7; 4]);
    assert_eq!(freed.load(Ordering::SeqCst), 3);
    assert_eq!(first.to_vec::<u8>().expect("reads"), [7; 4]);
    drop(first);
    assert!(client.shutdown().is_ok());
    session.assert_clean();
}

#[test]
fn reads_that_are_dropped_write_into_memory_that_is_still_there() {
    let session = Session::begin();
    let client = client(&session);
    let buffer = client.buffer(&[1f32, 2.0], &[2]).expect("a buffer");
    session.hold();
    drop(buffer.to_vec_async::<f32>().expect("starts"));
    drop(buffer.read_raw_async(0, 4).expect("starts"));
    let mut transfer = Box::pin(buffer.to_vec_async::<f32>().expect("starts"));
    let woken = Arc::new(Woken(AtomicUsize::new(0)));
    let waker = Arc::clone(&woken).into();
    let mut context = Context::from_waker(&waker);
    assert!(transfer.as_mut().poll(&mut context).is_pending());
    assert!(transfer.as_mut().poll(&mut context).is_pending());
    drop(buffer);
    assert_eq!(session.release(), 3);
    assert_eq!(woken.0.load(Ordering::SeqCst), 1, "one callback for all polls");
    match transfer.as_mut().poll(&mut context) {
        Poll::Ready(values) => assert_eq!(values.expect("reads"), [1.0, 2.0]),
        Poll::Pending => panic!("it has happened"),
    }
    drop(transfer);
    drop(client);
    session.assert_clean();
}

#[test]
fn a_poll_that_fails_keeps_the_memory_of_the_read() {
    let session = Session::begin();
    let client = client(&session);
    let buffer = client.buffer(&[1f32, 2.0], &[2]).expect("a buffer");
    session.hold();
    let transfer = buffer.to_vec_async::<f32>().expect("starts");
    session.fail(0, fake_plugin::working::Fault::Error);
    {
        let mut transfer = pin!(transfer);
        let waker = Arc::new(Woken(AtomicUsize::new(0))).into();
        let polled = transfer.as_mut().poll(&mut Context::from_waker(&waker));
        assert!(matches!(polled, Poll::Ready(Err(_))), "{polled:?}");
    }
    assert_eq!(session.faulted(), ["PJRT_Event_IsReady"]);
    // Writes to freed memory if the vector is gone.
    assert_eq!(session.release(), 1);
    drop((buffer, client));
    session.assert_clean();
}

#[test]
fn nothing_waits_to_be_dropped() {
    let session = Session::begin();
    let client = client(&session);
    let add = client.compile_own(&Program::mlir(ADD), &CompileOptions::new()).expect("compiles");
    let both = format!("{ADD} on 2");
    let both = client.compile_own(&Program::mlir(&both), &CompileOptions::new()).expect("compiles");
    let a = client.buffer(&[1f32, 2.0], &[2]).expect("a buffer");
    let b = a.copy_to_device(&client.addressable_device(1).expect("two devices")).expect("copies");
    session.hold();
    let context = ExecuteContext::new(&client).expect("a context");
    let options = ExecuteOptions::new().context(&context);
    let results = add.execute(&[&a, &a], &options).expect("launches");
    assert!(context.is_shared(), "until the execution ends");
    let twice = add.execute(&[&a, &a], &ExecuteOptions::new().donate(Donation::All));
    assert!(twice.is_err() && !a.is_donated(), "an argument is there twice");
    let copy = results[0].copy_to_device(&client.addressable_device(1).expect("two devices"));
    // As many as may be in flight before one is waited for.
    let mut executions = Vec::new();
    for _ in 0..8 {
        executions.push(both.execute_sharded(&[&[&a, &a], &[&b, &b]], &ExecuteOptions::new()));
    }
    let memory = AlignedVec::from_slice(&[1f32; 2]).expect("memory");
    let shared = client.shared_buffer(memory, &[2], None).expect("a buffer");
    drop(add.execute(&[shared.buffer(), &a], &ExecuteOptions::new()).expect("launches"));
    let (alias, promise) = client.device_buffer(DType::F32, &[2]).alias().expect("an alias");
    let ready = alias.ready_event().expect("an event");
    assert!(!ready.wait_timeout(Duration::from_millis(1)).expect("it is asked"));
    let event = client.host_event().expect("an event");
    let mut unread = Vec::new();
    add.execute_into([&a, &a], &ExecuteOptions::new(), &mut unread).expect("launches");
    drop((results, copy, executions, shared, alias, ready, event, unread));
    drop((add, both, context, promise));
    drop((a, b));
    let client = client.shutdown().expect_err("what runs keeps the client");
    drop(client);
    assert!(session.release() > 10);
    // The last handle was dropped in a callback, so another thread destroys the client.
    session.destroy_spared();
    session.assert_clean();
}

#[test]
fn a_callback_runs_although_its_event_was_dropped() {
    let session = Session::begin();
    let client = client(&session);
    let (sender, receiver) = std::sync::mpsc::channel();
    let buffer = client.buffer(&[1f32, 2.0], &[2]).expect("a buffer");
    session.hold();
    let event = buffer.copy_to_device(&client.addressable_device(1).expect("two devices"));
    let event = event.and_then(|copy| copy.ready_event()).expect("an event");
    let send = move |outcome: hloom_pjrt::Result<()>| {
        sender.send(outcome.is_ok()).expect("the test waits")
    };
    event.on_ready(send).expect("registers");
    drop(event);
    assert!(receiver.try_recv().is_err());
    session.release();
    assert_eq!(receiver.try_recv(), Ok(true));
    drop((buffer, client));
    session.assert_clean();
}
