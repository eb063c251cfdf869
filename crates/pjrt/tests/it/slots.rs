//! Executions with pointers that the caller keeps.

use crate::{ADD, ADD_IN_PLACE, client, client_with, compile, expect_alive};
use hloom_pjrt::{Alive, CompileOptions, Donation, Error, ExecuteContext, ExecuteOptions, Program};
use hloom_test_support::CompileOwn;

#[test]
fn slots_are_executed_again_and_again() {
    let client = client();
    let executable = compile(&client, ADD);
    let a = client.buffer(&[1.0f32, 2.0], &[2]).unwrap();
    let b = client.buffer(&[10.0f32, 20.0], &[2]).unwrap();
    let mut slots = executable.slots(2).unwrap();
    assert_eq!((slots.num_devices(), slots.num_arguments()), (1, 2));
    slots.set(0, 0, &a).unwrap();
    // SAFETY: arguments that are set live until the end of this function.
    unsafe {
        let error = slots.execute().unwrap_err();
        assert!(error.to_string().contains("not set"), "{error}");
        slots.set(0, 1, &b).unwrap();
        slots.with_events(true);
        for _ in 0..3 {
            slots.execute().unwrap();
            slots.take_event(0).unwrap().wait().unwrap();
            assert!(slots.take_event(0).is_err(), "taken");
            let result = slots.take_output(0, 0).unwrap();
            assert_eq!(result.to_vec::<f32>().unwrap(), [11.0, 22.0]);
            assert!(slots.take_output(0, 0).is_err(), "taken");
        }
        slots.set(0, 1, &a).unwrap();
        slots.execute().unwrap();
        slots.execute().unwrap();
        assert_eq!(slots.take_output(0, 0).unwrap().to_vec::<f32>().unwrap(), [2.0, 4.0]);
        slots.execute().unwrap();
    }
    drop((slots, a, b, executable));
    expect_alive(&client, Alive::default());
}

#[test]
fn wrong_slots_are_refused() {
    let client = client();
    let executable = compile(&client, ADD);
    assert!(matches!(executable.slots(3), Err(Error::Size { expected: 2, found: 3, .. })));
    let a = client.buffer(&[1.0f32, 2.0], &[2]).unwrap();
    let mut slots = executable.slots(2).unwrap();
    assert!(slots.set(1, 0, &a).is_err() && slots.set(0, 2, &a).is_err());
    assert!(slots.take_output(0, 1).is_err() && slots.take_output(1, 0).is_err());
    assert!(slots.take_event(0).is_err() && slots.take_event(7).is_err());
    let foreign = crate::client().buffer(&[1.0f32, 2.0], &[2]).unwrap();
    assert!(matches!(slots.set(0, 0, &foreign), Err(Error::ForeignClient { .. })));
    a.delete().unwrap();
    assert!(matches!(slots.set(0, 0, &a), Err(Error::Deleted { .. })));
    assert!(slots.configure(&ExecuteOptions::new().donate(Donation::Mask(&[true]))).is_err());
}

#[test]
fn slots_donate_and_carry_contexts() {
    let client = client();
    let executable = compile(&client, ADD_IN_PLACE);
    let context = ExecuteContext::new(&client).unwrap();
    context.keep(Box::new(vec![1u8]));
    let mut slots = executable.slots(2).unwrap();
    let location = c"slots.rs:1:1".to_owned();
    let options = ExecuteOptions::new()
        .donate(Donation::Indices(&[0]))
        .context(&context)
        .call_location(&location);
    slots.configure(&options).unwrap();
    drop((location, context));
    let b = client.buffer(&[1.0f32, 1.0], &[2]).unwrap();
    let mut state = client.buffer(&[0.0f32, 10.0], &[2]).unwrap();
    for _ in 0..5 {
        slots.set(0, 0, &state).unwrap();
        slots.set(0, 1, &b).unwrap();
        // SAFETY: both arguments are alive; `state` is not used again.
        unsafe { slots.execute().unwrap() };
        state.mark_donated();
        assert!(state.is_deleted().unwrap());
        state = slots.take_output(0, 0).unwrap();
    }
    assert_eq!(state.to_vec::<f32>().unwrap(), [5.0, 15.0]);
    drop((slots, state, b, executable));
    expect_alive(&client, Alive::default());
}

#[test]
fn slots_of_several_devices() {
    let client = client_with(2);
    let text = "module attributes {mhlo.num_replicas = 2 : i32} {
        func.func @main(%a: tensor<ui32>) -> (tensor<ui32>, tensor<ui32>) {
          %0 = stablehlo.replica_id : tensor<ui32>
          %1 = stablehlo.add %a, %0 : tensor<ui32>
          return %0, %1 : tensor<ui32>, tensor<ui32>
        } }";
    let executable =
        client.compile_own(&Program::mlir(text), &CompileOptions::replicated(2)).unwrap();
    let mut slots = executable.slots(1).unwrap();
    let dims = [];
    let inputs: Vec<_> = client
        .devices()
        .iter()
        .map(|device| {
            let bytes = 100u32.to_ne_bytes();
            client
                .host_buffer(hloom_pjrt::DType::U32, &dims)
                .to_device(device)
                .copy(&bytes)
                .unwrap()
        })
        .collect();
    slots.set(0, 0, &inputs[0]).unwrap();
    slots.set(1, 0, &inputs[1]).unwrap();
    assert_eq!(slots.arguments_mut().len(), 2);
    // SAFETY: the inputs are alive.
    unsafe { slots.execute().unwrap() };
    for device in 0..2u32 {
        let id = slots.take_output(device as usize, 0).unwrap();
        let sum = slots.take_output(device as usize, 1).unwrap();
        assert_eq!(id.to_scalar::<u32>().unwrap(), device);
        assert_eq!(sum.to_scalar::<u32>().unwrap(), 100 + device);
    }
}
