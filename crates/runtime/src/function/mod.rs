//! The typed side of compiled functions: the trees of their arguments and results, and tracing.

mod arg_tuple;
mod keep_arg;
mod kept_arguments;
mod model_function;
mod name;
mod result_tree;
mod trace;
mod trace_args;

pub use arg_tuple::{Arg, Args, BindFirst, Borrowed, ByReference, ByValue, Donated, Function};
pub use keep_arg::KeepArg;
pub(crate) use kept_arguments::KeptArguments;
pub use model_function::ModelFunction;
pub(crate) use name::function_name;
pub use result_tree::ResultTree;
pub use trace::trace_function;
pub(crate) use trace::{Traced, brief, trace, trace_at};
pub(crate) use trace_args::TraceArgs;
