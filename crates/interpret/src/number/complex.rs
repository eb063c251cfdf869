//! Complex arithmetic and functions.

use std::ops::{Add, Div, Mul, Neg, Sub};

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Complex {
    pub re: f64,
    pub im: f64,
}

impl Complex {
    pub const ONE: Complex = Complex { re: 1.0, im: 0.0 };
    pub const ZERO: Complex = Complex { re: 0.0, im: 0.0 };

    pub const fn new(re: f64, im: f64) -> Complex {
        Complex { re, im }
    }

    pub fn conjugate(self) -> Complex {
        Complex::new(self.re, -self.im)
    }

    pub fn scale(self, by: f64) -> Complex {
        Complex::new(self.re * by, self.im * by)
    }

    /// The product with the imaginary unit.
    fn turned(self) -> Complex {
        Complex::new(-self.im, self.re)
    }

    pub fn abs(self) -> f64 {
        self.re.hypot(self.im)
    }

    pub fn is_zero(self) -> bool {
        self.re == 0.0 && self.im == 0.0
    }

    pub fn sign(self) -> Complex {
        if self.is_zero() {
            return self;
        }
        let abs = self.abs();
        Complex::new(self.re / abs, self.im / abs)
    }

    /// A number of this absolute value and angle. The imaginary part of a real number is 0 also
    /// where the absolute value is infinite.
    fn polar(abs: f64, angle: f64) -> Complex {
        let im = if angle == 0.0 { angle } else { abs * angle.sin() };
        let re = if abs == 0.0 { abs } else { abs * angle.cos() };
        Complex::new(re, if abs == 0.0 && !angle.is_finite() { 0.0 } else { im })
    }

    pub fn exp(self) -> Complex {
        if self.re == f64::NEG_INFINITY && !self.im.is_finite() {
            return Complex::new(0.0, 0.0);
        }
        if self.re > 709.0 && self.re < 1500.0 && self.im != 0.0 {
            // The factor overflows although the parts may be finite.
            let half = Complex::polar((self.re / 2.0).exp(), self.im);
            let factor = (self.re / 2.0).exp();
            return half.scale(factor);
        }
        Complex::polar(self.re.exp(), self.im)
    }

    pub fn exp_m1(self) -> Complex {
        if self.im == 0.0 {
            return Complex::new(self.re.exp_m1(), self.im);
        }
        // e^x cos y - 1 = (e^x - 1) cos y + (cos y - 1), without cancellation near 0.
        let half = (self.im / 2.0).sin();
        let whole = self.exp();
        let re = self.re.exp_m1() * self.im.cos() - 2.0 * half * half;
        Complex::new(if re.is_nan() { whole.re - 1.0 } else { re }, whole.im)
    }

    fn angle(self) -> f64 {
        self.im.atan2(self.re)
    }

    pub fn log(self) -> Complex {
        Complex::new(log_abs(self.re, self.im), self.angle())
    }

    pub fn log1p(self) -> Complex {
        let Complex { re, im } = self;
        let one = 1.0 + re;
        let far = log_abs(one, im);
        // |1 + z|² - 1 = x (2 + x) + y².
        let near = (re * (2.0 + re) + im * im).ln_1p() / 2.0;
        let is_near = re.abs() < 0.5 && im.abs() < 0.5;
        Complex::new(if is_near { near } else { far }, im.atan2(one))
    }

    pub fn sqrt(self) -> Complex {
        let Complex { re, im } = self;
        if self.is_zero() {
            return Complex::new(0.0, im);
        }
        if im.is_infinite() {
            return Complex::new(f64::INFINITY, im);
        }
        if re.is_infinite() {
            let small = if im.is_nan() { im } else { 0f64.copysign(im) };
            return if re > 0.0 {
                Complex::new(re, small)
            } else {
                Complex::new(small.abs(), f64::INFINITY.copysign(im))
            };
        }
        let by = scale_of(re, im);
        let (x, y) = (re / by / by, im / by / by);
        let large = ((x.abs() + x.hypot(y)) / 2.0).sqrt();
        let small = y.abs() / (2.0 * large);
        let (re, im) =
            if x >= 0.0 { (large, small.copysign(y)) } else { (small, large.copysign(y)) };
        Complex::new(re * by, im * by)
    }

    pub fn rsqrt(self) -> Complex {
        if self.is_zero() {
            return Complex::new(f64::INFINITY, f64::NAN);
        }
        if self.re.is_infinite() || self.im.is_infinite() {
            let is_nan = self.re.is_nan() || self.im.is_nan();
            let nan_free = Complex::new(0.0, 0f64.copysign(-self.im));
            return if is_nan { Complex::new(f64::NAN, f64::NAN) } else { nan_free };
        }
        Complex::ONE / self.sqrt()
    }

    fn sinh(self) -> Complex {
        let (sin, cos) = self.im.sin_cos();
        if self.im == 0.0 {
            return Complex::new(self.re.sinh(), self.im);
        }
        if self.re.abs() > 700.0 && self.re.is_finite() {
            let half = (self.re.abs() / 2.0).exp();
            let sign = 1f64.copysign(self.re);
            return Complex::new(half * (half * cos) / 2.0 * sign, half * (half * sin) / 2.0);
        }
        Complex::new(self.re.sinh() * cos, self.re.cosh() * sin)
    }

    fn cosh(self) -> Complex {
        let (sin, cos) = self.im.sin_cos();
        if self.im == 0.0 {
            return Complex::new(self.re.cosh(), self.im * 0f64.copysign(self.re));
        }
        if self.re.abs() > 700.0 && self.re.is_finite() {
            let half = (self.re.abs() / 2.0).exp();
            let sign = 1f64.copysign(self.re);
            return Complex::new(half * (half * cos) / 2.0, half * (half * sin) / 2.0 * sign);
        }
        let im = if self.re == 0.0 { self.re * sin } else { self.re.sinh() * sin };
        Complex::new(self.re.cosh() * cos, im)
    }

    pub fn tanh(self) -> Complex {
        let Complex { re, im } = self;
        if re.abs() > 20.0 {
            // The distance from ±1 is below half a unit.
            let im = if im.is_finite() { 0f64.copysign((2.0 * im).sin()) } else { 0.0 };
            let exact = 4.0 * (-2.0 * re.abs()).exp();
            let (sin, cos) = self.im.sin_cos();
            let im = if exact > 0.0 && self.im.is_finite() { exact * sin * cos } else { im };
            return Complex::new(1f64.copysign(re), im);
        }
        if im == 0.0 {
            return Complex::new(re.tanh(), im);
        }
        // (sinh x cosh x + i sin y cos y) / (sinh² x + cos² y)
        let (sin, cos) = im.sin_cos();
        let sinh = re.sinh();
        let below = sinh * sinh + cos * cos;
        Complex::new(sinh * re.cosh() / below, sin * cos / below)
    }

    pub fn sin(self) -> Complex {
        let hyperbolic = self.turned().sinh();
        Complex::new(hyperbolic.im, -hyperbolic.re)
    }

    pub fn cos(self) -> Complex {
        self.turned().cosh()
    }

    pub fn tan(self) -> Complex {
        let hyperbolic = self.turned().tanh();
        Complex::new(hyperbolic.im, -hyperbolic.re)
    }

    pub fn logistic(self) -> Complex {
        let below = (-self).exp();
        Complex::ONE / Complex::new(1.0 + below.re, below.im)
    }

    pub fn pow(self, exponent: Complex) -> Complex {
        if exponent.is_zero() {
            return Complex::ONE;
        }
        if self.is_zero() {
            return if exponent.re > 0.0 { self.scale(0.0) } else { (self.log() * exponent).exp() };
        }
        (self.log() * exponent).exp()
    }

    /// -i log((x + i y) / √(x² + y²)) with this number as y.
    pub fn atan2(self, x: Complex) -> Complex {
        let root = (x * x + self * self).sqrt();
        let log = ((x + self.turned()) / root).log();
        Complex::new(log.im, -log.re)
    }
}

/// A power of two near the square root of the larger part, by whose square both are divided where
/// squares would leave the range.
fn scale_of(re: f64, im: f64) -> f64 {
    let largest = re.abs().max(im.abs());
    match largest {
        large if large > 1e300 => 2f64.powi(20),
        small if small < 1e-280 => 2f64.powi(-60),
        _ => 1.0,
    }
}

/// The logarithm of the absolute value, also where its square leaves the range or is close to 1.
fn log_abs(re: f64, im: f64) -> f64 {
    let (large, small) = (re.abs().max(im.abs()), re.abs().min(im.abs()));
    if re.is_infinite() || im.is_infinite() {
        f64::INFINITY
    } else if large > 0.5 && large < 2.0 && !small.is_nan() {
        ((large - 1.0) * (large + 1.0) + small * small).ln_1p() / 2.0
    } else if large > 1e300 {
        (re / 4.0).hypot(im / 4.0).ln() + 4f64.ln()
    } else {
        re.hypot(im).ln()
    }
}

impl Add for Complex {
    type Output = Complex;
    fn add(self, other: Complex) -> Complex {
        Complex::new(self.re + other.re, self.im + other.im)
    }
}

impl Sub for Complex {
    type Output = Complex;
    fn sub(self, other: Complex) -> Complex {
        Complex::new(self.re - other.re, self.im - other.im)
    }
}

impl Neg for Complex {
    type Output = Complex;
    fn neg(self) -> Complex {
        Complex::new(-self.re, -self.im)
    }
}

impl Mul for Complex {
    type Output = Complex;
    fn mul(self, other: Complex) -> Complex {
        Complex::new(
            self.re * other.re - self.im * other.im,
            self.re * other.im + self.im * other.re,
        )
    }
}

impl Div for Complex {
    type Output = Complex;

    /// Smith's method, which divides before it multiplies.
    fn div(self, other: Complex) -> Complex {
        let Complex { re: a, im: b } = self;
        let Complex { re: c, im: d } = other;
        if other.is_zero() {
            return Complex::new(a / c.abs().copysign(c), b / c.abs().copysign(c));
        }
        if (c.is_infinite() || d.is_infinite()) && a.is_finite() && b.is_finite() {
            let unit = |x: f64| if x.is_infinite() { 1f64.copysign(x) } else { 0f64.copysign(x) };
            let (c, d) = (unit(c), unit(d));
            return Complex::new(0.0 * (a * c + b * d), 0.0 * (b * c - a * d));
        }
        if c.abs() >= d.abs() {
            let ratio = d / c;
            let below = c + d * ratio;
            Complex::new((a + b * ratio) / below, (b - a * ratio) / below)
        } else {
            let ratio = c / d;
            let below = c * ratio + d;
            Complex::new((a * ratio + b) / below, (b * ratio - a) / below)
        }
    }
}
