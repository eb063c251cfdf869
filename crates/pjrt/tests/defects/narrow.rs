//! Elements below a byte.
//!
//! Barriers keep the compiler from doing the work on the bytes that the elements are converted from
//! and to.

use crate::{client, run};

const KEYS: [i8; 5] = [1, -2, 0, -1, 1];

/// The types, which replace `NARROW` in programs.
const INTEGERS: [&str; 2] = ["i2", "i4"];
const ALL: [&str; 3] = ["i2", "i4", "f4E2M1FN"];

/// Whether `body` returns something other than the keys, `%k`, with their positions, `%v`, in one
/// of the types. Its last values are `%x` of a narrow type and of `count` elements, and `%y` of as
/// many bytes.
fn differs(
    types: &[&str],
    body: &str,
    count: usize,
    expected: impl Fn(&str) -> (Vec<i8>, Vec<i8>),
) -> bool {
    types.iter().any(|element| {
        // A scalar has no size before its type.
        let size = if count == 1 { String::new() } else { format!("{count}x") };
        let text = format!(
            "func.func @main(%a: tensor<5xi8>) -> (tensor<{size}i8>, tensor<{size}i8>) {{
                %narrow = stablehlo.convert %a : (tensor<5xi8>) -> tensor<5xNARROW>
                %k = stablehlo.optimization_barrier %narrow : tensor<5xNARROW>
                %v = stablehlo.iota dim = 0 : tensor<5xi8>
                {body}
                %kept = stablehlo.optimization_barrier %x : tensor<{size}NARROW>
                %wide = stablehlo.convert %kept : (tensor<{size}NARROW>) -> tensor<{size}i8>
                return %wide, %y : tensor<{size}i8>, tensor<{size}i8>
            }}"
        );
        let client = client(1);
        let a = client.buffer(&KEYS, &[5]).unwrap();
        let results = run(&text.replace("NARROW", element), &[&a], &client);
        let values = results.map(|results| {
            (results[0].to_vec::<i8>().unwrap(), results[1].to_vec::<i8>().unwrap())
        });
        println!("{element}: {values:?}");
        // A refused program shows the defect as much as a wrong result.
        !values.is_ok_and(|values| values == expected(element))
    })
}

pub(crate) fn sorted_beside_others() -> bool {
    let body = r#"
        %x, %y = "stablehlo.sort"(%k, %v) ({
        ^bb0(%a0: tensor<NARROW>, %a1: tensor<NARROW>, %b0: tensor<i8>, %b1: tensor<i8>):
            %lt = stablehlo.compare LT, %a0, %a1, SIGNED : (tensor<NARROW>, tensor<NARROW>) -> tensor<i1>
            stablehlo.return %lt : tensor<i1>
        }) {dimension = 0 : i64, is_stable = true} : (tensor<5xNARROW>, tensor<5xi8>) -> (tensor<5xNARROW>, tensor<5xi8>)"#;
    differs(&INTEGERS, body, 5, |_| (vec![-2, -1, 0, 1, 1], vec![1, 3, 2, 0, 4]))
}

pub(crate) fn reduced_beside_others() -> bool {
    let body = r#"
        %lowest = stablehlo.constant dense<-2> : tensor<NARROW>
        %zero = stablehlo.constant dense<0> : tensor<i8>
        %x, %y = "stablehlo.reduce"(%k, %v, %lowest, %zero) ({
        ^bb0(%a0: tensor<NARROW>, %b0: tensor<i8>, %a1: tensor<NARROW>, %b1: tensor<i8>):
            %ge = stablehlo.compare GE, %a0, %a1, SIGNED : (tensor<NARROW>, tensor<NARROW>) -> tensor<i1>
            %p = stablehlo.select %ge, %a0, %a1 : tensor<i1>, tensor<NARROW>
            %q = stablehlo.maximum %b0, %b1 : tensor<i8>
            stablehlo.return %p, %q : tensor<NARROW>, tensor<i8>
        }) {dimensions = array<i64: 0>} : (tensor<5xNARROW>, tensor<5xi8>, tensor<NARROW>, tensor<i8>)
            -> (tensor<NARROW>, tensor<i8>)"#;
    differs(&INTEGERS, body, 1, |_| (vec![1], vec![4]))
}

pub(crate) fn products() -> bool {
    let body = "
        %x = stablehlo.dot_general %k, %k, contracting_dims = [0] x [0] : (tensor<5xNARROW>, \
                tensor<5xNARROW>) -> tensor<NARROW>
        %y = stablehlo.constant dense<0> : tensor<i8>";
    // Seven is -1 in two bits.
    differs(&INTEGERS, body, 1, |element| (vec![if element == "i2" { -1 } else { 7 }], vec![0]))
}

pub(crate) fn convolved() -> bool {
    let body = "
        %row = stablehlo.reshape %k : (tensor<5xNARROW>) -> tensor<1x1x5xNARROW>
        %first = stablehlo.slice %k [0:2] : (tensor<5xNARROW>) -> tensor<2xNARROW>
        %w = stablehlo.reshape %first : (tensor<2xNARROW>) -> tensor<1x1x2xNARROW>
        %c = \"stablehlo.convolution\"(%row, %w) {dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, \
                i, 0]->[b, f, 0]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : \
                (tensor<1x1x5xNARROW>, tensor<1x1x2xNARROW>) -> tensor<1x1x4xNARROW>
        %x = stablehlo.reshape %c : (tensor<1x1x4xNARROW>) -> tensor<4xNARROW>
        %y = stablehlo.slice %v [0:4] : (tensor<5xi8>) -> tensor<4xi8>";
    differs(&INTEGERS, body, 4, |element| {
        let wide = vec![5, -2, 2, -3];
        // Two bits have the remainders of four.
        (if element == "i2" { vec![1, -2, -2, 1] } else { wide }, vec![0, 1, 2, 3])
    })
}

pub(crate) fn concatenated() -> bool {
    let body = "
        %x = stablehlo.concatenate %k, %k, dim = 0 : (tensor<5xNARROW>, tensor<5xNARROW>) -> \
                tensor<10xNARROW>
        %y = stablehlo.concatenate %v, %v, dim = 0 : (tensor<5xi8>, tensor<5xi8>) -> tensor<10xi8>";
    differs(&ALL, body, 10, |_| (KEYS.repeat(2), [0, 1, 2, 3, 4].repeat(2)))
}

pub(crate) fn transposed() -> bool {
    let body = "
        %rows = stablehlo.concatenate %k, %k, dim = 0 : (tensor<5xNARROW>, tensor<5xNARROW>) -> \
                tensor<10xNARROW>
        %flat = stablehlo.optimization_barrier %rows : tensor<10xNARROW>
        %square = stablehlo.reshape %flat : (tensor<10xNARROW>) -> tensor<2x5xNARROW>
        %turned = stablehlo.transpose %square, dims = [1, 0] : (tensor<2x5xNARROW>) -> \
                tensor<5x2xNARROW>
        %apart = stablehlo.optimization_barrier %turned : tensor<5x2xNARROW>
        %x = stablehlo.reshape %apart : (tensor<5x2xNARROW>) -> tensor<10xNARROW>
        %y = stablehlo.concatenate %v, %v, dim = 0 : (tensor<5xi8>, tensor<5xi8>) -> tensor<10xi8>";
    let twice = || KEYS.iter().flat_map(|&key| [key; 2]).collect();
    differs(&ALL, body, 10, |_| (twice(), [0, 1, 2, 3, 4].repeat(2)))
}

pub(crate) fn gathered() -> bool {
    let body = "
        %at = stablehlo.constant dense<[[4], [2], [0], [1], [1]]> : tensor<5x1xi32>
        %x = \"stablehlo.gather\"(%k, %at) {
            dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = \
                [0], index_vector_dim = 1>,
            slice_sizes = array<i64: 1>, indices_are_sorted = false} : (tensor<5xNARROW>, \
                tensor<5x1xi32>) -> tensor<5xNARROW>
        %y = stablehlo.abs %v : tensor<5xi8>";
    differs(&ALL, body, 5, |_| (vec![1, 0, 1, -2, -2], vec![0, 1, 2, 3, 4]))
}

pub(crate) fn cumulated() -> bool {
    let body = r#"
        %zero = stablehlo.constant dense<0> : tensor<NARROW>
        %x = "stablehlo.reduce_window"(%k, %zero) ({
        ^bb0(%p: tensor<NARROW>, %q: tensor<NARROW>):
            %s = stablehlo.add %p, %q : tensor<NARROW>
            stablehlo.return %s : tensor<NARROW>
        }) {window_dimensions = array<i64: 5>, padding = dense<[[4, 0]]> : tensor<1x2xi64>}
            : (tensor<5xNARROW>, tensor<NARROW>) -> tensor<5xNARROW>
        %y = stablehlo.abs %v : tensor<5xi8>"#;
    differs(&INTEGERS, body, 5, |_| (vec![1, -1, -1, -2, -1], vec![0, 1, 2, 3, 4]))
}

pub(crate) fn largest_of_bools() -> bool {
    let client = client(1);
    let text = "func.func @main(%a: tensor<3xi32>) -> tensor<i8> {
        %zero = stablehlo.constant dense<0> : tensor<3xi32>
        %is = stablehlo.compare GE, %a, %zero, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> \
                tensor<3xi1>
        %0 = stablehlo.convert %is : (tensor<3xi1>) -> tensor<3xi2>
        %low = stablehlo.constant dense<-2> : tensor<i2>
        %1 = \"stablehlo.reduce\"(%0, %low) ({ ^bb0(%x: tensor<i2>, %y: tensor<i2>):
          %s = stablehlo.maximum %x, %y : tensor<i2>
          stablehlo.return %s : tensor<i2>
        }) {dimensions = array<i64: 0>} : (tensor<3xi2>, tensor<i2>) -> tensor<i2>
        %2 = stablehlo.convert %1 : (tensor<i2>) -> tensor<i8>
        return %2 : tensor<i8>
    }";
    let a = client.buffer(&[1i32, -1, 2], &[3]).unwrap();
    run(text, &[&a], &client).unwrap()[0].to_scalar::<i8>().unwrap() != 1
}
