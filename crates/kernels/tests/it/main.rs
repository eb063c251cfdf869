//! The kernels compared with sums in `f64` and with NumPy.

mod attend;
mod block;
mod linear;
mod numpy;
mod pool;
mod reference;
