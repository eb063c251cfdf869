//! What compiled programs say of themselves (G13).

use crate::{ADD, client, client_with, compile};
use hloom_pjrt::{CompileOptions, DType, Error, ExecuteOptions, NamedValue, Program};

const DOT: &str = "func.func @main(%a: tensor<8x16xf32>, %b: tensor<16x4xf32>) -> \
                   (tensor<8x4xf32>, tensor<8xi1>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x16xf32>, \
                   tensor<16x4xf32>) -> tensor<8x4xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [1] : \
                   (tensor<8x4xf32>, tensor<f32>) -> tensor<8xf32>
  %2 = stablehlo.constant dense<0.0> : tensor<8xf32>
  %3 = stablehlo.compare GT, %1, %2 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
  return %0, %3 : tensor<8x4xf32>, tensor<8xi1>
}";

#[test]
fn an_executable_says_what_it_gives_and_costs() {
    let client = client();
    let loaded = compile(&client, DOT);
    let executable = loaded.executable();
    assert!(loaded.name().contains("main") || !loaded.name().is_empty());
    assert_eq!(executable.name().unwrap(), loaded.name());
    assert_eq!((loaded.num_outputs(), executable.num_outputs().unwrap()), (2, 2));
    let specs = executable.output_specs().unwrap();
    assert_eq!((specs[0].dtype(), specs[0].dims()), (DType::F32, &[8i64, 4][..]));
    assert_eq!((specs[1].dtype(), specs[1].dims()), (DType::Pred, &[8i64][..]));
    assert_eq!(*loaded.outputs()[1], specs[1]);
    assert_eq!((executable.num_replicas().unwrap(), executable.num_partitions().unwrap()), (1, 1));
    let stats = executable.memory_stats().unwrap();
    assert_eq!(stats.arguments, 4 * (8 * 16 + 16 * 4));
    assert!(stats.outputs >= 4 * 32 + 8 && stats.aliases == 0 && stats.host_outputs == 0);
    let sum = stats.generated_code + stats.arguments + stats.outputs + stats.temporaries;
    assert_eq!(stats.requirements(), sum);
    let (_, minor) = client.plugin().version();
    assert_eq!(stats.peak.is_some(), minor >= 72);
    assert_eq!(stats.total.is_some(), minor >= 90);
    match executable.cost_analysis() {
        Ok(costs) => {
            let NamedValue::Float(flops) = costs["flops"] else { panic!("{costs:?}") };
            assert!(flops >= 2.0 * 8.0 * 16.0 * 4.0, "{costs:?}");
        }
        Err(error) => assert!(error.is_unimplemented() && [106, 115].contains(&minor), "{error}"),
    }
    assert!(executable.generated_code_size().is_ok());
    let program = executable.optimized_program().unwrap();
    assert!(program.format().starts_with("hlo") && program.code().len() > 100);
    match executable.output_memory_kinds() {
        Ok(Some(kinds)) => assert_eq!(kinds, ["device", "device"]),
        Ok(None) => {}
        Err(error) => panic!("{error}"),
    }
    assert!(format!("{loaded:?} {executable:?}").contains("LoadedExecutable"));
}

#[test]
fn signatures_are_read_for_every_dtype() {
    let client = client();
    let types = [
        ("i1", DType::Pred),
        ("i8", DType::S8),
        ("i16", DType::S16),
        ("i32", DType::S32),
        ("i64", DType::S64),
        ("ui8", DType::U8),
        ("ui32", DType::U32),
        ("ui64", DType::U64),
        ("f16", DType::F16),
        ("bf16", DType::BF16),
        ("f32", DType::F32),
        ("f64", DType::F64),
        ("complex<f32>", DType::C64),
        ("complex<f64>", DType::C128),
        ("i4", DType::S4),
        ("ui4", DType::U4),
        ("f8E4M3FN", DType::F8E4M3FN),
        ("f8E5M2", DType::F8E5M2),
        ("f8E4M3B11FNUZ", DType::F8E4M3B11FNUZ),
        ("f8E4M3FNUZ", DType::F8E4M3FNUZ),
        ("f8E5M2FNUZ", DType::F8E5M2FNUZ),
    ];
    for (mlir, dtype) in types {
        let text = format!(
            "func.func @main(%a: tensor<3x{mlir}>, %b: tensor<{mlir}>) -> tensor<3x{mlir}> {{ \
             return %a : tensor<3x{mlir}> }}"
        );
        let executable = compile(&client, &text);
        let signature = executable.signature().unwrap_or_else(|| panic!("{mlir}"));
        let parameters: Vec<_> =
            signature.parameters().iter().map(|p| (p.dtype(), p.dims().to_vec())).collect();
        assert_eq!(parameters, [(dtype, vec![3]), (dtype, vec![])], "{mlir}");
        assert_eq!(executable.outputs()[0].dtype(), dtype);
    }
}

#[test]
fn fingerprints_tell_programs_apart() {
    let client = client();
    let of = |text| compile(&client, text).executable().fingerprint();
    match (of(ADD), of(ADD), of(DOT)) {
        (Ok(a), Ok(b), Ok(c)) => {
            assert_eq!(a, b);
            assert_ne!(a, c);
        }
        (a, _, _) => assert!(a.unwrap_err().is_unimplemented()),
    }
}

#[test]
fn serialized_programs_are_loaded_by_another_client() {
    let bytes = compile(&client(), ADD).executable().serialize().unwrap();
    assert!(!bytes.is_empty());
    let client = client_with(2);
    // SAFETY: the bytes were made above.
    let load = |options| unsafe { client.deserialize(&bytes, options) };
    let executable = load(None).unwrap();
    let a = client.buffer(&[1.0f32, 2.0], &[2]).unwrap();
    let results = executable.execute(&[&a, &a], &ExecuteOptions::new()).unwrap();
    assert_eq!(results[0].to_vec::<f32>().unwrap(), [2.0, 4.0]);
    let executable = load(Some(&CompileOptions::new())).unwrap();
    let results = executable.execute(&[&a, &a], &ExecuteOptions::new()).unwrap();
    assert_eq!(results[0].to_vec::<f32>().unwrap(), [2.0, 4.0]);
    for broken in [&[][..], &[1, 2, 3], &bytes[..bytes.len() / 2]] {
        // SAFETY: a part of what was made above, which holds no whole program.
        assert!(unsafe { client.deserialize(broken, None) }.is_err());
    }
}

#[test]
fn compile_options_come_back() {
    let client = client();
    let mut options = CompileOptions::new();
    options.set_option("xla_cpu_enable_fast_math", true);
    let executable = client.compile(&Program::mlir(ADD), &options).unwrap();
    match executable.executable().compile_options() {
        Ok(back) => assert_eq!(back.num_replicas, 1),
        Err(error) => assert!(matches!(error, Error::Unsupported { since: 87, .. }), "{error}"),
    }
}

#[test]
fn deleted_executables_do_not_run() {
    let client = client();
    let executable = compile(&client, ADD);
    let a = client.buffer(&[1.0f32, 2.0], &[2]).unwrap();
    assert!(!executable.is_deleted().unwrap());
    executable.delete().unwrap();
    assert!(executable.is_deleted().unwrap());
    assert!(executable.execute(&[&a, &a], &ExecuteOptions::new()).is_err());
    assert_eq!(executable.num_outputs(), 1, "what it was is still known");
}

#[test]
fn loading_what_was_compiled_for_a_topology() {
    let client = client();
    let topology = client.topology().expect("the CPU plugin describes its devices");
    match topology.compile(&Program::mlir(ADD), &CompileOptions::new(), Some(&client)) {
        Ok(executable) => match client.load(&executable, &CompileOptions::new()) {
            Ok(loaded) => assert_eq!(loaded.num_outputs(), 1),
            Err(error) => assert!(error.is_unimplemented(), "{error}"),
        },
        Err(error) => {
            assert!(matches!(error, Error::Call { .. } | Error::Unsupported { .. }), "{error}")
        }
    }
}
