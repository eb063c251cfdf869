//! Events (G14).

use crate::{ADD, SLEEP, client, compile, eventually, with_handlers};
use hloom_pjrt::{Alive, Buffer, Client, ErrorCode, Event, ExecuteOptions};
use hloom_test_support::Child;
use std::{
    future::Future,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    task::{Context, Poll, Wake, Waker},
    time::{Duration, Instant},
};

/// A buffer whose data arrives only through `manager`.
fn pending(client: &Client) -> (hloom_pjrt::TransferManager, Buffer) {
    let spec = hloom_pjrt::Spec::new(hloom_pjrt::DType::S32, [2]);
    let manager = client.transfer_manager(&[spec], None).unwrap();
    let buffer = manager.take_buffer(0).unwrap();
    (manager, buffer)
}

fn finish(manager: &hloom_pjrt::TransferManager) {
    manager.copy(0, 0, hloom_pjrt::as_bytes(&[1i32, 2]), true).unwrap();
}

/// G14: an event is waited for and polled.
#[test]
fn an_event_is_waited_for_and_polled() {
    let client = client();
    let (manager, buffer) = pending(&client);
    let event = buffer.ready_event().unwrap();
    assert!(!event.is_ready().unwrap());
    assert!(!event.wait_timeout(Duration::from_millis(5)).unwrap());
    std::thread::scope(|scope| {
        let waiter = scope.spawn(|| event.wait());
        std::thread::sleep(Duration::from_millis(10));
        finish(&manager);
        waiter.join().unwrap().unwrap();
    });
    assert!(event.is_ready().unwrap());
    assert!(event.wait_timeout(Duration::ZERO).unwrap());
    event.wait().unwrap();
    assert!(format!("{event:?}").contains("true"));
}

#[test]
fn callbacks_are_called_once_whenever_they_come() {
    let client = client();
    let (manager, buffer) = pending(&client);
    let event = buffer.ready_event().unwrap();
    let (sender, receiver) = mpsc::channel();
    for index in 0..3 {
        let sender = sender.clone();
        event.on_ready(move |outcome| sender.send((index, outcome.is_ok())).unwrap()).unwrap();
    }
    assert!(receiver.try_recv().is_err(), "not yet");
    // Dropped before it happens: the callbacks run all the same.
    drop(event);
    finish(&manager);
    let mut seen: Vec<_> =
        (0..3).map(|_| receiver.recv_timeout(Duration::from_secs(20)).unwrap()).collect();
    seen.sort_unstable();
    assert_eq!(seen, [(0, true), (1, true), (2, true)]);
    let late = buffer.ready_event().unwrap();
    late.on_ready(move |outcome| sender.send((9, outcome.is_ok())).unwrap()).unwrap();
    assert_eq!(receiver.recv_timeout(Duration::from_secs(20)).unwrap(), (9, true));
    assert!(receiver.recv_timeout(Duration::from_millis(20)).is_err(), "nothing twice");
}

#[test]
fn callbacks_get_the_error() {
    let client = client();
    let (manager, buffer) = pending(&client);
    let event = buffer.ready_event().unwrap();
    let (sender, receiver) = mpsc::channel();
    let second = sender.clone();
    event.on_ready(move |outcome| sender.send(outcome).unwrap()).unwrap();
    manager.set_error(0, ErrorCode::Aborted, "given up").unwrap();
    let error = receiver.recv_timeout(Duration::from_secs(20)).unwrap().unwrap_err();
    assert_eq!(error.code(), ErrorCode::Aborted);
    assert!(error.to_string().contains("given up"), "{error}");
    event.on_ready(move |outcome| second.send(outcome).unwrap()).unwrap();
    assert!(receiver.recv_timeout(Duration::from_secs(20)).unwrap().is_err(), "afterwards too");
    assert_eq!(event.wait().unwrap_err().code(), ErrorCode::Aborted);
    assert_eq!(event.wait_timeout(Duration::ZERO).unwrap_err().code(), ErrorCode::Aborted);
}

#[test]
fn a_panic_in_a_callback_stays_there() {
    let client = client();
    let (manager, buffer) = pending(&client);
    let event = buffer.ready_event().unwrap();
    event.on_ready(|_| panic!("in a callback")).unwrap();
    finish(&manager);
    event.wait().unwrap();
    assert_eq!(buffer.to_vec::<i32>().unwrap(), [1, 2]);
}

#[test]
fn the_end_of_the_process_waits_for_callbacks() {
    let ended = Child::ignored("event::child_exits_before_its_callback").run();
    assert_eq!(ended.status.and_then(|status| status.code()), Some(7), "{}", ended.text());
    assert!(ended.stderr.contains("the callback ran"), "{}", ended.text());
}

#[test]
#[ignore = "run by the test above"]
fn child_exits_before_its_callback() {
    let client = client();
    drop(compile(&client, ADD));
    let (manager, buffer) = pending(&client);
    let event = buffer.ready_event().unwrap();
    event.on_ready(|_| eprintln!("the callback ran")).unwrap();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(200));
        finish(&manager);
    });
    std::process::exit(7);
}

/// Wakes by unparking the thread that blocks.
struct Unpark(std::thread::Thread, AtomicUsize);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.1.fetch_add(1, Ordering::SeqCst);
        self.0.unpark();
    }
}

/// Runs a future to its end; returns its value and how often it was woken.
fn block_on<F: Future + Unpin>(mut future: F) -> (F::Output, usize) {
    let wake = Arc::new(Unpark(std::thread::current(), AtomicUsize::new(0)));
    let waker = Waker::from(Arc::clone(&wake));
    let mut context = Context::from_waker(&waker);
    loop {
        match Pin::new(&mut future).poll(&mut context) {
            Poll::Ready(value) => return (value, wake.1.load(Ordering::SeqCst)),
            Poll::Pending => std::thread::park_timeout(Duration::from_secs(20)),
        }
    }
}

#[test]
fn events_transfers_and_leases_are_futures() {
    let client = client();
    let (manager, buffer) = pending(&client);
    let event = buffer.ready_event().unwrap();
    let transfer = buffer.to_vec_async::<i32>().unwrap();
    let finisher = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(20));
        finish(&manager);
    });
    let (outcome, woken) = block_on(event);
    outcome.unwrap();
    assert!(woken >= 1, "it slept and was woken");
    assert_eq!(block_on(transfer).0.unwrap(), [1, 2]);
    let builder = client.host_buffer(hloom_pjrt::DType::U8, &[2]);
    let (_buffer, lease) = builder.transfer(vec![1u8, 2]).unwrap();
    assert_eq!(block_on(lease).0.unwrap(), [1, 2]);
    finisher.join().unwrap();
}

#[test]
fn a_future_that_is_dropped_does_no_harm() {
    let client = client();
    let (manager, buffer) = pending(&client);
    let mut event = buffer.ready_event().unwrap();
    let waker = Waker::noop();
    assert!(Pin::new(&mut event).poll(&mut Context::from_waker(waker)).is_pending());
    assert!(
        Pin::new(&mut event).poll(&mut Context::from_waker(waker)).is_pending(),
        "polled again"
    );
    drop(event);
    drop(buffer.to_vec_async::<i32>().unwrap());
    finish(&manager);
    drop((manager, buffer));
    crate::expect_alive(&client, Alive::default());
}

#[test]
fn executions_complete_after_they_are_launched() {
    with_handlers();
    let client = client();
    let executable = compile(&client, SLEEP);
    let time = client.scalar(50i32).unwrap();
    let execution = executable.execute_sharded(&[&[&time]], &ExecuteOptions::new()).unwrap();
    let complete: &Event = &execution.complete[0];
    complete.wait().unwrap();
    let start = Instant::now();
    assert_eq!(execution.outputs[0][0].to_scalar::<i32>().unwrap(), 50);
    assert!(start.elapsed() < Duration::from_secs(5));
    drop(execution);
    eventually("the events to go", || client.alive().events == 0);
}
