//! The typed side of compiled functions: the trees of their arguments and results, and tracing.

mod arg_tuple;
mod model_function;
mod result_tree;
mod trace;

pub use arg_tuple::{Arg, Args, BindFirst, Borrowed, ByReference, ByValue, Donated, Function};
pub use model_function::ModelFunction;
pub use result_tree::Ret;
pub use trace::trace_function;
pub(crate) use trace::{function_name, trace};
