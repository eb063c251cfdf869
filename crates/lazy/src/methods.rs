//! The methods of tensors, forwarded: one function for each that the graph crate declares.

use crate::{
    Lazy, LazyOperand,
    memo::{binary, memoized},
    place::place_of,
    record::Recorder,
};
use hloom_graph::{
    Axis, ConvDims, ConvOptions, DType, DotOptions, EachAxis, Element, GatherDims, IntoAxes,
    IntoDims, IntoMeshAxes, MatrixNorm, Operand, PadMode, PartitionSpec, PoolOptions, Reduction,
    ResolvedSharding, ScalarValue, ScatterDims, ScatterUpdate, StartIndex, Tensor, TriangularSolve,
    WindowDims,
};
use hloom_runtime::Platform;
use std::{ops::RangeBounds, panic::Location};

#[cfg(test)]
mod agree;
#[cfg(test)]
mod by_hand;

/// Adds documentation to a forwarder.
macro_rules! documented {
    ($method:ident $($item:tt)*) => {
        #[doc = concat!(
            "As [`Tensor::", stringify!($method), "`](hloom_graph::Tensor::", stringify!($method),
            ")."
        )]
        #[track_caller]
        $($item)*
    };
}

/// The result of a method that returns this many tensors.
macro_rules! results {
    (one) => { Lazy };
    (two) => { (Lazy, Lazy) };
    (three) => { (Lazy, Lazy, Lazy) };
    (many) => { Vec<Lazy> };
}

/// The function that forwards to a method. Methods of the commonest forms look up ops that were
/// recorded before; all others record the op each time.
macro_rules! forwarder {
    (Tensor $method:ident generated [] (self) () one $aliases:tt) => {
        documented! { $method pub fn $method(&self) -> Lazy {
            let (own, caller) = ([self.clone()], Location::caller());
            memoized(stringify!($method), own, &[], caller, |[x], _| x.$method())
        } }
    };
    (Tensor $method:ident generated [] (self) ($rhs:ident: impl Operand) one $aliases:tt) => {
        documented! { $method pub fn $method(&self, $rhs: impl LazyOperand) -> Lazy {
            let caller = Location::caller();
            let other = $rhs.lazy_or_number();
            binary(stringify!($method), self, other, caller, |[x, y], _| x.$method(y))
        } }
    };
    (Tensor $method:ident generated [] (self) ($axes:ident: impl IntoAxes) one $aliases:tt) => {
        documented! { $method pub fn $method(&self, $axes: impl IntoAxes) -> Lazy {
            let axes = $axes.into_axes(self.rank());
            let caller = Location::caller();
            let own = [self.clone()];
            memoized(stringify!($method), own, &axes, caller, |[x], axes| x.$method(axes))
        } }
    };
    (Tensor $method:ident generated [] (self) ($axis:ident: impl Into<Axis>) one $aliases:tt) => {
        documented! { $method pub fn $method(&self, $axis: impl Into<Axis>) -> Lazy {
            let axis = $axis.into();
            let caller = Location::caller();
            let own = [self.clone()];
            memoized(stringify!($method), own, &[axis], caller, |[x], axes| x.$method(axes[0]))
        } }
    };
    (
        Tensor $method:ident generated [$($generics:tt)*] (self $($tensor:ident)*)
        ($($argument:ident: $of:ty),*) $results:ident $aliases:tt
    ) => {
        documented! { $method
            #[allow(clippy::too_many_arguments, reason = "the tensor's method has as many")]
            pub fn $method<$($generics)*>(
                &self, $($tensor: &Lazy,)* $($argument: $of),*
            ) -> results!($results) {
                let recorder =
                    Recorder { place: None, location: Location::caller(), is_method: true };
                recorder.record(|| {
                    let x = self.tensor();
                    $(let $tensor = $tensor.tensor();)*
                    x.$method($($tensor,)* $($argument),*)
                })
            }
        }
    };
    (
        Tensor $method:ident generated [$($generics:tt)*] () ($($argument:ident: $of:ty),*) one
        $aliases:tt
    ) => {
        documented! { $method
            pub fn $method<$($generics)*>(platform: &Platform, $($argument: $of),*) -> Lazy {
                let place = Some(place_of(platform));
                let location = Location::caller();
                let recorder = Recorder { place, location, is_method: true };
                recorder.record(|| Tensor::$method($($argument),*))
            }
        }
    };
    ($of:ident $method:ident by_hand $($rest:tt)*) => {};
    ($of:ident $method:ident absent $($rest:tt)*) => {};
}

macro_rules! forward {
    ($({ $($method:tt)* })*) => { impl Lazy { $(forwarder! { $($method)* })* } };
}

hloom_graph::tensor_methods!(forward);

impl Lazy {
    documented! { matmul pub fn matmul(&self, right: &Lazy) -> Lazy {
        let operands = [self.clone(), right.clone()];
        memoized("matmul", operands, &[], Location::caller(), |[x, y], _| x.matmul(y))
    } }

    documented! { dot pub fn dot(&self, right: &Lazy, axes: impl IntoAxes) -> Lazy {
        let axes = axes.into_axes(self.rank());
        let caller = Location::caller();
        memoized("dot", [self.clone(), right.clone()], &axes, caller, |[x, y], axes| x.dot(y, axes))
    } }

    documented! { dynamic_slice_along
        pub fn dynamic_slice_along(&self, blocks: &[(Axis, &Lazy, usize)]) -> Lazy {
            let recorder = Recorder { place: None, location: Location::caller(), is_method: true };
            let block = |&(axis, start, size): &(Axis, &Lazy, usize)| (axis, start.tensor(), size);
            recorder.record(|| {
                let x = self.tensor();
                x.dynamic_slice_along(&blocks.iter().map(block).collect::<Vec<_>>())
            })
        }
    }

    documented! { dynamic_update_slice_along
        pub fn dynamic_update_slice_along(
            &self,
            update: &Lazy,
            starts: &[(Axis, &Lazy)],
        ) -> Lazy {
            let recorder = Recorder { place: None, location: Location::caller(), is_method: true };
            let start = |&(axis, start): &(Axis, &Lazy)| (axis, start.tensor());
            recorder.record(|| {
                let (x, update) = (self.tensor(), update.tensor());
                let starts = starts.iter().map(start).collect::<Vec<_>>();
                x.dynamic_update_slice_along(update, &starts)
            })
        }
    }
}
