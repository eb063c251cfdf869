//! Programs and compile options (G7).

use crate::{ADD, client, client_with, compile};
use hloom_pjrt::{CompileOptions, EffortLevel, Error, ErrorCode, ExecuteOptions, Program};
use hloom_test_support::CompileOwn;

/// G7: HLO protos are compiled, as MLIR text and bytecode are.
#[test]
fn hlo_protos_are_compiled() {
    let client = client();
    let program = compile(&client, ADD).executable().optimized_program().unwrap();
    assert_eq!(program.format(), "hlo_with_config");
    // The module is field 1 of the message, which begins with its length.
    let code = program.code();
    assert_eq!(code[0], 0x0a);
    let (mut len, mut at, mut shift) = (0usize, 1, 0);
    loop {
        len |= usize::from(code[at] & 0x7f) << shift;
        (at, shift) = (at + 1, shift + 7);
        if code[at - 1] & 0x80 == 0 {
            break;
        }
    }
    let module = &code[at..at + len];
    let executable = client.compile_own(&Program::hlo(module), &CompileOptions::new()).unwrap();
    let a = client.buffer(&[1.0f32, 2.0], &[2]).unwrap();
    let results = executable.execute(&[&a, &a], &ExecuteOptions::new()).unwrap();
    assert_eq!(results[0].to_vec::<f32>().unwrap(), [2.0, 4.0]);
}

#[test]
fn ill_formed_programs_give_the_whole_diagnostics() {
    let client = client();
    let wrong = "func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>) -> tensor<2xf32> {
        %0 = stablehlo.add %a, %b : tensor<2xf32>
        return %0 : tensor<2xf32>
    }";
    let error = client.compile_own(&Program::mlir(wrong), &CompileOptions::new()).unwrap_err();
    let text = error.to_string();
    assert!(matches!(&error, Error::Call { function: "PJRT_Client_Compile", .. }), "{text}");
    for part in ["2:32", "'%b'", "tensor<3xf32>", "prior use here"] {
        assert!(text.contains(part), "the place, the cause and the note: {text}");
    }
    for (program, part) in [
        (Program::mlir("this is not MLIR"), "pars"),
        (Program::mlir(""), ""),
        (Program::hlo(vec![1u8, 2, 3]), ""),
        (Program::with_format("no_such_format", "x"), "no_such_format"),
        (
            Program::mlir("func.func @main() { \"no.such_op\"() : () -> () return }"),
            "unregistered dialect",
        ),
    ] {
        let error = client.compile_own(&program, &CompileOptions::new()).unwrap_err().to_string();
        assert!(error.to_lowercase().contains(part), "{error}");
    }
}

/// G7: compile options are typed, or any of XLA's by its name.
#[test]
fn options_are_set_by_name() {
    let client = client();
    let mut options = CompileOptions::new();
    options.set_option("xla_cpu_enable_fast_math", false);
    options.set_option("xla_backend_optimization_level", 0i64);
    options.set_option("xla_cpu_prefer_vector_width", "256");
    options.optimization_level = EffortLevel::O1;
    client.compile_own(&Program::mlir(ADD), &options).unwrap();
    options.set_option("xla_no_such_option", true);
    let error = client.compile_own(&Program::mlir(ADD), &options).unwrap_err().to_string();
    assert!(error.contains("xla_no_such_option"), "{error}");
}

#[test]
fn impossible_options_are_refused_before_the_plugin_aborts() {
    let client = client();
    let mut options = CompileOptions::new();
    options.num_partitions = 0;
    assert!(matches!(client.compile_own(&Program::mlir(ADD), &options), Err(Error::Argument(_))));
    let error = client.compile_own(&Program::mlir(ADD), &CompileOptions::replicated(2));
    assert!(error.is_err(), "there is one device");
}

#[test]
fn a_program_runs_on_the_assigned_device() {
    let client = client_with(4);
    let device = &client.devices()[2];
    let mut options = CompileOptions::new();
    options.device_assignment = Some(vec![device.id()]);
    let executable = client.compile_own(&Program::mlir(ADD), &options).unwrap();
    assert_eq!(executable.devices(), std::slice::from_ref(device));
    assert_eq!(executable.device_assignment().unwrap(), [device.id()]);
    let a = client.host_buffer(hloom_pjrt::DType::F32, &[2]).on_device(device);
    let a = a.copy(hloom_pjrt::as_bytes(&[3.0f32, 4.0])).unwrap();
    let results = executable.execute(&[&a, &a], &ExecuteOptions::new()).unwrap();
    assert_eq!(results[0].device().unwrap(), *device);
    let elsewhere = client.buffer(&[3.0f32, 4.0], &[2]).unwrap();
    let error = executable.execute(&[&a, &elsewhere], &ExecuteOptions::new()).unwrap_err();
    assert_eq!(error.code(), ErrorCode::InvalidArgument, "{error}");
}
