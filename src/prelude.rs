//! The names that most programs use.

#[doc(no_inline)]
pub use crate::callbacks::{CallbackBuilder, InputView, OutputView, TensorAssert, TensorPrint};
#[cfg(feature = "lazy")]
#[doc(no_inline)]
pub use crate::lazy::{CallLazy, Lazy};
#[doc(no_inline)]
pub use crate::ops::{Operand, concatenate, cond, for_loop, outer, scan, stack, while_loop};
#[doc(no_inline)]
pub use crate::{
    AnyExe, Argument, Axis, BucketedExe, Buckets, Buffer, Callback, CallbackContext, CallbackError,
    Checkpoint, DType, Donated, Element, Exe, Jit, Key, LoadAndCompile, Mesh, Name, PartitionSpec,
    Platform, Shape, Spec, SpecTree, Tensor, Tree, callback, host_fn,
};
