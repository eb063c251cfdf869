//! Functions of one element at a time.

use crate::{client, run};

/// Three to the power of 64: of the exponent's bits the lowest six are 0.
pub(crate) fn integer_power() -> bool {
    let client = client(1);
    let text = "func.func @main(%a: tensor<i64>, %b: tensor<i64>) -> tensor<i64> {
        %0 = stablehlo.power %a, %b : tensor<i64>
        return %0 : tensor<i64>
    }";
    let (a, b) = (client.scalar(3i64).unwrap(), client.scalar(64i64).unwrap());
    let power = run(text, &[&a, &b], &client).unwrap()[0].to_scalar::<i64>().unwrap();
    power != 3i64.wrapping_pow(64)
}

pub(crate) fn erf() -> bool {
    let client = client(1);
    let text = "func.func @main(%a: tensor<64xf32>) -> tensor<64xf32> {
        %0 = chlo.erf %a : tensor<64xf32> -> tensor<64xf32>
        return %0 : tensor<64xf32>
    }";
    let values: Vec<f32> = (0..64).map(|i| 3.95 + 0.1 * i as f32).collect();
    let a = client.buffer(&values, &[64]).unwrap();
    let erf = run(text, &[&a], &client).unwrap()[0].to_vec::<f32>().unwrap();
    erf.iter().any(|&value| value != 1.0)
}

pub(crate) fn population_count() -> bool {
    let client = client(1);
    let text = "func.func @main(%a: tensor<4xi8>) -> tensor<4xi8> {
        %0 = stablehlo.convert %a : (tensor<4xi8>) -> tensor<4xi4>
        %1 = stablehlo.popcnt %0 : tensor<4xi4>
        %2 = stablehlo.convert %1 : (tensor<4xi4>) -> tensor<4xi8>
        return %2 : tensor<4xi8>
    }";
    let a = client.buffer(&[-1i8, 1, -8, 7], &[4]).unwrap();
    run(text, &[&a], &client).unwrap()[0].to_vec::<i8>().unwrap() != [4, 1, 1, 3]
}

pub(crate) fn narrow_float_to_integer() -> bool {
    let client = client(1);
    let text = "func.func @main(%a: tensor<4xf32>) -> tensor<4xi32> {
        %0 = stablehlo.convert %a : (tensor<4xf32>) -> tensor<4xf4E2M1FN>
        %1 = stablehlo.convert %0 : (tensor<4xf4E2M1FN>) -> tensor<4xi32>
        return %1 : tensor<4xi32>
    }";
    let a = client.buffer(&[6f32, -6.0, 4.0, 1.5], &[4]).unwrap();
    run(text, &[&a], &client).unwrap()[0].to_vec::<i32>().unwrap() != [6, -6, 4, 1]
}

pub(crate) fn folded_addition() -> bool {
    let text = "func.func @main() -> tensor<i1> {
        %0 = stablehlo.constant dense<true> : tensor<i1>
        %1 = stablehlo.add %0, %0 : tensor<i1>
        return %1 : tensor<i1>
    }";
    !run(text, &[], &client(1)).unwrap()[0].to_scalar::<bool>().unwrap()
}

pub(crate) fn folded_clamp() -> bool {
    let text = "func.func @main() -> tensor<2xi1> {
        %low = stablehlo.constant dense<false> : tensor<2xi1>
        %high = stablehlo.constant dense<true> : tensor<2xi1>
        %x = stablehlo.constant dense<[true, false]> : tensor<2xi1>
        %0 = stablehlo.clamp %low, %x, %high : tensor<2xi1>
        return %0 : tensor<2xi1>
    }";
    match run(text, &[], &client(1)) {
        Ok(results) => results[0].to_vec::<bool>().unwrap() != [true, false],
        Err(_) => true,
    }
}

/// With the plugin's own options.
pub(crate) fn maximum_of_nan() -> bool {
    let client = client(1);
    let text = "func.func @main(%a: tensor<16xf32>, %b: tensor<16xf32>) -> (tensor<16xf32>, \
                tensor<16xf32>) {
        %0 = stablehlo.maximum %a, %b : tensor<16xf32>
        %1 = stablehlo.minimum %a, %b : tensor<16xf32>
        return %0, %1 : tensor<16xf32>, tensor<16xf32>
    }";
    let a: Vec<f32> = (0..16).map(|i| if i % 2 == 0 { f32::NAN } else { 1.0 }).collect();
    let b: Vec<f32> = (0..16).map(|i| if i % 2 == 1 { f32::NAN } else { 1.0 }).collect();
    let [a, b] = [a, b].map(|values| client.buffer(&values, &[16]).unwrap());
    let results = run(text, &[&a, &b], &client).unwrap();
    let mut values = results.iter().flat_map(|result| result.to_vec::<f32>().unwrap());
    values.any(|value| !value.is_nan())
}

/// Rows by columns, which have to be repeated: above 8.5e37 the reciprocal of a divisor is too
/// small to be kept.
pub(crate) fn division_by_repeated() -> bool {
    let client = client(1);
    let text = "func.func @main(%a: tensor<33x1xf32>, %b: tensor<1x33xf32>) -> tensor<33x33xf32> {
        %0 = stablehlo.broadcast_in_dim %a, dims = [0, 1] : (tensor<33x1xf32>) -> tensor<33x33xf32>
        %1 = stablehlo.broadcast_in_dim %b, dims = [0, 1] : (tensor<1x33xf32>) -> tensor<33x33xf32>
        %2 = stablehlo.divide %0, %1 : tensor<33x33xf32>
        return %2 : tensor<33x33xf32>
    }";
    let (a, b) = (
        client.buffer(&[6f32; 33], &[33, 1]).unwrap(),
        client.buffer(&[3e38f32; 33], &[1, 33]).unwrap(),
    );
    let quotients = run(text, &[&a, &b], &client).unwrap()[0].to_vec::<f32>().unwrap();
    quotients.iter().any(|&quotient| (quotient - 2e-38).abs() > 1e-43)
}

/// The sine of `0.001 i`, which is `i` times its hyperbolic sine.
pub(crate) fn sine_next_to_the_real_axis() -> bool {
    let client = client(1);
    let text = "func.func @main(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
        %0 = stablehlo.complex %a, %b : tensor<8xcomplex<f32>>
        %1 = stablehlo.sine %0 : tensor<8xcomplex<f32>>
        %2 = stablehlo.imag %1 : (tensor<8xcomplex<f32>>) -> tensor<8xf32>
        return %2 : tensor<8xf32>
    }";
    let (a, b) =
        (client.buffer(&[0f32; 8], &[8]).unwrap(), client.buffer(&[1e-3f32; 8], &[8]).unwrap());
    let sines = run(text, &[&a, &b], &client).unwrap()[0].to_vec::<f32>().unwrap();
    sines.iter().any(|&sine| (sine - 1.000_000_2e-3).abs() > 1e-9)
}

/// Values at numbers from -8 to 8, next to those of `f64`.
pub(crate) fn short_logistic() -> bool {
    let client = client(1);
    let text = "func.func @main(%a: tensor<512xf32>) -> (tensor<512xf32>, tensor<512xf32>) {
        %0 = stablehlo.convert %a : (tensor<512xf32>) -> tensor<512xf16>
        %1 = stablehlo.logistic %0 : tensor<512xf16>
        %2 = stablehlo.convert %1 : (tensor<512xf16>) -> tensor<512xf32>
        %3 = stablehlo.convert %0 : (tensor<512xf16>) -> tensor<512xf32>
        return %2, %3 : tensor<512xf32>, tensor<512xf32>
    }";
    let values: Vec<f32> = (-256..256).map(|i| i as f32 / 32.0 + 0.01).collect();
    let a = client.buffer(&values, &[512]).unwrap();
    let results = run(text, &[&a], &client).unwrap();
    let [found, given] = [0, 1].map(|i| results[i].to_vec::<f32>().unwrap());
    found.iter().zip(&given).any(|(&found, &x)| {
        let exact = 1.0 / (1.0 + (-f64::from(x)).exp());
        // Rounded once, the error is half a unit.
        let unit = 2f64.powi(exact.log2().floor() as i32 - 10);
        (f64::from(found) - exact).abs() > 0.75 * unit
    })
}

/// The exponential of -0.375 is 0.687, between 0.625 and 0.75 of the type, nearer to the first.
pub(crate) fn function_of_bytes() -> bool {
    let client = client(1);
    let text = "func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
        %0 = stablehlo.convert %a : (tensor<8xf32>) -> tensor<8xf8E5M2>
        %1 = stablehlo.exponential %0 : tensor<8xf8E5M2>
        %2 = stablehlo.convert %1 : (tensor<8xf8E5M2>) -> tensor<8xf32>
        return %2 : tensor<8xf32>
    }";
    let a = client.buffer(&[-0.375f32; 8], &[8]).unwrap();
    let found = run(text, &[&a], &client).unwrap()[0].to_vec::<f32>().unwrap();
    found.iter().any(|&value| value != 0.625)
}

pub(crate) fn empty_slice_of_a_concatenation() -> bool {
    let client = client(1);
    let text = "func.func @main(%a: tensor<0xf32>, %b: tensor<1xf32>) -> tensor<0xf32> {
        %0 = stablehlo.concatenate %a, %b, %a, dim = 0 : (tensor<0xf32>, tensor<1xf32>, \
                tensor<0xf32>) -> tensor<1xf32>
        %1 = stablehlo.slice %0 [1:1] : (tensor<1xf32>) -> tensor<0xf32>
        return %1 : tensor<0xf32>
    }";
    let (a, b) = (client.buffer::<f32>(&[], &[0]).unwrap(), client.buffer(&[1f32], &[1]).unwrap());
    run(text, &[&a, &b], &client).is_err()
}

pub(crate) fn folded_division() -> bool {
    let text = "func.func @main() -> tensor<i32> {
        %0 = stablehlo.constant dense<0> : tensor<i32>
        %1 = stablehlo.divide %0, %0 : tensor<i32>
        return %1 : tensor<i32>
    }";
    run(text, &[], &client(1)).unwrap()[0].to_scalar::<i32>().unwrap() != -1
}

/// For two numbers with the same real part.
pub(crate) fn maximum_of_complex() -> bool {
    let client = client(1);
    let text = "func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
        %0 = stablehlo.complex %a, %b : tensor<2xcomplex<f32>>
        %1 = stablehlo.complex %a, %a : tensor<2xcomplex<f32>>
        %2 = stablehlo.maximum %0, %1 : tensor<2xcomplex<f32>>
        %3 = stablehlo.imag %2 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
        return %3 : tensor<2xf32>
    }";
    let (a, b) = (client.buffer(&[1f32, 3.0], &[2]), client.buffer(&[2f32, 2.0], &[2]));
    let results = run(text, &[&a.unwrap(), &b.unwrap()], &client).unwrap();
    results[0].to_vec::<f32>().unwrap() != [2.0, 3.0]
}

pub(crate) fn angle_of_imaginary_zeros() -> bool {
    let client = client(1);
    let text = "func.func @main(%a: tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>) {
        %zero = stablehlo.constant dense<0.0> : tensor<2xf64>
        %0 = stablehlo.imag %a : (tensor<2xf64>) -> tensor<2xf64>
        %1 = stablehlo.atan2 %0, %0 : tensor<2xf64>
        %2 = stablehlo.atan2 %zero, %0 : tensor<2xf64>
        return %1, %2 : tensor<2xf64>, tensor<2xf64>
    }";
    let a = client.buffer(&[1f64, 2.0], &[2]).unwrap();
    let results = run(text, &[&a], &client).unwrap();
    results.iter().any(|angle| angle.to_vec::<f64>().unwrap() != [0.0, 0.0])
}

/// Adds 1, 2 and 3 to the one element of a tensor of type `element`, without indices.
fn added_without_indices(element: &str, window: &str) -> Result<i32, hloom_pjrt::Error> {
    let client = client(1);
    let text = "func.func @main(%a: tensor<i32>, %u: tensor<3xi32>, %i: tensor<3x0xi32>) -> \
                tensor<i32> {
        %x = stablehlo.reshape %a : (tensor<i32>) -> tensor<ELEMENT>
        %0 = \"stablehlo.scatter\"(%x, %i, %u) ({ ^bb0(%p: tensor<i32>, %q: tensor<i32>):
          %s = stablehlo.add %p, %q : tensor<i32>
          stablehlo.return %s : tensor<i32>
        }) {scatter_dimension_numbers = #stablehlo.scatter<WINDOW index_vector_dim = 1>, \
                indices_are_sorted = false, unique_indices = false} : (tensor<ELEMENT>, \
                tensor<3x0xi32>, tensor<3xi32>) -> tensor<ELEMENT>
        %1 = stablehlo.reshape %0 : (tensor<ELEMENT>) -> tensor<i32>
        return %1 : tensor<i32>
    }";
    let text = text.replace("ELEMENT", element).replace("WINDOW", window);
    let (a, u) = (client.scalar(10i32)?, client.buffer(&[1i32, 2, 3], &[3])?);
    let i = client.buffer::<i32>(&[], &[3, 0])?;
    run(&text, &[&a, &u, &i], &client)?[0].to_scalar::<i32>()
}

pub(crate) fn scatter_into_a_scalar() -> bool {
    !added_without_indices("i32", "").is_ok_and(|sum| sum == 16)
}

pub(crate) fn scatter_without_indices() -> bool {
    added_without_indices("1xi32", "inserted_window_dims = [0],").unwrap() != 16
}

/// The frames of a history moved by one, and then with an axis of size 1.
pub(crate) fn shifted_update() -> bool {
    let client = client(1);
    let text = "func.func @main(%x: tensor<6xf32>) -> tensor<1x6xf32> {
        %one = stablehlo.constant dense<1> : tensor<i32>
        %first = stablehlo.slice %x [0:5] : (tensor<6xf32>) -> tensor<5xf32>
        %0 = stablehlo.dynamic_update_slice %x, %first, %one
            : (tensor<6xf32>, tensor<5xf32>, tensor<i32>) -> tensor<6xf32>
        %1 = stablehlo.reshape %0 : (tensor<6xf32>) -> tensor<1x6xf32>
        return %1 : tensor<1x6xf32>
    }";
    let x = client.buffer(&[0f32, 1.0, 2.0, 3.0, 4.0, 5.0], &[6]).unwrap();
    let moved = run(text, &[&x], &client).unwrap()[0].to_vec::<f32>().unwrap();
    moved != [0.0, 0.0, 1.0, 2.0, 3.0, 4.0]
}

/// A convolution by the identity whose padding cuts the first of two columns off, and adds one of
/// zeros.
pub(crate) fn cropped_convolution() -> bool {
    let client = client(1);
    let text = "func.func @main(%x: tensor<1x2x2x8xf32>, %k: tensor<1x1x8x8xf32>) \
                -> tensor<1x2x2x8xf32> {
        %0 = stablehlo.convolution(%x, %k)
            dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
            window = {pad = [[0, 0], [-1, 1]]}
            {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
            : (tensor<1x2x2x8xf32>, tensor<1x1x8x8xf32>) -> tensor<1x2x2x8xf32>
        return %0 : tensor<1x2x2x8xf32>
    }";
    let x: Vec<f32> = (0..32).map(|i| (1 + i / 8) as f32).collect();
    let k: Vec<f32> = (0..64).map(|i| f32::from(u8::from(i % 9 == 0))).collect();
    let x = client.buffer(&x, &[1, 2, 2, 8]).unwrap();
    let k = client.buffer(&k, &[1, 1, 8, 8]).unwrap();
    let y = run(text, &[&x, &k], &client).unwrap()[0].to_vec::<f32>().unwrap();
    let columns: Vec<f32> = y.chunks(8).map(|channels| channels[0]).collect();
    columns != [2.0, 0.0, 4.0, 0.0]
}

/// The root of -1 - 0i, as parts.
pub(crate) fn root_below_the_cut() -> bool {
    let client = client(1);
    let text = "func.func @main(%re: tensor<1xf32>, %im: tensor<1xf32>) -> tensor<1xf32> {
        %0 = stablehlo.complex %re, %im : tensor<1xcomplex<f32>>
        %1 = stablehlo.sqrt %0 : tensor<1xcomplex<f32>>
        %2 = stablehlo.imag %1 : (tensor<1xcomplex<f32>>) -> tensor<1xf32>
        return %2 : tensor<1xf32>
    }";
    let (re, im) = (client.buffer(&[-1f32], &[1]).unwrap(), client.buffer(&[-0f32], &[1]).unwrap());
    run(text, &[&re, &im], &client).unwrap()[0].to_vec::<f32>().unwrap() != [-1.0]
}

/// The modulus of NaN + inf i.
pub(crate) fn modulus_of_infinity() -> bool {
    let client = client(1);
    let text = "func.func @main(%re: tensor<1xf32>, %im: tensor<1xf32>) -> tensor<1xf32> {
        %0 = stablehlo.complex %re, %im : tensor<1xcomplex<f32>>
        %1 = stablehlo.abs %0 : (tensor<1xcomplex<f32>>) -> tensor<1xf32>
        return %1 : tensor<1xf32>
    }";
    let re = client.buffer(&[f32::NAN], &[1]).unwrap();
    let im = client.buffer(&[f32::INFINITY], &[1]).unwrap();
    run(text, &[&re, &im], &client).unwrap()[0].to_vec::<f32>().unwrap() != [f32::INFINITY]
}

/// The quotient of a quotient, 1e-25, by way of the product of both divisors, which is infinite.
pub(crate) fn nested_division() -> bool {
    let client = client(1);
    let text = "func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
        %0 = stablehlo.divide %x, %y : tensor<4xf32>
        %1 = stablehlo.divide %0, %y : tensor<4xf32>
        return %1 : tensor<4xf32>
    }";
    let x = client.buffer(&[1e25f32; 4], &[4]).unwrap();
    let quotient = run(text, &[&x, &x], &client).unwrap()[0].to_vec::<f32>().unwrap();
    quotient.iter().any(|&quotient| (quotient / 1e-25 - 1.0).abs() > 1e-6)
}
