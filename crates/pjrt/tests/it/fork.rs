//! Processes that are forked from one with a client.

use crate::{ADD, SLEEP, client, compile, in_child, plugin, with_handlers};
use hloom_pjrt::{
    AlignedVec, DType, Error, ExecuteContext, ExecuteOptions, Result,
    extension::ffi::{CallFrame, Handler, HandlerError, Handlers},
};
use hloom_test_support::CompileOwn;
use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

/// Forks, runs `work` in the child, and returns its status, or `None` if it had to be killed.
fn fork(work: impl FnOnce()) -> Option<i32> {
    // SAFETY: the child runs this function's closure and ends, without going back to the test.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
        // SAFETY: ends the process without running the parent's exit handlers.
        unsafe { libc::_exit(i32::from(outcome.is_err())) };
    }
    assert!(child > 0, "fork: {}", std::io::Error::last_os_error());
    let start = Instant::now();
    let mut status = 0;
    // SAFETY: the child is ours, and the status a local.
    while unsafe { libc::waitpid(child, &mut status, libc::WNOHANG) } == 0 {
        if start.elapsed() > Duration::from_secs(20) {
            // SAFETY: as above.
            unsafe {
                libc::kill(child, libc::SIGKILL);
                libc::waitpid(child, &mut status, 0);
            }
            return None;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    Some(status)
}

#[track_caller]
fn refused<T>(outcome: Result<T>) {
    let Err(error) = outcome else {
        panic!("it was not refused");
    };
    assert!(matches!(error, Error::Forked { .. }), "{error}");
    assert!(error.to_string().contains("this process was forked"), "{error}");
}

#[test]
fn a_forked_process_gets_errors_and_drops_what_it_has() {
    in_child("fork::child_forks", &[]);
}

struct Unused;

impl Handler for Unused {
    fn call(_: &mut CallFrame<'_>) -> std::result::Result<(), HandlerError> {
        Err("never called".into())
    }
}

#[test]
#[ignore = "forks: run by `a_forked_process_gets_errors_and_drops_what_it_has` in a process of its \
            own"]
fn child_forks() {
    with_handlers();
    let ffi = plugin().ffi().unwrap();
    let stop = AtomicBool::new(false);
    let client = client();
    let add = compile(&client, ADD);
    let input = client.buffer(&[1.0f32, 2.0], &[2]).unwrap();
    let options = ExecuteOptions::new();
    std::thread::scope(|scope| {
        // Threads that may hold any lock at the time.
        for _ in 0..2 {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    let results = add.execute(&[&input, &input], &options).unwrap();
                    assert_eq!(results[0].to_vec::<f32>().unwrap(), [2.0, 4.0]);
                }
            });
        }
        for round in 0..5 {
            let sleep = compile(&client, SLEEP);
            let time = client.buffer(&[300i32], &[]).unwrap();
            let (add, input) = (add.clone(), &input);
            let mut outputs = Vec::with_capacity(2);
            add.execute_into([input, input], &options, &mut outputs).unwrap();
            let mut shared = client
                .shared_buffer(AlignedVec::from_slice(&[300i32]).unwrap(), &[], None)
                .unwrap();
            let used = sleep.execute(&[shared.buffer()], &options).unwrap();
            let running = sleep.execute(&[&time], &options).unwrap().remove(0);
            let event = running.ready_event().unwrap();
            let transfer = running.to_vec_async::<i32>().unwrap();
            let owner = AlignedVec::from_slice(&[1.0f32, 2.0]).unwrap();
            let (lent, lease) = client.host_buffer(DType::F32, &[2]).zero_copy_mut(owner).unwrap();
            let view = input.host_view().unwrap();
            let (client, sleep) = (client.clone(), sleep.clone());
            let status = fork(move || {
                refused(client.buffer(&[1.0f32], &[1]));
                refused(client.compile_own(&hloom_pjrt::Program::mlir(ADD), &Default::default()));
                refused(sleep.execute(&[&time], &options));
                refused(sleep.executable().serialize());
                refused(add.execute_into([input, input], &options, &mut outputs));
                refused(running.wait());
                refused(running.to_vec::<i32>());
                refused(running.copy_to_device(&client.devices()[0]));
                refused(running.external_reference());
                refused(event.wait());
                refused(event.is_ready());
                refused(event.wait_timeout(Duration::from_secs(100)));
                refused(event.on_ready(|_| ()));
                refused(shared.write());
                refused(shared.into_memory());
                refused(lease.wait());
                refused(ExecuteContext::new(&client));
                refused(plugin().client_builder().build());
                refused(ffi.register("test.forked", &Handlers::new::<Unused>()));
                // Calls that do not need the plugin still work.
                assert_eq!((running.dims(), view.as_bytes().len()), (&[][..], 8));
                drop((
                    used, lent, transfer, view, running, event, outputs, add, sleep, time, client,
                ));
            });
            assert_eq!(status, Some(0), "round {round}");
        }
        // A child that ends in the ordinary way.
        // SAFETY: ends the process.
        let status = fork(|| unsafe { libc::exit(0) });
        stop.store(true, Ordering::Relaxed);
        assert_eq!(status, Some(0), "the child exits");
    });
    let results = add.execute(&[&input, &input], &options).unwrap();
    assert_eq!(results[0].to_vec::<f32>().unwrap(), [2.0, 4.0]);
}

#[test]
fn a_process_that_was_forked_before_there_was_a_client_has_its_own() {
    in_child("fork::child_forks_first", &[]);
}

#[test]
#[ignore = "forks: run by `a_process_that_was_forked_before_there_was_a_client_has_its_own` in a \
            process of its own"]
fn child_forks_first() {
    let status = fork(|| {
        let client = client();
        let add = compile(&client, ADD);
        let input = client.buffer(&[1.0f32, 2.0], &[2]).unwrap();
        let results = add.execute(&[&input, &input], &ExecuteOptions::new()).unwrap();
        assert_eq!(results[0].to_vec::<f32>().unwrap(), [2.0, 4.0]);
    });
    assert_eq!(status, Some(0));
}
