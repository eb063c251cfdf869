//! Objects that can be used after a call failed.

use fake_plugin::working::{Fault, Session};
use hloom_pjrt::{AlignedVec, CompileOptions, Donation, ExecuteOptions, Program};
use hloom_test_support::CompileOwn;

use crate::{client, script::ADD};

#[test]
fn arguments_of_an_execution_that_did_not_start_are_given_back() {
    for fault in [Fault::Error, Fault::NullMessage, Fault::InvalidUtf8] {
        let session = Session::begin();
        let client = client(&session);
        let add =
            client.compile_own(&Program::mlir(ADD), &CompileOptions::new()).expect("compiles");
        add.signature();
        let (a, b) = (client.buffer(&[1f32, 2.0], &[2]), client.buffer(&[3f32, 4.0], &[2]));
        let (a, b) = (a.expect("a buffer"), b.expect("a buffer"));
        let options = ExecuteOptions::new().donate(Donation::All);
        session.fail(0, fault);
        let error = add.execute(&[&a, &b], &options).expect_err("it fails");
        assert!(error.to_string().contains("PJRT_LoadedExecutable_Execute"), "{error}");
        assert!(!a.is_donated() && !b.is_donated());
        assert_eq!(a.to_vec::<f32>().expect("reads"), [1.0, 2.0]);
        let sum = add.execute(&[&a, &b], &options).expect("executes");
        assert_eq!(sum[0].to_vec::<f32>().expect("reads"), [4.0, 6.0]);
        assert!(a.is_donated() && b.is_donated());
        drop((a, b, sum, add, client));
        session.assert_clean();
    }
}

#[test]
fn an_execution_that_fails_later_keeps_what_it_took() {
    let session = Session::begin();
    let client = client(&session);
    let add = client.compile_own(&Program::mlir(ADD), &CompileOptions::new()).expect("compiles");
    add.signature();
    let a = client.buffer(&[1f32, 2.0], &[2]).expect("a buffer");
    let b = client.buffer(&[3f32, 4.0], &[2]).expect("a buffer");
    session.fail(0, Fault::EventsFail);
    let options = ExecuteOptions::new().donate(Donation::Indices(&[0]));
    let sum = add.execute(&[&a, &b], &options).expect("launches");
    let error = sum[0].to_vec::<f32>().expect_err("the execution failed").to_string();
    assert!(error.contains("PJRT_LoadedExecutable_Execute fails"), "{error}");
    assert!(a.is_donated() && !b.is_donated());
    // A result made from one that is an error becomes an error.
    let next = add.execute(&[&sum[0], &b], &ExecuteOptions::new()).expect("launches");
    assert!(next[0].wait().is_err());
    drop((a, b, sum, next, add, client));
    session.assert_clean();
}

#[test]
fn a_buffer_whose_deletion_failed_is_still_there() {
    let session = Session::begin();
    let client = client(&session);
    let a = client.buffer(&[1f32, 2.0], &[2]).expect("a buffer");
    session.fail(0, Fault::Error);
    assert!(a.delete().is_err());
    assert_eq!(a.to_vec::<f32>().expect("reads"), [1.0, 2.0]);
    a.delete().expect("deletes");
    assert!(a.to_vec::<f32>().is_err());
    drop((a, client));
    session.assert_clean();
}

#[test]
fn a_copy_of_shared_memory_without_an_event_keeps_it_from_being_written() {
    let session = Session::begin();
    let client = client(&session);
    let other = client.addressable_device(1).expect("two devices");
    let memory = AlignedVec::from_slice(&[1f32; 2]).expect("memory");
    let mut shared = client.shared_buffer(memory, &[2], None).expect("a buffer");
    session.fail(1, Fault::Error);
    let error = shared.buffer().copy_to_device(&other).expect_err("its event fails").to_string();
    assert!(error.contains("PJRT_Buffer_ReadyEvent"), "{error}");
    assert!(shared.write().is_err(), "the copy may still read");
    assert_eq!(*shared.read().expect("reading does no harm"), [1.0; 2]);
    drop((shared, other, client));
    session.assert_clean();
}
