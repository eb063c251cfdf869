//! The complement and the inverse of the error function.

use super::{super::elementwise::with_slope, by_type, polynomial};
use crate::{DType, Tensor, custom_vjp, trace::named_scope};
use std::f64::consts::{FRAC_2_SQRT_PI, PI};

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
            // Beyond, it is 0; infinity has no quotient below.
            let size = x.abs().minimum(by_type(x, 12.0, 30.0));
            let tail = exp_of_square(size) * erfc_scaled(size);
            let far = x.lt(0).select(tail * -1 + 2, tail);
            x.abs().lt(0.65).select(near, far)
        };
        let slope = |x: Tensor| (-(x * x)).exp() * -FRAC_2_SQRT_PI;
        self.in_f32("erfc", |x| with_slope(x, forward, slope))
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
            // Near 1 the square would lose what is left to 1; near 0 the difference, the square.
            let near = -(x * x * -1).log1p();
            let far = -((size * -1 + 1) * (size + 1)).log();
            size.lt(0.5).select(near, far)
        };
        self.in_f32("erf_inv", |x| erf_inv_by(x, logarithm))
    }

    /// As [`erf_inv`](Self::erf_inv), with the rounding errors of JAX, in whose random numbers they
    /// are.
    #[track_caller]
    pub(crate) fn erf_inv_as_drawn(self) -> Tensor {
        self.in_f32("erf_inv", |x| erf_inv_by(x, |x| -(x * x * -1).log1p()))
    }
}

/// `exp(x²) erfc(x)` of finite x, at least 0.
#[track_caller]
pub(crate) fn erfc_scaled(x: Tensor) -> Tensor {
    let scaled = polynomial((x - 3) / (x + 3), by_type(x, &ERFC_32, &ERFC_64));
    scaled / (x * 2 + 1)
}

/// `exp(-x²)`, with the rounding error of the square.
#[track_caller]
fn exp_of_square(x: Tensor) -> Tensor {
    named_scope("exp_of_square", || {
        // The square of half of the bits is exact.
        let half = match x.dtype() {
            DType::F64 => (x.bitcast(DType::U64) & !0u64 << 27).bitcast(DType::F64),
            _ => (x.bitcast(DType::U32) & !0u32 << 12).bitcast(DType::F32),
        };
        let square = (half * half * -1).exp();
        // Compilers merge a product of two exponentials into one.
        square * ((half - x) * (half + x)).exp_m1() + square
    })
}

/// The inverse, with a function that computes the negative logarithm of 1 - x².
#[track_caller]
fn erf_inv_by(x: Tensor, logarithm: impl FnOnce(Tensor) -> Tensor) -> Tensor {
    let forward = |x: Tensor| {
        let y = approximate(x, logarithm(x));
        (y, y)
    };
    custom_vjp(x, forward, |y, g| g * ((y * y).exp() * (PI.sqrt() / 2.0)))
}

/// The inverse from x and w, the negative logarithm of 1 - x². The ops of each branch have finite
/// derivatives where another is chosen, for second derivatives.
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
const ERFC_32: [f64; 10] = [
    -0.000635728847351982,
    0.001790017727645248,
    0.002465805698292732,
    -0.0237373024599221,
    0.06832027597294948,
    -0.1192782734051453,
    0.12964420426129272,
    -0.047562068754676515,
    -0.13562108548720192,
    1.25300805649237,
];
const ERFC_64: [f64; 22] = [
    -1.830577926123258e-08,
    2.8083199926725186e-08,
    1.1557769864308396e-07,
    -1.326191784222425e-07,
    -6.305110146169333e-07,
    3.546474379366693e-07,
    3.480049134504091e-06,
    -7.319400345323378e-07,
    -2.0103138682637447e-05,
    4.949915547937431e-06,
    0.00012509990372536233,
    -0.00010515992272870918,
    -0.0007798323476131903,
    0.0018886903769968534,
    0.002529391822464034,
    -0.0237705149199938,
    0.06830802734366849,
    -0.11927366341526038,
    0.12964515870276783,
    -0.047562294353451384,
    -0.13562110612458123,
    1.2530080582697296,
];

// By Giles.
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
