//! The table of Hloom's own targets of custom calls, and their derivatives.

use crate::{
    Tensor,
    grad::Pull,
    ops::{equations, factorize},
};

/// One of Hloom's own targets of custom calls, whose names begin with `hloom.`. Only the table
/// makes them.
#[derive(Clone, Copy)]
pub(crate) struct OwnTarget {
    /// The name of the target.
    pub name: &'static str,
    /// The function that calls it.
    function: &'static str,
    /// The cotangents of the operands.
    pub pull: fn(&Pull<'_>) -> Vec<Option<Tensor>>,
}

/// Generates the targets and their lookup from one row per target.
macro_rules! targets {
    ($($(#[$doc:meta])* $constant:ident $name:literal $function:literal => $pull:path;)*) => {
        impl OwnTarget {
            $(
                $(#[$doc])*
                pub const $constant: OwnTarget =
                    OwnTarget { name: $name, function: $function, pull: $pull };
            )*

            /// The target of this name, if it is one of Hloom's own.
            pub fn of(name: &str) -> Option<OwnTarget> {
                match name {
                    $($name => Some(OwnTarget::$constant),)*
                    _ => None,
                }
            }
        }
    };
}

targets! {
    /// LU factors of matrices.
    LU "hloom.lu.v1" "lu" => factorize::pull_lu;
    /// QR factors of matrices.
    QR "hloom.qr.v1" "qr" => factorize::pull_qr;
    /// Eigenvalues and eigenvectors of Hermitian matrices.
    EIGH "hloom.eigh.v1" "eigh" => factorize::pull_eigh;
    /// Eigenvalues and eigenvectors of matrices.
    EIG "hloom.eig.v1" "eig" => no_known_derivative;
    /// Singular values and vectors of matrices.
    SVD "hloom.svd.v1" "svd" => factorize::pull_svd;
    /// Solutions of systems of linear equations.
    SOLVE "hloom.solve.v1" "solve" => equations::pull_solve;
    /// Inverses of matrices.
    INV "hloom.inv.v1" "inv" => equations::pull_inv;
}

/// Refuses the derivative of a call.
pub(crate) fn no_known_derivative(pull: &Pull<'_>) -> Vec<Option<Tensor>> {
    pull.refuse(
        "calls a function whose derivative is not known; use `custom_vjp`, or stop the gradient \
         before it",
    )
}

/// The function of linear algebra that calls this target of custom calls, if there is one.
pub fn linear_algebra_name(target: &str) -> Option<&'static str> {
    OwnTarget::of(target).map(|own| own.function)
}
