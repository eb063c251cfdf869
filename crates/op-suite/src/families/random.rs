//! Random numbers: those that JAX draws by the same key.

use crate::{EXACT, Row, Tolerance, rows, ulps};
use hloom::{ops::ChoiceOptions, prelude::*};

const DIMS: [usize; 2] = [5, 7];
/// The tolerance of functions of uniform numbers.
const NEAR: Tolerance = ulps(4).narrow(4);

/// Rows for each type: `"name", tolerance, [operands] => |dtype| the draw;`
macro_rules! of_types {
    (
        [$($dtype:ident $suffix:literal),*]
        $name:literal, $tolerance:expr, $operands:tt => |$d:ident| $result:expr
    ) => {
        rows![$(
            concat!($name, " ", $suffix), $tolerance, $operands => {
                let $d = DType::$dtype;
                $result
            };
        )*]
    };
}

macro_rules! of_floats {
    ($($rest:tt)*) => {
        of_types!([BF16 "bf16", F16 "f16", F32 "f32", F64 "f64"] $($rest)*)
    };
}

macro_rules! of_ints {
    ($($rest:tt)*) => {
        of_types!(
            [I8 "i8", I16 "i16", I32 "i32", I64 "i64", U8 "u8", U16 "u16", U32 "u32", U64 "u64"]
            $($rest)*
        )
    };
}

fn choice(replace: bool, probabilities: Option<Tensor>) -> ChoiceOptions {
    ChoiceOptions { replace, probabilities }
}

pub fn rows() -> Vec<Row> {
    let mut all = Vec::new();
    all.extend(rows![
        "new 0", EXACT, [] => Key::new(0);
        "new 42", EXACT, [] => Key::new(42);
        "new 4294967295", EXACT, [] => Key::new(u32::MAX.into());
        "new 1099511627783", EXACT, [] => Key::new((1 << 40) + 7);
        "new 18446744073709551615", EXACT, [] => Key::new(u64::MAX);
        "from_seed", EXACT, [seed] => Key::from_seed(seed);
        "split2", EXACT, [key] => Key(key).split2();
        "split 5", EXACT, [key] => Key(key).split(5);
        "split_along", EXACT, [key] => Key(key).split_along("n", 3);
        "fold_in 7", EXACT, [key] => Key(key).fold_in(7);
        "fold_in", EXACT, [key, data] => Key(key).fold_in(data);
        "bits u8", EXACT, [key] => Key(key).bits(DType::U8, DIMS);
        "bits u16", EXACT, [key] => Key(key).bits(DType::U16, DIMS);
        "bits u32", EXACT, [key] => Key(key).bits(DType::U32, DIMS);
        "bits u64", EXACT, [key] => Key(key).bits(DType::U64, DIMS);
        "bits of 0 axes", EXACT, [key] => Key(key).bits(DType::U32, [] as [usize; 0]);
        "bits of 1 axes", EXACT, [key] => Key(key).bits(DType::U32, [1]);
        "bits of 2 axes", EXACT, [key] => Key(key).bits(DType::U32, [0, 3]);
        "bits of 3 axes", EXACT, [key] => Key(key).bits(DType::U32, [("a", 2), ("b", 1), ("c", 3)]);
        "uniform_between of tensors", EXACT, [key, low, high] => Key(key)
            .uniform_between(DType::F32, DIMS, low, high);
        "normal c64", NEAR, [key] => Key(key).normal(DType::C64, DIMS);
        "normal c128", NEAR, [key] => Key(key).normal(DType::C128, DIMS);
        "truncated_normal of tensors", NEAR, [key, low, high] => Key(key)
            .truncated_normal(DType::F64, [9, 4], low, high);
        "bernoulli of a number", EXACT, [key] => Key(key).bernoulli(0.3, DIMS);
        "gamma of a number", NEAR, [key] => Key(key).gamma(DType::F32, DIMS, 2.5);
        "permutation 0", EXACT, [key] => Key(key).permutation([0]);
        "permutation 1", EXACT, [key] => Key(key).permutation([1]);
        "permutation 2", EXACT, [key] => Key(key).permutation([("two", 2)]);
        "permutation 10", EXACT, [key] => Key(key).permutation([10]);
        "permutation 2000", EXACT, [key] => Key(key).permutation([2000]);
        "shuffle of a vector", EXACT, [key, x] => Key(key).shuffle(x, 0);
        "shuffle 0", EXACT, [key, x] => Key(key).shuffle(x.named(["a", "b"]), "a");
        "shuffle -1", EXACT, [key, x] => Key(key).shuffle(x, -1);
        "shuffle_each", EXACT, [key, x] => Key(key).shuffle_each(x, 1);
        "choice", EXACT, [key, x] => Key(key).choice(x, 0, [4, 5]);
        "choice along 1", EXACT, [key, x] => Key(key).choice(x.named(["a", "b"]), "b", [("n", 2)]);
        "choice of one", EXACT, [key, x] => Key(key).choice(x, 0, [] as [usize; 0]);
        "choice without replacement", EXACT, [key, x] => Key(key)
            .choice_with(x, 0, [2, 2], choice(false, None));
        "choice by probability", EXACT, [key, x, p] => Key(key)
            .choice_with(x, 0, [4, 5], choice(true, Some(p)));
        "choice by probability without replacement", EXACT, [key, x, p] => Key(key)
            .choice_with(x, 0, [4], choice(false, Some(p)));
        "categorical along 0", EXACT, [key, x] => Key(key).categorical(x, 0);
        "categorical_of", EXACT, [key, x] => Key(key).categorical_of(x, 0, [2, 3]);
    ]);
    all.extend(of_floats!("uniform", EXACT, [key] => |d| Key(key).uniform(d, DIMS)));
    // Processors that compute in `f16` round a product and a sum once, which shows where the sum
    // cancels.
    all.extend(of_floats!("uniform_between", ulps(0).of_largest(), [key] => |d| {
        Key(key).uniform_between(d, DIMS, -2.5, 7.25)
    }));
    all.extend(of_floats!("normal", NEAR, [key] => |d| Key(key).normal(d, [301])));
    all.extend(of_floats!("truncated_normal", NEAR.narrow(8).of_largest(), [key] => |d| {
        Key(key).truncated_normal(d, [301], -0.5, 2)
    }));
    all.extend(of_floats!("exponential", NEAR, [key] => |d| Key(key).exponential(d, [301])));
    all.extend(of_floats!("gumbel", NEAR, [key] => |d| Key(key).gumbel(d, [301])));
    all.extend(of_floats!("bernoulli", EXACT, [key, p] => |_d| Key(key).bernoulli(p, DIMS)));
    all.extend(of_floats!("categorical", EXACT, [key, x] => |_d| Key(key).categorical(x, 1)));
    // Logarithms and powers of a rejection, which processors round differently; in `f16` the
    // compilers of both versions of XLA round at different steps.
    all.extend(
        of_floats!("gamma", ulps(16).narrow(8), [key, a] => |d| Key(key).gamma(d, a.shape(), a)),
    );
    all.extend(of_ints!("randint", EXACT, [key] => |d| {
        Key(key).randint(d, DIMS, if d.is_signed_int() { -3 } else { 3 }, 11)
    }));
    all.extend(of_ints!("randint of tensors", EXACT, [key, low, high] => |d| {
        Key(key).randint(d, [9, 4], low, high)
    }));
    all
}
