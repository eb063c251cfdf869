//! Donation (G12).

use crate::{ADD, ADD_IN_PLACE, client, compile, expect_alive};
use hloom_pjrt::{Alive, Buffer, Client, Donation, Error, ExecuteContext, ExecuteOptions};

fn pair(client: &Client) -> (Buffer, Buffer) {
    let a = client.buffer(&[1.0f32, 2.0], &[2]).unwrap();
    let b = client.buffer(&[10.0f32, 20.0], &[2]).unwrap();
    (a, b)
}

/// G12: arguments are donated by a mask or by index, and a result takes their memory.
#[test]
fn a_donated_buffer_is_an_error_afterwards() {
    let client = client();
    let executable = compile(&client, ADD_IN_PLACE);
    let signature = executable.signature().unwrap();
    assert_eq!(signature.donatable_parameters(), Some(vec![0]));
    for donation in [Donation::Mask(&[true, false]), Donation::Indices(&[0])] {
        let (a, b) = pair(&client);
        let address = a.unsafe_pointer().unwrap();
        let results =
            executable.execute(&[&a, &b], &ExecuteOptions::new().donate(donation)).unwrap();
        assert_eq!(results[0].to_vec::<f32>().unwrap(), [11.0, 22.0]);
        assert_eq!(results[0].unsafe_pointer().unwrap(), address, "in place");
        assert!(a.is_donated() && a.is_deleted().unwrap() && !b.is_donated());
        assert_eq!(a.dims(), [2], "the shape stays");
        let errors = [
            a.to_vec::<f32>().unwrap_err(),
            a.ready_event().unwrap_err(),
            a.delete().unwrap_err(),
            executable.execute(&[&a, &b], &ExecuteOptions::new()).unwrap_err(),
            executable.execute(&[&b, &a], &ExecuteOptions::new()).unwrap_err(),
        ];
        for error in errors {
            assert!(matches!(error, Error::Donated { .. }), "{error}");
        }
        assert_eq!(b.to_vec::<f32>().unwrap(), [10.0, 20.0]);
    }
}

#[test]
fn nothing_is_donated_unless_it_is_said() {
    let client = client();
    let executable = compile(&client, ADD_IN_PLACE);
    let (a, b) = pair(&client);
    for donation in [Donation::None, Donation::Mask(&[false, false]), Donation::Indices(&[])] {
        for _ in 0..2 {
            let options = ExecuteOptions::new().donate(donation);
            let results = executable.execute(&[&a, &b], &options).unwrap();
            assert_eq!(results[0].to_vec::<f32>().unwrap(), [11.0, 22.0]);
            assert_eq!(a.to_vec::<f32>().unwrap(), [1.0, 2.0]);
        }
    }
}

/// G12: all arguments are donated at once.
#[test]
fn all_donates_all_whatever_the_program_can_use() {
    let client = client();
    for program in [ADD, ADD_IN_PLACE] {
        let executable = compile(&client, program);
        let (a, b) = pair(&client);
        let options = ExecuteOptions::new().donate(Donation::All);
        let results = executable.execute(&[&a, &b], &options).unwrap();
        assert_eq!(results[0].to_vec::<f32>().unwrap(), [11.0, 22.0]);
        assert!(a.is_donated() && b.is_donated());
        assert!(matches!(b.to_vec::<f32>(), Err(Error::Donated { .. })));
    }
}

#[test]
fn the_same_buffer_cannot_be_donated_and_used() {
    let client = client();
    let executable = compile(&client, ADD_IN_PLACE);
    let (a, _) = pair(&client);
    let options = ExecuteOptions::new().donate(Donation::Indices(&[0]));
    let error = executable.execute(&[&a, &a], &options).unwrap_err();
    assert!(error.to_string().to_lowercase().contains("donat"), "{error}");
    assert!(!a.is_donated(), "nothing was launched");
    assert_eq!(a.to_vec::<f32>().unwrap(), [1.0, 2.0]);
    let twice = ExecuteOptions::new().donate(Donation::All);
    assert!(matches!(executable.execute(&[&a, &a], &twice), Err(Error::Donated { .. })));
    assert_eq!(a.to_vec::<f32>().unwrap(), [1.0, 2.0], "and given back");
}

#[test]
fn donated_states_are_updated_with_a_context() {
    let client = client();
    let executable = compile(&client, ADD_IN_PLACE);
    let context = ExecuteContext::new(&client).unwrap();
    context.keep(Box::new(vec![1u8]));
    let b = client.buffer(&[1.0f32, 1.0], &[2]).unwrap();
    let mut state = client.buffer(&[0.0f32, 10.0], &[2]).unwrap();
    let mut outputs = Vec::with_capacity(1);
    for _ in 0..5 {
        let location = c"donation.rs:1:1".to_owned();
        let options = ExecuteOptions::new()
            .donate(Donation::Indices(&[0]))
            .context(&context)
            .call_location(&location);
        executable.execute_into([&state, &b], &options, &mut outputs).unwrap();
        drop(location);
        assert!(state.is_donated() && state.is_deleted().unwrap());
        state = outputs.pop().unwrap();
    }
    drop(context);
    assert_eq!(state.to_vec::<f32>().unwrap(), [5.0, 15.0]);
    drop((outputs, state, b, executable));
    expect_alive(&client, Alive::default());
}

#[test]
fn a_buffer_that_is_declared_donated_is_an_error_afterwards() {
    let client = client();
    let executable = compile(&client, ADD);
    let (a, b) = pair(&client);
    a.mark_donated();
    assert!(a.is_donated() && a.is_deleted().unwrap() && !b.is_donated());
    let error = executable.execute(&[&a, &b], &ExecuteOptions::new()).unwrap_err();
    assert!(matches!(error, Error::Donated { .. }), "{error}");
    assert!(matches!(a.to_vec::<f32>(), Err(Error::Donated { .. })));
}

#[test]
fn a_view_forbids_donation() {
    let client = client();
    let executable = compile(&client, ADD_IN_PLACE);
    let (a, b) = pair(&client);
    let options = ExecuteOptions::new().donate(Donation::Indices(&[0]));
    let view = a.host_view().unwrap();
    assert_eq!(view.as_slice::<f32>().unwrap(), [1.0, 2.0]);
    let error = executable.execute(&[&a, &b], &options).unwrap_err();
    assert!(matches!(error, Error::Viewed { .. }), "{error}");
    assert!(matches!(a.delete(), Err(Error::Viewed { .. })));
    drop(view);
    executable.execute(&[&a, &b], &options).unwrap();
    assert!(a.is_donated());
}

#[test]
fn masks_and_indices_are_checked() {
    let client = client();
    let executable = compile(&client, ADD_IN_PLACE);
    let (a, b) = pair(&client);
    for donation in [Donation::Mask(&[true]), Donation::Mask(&[true; 3]), Donation::Indices(&[2])] {
        let options = ExecuteOptions::new().donate(donation);
        assert!(executable.execute(&[&a, &b], &options).is_err(), "{donation:?}");
        assert!(!a.is_donated() && !b.is_donated());
    }
}

#[test]
fn aliases_show_in_the_memory_statistics() {
    let client = client();
    let stats = compile(&client, ADD_IN_PLACE).executable().memory_stats().unwrap();
    assert_eq!((stats.arguments, stats.outputs, stats.aliases), (16, 8, 8));
    let stats = compile(&client, ADD).executable().memory_stats().unwrap();
    assert_eq!(stats.aliases, 0);
}

#[test]
fn a_caller_may_say_the_signature_without_the_aliases() {
    let client = client();
    let executable = compile(&client, ADD_IN_PLACE);
    let spec = || hloom_pjrt::Spec::new(hloom_pjrt::DType::F32, [2]);
    assert!(executable.set_signature(&hloom_pjrt::Signature::new([spec(), spec()])));
    assert!(!executable.set_signature(&hloom_pjrt::Signature::new([])), "only the first counts");
    let (a, b) = pair(&client);
    executable.execute(&[&a, &b], &ExecuteOptions::new()).unwrap();
    assert_eq!(a.to_vec::<f32>().unwrap(), [1.0, 2.0], "kept, though the program would take it");
    executable.execute(&[&a, &b], &ExecuteOptions::new().donate(Donation::Indices(&[0]))).unwrap();
    assert!(a.is_donated());
}
