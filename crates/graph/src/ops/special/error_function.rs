//! The complement and the inverse of the error function.

use super::{super::elementwise::with_slope, by_type, polynomial};
use crate::{DType, Tensor, custom_vjp, trace::function_scope};
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI, PI};

#[hloom_derive::tensor_methods(error_function)]
impl Tensor {
    /// The complement of the error function, 1 - erf(x), without the cancellation of this
    /// difference for large x.
    ///
    /// Composed: `1 - x P(x²)` below 0.65, and above `exp(-x²)` times a polynomial of
    /// `(x - 3) / (x + 3)` by `1 + 2 x` ([Shepherd and Laframboise
    /// 1981](https://doi.org/10.1090/S0025-5718-1981-0595058-X)). At most 4 ulps in `f32` and
    /// `f64`.
    #[track_caller]
    pub fn erfc(self) -> Tensor {
        let forward = |x: Tensor| {
            let near = x * polynomial(x * x, by_type(x, &ERF_32, &ERF_64)) * -1 + 1;
            // Beyond this limit the result is 0; clamping keeps the quotient below finite.
            let size = x.abs().minimum(by_type(x, 12.0, 30.0));
            let tail = exp_of_square(size, 1.0) * erfc_scaled(size);
            let far = x.lt(0).select(tail * -1 + 2, tail);
            x.abs().lt(0.65).select(near, far)
        };
        self.in_f32("erfc", |x| with_slope(x, forward, |x| -erf_slope(x)))
    }

    /// The number whose error function is x: infinite at -1 and 1, NaN beyond.
    ///
    /// Composed of a logarithm, a root and the polynomials of [Giles
    /// 2012](https://people.maths.ox.ac.uk/gilesm/files/gems_erfinv.pdf). At most 5 ulps in `f32`
    /// and `f64`. (JAX, which uses the same polynomials, is off by up to 65 units in `f32` and
    /// 500,000 in `f64`, near -1 and 1.)
    #[track_caller]
    #[doc(alias = "erfinv")]
    pub fn erf_inv(self) -> Tensor {
        let logarithm = |x: Tensor| {
            let size = x.abs();
            // Near 1, `1 - x²` would cancel; near 0, the product of `1 - |x|` and `1 + |x|` would
            // lose the digits of `x²`.
            let near = -(x * x * -1).log1p();
            let far = -((size * -1 + 1) * (size + 1)).log();
            size.lt(0.5).select(near, far)
        };
        self.in_f32("erf_inv", |x| erf_inv_by(x, logarithm))
    }

    /// As [`erf_inv`](Self::erf_inv), with the rounding errors of JAX, which its random numbers
    /// contain.
    #[track_caller]
    pub(crate) fn erf_inv_as_drawn(self) -> Tensor {
        self.in_f32("erf_inv", |x| erf_inv_by(x, |x| -(x * x * -1).log1p()))
    }
}

/// The derivative of the error function, for floats of 32 or 64 bits.
#[track_caller]
pub(crate) fn erf_slope(x: Tensor) -> Tensor {
    // Beyond this limit the slope is 0.
    exp_of_square(x.abs().minimum(by_type(x, 12.0, 30.0)), 1.0) * FRAC_2_SQRT_PI
}

/// `exp(x²) erfc(x)` of finite x, at least 0.
#[track_caller]
pub(crate) fn erfc_scaled(x: Tensor) -> Tensor {
    let scaled = polynomial((x - 3) / (x + 3), by_type(x, &ERFC_32, &ERFC_64));
    scaled / (x * 2 + 1)
}

/// The upper tail of the standard normal distribution at the magnitude of a float.
pub(crate) struct NormalTail {
    /// The magnitude, clamped to where density and probability are 0.
    pub size: Tensor,
    /// The density without its constant factor, `exp(-x²/2)`.
    pub density: Tensor,
    /// The probability of larger numbers.
    pub probability: Tensor,
}

impl NormalTail {
    /// The tail at x. `is_exact`: the square of x is exact, since x has at most half of the digits
    /// of its type.
    #[track_caller]
    pub fn of(x: Tensor, is_exact: bool) -> NormalTail {
        let size = x.abs().minimum(by_type(x, 17.0, 42.0));
        let density = if is_exact { (size * size * -0.5).exp() } else { exp_of_square(size, 0.5) };
        let probability = density * (erfc_scaled(size * FRAC_1_SQRT_2) * 0.5);
        NormalTail { size, density, probability }
    }
}

/// `exp(-scale x²)` without the rounding error of the square. The scale is a power of two, the
/// product with the square at most 900 in `f64` and 145 in `f32`.
#[track_caller]
fn exp_of_square(x: Tensor, scale: f64) -> Tensor {
    function_scope("exp_of_square", || {
        // The square of half of the bits is exact.
        let half = match x.dtype() {
            DType::F64 => (x.bitcast(DType::U64) & !0u64 << 27).bitcast(DType::F64),
            _ => (x.bitcast(DType::U32) & !0u32 << 12).bitcast(DType::F32),
        };
        let rest = (half - x) * (half + x);
        let rest = if scale == 1.0 { rest } else { rest * scale };
        // The exponential of the rest, which is between -0.15 and 0.
        (half * half * -scale).exp() * polynomial(rest, &EXPONENTIAL)
    })
}

/// The inverse, with a function that computes the negative logarithm of 1 - x².
#[track_caller]
fn erf_inv_by(x: Tensor, logarithm: impl FnOnce(Tensor) -> Tensor) -> Tensor {
    let forward = |x: Tensor| {
        let y = approximate(x, logarithm(x));
        (y, (x, y))
    };
    // The slope is the exponential of the square of y, which would amplify the error of a large y.
    // It is computed as a slowly varying function divided by the complement of x, which is exact.
    let backward = |(x, y): (Tensor, Tensor), g: Tensor| {
        let is_far = x.abs().ge(0.5);
        let small = is_far.select(y.zeros_like(), y);
        let far = erfc_scaled(y.abs().minimum(by_type(x, 12.0, 30.0))) / (x.abs() * -1 + 1);
        g * (is_far.select(far, (small * small).exp()) * (PI.sqrt() / 2.0))
    };
    custom_vjp(x, forward, backward)
}

/// The inverse from x and w, the negative logarithm of 1 - x². The ops of each branch have finite
/// derivatives also where another branch is selected, for second derivatives.
#[track_caller]
fn approximate(x: Tensor, w: Tensor) -> Tensor {
    let slope = match x.dtype() {
        DType::F64 => {
            let is_near = w.lt(6.25);
            let root = is_near.select(w.ones_like(), w).sqrt();
            let middle = polynomial(root - 3.25, &MIDDLE_64);
            let far = root.lt(4).select(middle, polynomial(root - 5, &FAR_64));
            is_near.select(polynomial(w - 3.125, &NEAR_64), far)
        }
        _ => {
            let is_near = w.lt(5);
            let far = polynomial(is_near.select(w.ones_like(), w).sqrt() - 3, &FAR_32);
            is_near.select(polynomial(w - 2.5, &NEAR_32), far)
        }
    };
    // A polynomial of infinity is NaN.
    let end = x.gt(0).select(x.full_like(f64::INFINITY), x.full_like(f64::NEG_INFINITY));
    x.abs().eq(1).select(end, slope * x)
}

/// The powers of the exponential series.
const EXPONENTIAL: [f64; 6] = [1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0];

// Printed by `tools/special_functions.py`.
const ERF_32: [f64; 6] = [
    -0.0007139334741105968,
    0.005158090008291212,
    -0.026851727972538847,
    0.11283647592650321,
    -0.3761263362877694,
    1.128379166782033,
];
const ERF_64: [f64; 10] = [
    -1.3487980603582106e-07,
    1.620813010801896e-06,
    -1.4913024002537567e-05,
    0.0001205495100796336,
    -0.0008548319846659834,
    0.005223977543190346,
    -0.026866170639710165,
    0.11283791670936967,
    -0.37612638903183515,
    FRAC_2_SQRT_PI,
];
const ERFC_32: [f64; 11] = [
    -0.0002551640237948239,
    -0.0007434973212452755,
    0.002023214685000199,
    0.0025552225841066092,
    -0.02381268785769929,
    0.0682953941109434,
    -0.11926811122915067,
    0.12964677921444245,
    -0.047562568076648375,
    -0.13562115715965814,
    1.2530080606921388,
];
const ERFC_64: [f64; 25] = [
    6.182082844928879e-10,
    4.571323329338871e-10,
    -7.693160232539985e-09,
    -1.1256657693624004e-08,
    4.0934185916256884e-08,
    9.837230366895149e-08,
    -1.413413085024671e-07,
    -6.132905231825886e-07,
    3.5711313868851015e-07,
    3.4703980606971145e-06,
    -7.31824983388979e-07,
    -2.009978368089459e-05,
    4.949629283319929e-06,
    0.00012509915420828974,
    -0.00010515983553619026,
    -0.0007798322403508103,
    0.0018886903639664567,
    0.0025293918130083744,
    -0.02377051491895734,
    0.06830802734413839,
    -0.11927366341530099,
    0.12964515870275686,
    -0.047562294353450774,
    -0.13562110612458114,
    1.2530080582697296,
];

// The coefficients of Giles 2012.
const NEAR_32: [f64; 9] = [
    2.81022636e-08,
    3.43273939e-07,
    -3.5233877e-06,
    -4.39150654e-06,
    0.00021858087,
    -0.00125372503,
    -0.00417768164,
    0.246640727,
    1.50140941,
];
const FAR_32: [f64; 9] = [
    -0.000200214257,
    0.000100950558,
    0.00134934322,
    -0.00367342844,
    0.00573950773,
    -0.0076224613,
    0.00943887047,
    1.00167406,
    2.83297682,
];
const NEAR_64: [f64; 23] = [
    -3.64441206401782e-21,
    -1.6850591381820166e-19,
    1.28584807152564e-18,
    1.1157877678025181e-17,
    -1.333171662854621e-16,
    2.0972767875968562e-17,
    6.637638134358324e-15,
    -4.054566272975207e-14,
    -8.151934197605472e-14,
    2.6335093153082323e-12,
    -1.2975133253453532e-11,
    -5.415412054294628e-11,
    1.0512122733215323e-09,
    -4.112633980346984e-09,
    -2.9070369957882005e-08,
    4.2347877827932404e-07,
    -1.3654692000834679e-06,
    -1.3882523362786469e-05,
    0.00018673420803405714,
    -0.000740702534166267,
    -0.006033670871430149,
    0.24015818242558962,
    1.6536545626831027,
];
const MIDDLE_64: [f64; 19] = [
    2.2137376921775787e-09,
    9.075656193888539e-08,
    -2.7517406297064545e-07,
    1.8239629214389228e-08,
    1.5027403968909828e-06,
    -4.013867526981546e-06,
    2.9234449089955446e-06,
    1.2475304481671779e-05,
    -4.7318229009055734e-05,
    6.828485145957318e-05,
    2.4031110387097894e-05,
    -0.0003550375203628475,
    0.0009532893797373805,
    -0.0016882755560235047,
    0.002491442096107851,
    -0.003751208507569241,
    0.005370914553590064,
    1.0052589676941592,
    3.0838856104922208,
];
const FAR_64: [f64; 17] = [
    -2.7109920616438573e-11,
    -2.555641816996525e-10,
    1.5076572693500548e-09,
    -3.789465440126737e-09,
    7.61570120807834e-09,
    -1.496002662714924e-08,
    2.914795345090108e-08,
    -6.771199775845234e-08,
    2.2900482228026655e-07,
    -9.9298272942317e-07,
    4.526062597223154e-06,
    -1.968177810553167e-05,
    7.599527703001776e-05,
    -0.00021503011930044477,
    -0.00013871931833623122,
    1.0103004648645344,
    4.849906401408584,
];
