//! Properties that compiled programs report (G13).

use crate::{ADD, client, client_with, compile, plugin, unless_unimplemented, with_handlers};
use hloom_pjrt::{
    CompileOptions, CompiledKernel, DType, ErrorCode, ExecuteOptions, Layout, NamedValue, Program,
};
use hloom_test_support::CompileOwn;
use std::collections::HashSet;

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

/// G13: the name, results, costs, memory and optimized program of an executable.
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
    if let Some(costs) = unless_unimplemented(&[106, 115], executable.cost_analysis()) {
        let NamedValue::Float(flops) = costs["flops"] else { panic!("{costs:?}") };
        assert!(flops >= 2.0 * 8.0 * 16.0 * 4.0, "{costs:?}");
    }
    assert!(executable.generated_code_size().unwrap() >= 0);
    let program = executable.optimized_program().unwrap();
    assert!(program.format().starts_with("hlo") && program.code().len() > 100);
    assert!(format!("{loaded:?} {executable:?}").contains("LoadedExecutable"));
}

/// R8: the kernels of a program, with their kinds, names, results and costs.
#[test]
fn kernels_are_listed_with_their_costs() {
    with_handlers();
    let client = client();
    let text = r#"func.func @main(%a: tensor<64x32xf32>, %b: tensor<32x48xf32>, %n: tensor<i32>)
        -> (tensor<64x48xf32>, tensor<i32>, tensor<32xf32>) {
      %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<64x32xf32>, tensor<32x48xf32>) -> tensor<64x48xf32>
      %1 = stablehlo.custom_call @hloom_test_sleep(%n) {api_version = 4 : i32} : (tensor<i32>) -> tensor<i32>
      %z = stablehlo.constant dense<0> : tensor<i32>
      %x = stablehlo.constant dense<1.0> : tensor<32xf32>
      %2:2 = stablehlo.while(%i = %z, %v = %x) : tensor<i32>, tensor<32xf32> cond {
        %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        %one = stablehlo.constant dense<1> : tensor<i32>
        %j = stablehlo.add %i, %one : tensor<i32>
        %s = stablehlo.sine %v : tensor<32xf32>
        %w = stablehlo.multiply %s, %v : tensor<32xf32>
        stablehlo.return %j, %w : tensor<i32>, tensor<32xf32>
      }
      return %0, %1, %2#1 : tensor<64x48xf32>, tensor<i32>, tensor<32xf32>
    }"#;
    let executable = compile(&client, text);
    let kernels = executable.executable().kernels().unwrap();
    let line = |kernel: &CompiledKernel| kernel.source.clone().map(|(_, line)| line);

    let dot = kernels.iter().find(|kernel| kernel.shape == "f32[64,48]").unwrap();
    // A plugin may hand it to a library as a fusion of its own.
    assert!(
        dot.opcode == "dot" || (&*dot.opcode, &*dot.detail) == ("fusion", "kCustom"),
        "{dot:?}"
    );
    assert_eq!(dot.flops, Some(2 * 64 * 32 * 48));
    assert_eq!(dot.bytes, 4 * (64 * 32 + 32 * 48 + 64 * 48));
    assert_eq!(line(dot), Some(3));

    let call = kernels.iter().find(|kernel| kernel.opcode == "custom-call").unwrap();
    assert_eq!((&*call.detail, &*call.shape), ("hloom_test_sleep", "s32[]"));
    assert_eq!((call.flops, call.bytes, line(call)), (None, 8, Some(4)), "nobody knows its work");

    // In the body of the loop, listed once: the sine and the product are one kernel.
    let fused = kernels.iter().find(|kernel| kernel.name.contains("sine")).unwrap();
    assert_eq!((&*fused.opcode, &*fused.detail), ("fusion", "kLoop"));
    assert_eq!((fused.flops, fused.bytes), (Some(64), 256));
    assert_ne!(fused.computation, dot.computation, "the body is a computation of its own");
    assert!(kernels.iter().any(|k| k.shape == "pred[]" && k.flops == Some(1)), "its condition");

    let names: HashSet<_> = kernels.iter().map(|kernel| &kernel.name).collect();
    assert_eq!(names.len(), kernels.len(), "each once");
    let free = ["parameter", "constant", "tuple", "get-tuple-element", "while"];
    assert!(!kernels.iter().any(|kernel| free.contains(&&*kernel.opcode)), "{kernels}");

    let table = kernels.to_string();
    let lines: Vec<_> = table.lines().collect();
    assert_eq!(lines.len(), kernels.len() + 2);
    let head: Vec<_> = lines[0].split_whitespace().collect();
    assert_eq!(head, ["kind", "name", "result", "flops", "bytes", "source"]);
    let row = lines.iter().find(|line| line.contains("hloom_test_sleep")).unwrap();
    let row: Vec<_> = row.split_whitespace().collect();
    assert_eq!(row, ["custom-call", "hloom_test_sleep", &*call.name, "s32[]", "?", "8", "-:4"]);
    assert_eq!(*lines.last().unwrap(), format!("{} kernels", kernels.len()));

    // The estimate is the compiler's own, where the plugin returns that.
    let executable = compile(&client, DOT);
    let flops = executable.executable().kernels().unwrap().flops();
    assert_eq!(flops, 2 * 8 * 16 * 4 + (8 * 4 - 8) + 8);
    if let Some(costs) = unless_unimplemented(&[106, 115], executable.executable().cost_analysis())
    {
        let NamedValue::Float(expected) = costs["flops"] else { panic!("{costs:?}") };
        assert_eq!(flops as f32, expected);
    }
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

/// Adds a matrix that is split over two devices to one that each device has.
const SPLIT: &str = r#"module attributes {mhlo.num_partitions = 2 : i32} {
func.func @main(%a: tensor<4x6xf32> {mhlo.sharding = "{devices=[2,1]<=[2]}"},
                %b: tensor<4x6xf32> {mhlo.sharding = "{replicated}", mhlo.layout_mode = "{0,1}"})
    -> (tensor<4x6xf32> {mhlo.sharding = "{devices=[2,1]<=[2]}", mhlo.layout_mode = "{0,1}"}) {
  %0 = stablehlo.add %a, %b : tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}}"#;

/// G13: what an executable reports of its parameters and results over two devices.
#[test]
fn shardings_memories_layouts_and_fingerprints_are_those_of_the_program() {
    let client = client_with(2);
    let mut options = CompileOptions::partitioned(2);
    options.use_shardy_partitioner = false;
    let loaded = client.compile_own(&Program::mlir(SPLIT), &options).unwrap();
    let executable = loaded.executable();

    // `xla.OpSharding`: field 1 is the type (3: tiled), field 3 has the parts of each axis.
    let tiled = &[8u8, 3, 26, 2, 2, 1];
    if let Some(shardings) = unless_unimplemented(&[81], executable.parameter_shardings()) {
        let shardings = shardings.expect("the program has shardings");
        assert_eq!(shardings.len(), 2);
        assert!(shardings[0].starts_with(tiled) && shardings[1].is_empty(), "{shardings:?}");
    }
    if let Some(shardings) = unless_unimplemented(&[81], executable.output_shardings()) {
        let shardings = shardings.expect("the program has shardings");
        assert!(shardings.len() == 1 && shardings[0].starts_with(tiled), "{shardings:?}");
    }
    let one = compile(&client, ADD);
    if let Some(shardings) = unless_unimplemented(&[81], one.executable().parameter_shardings()) {
        assert_eq!(shardings, None, "a program for one device has none");
    }

    let kinds = |count: usize| match plugin().version().1 {
        // They implement the function by an error of the executable.
        81 | 106 => None,
        _ => Some(vec!["device".to_owned(); count]),
    };
    assert_eq!(executable.parameter_memory_kinds().unwrap(), kinds(2));
    assert_eq!(executable.output_memory_kinds().unwrap(), kinds(1));

    let layouts = unless_unimplemented(&[81], executable.parameter_layouts());
    if let Some(layouts) = layouts {
        let layouts: Vec<_> = layouts.iter().map(|layout| layout.layout()).collect();
        assert_eq!(layouts, [Some(Layout::row_major(2)), Some(Layout::column_major(2))]);
    }
    assert_eq!(executable.output_layouts().unwrap()[0].layout(), Some(Layout::column_major(2)));

    let fingerprint = |text| compile(&client, text).executable().fingerprint().unwrap();
    let (first, second) = (fingerprint(ADD), fingerprint(ADD));
    assert!(!first.is_empty() && first == second);
    assert_ne!(first, fingerprint(DOT));
    assert_ne!(first, executable.fingerprint().unwrap());

    assert_eq!(loaded.device_assignment().unwrap(), [0, 1]);
    if let Some(ids) = unless_unimplemented(&[81], loaded.logical_device_ids()) {
        let ids: Vec<_> = ids.iter().map(|id| (id.replica, id.partition)).collect();
        assert_eq!(ids, [(0, 0), (0, 1)]);
    }
}

/// E14: a compiled program is serialized, and loaded by another client.
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

#[cfg(target_os = "linux")]
#[test]
fn the_error_stream_of_the_process_is_its_own_while_programs_are_loaded() {
    use std::sync::atomic::{AtomicBool, Ordering};
    if !hloom_test_support::is_alone(
        "executable::the_error_stream_of_the_process_is_its_own_while_programs_are_loaded",
    ) {
        return;
    }
    let client = client();
    let bytes = compile(&client, ADD).executable().serialize().unwrap();
    let stream = || std::fs::read_link("/proc/self/fd/2").unwrap();
    let (before, is_done) = (stream(), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let watched = scope.spawn(|| {
            let mut looks = 0;
            while !is_done.load(Ordering::Relaxed) {
                assert_eq!(stream(), before);
                looks += 1;
            }
            looks
        });
        for _ in 0..50 {
            // SAFETY: the bytes were made above.
            unsafe { client.deserialize(&bytes, None) }.unwrap();
        }
        is_done.store(true, Ordering::Relaxed);
        assert!(watched.join().unwrap() > 50);
    });
}

#[test]
fn compile_options_come_back() {
    let client = client();
    let mut options = CompileOptions::new();
    options.set_option("xla_cpu_enable_fast_math", true);
    let executable = client.compile_own(&Program::mlir(ADD), &options).unwrap();
    let back = unless_unimplemented(&[81], executable.executable().compile_options());
    if let Some(back) = back {
        assert_eq!(back.num_replicas, 1);
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
    let program = Program::mlir(ADD);
    // SAFETY: the program adds.
    match unsafe { topology.compile(&program, &CompileOptions::new(), Some(&client)) } {
        Ok(executable) => {
            let loaded = client.load(&executable, &CompileOptions::new()).unwrap();
            let a = client.buffer(&[1.0f32, 2.0], &[2]).unwrap();
            let results = loaded.execute(&[&a, &a], &ExecuteOptions::new()).unwrap();
            assert_eq!(results[0].to_vec::<f32>().unwrap(), [2.0, 4.0]);
            let alone = topology.compile_own(&program, &CompileOptions::new()).unwrap();
            assert_eq!(alone.num_outputs().unwrap(), 1);
        }
        // They have the function, but it has no compiler.
        Err(error) => {
            assert!([81, 106].contains(&plugin().version().1), "{error}");
            assert_eq!(error.code(), ErrorCode::NotFound, "{error}");
        }
    }
}
