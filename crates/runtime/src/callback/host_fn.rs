//! Rust functions of scalars, applied elementwise.

use super::{CallbackContext, CallbackError, ViewElement, builder::CallbackBuilder};
use hloom_graph::{FunctionId, Spec, Tensor, called_from, record_error};
use std::{
    panic::{AssertUnwindSafe, Location, catch_unwind, resume_unwind},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// The number of elements that a thread takes at a time.
const CHUNK: usize = 1 << 14;

/// A Rust function of one to three scalars that can be applied to tensors.
pub trait HostFn<Scalars>: Send + Sync + 'static {
    /// A tensor, or a tuple of as many tensors as scalars.
    type Tensors;

    /// Adds the function to the program.
    #[doc(hidden)]
    fn apply(
        self: Arc<Self>,
        name: &str,
        tensors: Self::Tensors,
        location: &'static Location<'static>,
    ) -> Tensor;
}

/// Makes an elementwise function of tensors from a Rust function of scalars. It runs on the host.
///
/// The tensors have the scalars' element types; the second and third are broadcast to the shape of
/// the first. The function is pure: calls that no result needs are removed, and identical calls are
/// merged.
///
/// ```
/// use hloom_graph::Tensor;
/// use hloom_runtime::host_fn;
///
/// fn gamma(x: Tensor) -> Tensor {
///     let stirling = host_fn("stirling", |n: f32| (n * n.ln() - n).exp());
///     let scaled = host_fn("scaled", |x: f32, shift: i32| x * 2f32.powi(shift));
///     scaled((stirling(x), Tensor::scalar(3, hloom_graph::DType::I32)))
/// }
/// ```
#[track_caller]
pub fn host_fn<Scalars, F: HostFn<Scalars>>(
    name: impl Into<Arc<str>>,
    function: F,
) -> impl Fn(F::Tensors) -> Tensor + Clone {
    let (name, function, location) = (name.into(), Arc::new(function), Location::caller());
    move |tensors| function.clone().apply(&name, tensors, location)
}

macro_rules! host_functions {
    ($($scalar:ident $tensor:ident),*; $first:ident $(, $other:ident)*; $tensors:ty) => {
        impl<Fun, Res, $($scalar),*> HostFn<($($scalar,)* Res)> for Fun
        where
            Fun: Fn($($scalar),*) -> Res + Send + Sync + 'static,
            Res: ViewElement,
            $($scalar: ViewElement),*
        {
            type Tensors = $tensors;

            fn apply(
                self: Arc<Self>,
                name: &str,
                tensors: $tensors,
                location: &'static Location<'static>,
            ) -> Tensor {
                #[allow(unused_parens, reason = "one tensor is not a tuple")]
                let ($($tensor),*) = tensors;
                called_from(location, || {
                    for (tensor, dtype) in [$(($tensor, $scalar::DTYPE)),*] {
                        if !tensor.is_poisoned() && tensor.dtype() != dtype {
                            return record_error("host_fn", &[tensor], format!("`{name}` takes elements of type {dtype}"));
                        }
                    }
                    let shape = $first.shape();
                    $(let $other = $other.broadcast_to(shape.axes());)*
                    let result = Spec::of(shape.with_dtype(Res::DTYPE));
                    let call = CallbackBuilder::new(name, ($($tensor,)*), result);
                    let call = call.at(location).pure().on_host();
                    let id = match size_of::<Fun>() {
                        0 => FunctionId::of_type::<Fun>(),
                        // The closure below keeps it alive.
                        _ => FunctionId::of_shared(&self),
                    };
                    call.run_as(Some(id), move |context, ($($tensor,)*), mut result| {
                        $(let $tensor = $tensor.as_slice::<$scalar>()?;)*
                        in_chunks(context, result.as_slice_mut::<Res>()?, |start, part| {
                            for (i, result) in part.iter_mut().enumerate() {
                                *result = self($($tensor[start + i]),*);
                            }
                        })
                    })
                })
            }
        }
    };
}
host_functions!(A a; a; Tensor);
host_functions!(A a, B b; a, b; (Tensor, Tensor));
host_functions!(A a, B b, C c; a, b, c; (Tensor, Tensor, Tensor));

/// Calls `work` with the chunks of a slice and their start, on the runtime's threads when there are
/// several.
fn in_chunks<T: Send>(
    context: &CallbackContext<'_>,
    all: &mut [T],
    work: impl Fn(usize, &mut [T]) + Sync,
) -> Result<(), CallbackError> {
    let pieces = all.len().div_ceil(CHUNK);
    if pieces < 2 {
        work(0, all);
        return Ok(());
    }
    let (parts, panicked) = (Mutex::new(all.chunks_mut(CHUNK).enumerate()), Mutex::new(None));
    let one = |_| {
        let part = lock(&parts).next();
        if let Some((piece, part)) = part {
            let done = catch_unwind(AssertUnwindSafe(|| work(piece * CHUNK, part)));
            if let Err(panic) = done {
                // A panic on another thread would lose its message.
                lock(&panicked).get_or_insert(panic);
            }
        }
    };
    context.for_each(pieces, one)?;
    match lock(&panicked).take() {
        Some(panic) => resume_unwind(panic),
        None => Ok(()),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
