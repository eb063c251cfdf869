//! Executions: arguments, devices, errors (G12, G19).

use crate::{ADD, FAIL, client, client_with, compile, expect_alive, with_handlers};
use hloom_pjrt::{
    Alive, Buffer, Client, CompileOptions, DType, Error, ErrorCode, ExecuteContext, ExecuteOptions,
    Program, as_bytes,
};
use hloom_test_support::CompileOwn;

#[test]
fn a_program_is_compiled_and_executed() {
    let client = client();
    let executable = compile(&client, ADD);
    let a = client.buffer(&[1.0f32, 2.0], &[2]).unwrap();
    let b = client.buffer(&[10.0f32, 20.0], &[2]).unwrap();
    let results = executable.execute(&[&a, &b], &ExecuteOptions::new()).unwrap();
    assert_eq!(results.len(), 1);
    assert_eq!(results[0].to_vec::<f32>().unwrap(), [11.0, 22.0]);
    let chained = executable.execute(&[&results[0], &a], &ExecuteOptions::new()).unwrap();
    assert_eq!(chained[0].to_vec::<f32>().unwrap(), [12.0, 24.0]);
}

#[test]
fn what_programs_take_and_give_at_the_edges() {
    let client = client();
    let run = |text: &str, arguments: &[&Buffer]| {
        compile(&client, text).execute(arguments, &ExecuteOptions::new()).unwrap()
    };
    assert_eq!(run("func.func @main() { return }", &[]).len(), 0, "nothing at all");
    let text = "func.func @main() -> tensor<i32> { %0 = stablehlo.constant dense<7> : tensor<i32> \
                return %0 : tensor<i32> }";
    assert_eq!(run(text, &[])[0].to_scalar::<i32>().unwrap(), 7);
    let empty = client.buffer::<f32>(&[], &[0, 3]).unwrap();
    let text = "func.func @main(%a: tensor<0x3xf32>) -> (tensor<0x3xf32>, tensor<0x3xf32>) { \
                return %a, %a : tensor<0x3xf32>, tensor<0x3xf32> }";
    let results = run(text, &[&empty]);
    assert_eq!(results.len(), 2);
    assert_eq!(results[1].to_vec::<f32>().unwrap(), [0.0f32; 0]);
    let scalar = client.scalar(2.5f64).unwrap();
    let results = run(
        "func.func @main(%a: tensor<f64>) -> tensor<f64> { return %a : tensor<f64> }",
        &[&scalar],
    );
    assert_eq!(results[0].to_scalar::<f64>().unwrap(), 2.5);
    assert_ne!(results[0].unsafe_pointer().unwrap(), scalar.unsafe_pointer().unwrap(), "a copy");
}

#[test]
fn wrong_arguments_are_refused_before_the_call() {
    let client = client();
    let executable = compile(&client, ADD);
    let a = client.buffer(&[1.0f32, 2.0], &[2]).unwrap();
    let execute =
        |arguments: &[&Buffer]| executable.execute(arguments, &ExecuteOptions::new()).unwrap_err();
    for arguments in [&[][..], &[&a], &[&a, &a, &a]] {
        let error = execute(arguments);
        assert!(matches!(error, Error::Size { expected: 2, .. }), "{error}");
        assert!(error.to_string().contains("main"), "{error}");
    }
    // The plugin accepts another type of the same size without an error.
    let integers = client.buffer(&[1i32, 2], &[2]).unwrap();
    let error = execute(&[&a, &integers]);
    assert!(
        matches!(error, Error::DType { expected: DType::F32, found: DType::S32, .. }),
        "{error}"
    );
    assert!(error.to_string().contains("argument 1"), "{error}");
    for dims in [&[1i64, 2][..], &[2, 1]] {
        let error = execute(&[&client.buffer(&[1.0f32, 2.0], dims).unwrap(), &a]);
        assert!(matches!(error, Error::Dimensions { .. }), "{error}");
        assert!(error.to_string().contains("argument 0"), "{error}");
    }
    let other = crate::client();
    let foreign = other.buffer(&[1.0f32, 2.0], &[2]).unwrap();
    let error = execute(&[&a, &foreign]);
    assert!(matches!(error, Error::ForeignClient { .. }), "{error}");
    let deleted = client.buffer(&[1.0f32, 2.0], &[2]).unwrap();
    deleted.delete().unwrap();
    assert!(matches!(execute(&[&deleted, &a]), Error::Deleted { .. }));
    let context = ExecuteContext::new(&other).unwrap();
    let error =
        executable.execute(&[&a, &a], &ExecuteOptions::new().context(&context)).unwrap_err();
    assert!(matches!(error, Error::ForeignClient { .. }), "{error}");
    let device = &other.devices()[0];
    let error =
        executable.execute(&[&a, &a], &ExecuteOptions::new().on_device(device)).unwrap_err();
    assert!(matches!(error, Error::ForeignClient { .. }), "{error}");
    assert_eq!(client.alive().buffers, 3, "nothing leaked on the way");
}

#[test]
fn results_are_appended_without_allocation() {
    let client = client();
    let executable = compile(&client, ADD);
    let arguments = [
        client.buffer(&[1.0f32, 2.0], &[2]).unwrap(),
        client.buffer(&[3.0f32, 4.0], &[2]).unwrap(),
    ];
    let mut outputs = Vec::with_capacity(4);
    for round in 0..3 {
        executable.execute_into(arguments.iter(), &ExecuteOptions::new(), &mut outputs).unwrap();
        assert_eq!(outputs.len(), round + 1);
    }
    assert!(
        executable.execute_into(&arguments[..1], &ExecuteOptions::new(), &mut outputs).is_err()
    );
    assert_eq!(outputs.len(), 3, "as it was");
    assert!(outputs.iter().all(|o| o.to_vec::<f32>().unwrap() == [4.0, 6.0]));
}

#[test]
fn executions_again_and_again_leave_nothing() {
    let client = client();
    let executable = compile(&client, ADD);
    let a = client.buffer(&[1.0f32, 2.0], &[2]).unwrap();
    let b = client.buffer(&[10.0f32, 20.0], &[2]).unwrap();
    let options = ExecuteOptions::new();
    let mut outputs = Vec::with_capacity(2);
    for _ in 0..3 {
        executable.execute_into([&a, &b], &options, &mut outputs).unwrap();
        outputs[0].ready_event().unwrap().wait().unwrap();
        assert_eq!(outputs.pop().unwrap().to_vec::<f32>().unwrap(), [11.0, 22.0]);
        let mut execution = executable.execute_sharded(&[&[&a, &b]], &options).unwrap();
        assert_eq!((execution.outputs.len(), execution.complete.len()), (1, 1));
        execution.complete.remove(0).wait().unwrap();
        assert_eq!(execution.outputs[0][0].to_vec::<f32>().unwrap(), [11.0, 22.0]);
    }
    // The first result is not read.
    executable.execute_into([&a, &a], &options, &mut outputs).unwrap();
    executable.execute_into([&a, &a], &options, &mut outputs).unwrap();
    assert_eq!(outputs.pop().unwrap().to_vec::<f32>().unwrap(), [2.0, 4.0]);
    drop((outputs, a, b, executable));
    expect_alive(&client, Alive::default());
}

/// An iterator that reports another length than it has.
struct Liar<'a>(std::slice::Iter<'a, Buffer>, usize);

impl<'a> Iterator for Liar<'a> {
    type Item = &'a Buffer;
    fn next(&mut self) -> Option<&'a Buffer> {
        self.0.next()
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.1, Some(self.1))
    }
}

impl ExactSizeIterator for Liar<'_> {}

#[test]
fn iterators_that_lie_are_found_out() {
    let client = client();
    let executable = compile(&client, ADD);
    let buffer = || client.buffer(&[1.0f32, 2.0], &[2]).unwrap();
    let arguments = [buffer(), buffer(), buffer()];
    let mut outputs = Vec::new();
    for len in [0, 1, 3] {
        let liar = Liar(arguments[..len].iter(), 2);
        let error =
            executable.execute_into(liar, &ExecuteOptions::new(), &mut outputs).unwrap_err();
        assert!(error.to_string().contains("not as many as their iterator"), "{error}");
    }
    executable
        .execute_into(Liar(arguments[..2].iter(), 2), &ExecuteOptions::new(), &mut outputs)
        .unwrap();
    assert_eq!(outputs.len(), 1);
}

#[test]
fn a_portable_program_runs_on_the_named_device() {
    let client = client_with(3);
    let executable = client.compile_own(&Program::mlir(ADD), &CompileOptions::portable()).unwrap();
    assert!(executable.is_portable());
    assert_eq!((executable.num_devices(), executable.devices().len()), (1, 0));
    for device in &client.devices() {
        let buffer = client
            .host_buffer(DType::F32, &[2])
            .on_device(device)
            .copy(as_bytes(&[1.0f32, 2.0]))
            .unwrap();
        let options =
            ExecuteOptions::new().on_device(device).launch_id(7).call_location(c"execute.rs:1:1");
        let results = executable.execute(&[&buffer, &buffer], &options).unwrap();
        assert_eq!(results[0].device().unwrap(), *device);
        assert_eq!(results[0].to_vec::<f32>().unwrap(), [2.0, 4.0]);
    }
    let first = client.buffer(&[1.0f32, 2.0], &[2]).unwrap();
    let results = executable.execute(&[&first, &first], &ExecuteOptions::new()).unwrap();
    assert_eq!(results[0].device().unwrap(), client.devices()[0], "the first one by default");
}

/// Sums over all devices.
fn all_reduce(devices: usize) -> String {
    let group: Vec<_> = (0..devices).map(|d| d.to_string()).collect();
    format!(
        "module attributes {{mhlo.num_replicas = {devices} : i32}} {{
        func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {{
          %0 = \"stablehlo.all_reduce\"(%a) ({{
          ^bb0(%x: tensor<f32>, %y: tensor<f32>):
            %s = stablehlo.add %x, %y : tensor<f32>
            stablehlo.return %s : tensor<f32>
          }}) {{replica_groups = dense<[[{}]]> : tensor<1x{devices}xi64>}} : (tensor<2xf32>) -> \
         tensor<2xf32>
          return %0 : tensor<2xf32>
        }} }}",
        group.join(", ")
    )
}

fn on_each(client: &Client, values: impl Fn(usize) -> [f32; 2]) -> Vec<Buffer> {
    let devices = client.devices();
    let buffer = |(index, device)| {
        let values = values(index);
        client.host_buffer(DType::F32, &[2]).on_device(device).copy(as_bytes(&values)).unwrap()
    };
    devices.iter().enumerate().map(buffer).collect()
}

#[test]
fn two_and_four_devices_run_one_program() {
    for count in [2usize, 4] {
        let client = client_with(count as i64);
        let program = all_reduce(count);
        let options = CompileOptions::replicated(count);
        let executable = client.compile_own(&Program::mlir(&program), &options).unwrap();
        assert_eq!(executable.devices(), client.devices());
        assert_eq!(executable.executable().num_replicas().unwrap(), count);
        let inputs = on_each(&client, |index| [index as f32, 1.0]);
        let lists: Vec<[&Buffer; 1]> = inputs.iter().map(|b| [b]).collect();
        let lists: Vec<&[&Buffer]> = lists.iter().map(|l| &l[..]).collect();
        let execution =
            executable.execute_sharded(&lists, &ExecuteOptions::new().launch_id(1)).unwrap();
        assert_eq!((execution.outputs.len(), execution.complete.len()), (count, count));
        execution.complete.iter().for_each(|event| event.wait().unwrap());
        let sum = (0..count).sum::<usize>() as f32;
        for (outputs, device) in execution.outputs.iter().zip(client.devices()) {
            assert_eq!(outputs[0].to_vec::<f32>().unwrap(), [sum, count as f32]);
            assert_eq!(outputs[0].device().unwrap(), device);
        }
        let mut flat = Vec::new();
        executable.execute_into(&inputs, &ExecuteOptions::new(), &mut flat).unwrap();
        assert_eq!(flat.len(), count);
        assert_eq!(flat[count - 1].to_vec::<f32>().unwrap(), [sum, count as f32]);
        let error = executable.execute_sharded(&lists[1..], &ExecuteOptions::new()).unwrap_err();
        assert!(matches!(error, Error::Size { .. }), "{error}");
        assert!(
            executable.execute(&[&inputs[0]], &ExecuteOptions::new()).is_err(),
            "one device of several"
        );
    }
}

#[test]
fn results_of_several_devices_follow_the_order_of_the_devices() {
    let client = client_with(2);
    let text = "module attributes {mhlo.num_replicas = 2 : i32} {
        func.func @main(%a: tensor<ui32>) -> (tensor<ui32>, tensor<ui32>) {
          %0 = stablehlo.replica_id : tensor<ui32>
          %1 = stablehlo.add %a, %0 : tensor<ui32>
          return %0, %1 : tensor<ui32>, tensor<ui32>
        } }";
    let executable =
        client.compile_own(&Program::mlir(text), &CompileOptions::replicated(2)).unwrap();
    let input = |device| {
        let bytes = 100u32.to_ne_bytes();
        client.host_buffer(DType::U32, &[]).on_device(device).copy(&bytes).unwrap()
    };
    let inputs: Vec<_> = client.devices().iter().map(input).collect();
    let mut outputs = Vec::with_capacity(4);
    executable.execute_into(&inputs, &ExecuteOptions::new(), &mut outputs).unwrap();
    let values = outputs.iter().map(|output| output.to_scalar::<u32>().unwrap());
    assert_eq!(values.collect::<Vec<_>>(), [0, 100, 1, 101]);
}

#[test]
fn a_program_is_split_by_its_shardings() {
    let client = client_with(2);
    let text = r#"module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
        sdy.mesh @mesh = <["x"=2]>
        func.func @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
            -> (tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, []>}) {
          %z = stablehlo.constant dense<0.0> : tensor<f32>
          %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
          return %0 : tensor<f32>
        } }"#;
    let executable =
        client.compile_own(&Program::mlir(text), &CompileOptions::partitioned(2)).unwrap();
    assert_eq!(executable.executable().num_partitions().unwrap(), 2);
    assert_eq!(
        executable.signature().unwrap().parameters()[0].dims(),
        [2],
        "the shard's dimensions"
    );
    let shards = on_each(&client, |index| [1.0 + index as f32, 10.0]);
    let mut outputs = Vec::new();
    executable.execute_into(&shards, &ExecuteOptions::new(), &mut outputs).unwrap();
    for output in outputs {
        assert_eq!(output.to_scalar::<f32>().unwrap(), 23.0);
    }
}

#[test]
fn an_execution_that_fails_says_so_wherever_its_result_goes() {
    with_handlers();
    let client = client();
    let executable = compile(&client, FAIL);
    let a = client.buffer(&[1.0f32, 2.0], &[2]).unwrap();
    for _ in 0..3 {
        match executable.execute(&[&a], &ExecuteOptions::new()) {
            // Small programs run on this thread, and fail at once.
            Err(error) => assert!(error.to_string().contains("always fails"), "{error}"),
            Ok(results) => {
                let error = results[0].wait().unwrap_err();
                assert!(error.to_string().contains("always fails"), "{error}");
                assert!(results[0].to_vec::<f32>().is_err());
                assert!(
                    compile(&client, ADD)
                        .execute(&[&results[0], &a], &ExecuteOptions::new())
                        .is_err()
                );
            }
        }
    }
    assert_eq!(a.to_vec::<f32>().unwrap(), [1.0, 2.0]);
    let donated = ExecuteOptions::new().donate(hloom_pjrt::Donation::All);
    let _ = executable.execute(&[&a], &donated);
    drop((a, executable));
    crate::expect_alive(&client, hloom_pjrt::Alive::default());
}

#[test]
fn an_error_travels_through_programs() {
    let client = client();
    let spec = hloom_pjrt::Spec::new(DType::F32, [2]);
    let manager = client.transfer_manager(&[spec], None).unwrap();
    let broken = manager.take_buffer(0).unwrap();
    let executable = compile(&client, ADD);
    let launched = executable.execute(&[&broken, &broken], &ExecuteOptions::new());
    manager.set_error(0, ErrorCode::DataLoss, "the disk is gone").unwrap();
    let error = broken.wait().unwrap_err();
    assert_eq!(error.code(), ErrorCode::DataLoss, "{error}");
    assert!(error.to_string().contains("the disk is gone"), "{error}");
    let error = match launched {
        Ok(results) => results[0].wait().unwrap_err(),
        Err(error) => error,
    };
    assert!(error.to_string().contains("the disk is gone"), "{error}");
    assert!(broken.to_vec::<f32>().unwrap_err().to_string().contains("the disk is gone"));
}
