//! The kernels compared with sums in `f64` and with NumPy.

mod attend;
mod linear;
mod numpy;
mod pool;
mod reference;
