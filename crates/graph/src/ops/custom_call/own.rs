//! The table of Hloom's own targets of custom calls, and their derivatives.

use crate::{
    Tensor,
    grad::Pull,
    ops::{equations, factorize},
};

/// One of Hloom's own targets of custom calls, whose names begin with `hloom.`. Only the table
/// makes them: a call of another name with this prefix is an error.
#[derive(Clone, Copy)]
pub(crate) struct OwnTarget {
    /// The name of the target.
    pub name: &'static str,
    /// The function of linear algebra that calls it, if one does.
    function: Option<&'static str>,
    /// The cotangents of the operands.
    pub pull: fn(&Pull<'_>) -> Vec<Option<Tensor>>,
}

/// Generates the targets and their lookup from one row per target.
macro_rules! targets {
    ($($(#[$doc:meta])* $constant:ident $name:literal $function:expr => $pull:path;)*) => {
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
    LU "hloom.lu.v1" Some("lu") => factorize::pull_lu;
    /// QR factors of matrices.
    QR "hloom.qr.v1" Some("qr") => factorize::pull_qr;
    /// Eigenvalues and eigenvectors of Hermitian matrices.
    EIGH "hloom.eigh.v1" Some("eigh") => factorize::pull_eigh;
    /// Eigenvalues and eigenvectors of matrices.
    EIG "hloom.eig.v1" Some("eig") => no_known_derivative;
    /// Singular values and vectors of matrices.
    SVD "hloom.svd.v1" Some("svd") => factorize::pull_svd;
    /// Solutions of systems of linear equations.
    SOLVE "hloom.solve.v1" Some("solve") => equations::pull_solve;
    /// Inverses of matrices.
    INV "hloom.inv.v1" Some("inv") => equations::pull_inv;
    /// Cholesky factors; it replaces the op of this name.
    CHOLESKY "hloom.cholesky.v1" None => no_known_derivative;
    /// Solutions of triangular systems; it replaces the op of this name.
    TRIANGULAR_SOLVE "hloom.triangular_solve.v1" None => no_known_derivative;
    /// A dot product with a weight; it replaces a pattern of ops.
    LINEAR "hloom.linear.v1" None => no_known_derivative;
    /// A product with quantised blocks; it replaces a composite.
    BLOCK_LINEAR "hloom.block_linear.v1" None => no_known_derivative;
    /// The values of quantised blocks; it replaces a composite.
    BLOCK_DECODE "hloom.block_decode.v1" None => no_known_derivative;
    /// Attention; it replaces a composite.
    ATTEND "hloom.attend.v1" None => no_known_derivative;
    /// An update in place; it replaces a pattern of ops.
    UPDATE "hloom.update.v1" None => no_known_derivative;
    /// A function of the host.
    CALLBACK "hloom.callback.v1" None => no_known_derivative;
    /// A function of the host in a part of a program that is recorded and replayed.
    REPLAYED_CALLBACK "hloom.callback.v1.command_buffer" None => no_known_derivative;
    /// A function of the host on copies in its memory.
    HOST_CALLBACK "hloom.callback.v1.on_host" None => no_known_derivative;
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
    OwnTarget::of(target)?.function
}
