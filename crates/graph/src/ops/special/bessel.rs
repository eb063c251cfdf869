//! Modified Bessel functions of the first kind.

use super::{by_type, polynomial};
use crate::{DType, Tensor, custom_vjp};

#[hloom_derive::tensor_methods(bessel)]
impl Tensor {
    /// The modified Bessel function of order 0, times `exp(-|x|)`.
    ///
    /// Composed: the power series ([DLMF 10.25.2](https://dlmf.nist.gov/10.25.E2)) below 8, and
    /// above a polynomial of `16 / x - 1` by the root of x. At most 4 ulps in `f32` and `f64`.
    #[track_caller]
    #[doc(alias = "i0e")]
    pub fn bessel_i0e(self) -> Tensor {
        self.in_f32("bessel_i0e", |x| both(x).0)
    }

    /// The modified Bessel function of order 1, times `exp(-|x|)`: as
    /// [`bessel_i0e`](Self::bessel_i0e).
    #[track_caller]
    #[doc(alias = "i1e")]
    pub fn bessel_i1e(self) -> Tensor {
        self.in_f32("bessel_i1e", |x| both(x).1)
    }
}

/// The functions of order 0 and 1: each occurs in the derivative of the other.
#[track_caller]
fn both(x: Tensor) -> (Tensor, Tensor) {
    let forward = |x: Tensor| {
        let both = (i0e(x), i1e(x));
        (both, (x, both))
    };
    let backward = |(x, (i0, i1)): (Tensor, (Tensor, Tensor)), (g0, g1): (Tensor, Tensor)| {
        let sign = x.sign();
        // Uses `x * sign` instead of the magnitude, whose derivative at 0 is that of one side.
        let size = x * sign;
        let difference = size.lt(0.5).select(i0 - i1 * sign, difference(size));
        // Below 2 the series are more precise than the quotient by a small number.
        let is_near = size.lt(2);
        let quotient = i1 * sign / is_near.select(size.ones_like(), size);
        let near = (-size).exp() * (series_slope(size) - series(size, 1) * (size * 0.5));
        g1 * is_near.select(near, difference - quotient) - g0 * (sign * difference)
    };
    custom_vjp(x, forward, backward)
}

#[track_caller]
fn i0e(x: Tensor) -> Tensor {
    let size = x.abs();
    let near = series(size, 0) * (-size).exp();
    size.lt(8).select(near, far(size, by_type(x, &I0_FAR_32, &I0_FAR_64)))
}

#[track_caller]
fn i1e(x: Tensor) -> Tensor {
    let size = x.abs();
    let near = series(size, 1) * (-size).exp() * (x * 0.5);
    let far = far(size, by_type(x, &I1_FAR_32, &I1_FAR_64)) * x.sign();
    size.lt(8).select(near, far)
}

/// The sum of `(x / 2)^(2 k) / (k! (k + order)!)`.
#[track_caller]
fn series(x: Tensor, order: u32) -> Tensor {
    power_series(x, &coefficients(x.dtype(), order))
}

/// The slope of the function of order 1: the sum of `(k + 1/2) (x / 2)^(2 k) / (k! (k + 1)!)`.
#[track_caller]
fn series_slope(x: Tensor) -> Tensor {
    let of_order = coefficients(x.dtype(), 1);
    let slopes: Vec<f64> =
        of_order.iter().zip(0..).map(|(c, k)| c * (f64::from(k) + 0.5)).collect();
    power_series(x, &slopes)
}

/// `1 / (k! (k + order)!)` for orders 0 and 1: below 8, the term after the last one is less than
/// half a unit in the last place of the sum.
fn coefficients(dtype: DType, order: u32) -> Vec<f64> {
    let count = if dtype == DType::F64 { 27 } else { 17 };
    let mut last = 1.0;
    let rest = (1..count).map(|k: u32| {
        last /= f64::from(k * (k + order));
        last
    });
    std::iter::once(1.0).chain(rest).collect()
}

/// The sum of `(x / 2)^(2 k)` with these coefficients, from `k = 0` on.
#[track_caller]
fn power_series(x: Tensor, coefficients: &[f64]) -> Tensor {
    let descending: Vec<f64> = coefficients.iter().rev().copied().collect();
    // The series of infinity would be NaN.
    let half = x.minimum(8) * 0.5;
    polynomial(half * half, &descending)
}

#[track_caller]
fn far(x: Tensor, coefficients: &[f64]) -> Tensor {
    // Keeps the quotient finite for numbers near 0.
    let x = x.maximum(8);
    polynomial(x.full_like(16) / x - 1, coefficients) / x.sqrt()
}

/// The difference of both at numbers that are not negative, which far from 0 are almost equal; next
/// to 0 the subtraction is nearer.
#[track_caller]
fn difference(x: Tensor) -> Tensor {
    let (near, far) = (x.minimum(8), x.maximum(8));
    let scale = near * 2 + 1;
    // Symmetric for x from 0 to 8.
    let place = (near - 3) / (near + 3) + 3.0 / 11.0;
    let near = polynomial(place, by_type(x, &DIFFERENCE_NEAR_32, &DIFFERENCE_NEAR_64));
    let place = far.full_like(16) / far - 1;
    let rest = polynomial(place, by_type(x, &DIFFERENCE_FAR_32, &DIFFERENCE_FAR_64));
    x.lt(8).select(near / (scale * scale.sqrt()), rest / (far * far.sqrt()))
}

// Printed by `tools/special_functions.py`.
const I0_FAR_32: [f64; 7] = [
    1.0867942482266837e-07,
    3.626670384797085e-07,
    1.4761157343412484e-06,
    1.111214828523939e-05,
    0.00013621716424322397,
    0.0033605557001427145,
    0.4021765094192122,
];
const I0_FAR_64: [f64; 25] = [
    -6.067631570603006e-11,
    -2.0260604287413626e-11,
    4.577087631643623e-10,
    1.5279202694981569e-10,
    -1.618980683624682e-09,
    -5.715843864202709e-10,
    3.6379546359011143e-09,
    1.5200816953924232e-09,
    -5.95356943826489e-09,
    -3.505966530879332e-09,
    7.430464650325426e-09,
    7.552583062123384e-09,
    -5.404771567579958e-09,
    -1.340891754008974e-08,
    -6.747657956107524e-09,
    7.554691881248808e-09,
    2.1548377974791598e-08,
    3.932584334552952e-08,
    8.872219737904054e-08,
    2.9735985885673923e-07,
    1.4838475658279249e-06,
    1.1143033790932038e-05,
    0.0001362160743919305,
    0.0033605519836678614,
    0.4021765094450081,
];
const I1_FAR_32: [f64; 7] = [
    -1.2273217235085558e-07,
    -4.2103501550232313e-07,
    -1.8256907317698838e-06,
    -1.5003965466132858e-05,
    -0.00021923712538189863,
    -0.00974958137037718,
    0.3893984590596593,
];
const I1_FAR_64: [f64; 26] = [
    -1.5626599071977848e-11,
    6.305965197150057e-11,
    1.161813630287145e-10,
    -4.758818838703853e-10,
    -4.086984233473255e-10,
    1.6848984479705146e-09,
    9.568523624905203e-10,
    -3.794670896208339e-09,
    -1.8736450470066097e-09,
    6.242741219786445e-09,
    3.7219797447255018e-09,
    -7.888351507862078e-09,
    -7.778592763970399e-09,
    5.974437608040264e-09,
    1.4076395500755014e-08,
    6.734464815301592e-09,
    -8.436290430234562e-09,
    -2.337392820814264e-08,
    -4.312811174972107e-08,
    -1.0001288294864884e-07,
    -3.4838565069237384e-07,
    -1.8349101326980946e-06,
    -1.503854719814553e-05,
    -0.00021923576383388928,
    -0.00974957719323576,
    0.38939845902587233,
];
const DIFFERENCE_NEAR_32: [f64; 17] = [
    -0.039888992242346884,
    -0.12971306816212017,
    -0.03341559430733444,
    0.26674676697441346,
    0.3607733746361686,
    0.010846590862069348,
    -0.4983658494588834,
    -0.6895587452959424,
    0.0012513615579924557,
    1.1328037845267709,
    1.054122134166047,
    -1.5313867505143228,
    -1.5101882265164366,
    2.202408763906785,
    -0.030422705574673657,
    -1.0947891981283469,
    1.121424016233309,
];
const DIFFERENCE_NEAR_64: [f64; 34] = [
    -0.004462012092318965,
    -0.0062973945717483566,
    0.011237770584881877,
    0.022171018664205823,
    -0.004525809902435142,
    -0.023437786043209643,
    -0.0028172823228392136,
    0.0075913534568765135,
    -0.012013987446425295,
    -0.01804231867976474,
    0.001245991752322914,
    0.022622167002868957,
    0.0352098093555023,
    0.037977737345138554,
    0.017683670363965856,
    -0.029741540165631557,
    -0.08959684182162697,
    -0.11590189006766587,
    -0.06372806845003423,
    0.08760688630891475,
    0.25601952704297404,
    0.28500114189384973,
    0.0030140825330579667,
    -0.47288723760205825,
    -0.6851347784484305,
    -0.003618931955741864,
    1.1318659467163765,
    1.0546367589613863,
    -1.531293783890678,
    -1.5102152253760621,
    2.2024048582336717,
    -0.03042216314659473,
    -1.0947891517633166,
    1.121424014445547,
];
const DIFFERENCE_FAR_32: [f64; 8] = [
    1.9527723834201287e-07,
    9.068194101934302e-07,
    2.405211667898927e-06,
    8.205352060876552e-06,
    4.486764794482908e-05,
    0.0003739545066445954,
    0.005313265308047781,
    0.2044488072784496,
];
const DIFFERENCE_FAR_64: [f64; 30] = [
    7.079181741889087e-10,
    -1.4100747123386612e-10,
    -6.019935738515052e-09,
    1.3833789692572696e-09,
    2.3804432017136444e-08,
    -6.376679749333011e-09,
    -5.8680142989857326e-08,
    1.8483685924978736e-08,
    1.0286872424558047e-07,
    -3.8081620779208684e-08,
    -1.4100150630808922e-07,
    5.9453643839597374e-08,
    1.6677357739386567e-07,
    -7.082937073576603e-08,
    -1.900456048408044e-07,
    5.261211582837863e-08,
    2.213447588048491e-07,
    3.206885875485041e-08,
    -2.2306528345125393e-07,
    -2.1880769172783516e-07,
    4.984295582980447e-09,
    2.5123939650318553e-07,
    4.672566050767938e-07,
    8.51966078341134e-07,
    2.1678168801155828e-06,
    8.16411382576346e-06,
    4.493600840699711e-05,
    0.0003739692873426968,
    0.005313260124286673,
    0.20444880670617194,
];
