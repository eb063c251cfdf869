//! Elementwise functions.

use super::{super::values::Data, Template};
use hloom::{DType, Tensor};

/// Templates of functions of one operand.
macro_rules! of_one {
    ($($name:literal, $x:ident => $result:expr;)*) => {
        vec![$(Template::new($name, |g, dtype| { let $x = g.any(dtype); vec![$result] })),*]
    };
}

/// Templates of functions of two operands that broadcast.
macro_rules! of_two {
    ($($name:literal, $x:ident $y:ident => $result:expr;)*) => {
        vec![$(Template::new($name, |g, dtype| {
            let $x = g.any(dtype);
            let $y = g.partner($x);
            vec![$result]
        })),*]
    };
}

pub fn unary() -> Vec<Template> {
    of_one![
        "abs", x => x.abs();
        "neg", x => -x;
        "sign", x => x.sign();
        "exp", x => x.exp();
        "exp_m1", x => x.exp_m1();
        "log", x => x.log();
        "log1p", x => x.log1p();
        "sqrt", x => x.sqrt();
        "rsqrt", x => x.rsqrt();
        "cbrt", x => x.cbrt();
        "sin", x => x.sin();
        "cos", x => x.cos();
        "tan", x => x.tan();
        "tanh", x => x.tanh();
        "sigmoid", x => x.sigmoid();
        "erf", x => x.erf();
        "floor", x => x.floor();
        "ceil", x => x.ceil();
        "round", x => x.round();
        "round_even", x => x.round_even();
        "is_finite", x => x.is_finite();
        "not", x => !x;
        "count_leading_zeros", x => x.count_leading_zeros();
        "population_count", x => x.population_count();
        "real", x => x.real();
        "imag", x => x.imag();
        "is_nan", x => x.is_nan();
        "relu", x => x.relu();
    ]
}

pub fn binary() -> Vec<Template> {
    let mut all = of_two![
        "add", x y => x + y;
        "sub", x y => x - y;
        "mul", x y => x * y;
        "div", x y => x / y;
        "rem", x y => x % y;
        "maximum", x y => x.maximum(y);
        "minimum", x y => x.minimum(y);
        "atan2", x y => x.atan2(y);
        "next_after", x y => x.next_after(y);
        "and", x y => x & y;
        "or", x y => x | y;
        "xor", x y => x ^ y;
        "shift_left", x y => x.shift_left(y);
        "shift_right_arithmetic", x y => x.shift_right_arithmetic(y);
        "shift_right_logical", x y => x.shift_right_logical(y);
        "complex", x y => x.complex(y);
        "add with itself", x y => { let z = x + y; z + z };
        "add of a number", x y => (x + 1) - y;
    ];
    all.push(Template::new("pow", |g, dtype| {
        let x = g.any(dtype);
        vec![x.pow(g.argument(dtype, x.shape().sizes(), Data::Exponent))]
    }));
    all.push(Template::new("shift by little", |g, dtype| {
        let x = g.any(dtype);
        let y = g.argument(dtype, x.shape().sizes(), Data::Index(7));
        vec![x.shift_left(y), x.shift_right_arithmetic(y), x.shift_right_logical(y)]
    }));
    all
}

pub fn comparisons() -> Vec<Template> {
    let mut all = of_two![
        "eq", x y => x.eq(y);
        "ne", x y => x.ne(y);
        "lt", x y => x.lt(y);
        "le", x y => x.le(y);
        "gt", x y => x.gt(y);
        "ge", x y => x.ge(y);
    ];
    all.push(Template::new("select", |g, dtype| {
        let x = g.any(dtype);
        let y = g.partner(x);
        let mask = if g.once_in(5) {
            g.tensor(DType::Bool, &[])
        } else {
            g.tensor(DType::Bool, x.shape().sizes())
        };
        vec![mask.select(x, y)]
    }));
    all.push(Template::new("clamp", |g, dtype| {
        let x = g.any(dtype);
        let (low, high) = (g.partner(x), g.partner(x));
        vec![x.clamp(low, high)]
    }));
    all
}

pub fn conversions() -> Vec<Template> {
    let convert = |to: DType| {
        Template::new(format!("convert to {to}"), move |g, dtype| vec![g.any(dtype).convert(to)])
    };
    let bitcast = |to: DType| {
        Template::new(format!("bitcast to {to}"), move |g, dtype| vec![g.any(dtype).bitcast(to)])
    };
    let there_and_back = |through: DType| {
        Template::new(format!("convert through {through}"), move |g, dtype| {
            let x: Tensor = g.any(dtype);
            vec![x.convert(through).convert(dtype)]
        })
    };
    let some = [
        DType::Bool,
        DType::I8,
        DType::U32,
        DType::BF16,
        DType::F16,
        DType::F8E4M3FN,
        DType::F32,
        DType::F64,
    ];
    let all = DType::ALL.into_iter();
    let to = all.clone().map(convert).chain(all.map(bitcast));
    let rounded = Template::new("reduce precision", |g, dtype| {
        let x: Tensor = g.any(dtype);
        vec![x.reduce_precision(g.choose(&[2, 5, 8, 11]), g.choose(&[0, 3, 7, 10, 23]))]
    });
    to.chain(some.map(there_and_back)).chain([rounded]).collect()
}
