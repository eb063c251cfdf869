//! The accuracy of sums.

use crate::{client, run};

/// The squares of 32 images of 24 channels; no axis has as many elements as the plugin divides.
pub(crate) fn in_order() -> bool {
    let client = client(1);
    let text = "func.func @main(%a: tensor<32x24x13x11xf32>) -> tensor<24xf32> {
        %zero = stablehlo.constant dense<0.0> : tensor<f32>
        %0 = stablehlo.multiply %a, %a : tensor<32x24x13x11xf32>
        %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0, 2, 3]
            : (tensor<32x24x13x11xf32>, tensor<f32>) -> tensor<24xf32>
        return %1 : tensor<24xf32>
    }";
    let value = |i: usize| (i * 7919 % 10_007) as f32 / 10_007.0;
    let values: Vec<f32> = (0..32 * 24 * 13 * 11).map(value).collect();
    let a = client.buffer(&values, &[32, 24, 13, 11]).unwrap();
    let sums = run(text, &[&a], &client).unwrap()[0].to_vec::<f32>().unwrap();
    let is_off = |(channel, sum): (usize, f32)| {
        let images = values.chunks(24 * 13 * 11);
        let elements = images.flat_map(|image| &image[channel * 13 * 11..][..13 * 11]);
        let exact: f64 = elements.map(|&value| f64::from(value * value)).sum();
        (f64::from(sum) / exact - 1.0).abs() > 6e-7
    };
    sums.into_iter().enumerate().any(is_off)
}
