//! Products and convolutions that the libraries of NVIDIA lack.

use crate::{client, run};

/// The products of 1, 2, 3 and 4 with 10 and 1.
pub(crate) fn integer_convolution() -> bool {
    let client = client(1);
    let text =
        "func.func @main(%x: tensor<1x1x4xi32>, %k: tensor<1x1x2xi32>) -> tensor<1x1x3xi32> {
        %0 = stablehlo.convolution(%x, %k)
            dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {}
            {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
            : (tensor<1x1x4xi32>, tensor<1x1x2xi32>) -> tensor<1x1x3xi32>
        return %0 : tensor<1x1x3xi32>
    }";
    let x = client.buffer(&[1i32, 2, 3, 4], &[1, 1, 4]).unwrap();
    let k = client.buffer(&[10i32, 1], &[1, 1, 2]).unwrap();
    let y = run(text, &[&x, &k], &client).and_then(|y| y[0].to_vec::<i32>());
    !y.is_ok_and(|y| y == [12, 23, 34])
}

/// The imaginary parts of the products of 1 + i, 2 and 3 with 10 and i.
pub(crate) fn complex_convolution() -> bool {
    let client = client(1);
    let text = "func.func @main(%re: tensor<1x1x3xf32>, %im: tensor<1x1x3xf32>,
                                %kre: tensor<1x1x2xf32>, %kim: tensor<1x1x2xf32>)
                                -> tensor<1x1x2xf32> {
        %x = stablehlo.complex %re, %im : tensor<1x1x3xcomplex<f32>>
        %k = stablehlo.complex %kre, %kim : tensor<1x1x2xcomplex<f32>>
        %0 = stablehlo.convolution(%x, %k)
            dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {}
            {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
            : (tensor<1x1x3xcomplex<f32>>, tensor<1x1x2xcomplex<f32>>) -> tensor<1x1x2xcomplex<f32>>
        %1 = stablehlo.imag %0 : (tensor<1x1x2xcomplex<f32>>) -> tensor<1x1x2xf32>
        return %1 : tensor<1x1x2xf32>
    }";
    let re = client.buffer(&[1f32, 2.0, 3.0], &[1, 1, 3]).unwrap();
    let im = client.buffer(&[1f32, 0.0, 0.0], &[1, 1, 3]).unwrap();
    let kre = client.buffer(&[10f32, 0.0], &[1, 1, 2]).unwrap();
    let kim = client.buffer(&[0f32, 1.0], &[1, 1, 2]).unwrap();
    let y = run(text, &[&re, &im, &kre, &kim], &client).and_then(|y| y[0].to_vec::<f32>());
    !y.is_ok_and(|y| y == [12.0, 3.0])
}

/// The square of the matrix of i, as `f64`.
pub(crate) fn wider_complex_dot() -> bool {
    let client = client(1);
    let text = "func.func @main(%re: tensor<2x2xf32>, %im: tensor<2x2xf32>) -> tensor<2x2xf64> {
        %x = stablehlo.complex %re, %im : tensor<2x2xcomplex<f32>>
        %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0]
            : (tensor<2x2xcomplex<f32>>, tensor<2x2xcomplex<f32>>) -> tensor<2x2xcomplex<f64>>
        %1 = stablehlo.real %0 : (tensor<2x2xcomplex<f64>>) -> tensor<2x2xf64>
        return %1 : tensor<2x2xf64>
    }";
    let (re, im) = ([0f32; 4], [1f32; 4]);
    let [re, im] = [re, im].map(|part| client.buffer(&part, &[2, 2]).unwrap());
    let y = run(text, &[&re, &im], &client).and_then(|y| y[0].to_vec::<f64>());
    !y.is_ok_and(|y| y == [-2.0; 4])
}
