//! Element types and the bytes of constants.

use crate::{graph, text};
use hloom_graph::{DType, Tensor};
use hloom_stablehlo::{Context, LowerOptions, lower};

#[test]
fn every_element_type_has_its_name_in_stablehlo() {
    let names = [
        "i1",
        "i2",
        "i4",
        "i8",
        "i16",
        "i32",
        "i64",
        "ui2",
        "ui4",
        "ui8",
        "ui16",
        "ui32",
        "ui64",
        "f4E2M1FN",
        "f8E3M4",
        "f8E4M3",
        "f8E4M3FN",
        "f8E4M3FNUZ",
        "f8E4M3B11FNUZ",
        "f8E5M2",
        "f8E5M2FNUZ",
        "f8E8M0FNU",
        "bf16",
        "f16",
        "f32",
        "f64",
        "complex<f32>",
        "complex<f64>",
    ];
    for (dtype, name) in DType::ALL.into_iter().zip(names) {
        let graph = graph("types", || vec![Tensor::ones(dtype, [3])]);
        let text = text(&graph);
        assert!(text.contains(&format!("-> tensor<3x{name}>")), "{dtype}: {text}");
    }
}

#[test]
fn reductions_start_from_the_types_limits() {
    let starts = [
        (DType::Bool, "dense<false>", "dense<true>"),
        (DType::I2, "dense<-2>", "dense<1>"),
        (DType::I4, "dense<-8>", "dense<7>"),
        (DType::I8, "dense<-128>", "dense<127>"),
        (DType::I64, "dense<-9223372036854775808>", "dense<9223372036854775807>"),
        (DType::U2, "dense<0>", "dense<3>"),
        (DType::U8, "dense<0>", "dense<255>"),
        (DType::U64, "dense<0>", "dense<18446744073709551615>"),
        (DType::F4E2M1FN, "dense<-6.000000e+00>", "dense<6.000000e+00>"),
        (DType::F8E3M4, "dense<0xF0>", "dense<0x70>"),
        (DType::F8E4M3, "dense<0xF8>", "dense<0x78>"),
        (DType::F8E4M3FN, "dense<-4.480000e+02>", "dense<4.480000e+02>"),
        (DType::F8E4M3FNUZ, "dense<-2.400000e+02>", "dense<2.400000e+02>"),
        (DType::F8E4M3B11FNUZ, "dense<-3.000000e+01>", "dense<3.000000e+01>"),
        (DType::F8E5M2, "dense<0xFC>", "dense<0x7C>"),
        (DType::F8E5M2FNUZ, "dense<-5.734400e+04>", "dense<5.734400e+04>"),
        (DType::F8E8M0FNU, "dense<5.877470e-39>", "dense<1.701410e+38>"),
        (DType::BF16, "dense<0xFF80>", "dense<0x7F80>"),
        (DType::F16, "dense<0xFC00>", "dense<0x7C00>"),
        (DType::F32, "dense<0xFF800000>", "dense<0x7F800000>"),
        (DType::F64, "dense<0xFFF0000000000000>", "dense<0x7FF0000000000000>"),
    ];
    for (dtype, lowest, highest) in starts {
        let max = text(&graph("max", || vec![Tensor::ones(dtype, [3]).max(0)]));
        assert!(max.contains(&format!("{lowest} : tensor<")), "{dtype}: {max}");
        let min = text(&graph("min", || vec![Tensor::ones(dtype, [3]).min(0)]));
        assert!(min.contains(&format!("{highest} : tensor<")), "{dtype}: {min}");
    }
}

#[test]
fn large_constants_are_their_bytes() {
    let values: Vec<u32> = (0..100_000).collect();
    let graph = graph("large", || vec![Tensor::constant(&values, [100_000])]);
    let context = Context::new();
    let module = lower(&context, &graph, &LowerOptions::default()).expect("the module is sound");
    let text = module.text();
    assert!(text.contains("dense<\"0x000000000100000002000000"));
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let bytecode = module.code();
    assert!(bytecode.starts_with(b"ML\xefR"));
    assert!(bytecode.len() < bytes.len() + 2000);
    assert!(bytecode.windows(bytes.len()).any(|window| window == bytes));
}

#[test]
fn sub_byte_and_bool_elements_keep_their_values() {
    let truths: Vec<bool> = (0..9).map(|i| i % 3 == 0).collect();
    let graph = graph("elements", || {
        vec![
            Tensor::full(-1, DType::I4, [3]),
            Tensor::full(-2, DType::I2, [3]),
            Tensor::full(3, DType::U2, [1]),
            Tensor::constant(&truths, [9]),
        ]
    });
    let text = text(&graph);
    for expected in [
        "dense<-1> : tensor<3xi4>",
        "dense<-2> : tensor<3xi2>",
        "dense<3> : tensor<1xui2>",
        "dense<[true, false, false, true, false, false, true, false, false]> : tensor<9xi1>",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
}
