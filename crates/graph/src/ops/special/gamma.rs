//! The logarithm of the gamma function, and its derivative.

use super::{super::elementwise::with_slope, by_type, polynomial};
use crate::Tensor;
use std::f64::consts::PI;

/// The number from which the asymptotic series are used, and the number of steps of the recurrence.
const LARGE: i32 = 8;
const STEPS: i32 = LARGE - 2;

#[hloom_derive::tensor_methods(gamma)]
impl Tensor {
    /// The logarithm of the absolute value of the gamma function; infinite at 0 and at the negative
    /// integers.
    ///
    /// Composed: polynomials around its zeros at 1 and 2, the recurrence up to 8, Stirling's series
    /// beyond ([DLMF 5.11.1](https://dlmf.nist.gov/5.11.E1)), and the reflection formula below 0.
    /// At most 4 ulps in `f32` and `f64` where x is above 0; below 0, relative to the larger of the
    /// result and 1, since the terms cancel near its zeros.
    #[track_caller]
    #[doc(alias = "gammaln")]
    pub fn lgamma(self) -> Tensor {
        let forward = |x: Tensor| {
            let positive = log_gamma(x.lt(0).select(x * -1 + 1, x));
            // The sine of pi x, after subtracting whole periods.
            let sine = ((x - x.round_even()) * PI).sin().abs();
            let reflected = (sine.full_like(PI) / sine).log() - positive;
            let negative = x.is_finite().select(reflected, f64::INFINITY);
            x.lt(0).select(negative, positive)
        };
        self.in_f32("lgamma", |x| with_slope(x, forward, Tensor::digamma))
    }

    /// The derivative of [`lgamma`](Self::lgamma); infinite at 0, NaN at the negative integers.
    ///
    /// Composed: a polynomial around its zero at 1.46, the recurrence up to 8, the asymptotic
    /// series beyond ([DLMF 5.11.2](https://dlmf.nist.gov/5.11.E2)), and the reflection formula
    /// below 0. At most 4 ulps in `f32` and `f64` where x is above 0; below 0, relative to the
    /// larger of the result and 1, since the terms cancel near its zeros.
    #[track_caller]
    #[doc(alias = "psi")]
    pub fn digamma(self) -> Tensor {
        let forward = |x: Tensor| {
            let positive = derivative(x.lt(0).select(x * -1 + 1, x));
            let rest = x - x.round_even();
            let tangent = (rest * PI).tan();
            let negative = positive - tangent.full_like(PI) / tangent;
            let negative = rest.eq(0).select(x.full_like(f64::NAN), negative);
            x.lt(0).select(negative, positive)
        };
        // Below 0 by the reflection formula, like the function itself.
        let slope = |x: Tensor| {
            let is_below = x.lt(0);
            let positive = is_below.select(x * -1 + 1, x).polygamma(1);
            let sine = (is_below.select(x - x.round_even(), 0.5) * PI).sin();
            let ratio = sine.full_like(PI) / sine;
            is_below.select(ratio * ratio - positive, positive)
        };
        self.in_f32("digamma", |x| with_slope(x, forward, slope))
    }
}

/// The logarithm of the gamma function of numbers that are not negative.
#[track_caller]
fn log_gamma(x: Tensor) -> Tensor {
    let (mut rest, mut product) = (x, x.ones_like());
    for _ in 0..STEPS {
        let is_above = rest.gt(2.5);
        rest = is_above.select(rest - 1, rest);
        product = is_above.select(product * rest, product);
    }
    // The distance from 1 or 2; below 1/2 from 1 for the next number, the logarithm of x above.
    let (is_small, is_first) = (x.lt(0.5), rest.lt(1.5));
    let distance = is_small.select(x, is_first.select(rest - 1, rest - 2));
    let first = polynomial(distance, by_type(x, &LGAMMA_1_32, &LGAMMA_1_64));
    let second = polynomial(distance, by_type(x, &LGAMMA_2_32, &LGAMMA_2_64));
    let log = is_small.select(x, product).log();
    let near = distance * is_first.select(first, second) + is_small.select(-log, log);
    let inverse = x.ones_like() / x;
    let series = polynomial(inverse * inverse, &STIRLING) * inverse;
    // Half of the logarithm of 2 pi, less 1/2.
    let far = (x - 0.5) * (x.log() - 1) + (series + 0.418_938_533_204_672_7);
    x.lt(LARGE).select(near, far)
}

/// The digamma function of numbers that are not negative.
#[track_caller]
fn derivative(x: Tensor) -> Tensor {
    let (mut rest, mut sum) = (x, x.zeros_like());
    for _ in 0..STEPS {
        let is_above = rest.gt(2);
        rest = is_above.select(rest - 1, rest);
        sum = is_above.select(sum + rest.ones_like() / rest, sum);
    }
    let inverse = x.ones_like() / x;
    let is_small = x.lt(1);
    let sum = is_small.select(-inverse, sum);
    let place = is_small.select(x - 0.5, rest - 1.5);
    let slope = polynomial(place, by_type(x, &DIGAMMA_32, &DIGAMMA_64));
    let [root, rest] = by_type(x, ROOT_32, ROOT_64);
    // Compilers merge two constants that are subtracted one after the other.
    let near = (place - (root - 1.5)) * slope + (sum - slope * rest);
    let square = inverse * inverse;
    let far = x.log() - (inverse * 0.5 + square * polynomial(square, &ASYMPTOTIC));
    x.lt(LARGE).select(near, far)
}

/// The Bernoulli numbers B(2k) by 2k (2k - 1).
const STIRLING: [f64; 8] = [
    -3617.0 / 122_400.0,
    1.0 / 156.0,
    -691.0 / 360_360.0,
    1.0 / 1188.0,
    -1.0 / 1680.0,
    1.0 / 1260.0,
    -1.0 / 360.0,
    1.0 / 12.0,
];
/// The Bernoulli numbers B(2k) by 2k.
const ASYMPTOTIC: [f64; 8] = [
    -3617.0 / 8160.0,
    1.0 / 12.0,
    -691.0 / 32_760.0,
    1.0 / 132.0,
    -1.0 / 240.0,
    1.0 / 252.0,
    -1.0 / 120.0,
    1.0 / 12.0,
];
/// The zero of the digamma function above 0, rounded to the type, and the rest.
const ROOT_32: [f64; 2] = [1.4616321325302124, 1.243_814_993_891_890_9e-8];
const ROOT_64: [f64; 2] = [1.4616321449683622, 9.549_995_429_965_697e-17];

// Printed by `tools/special_functions.py`.
const LGAMMA_1_32: [f64; 14] = [
    0.1774283904011056,
    -0.17838466452506022,
    0.036274679271623075,
    -0.05003049501205162,
    0.10988377369875937,
    -0.11889086736594348,
    0.1244560546396099,
    -0.14335565573390338,
    0.1696144600843691,
    -0.207415449796673,
    0.2705794483651496,
    -0.4006851558865724,
    0.8224670427090082,
    -0.5772156661446307,
];
const LGAMMA_1_64: [f64; 29] = [
    -0.24134519253805736,
    0.23325420200258892,
    0.19662943603137412,
    -0.17487580734478056,
    -0.17545100195447957,
    0.1597915748331983,
    0.005627198134008818,
    0.00471934060040921,
    -0.05967209611450288,
    0.05945369312534371,
    -0.05055361916461507,
    0.05402684381687545,
    -0.05907935115771443,
    0.06267540247447202,
    -0.06664634848826916,
    0.07141895655769624,
    -0.07693389168797567,
    0.08335461458595932,
    -0.09095395937948512,
    0.10009942900736879,
    -0.11133426744819344,
    0.12550967018227932,
    -0.14404989674293042,
    0.1695571769888392,
    -0.20738555102889636,
    0.2705808084278366,
    -0.40068563438653065,
    0.8224670334241131,
    -0.5772156649015329,
];
const LGAMMA_2_32: [f64; 9] = [
    -0.0002538618465087723,
    0.0005703469213916325,
    -0.0011858376980732241,
    0.002878826909956992,
    -0.007386177637204783,
    0.020581630642947785,
    -0.06735228129865486,
    0.32246701788359344,
    0.4227843349991114,
];
const LGAMMA_2_64: [f64; 19] = [
    -1.341570273460026e-07,
    2.7880013392491846e-07,
    -4.303234692956732e-07,
    9.199898075671394e-07,
    -2.044935323180052e-06,
    4.3847319318293745e-06,
    -9.438454884054723e-06,
    2.0505584372896933e-05,
    -4.492635166770342e-05,
    9.945767440096764e-05,
    -0.00022315475069647703,
    0.0005096695153484373,
    -0.0011927539120033873,
    0.002890510331036772,
    -0.007385551028668096,
    0.020580808427780335,
    -0.06735230105319814,
    0.32246703342411326,
    0.42278433509846713,
];
const DIGAMMA_32: [f64; 11] = [
    0.011232875287601203,
    -0.01638778380426883,
    0.016909167297265583,
    -0.02577894268746931,
    0.040894880515418085,
    -0.06205746284785981,
    0.09498070029449082,
    -0.14839875906125338,
    0.24054265867531402,
    -0.4236274993767546,
    0.9510558754198685,
];
const DIGAMMA_64: [f64; 23] = [
    0.00012241591000024265,
    -0.00017837342400462423,
    9.158816882117e-05,
    -0.00014460384609240088,
    0.00032689316473621455,
    -0.00048606417050412354,
    0.0006899428514219089,
    -0.0010364227247828023,
    0.0015635739915515125,
    -0.0023455016279107115,
    0.0035180792717028125,
    -0.0052799364178857415,
    0.007927024136843637,
    -0.011908220169786002,
    0.01790724819228875,
    -0.02697579665686472,
    0.040760833944741226,
    -0.06192213327556183,
    0.09498872445282817,
    -0.14840492305388006,
    0.24054248424078736,
    -0.4236274212814606,
    0.9510558760318328,
];
