//! Kernels against NumPy in `f64` (`tests/oracle/kernel_values.py`): every element type,
//! instruction set and number of threads.

use crate::reference::{Random, ulp};
use half::{bf16, f16};
use hloom_kernels::{
    Attention, Element, Isa, Linear, Matrix, MatrixMut, Pool, Scoped, Serial, Workers, attend,
    linear,
};
use serde_json::Value;

fn cases(text: &str) -> Vec<Value> {
    serde_json::from_str(text).expect("a list of cases")
}

/// Numbers, or names of those that JSON cannot represent.
fn numbers(value: &Value) -> Vec<f64> {
    let number = |value: &Value| value.as_f64().or_else(|| value.as_str()?.parse().ok());
    let list = value.as_array().expect("a list");
    list.iter().map(|value| number(value).expect("a number")).collect()
}

fn sizes<const N: usize>(case: &Value) -> [usize; N] {
    let sizes: Vec<usize> = numbers(&case["sizes"]).iter().map(|&size| size as usize).collect();
    sizes.try_into().expect("as many sizes as the kernel has")
}

fn draw<T: Element>(random: &mut Random, count: usize) -> Vec<T> {
    (0..count).map(|_| T::from_f32(random.next())).collect()
}

/// Writes the non-finite numbers into an operand.
fn place<T: Element>(case: &Value, operand: &str, elements: &mut [T]) {
    for special in case["special"].as_array().expect("a list") {
        if special[0] == operand {
            let place = special[1].as_u64().expect("a place") as usize;
            let value = special[2].as_str().and_then(|name| name.parse().ok());
            elements[place] = T::from_f32(value.expect("a number"));
        }
    }
}

/// One thread, several, and the process's workers.
fn pools() -> [Box<dyn Pool>; 4] {
    [Box::new(Serial), Box::new(Scoped(2)), Box::new(Scoped(3)), Box::new(Workers::get())]
}

fn is_too_much_for_an_interpreter(sizes: &[usize]) -> bool {
    cfg!(miri) && sizes.iter().product::<usize>() > 300
}

#[test]
fn products_are_those_of_numpy() {
    for case in cases(include_str!("data/linear.json")) {
        match (case["x"].as_str(), case["weight"].as_str()) {
            (Some("f32"), Some("f32")) => products::<f32, f32>(&case),
            (Some("f32"), Some("bf16")) => products::<f32, bf16>(&case),
            (Some("f32"), Some("f16")) => products::<f32, f16>(&case),
            (Some("bf16"), Some("bf16")) => products::<bf16, bf16>(&case),
            (Some("f16"), Some("f16")) => products::<f16, f16>(&case),
            (Some("bf16"), Some("f32")) => products::<bf16, f32>(&case),
            types => panic!("no product of {types:?}"),
        }
    }
}

fn products<X: Element, W: Element>(case: &Value) {
    let sizes = sizes(case);
    if is_too_much_for_an_interpreter(&sizes) {
        return;
    }
    for isa in Isa::available() {
        for pool in pools() {
            product::<X, W, f32>(isa, &*pool, case, sizes);
            product::<X, W, bf16>(isa, &*pool, case, sizes);
            product::<X, W, f16>(isa, &*pool, case, sizes);
        }
    }
}

fn product<X: Element, W: Element, Y: Element>(
    isa: Isa,
    pool: &dyn Pool,
    case: &Value,
    [rows, n, k]: [usize; 3],
) {
    let mut random = Random(case["seed"].as_u64().expect("a seed"));
    let mut x: Vec<X> = draw(&mut random, rows * k);
    let mut weight: Vec<W> = draw(&mut random, n * k);
    place(case, "x", &mut x);
    place(case, "weight", &mut weight);
    let bias: Vec<f32> = draw(&mut random, n);
    // The oracle adds the exact bias: for narrow result types it is rounded first.
    let bias: Vec<Y> = bias.into_iter().map(Y::from_f32).collect();
    let mut y = vec![Y::ZERO; rows * n];
    let product = Linear {
        weight: Matrix::new(&weight, n, k).expect("it fits"),
        bias: Some(&bias),
        y: MatrixMut::new(&mut y, rows, n).expect("it fits"),
    };
    let x = Matrix::new(&x, rows, k).expect("it fits");
    linear(isa, pool, x, &mut [product]).expect("the operands fit");
    for (i, ((found, expected), size)) in
        y.iter().zip(numbers(&case["y"])).zip(numbers(&case["size"])).enumerate()
    {
        let found = f64::from(found.to_f32());
        // Two ulps, and the possible error of an `f32` sum in four lanes.
        let lost = f64::from(f32::EPSILON / 2.0) * (k / 4 + 8) as f64 * size;
        let lost_of_bias = ulp::<Y>(bias[i % n].to_f32().into());
        let is_right = if expected.is_finite() {
            (found - expected).abs() <= 2.0 * ulp::<Y>(expected) + lost + lost_of_bias
        } else {
            found == expected || found.is_nan() && expected.is_nan()
        };
        assert!(
            is_right,
            "{isa} {} threads {}x{}->{} {rows}x{n}x{k} at {i}: {found} for {expected}",
            pool.threads(),
            X::NAME,
            W::NAME,
            Y::NAME
        );
    }
}

#[test]
fn attention_is_that_of_numpy() {
    for case in cases(include_str!("data/attend.json")) {
        match case["dtype"].as_str() {
            Some("f32") => attention::<f32>(&case),
            Some("bf16") => attention::<bf16>(&case),
            Some("f16") => attention::<f16>(&case),
            dtype => panic!("no attention of {dtype:?}"),
        }
    }
}

fn attention<T: Element>(case: &Value) {
    let [seq, kv_heads, group, positions, dim] = sizes(case);
    if is_too_much_for_an_interpreter(&[seq, kv_heads, group, positions, dim]) {
        return;
    }
    let mut random = Random(case["seed"].as_u64().expect("a seed"));
    let mut query: Vec<T> = draw(&mut random, seq * kv_heads * group * dim);
    let mut key: Vec<T> = draw(&mut random, kv_heads * positions * dim);
    let mut value: Vec<T> = draw(&mut random, kv_heads * positions * dim);
    place(case, "query", &mut query);
    place(case, "key", &mut key);
    place(case, "value", &mut value);
    let seen = |token: usize, position: usize| match case["mask"].as_str() {
        Some("causal") => position <= positions / 2 + token,
        Some("holes") => (token * positions + position) % 3 == 1,
        _ => true,
    };
    let mask: Vec<u8> =
        (0..seq * positions).map(|i| u8::from(seen(i / positions, i % positions))).collect();
    let expected = numbers(&case["out"]);
    for isa in Isa::available() {
        for pool in pools() {
            let mut out = vec![7.0; query.len()];
            let operands = Attention {
                seq,
                kv_heads,
                group,
                positions,
                dim,
                query: &query,
                key: &key,
                value: &value,
                mask: (case["mask"] != "all").then_some(&mask[..]),
                out: &mut out,
            };
            attend(isa, &*pool, operands).expect("the operands fit");
            for (i, (&found, &expected)) in out.iter().zip(&expected).enumerate() {
                let found = f64::from(found);
                let is_right = if expected.is_finite() {
                    (found - expected).abs() <= 4e-6
                } else {
                    found == expected || found.is_nan() && expected.is_nan()
                };
                assert!(
                    is_right,
                    "{isa} {} threads {} {case} at {i}: {found} for {expected}",
                    pool.threads(),
                    T::NAME
                );
            }
        }
    }
}
