//! Programs over several devices.

use crate::{client, compile};
use hloom_pjrt::{Buffer, Client, CompileOptions, Element, Error, ExecuteOptions, as_bytes};

/// Passes each device its values, of one axis, and reads the first result of each.
fn on_each<T: Element, R: Element>(
    client: &Client,
    text: &str,
    options: &CompileOptions,
    values: &[&[T]],
) -> Result<Vec<Vec<R>>, Error> {
    let executable = compile(client, text, options)?;
    let devices = client.devices();
    let buffer = |(values, device): (&&[T], _)| {
        let dims = [values.len() as i64];
        client.host_buffer(T::DTYPE, &dims).on_device(device).copy(as_bytes(values))
    };
    let inputs: Vec<Buffer> = values.iter().zip(&devices).map(buffer).collect::<Result<_, _>>()?;
    let mut outputs = Vec::new();
    executable.execute_into(&inputs, &ExecuteOptions::new(), &mut outputs)?;
    outputs.iter().map(Buffer::to_vec).collect()
}

/// A collective of two devices, whose values are converted from bytes and back.
fn replicated(name: &str, element: &str, region: &str, attributes: &str) -> String {
    format!(
        "module attributes {{mhlo.num_replicas = 2 : i32}} {{
        func.func @main(%a: tensor<2xi8>) -> tensor<2xi8> {{
          %narrow = stablehlo.convert %a : (tensor<2xi8>) -> tensor<2x{element}>
          %0 = stablehlo.optimization_barrier %narrow : tensor<2x{element}>
          %1 = \"stablehlo.{name}\"(%0) {region} {{{attributes}replica_groups = dense<[[0, 1]]> : \
         tensor<1x2xi64>}}
            : (tensor<2x{element}>) -> tensor<2x{element}>
          %kept = stablehlo.optimization_barrier %1 : tensor<2x{element}>
          %2 = stablehlo.convert %kept : (tensor<2x{element}>) -> tensor<2xi8>
          return %2 : tensor<2xi8>
        }} }}"
    )
}

fn combiner(name: &str, element: &str) -> String {
    format!(
        "({{ ^bb0(%x: tensor<{element}>, %y: tensor<{element}>):
            %s = stablehlo.{name} %x, %y : tensor<{element}>
            stablehlo.return %s : tensor<{element}>
        }})"
    )
}

/// NaN and a number, on the first device and on the second.
pub(crate) fn maximum_of_nan() -> bool {
    let client = client(2);
    let text = format!(
        "module attributes {{mhlo.num_replicas = 2 : i32}} {{
        func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {{
          %0 = \"stablehlo.all_reduce\"(%a) {} {{replica_groups = dense<[[0, 1]]> : \
         tensor<1x2xi64>}}
            : (tensor<2xf32>) -> tensor<2xf32>
          return %0 : tensor<2xf32>
        }} }}",
        combiner("maximum", "f32")
    );
    let values: [&[f32]; 2] = [&[f32::NAN, 1.0], &[1.0, f32::NAN]];
    let results =
        on_each::<f32, f32>(&client, &text, &CompileOptions::replicated(2), &values).unwrap();
    results.iter().flatten().any(|value| !value.is_nan())
}

pub(crate) fn narrow_sums() -> bool {
    ["i2", "i4"].iter().any(|element| {
        let text = replicated("all_reduce", element, &combiner("add", element), "");
        let values: [&[i8]; 2] = [&[1, -2], &[0, 1]];
        let results = on_each::<i8, i8>(&client(2), &text, &CompileOptions::replicated(2), &values);
        println!("{element}: {results:?}");
        !results.is_ok_and(|results| results == [[1, -1], [1, -1]])
    })
}

pub(crate) fn broadcast() -> bool {
    let text = replicated("collective_broadcast", "i32", "", "");
    let values: [&[i8]; 2] = [&[3, -2], &[4, -5]];
    let results = on_each::<i8, i8>(&client(2), &text, &CompileOptions::replicated(2), &values);
    !results.is_ok_and(|results| results == [[3, -2], [3, -2]])
}

pub(crate) fn nothing_gathered() -> bool {
    let client = client(2);
    let text = "module attributes {mhlo.num_replicas = 2 : i32} {
        func.func @main(%a: tensor<0xf32>) -> tensor<0xf32> {
          %0 = \"stablehlo.all_gather\"(%a) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, \
                1]]> : tensor<1x2xi64>}
            : (tensor<0xf32>) -> tensor<0xf32>
          return %0 : tensor<0xf32>
        } }";
    let results = on_each::<f32, f32>(&client, text, &CompileOptions::replicated(2), &[&[], &[]]);
    !results.is_ok_and(|results| results.iter().all(Vec::is_empty))
}

/// A pad that takes the first element away and puts two between the others.
pub(crate) fn cut_edge() -> bool {
    let client = client(2);
    let text = r#"module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
        sdy.mesh @mesh = <["x"=2]>
        func.func @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
            -> (tensor<11xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
          %z = stablehlo.constant dense<9.0> : tensor<f32>
          %0 = stablehlo.pad %a, %z, low = [-1], high = [2], interior = [2] : (tensor<4xf32>, tensor<f32>) -> tensor<11xf32>
          return %0 : tensor<11xf32>
        } }"#;
    let options = CompileOptions::partitioned(2);
    let results = on_each::<f32, f32>(&client, text, &options, &[&[1.0, 2.0], &[3.0, 4.0]]);
    let expected = vec![9.0, 9.0, 2.0, 9.0, 9.0, 3.0, 9.0, 9.0, 4.0, 9.0, 9.0];
    !results.is_ok_and(|results| results == [expected.clone(), expected])
}

/// A slice of two elements from 3 on of four, which begins at 2, with an element on each device.
pub(crate) fn starts_in_parts() -> bool {
    let client = client(2);
    let text = r#"module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
        sdy.mesh @mesh = <["x"=2]>
        func.func @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>})
            -> (tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
          %c = stablehlo.constant dense<3> : tensor<i64>
          %s = stablehlo.optimization_barrier %c : tensor<i64>
          %0 = stablehlo.dynamic_slice %a, %s, sizes = [2] : (tensor<4xf32>, tensor<i64>) -> tensor<2xf32>
          return %0 : tensor<2xf32>
        } }"#;
    let values: [&[f32]; 2] = [&[1.0, 2.0, 3.0, 4.0]; 2];
    let options = CompileOptions::partitioned(2);
    let results = on_each::<f32, f32>(&client, text, &options, &values);
    !results.is_ok_and(|results| results == [[3.0], [4.0]])
}
