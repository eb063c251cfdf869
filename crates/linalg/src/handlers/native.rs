//! The handlers of the methods of tensors. Matrices are row-major.
//!
//! A name ends in its version, which increases when operands, results or attributes change; a
//! program compiled with one version keeps its semantics.

mod factors;
mod spectra;
mod systems;

pub use factors::{CholeskyHandler, LuHandler, QrHandler};
pub use spectra::{EigHandler, EighHandler, SvdHandler};
pub use systems::{InvHandler, SolveHandler, TriangularSolveHandler};

use hloom_ffi::Handlers;

/// Every handler, with its target name.
pub fn all() -> Vec<(&'static str, Handlers)> {
    vec![
        (CholeskyHandler::TARGET, Handlers::new::<CholeskyHandler>()),
        (TriangularSolveHandler::TARGET, Handlers::new::<TriangularSolveHandler>()),
        (LuHandler::TARGET, Handlers::new::<LuHandler>()),
        (SolveHandler::TARGET, Handlers::new::<SolveHandler>()),
        (InvHandler::TARGET, Handlers::new::<InvHandler>()),
        (QrHandler::TARGET, Handlers::new::<QrHandler>()),
        (EighHandler::TARGET, Handlers::new::<EighHandler>()),
        (EigHandler::TARGET, Handlers::new::<EigHandler>()),
        (SvdHandler::TARGET, Handlers::new::<SvdHandler>()),
    ]
}

/// A handler of a target that calls a function of the element type of its first operand.
macro_rules! handler {
    ($(#[$doc:meta])* $handler:ident $target:literal $function:ident) => {
        $(#[$doc])*
        pub struct $handler;

        impl $handler {
            /// The target name of custom calls.
            pub const TARGET: &str = $target;
        }

        impl hloom_ffi::Handler for $handler {
            fn call(frame: &mut hloom_ffi::CallFrame<'_>) -> Result<(), hloom_ffi::HandlerError> {
                use hloom_ffi::DType;
                use num_complex::Complex;
                if !super::super::has_work(frame)? {
                    return Ok(());
                }
                match frame.argument(0)?.dtype() {
                    DType::F32 => $function::<f32>(frame),
                    DType::F64 => $function::<f64>(frame),
                    DType::C64 => $function::<Complex<f32>>(frame),
                    DType::C128 => $function::<Complex<f64>>(frame),
                    other => Err(hloom_ffi::HandlerError::invalid(format!(
                        "{}: expected f32, f64, c64 or c128, found {other}",
                        $target
                    ))),
                }
            }
        }
    };
}
use handler;
