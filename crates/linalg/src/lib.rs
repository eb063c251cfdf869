//! Linear algebra on CPUs: factorizations, eigenvalues, singular values and systems of equations,
//! by the crate `faer`, as XLA FFI handlers.
//!
//! [`handlers::native`] has the handlers of the methods of tensors, whose operands are row-major;
//! [`handlers::lapack`] those that programs exported by JAX call by the names of LAPACK's routines,
//! whose operands are column-major and in LAPACK's packed forms.
//!
//! # Design
//! - **Elements** are `f32`, `f64` and their complex numbers: [`Scalar`].
//! - **Stacks**: leading axes count matrices. The matrices of a stack are computed in parallel; a
//!   single large one is computed by several threads.
//! - **What has no result is NaN**: the factor of a matrix that is not positive definite, and
//!   eigenvalues and singular values of matrices with NaN or infinity, or where an iteration does
//!   not converge. Nothing panics for the values of a matrix.

#![forbid(unsafe_code)]

mod cholesky;
mod eigen;
pub mod handlers;
mod hessenberg;
mod lu;
mod qr;
mod scalar;
mod stack;
mod svd;
#[cfg(test)]
mod tests;
mod triangular;
mod tridiagonal;

pub use scalar::Scalar;
