//! The handle of a lazy tensor.

use crate::{
    failure::Failure,
    node::{Node, NodeState, Realized},
    place::{LazyPlatform, place_of},
    realize::{buffers, realize_all},
};
use hloom_graph::{Axis, DType, Element, IntoDims, Nested, Shape};
use hloom_runtime::{Buffer, Platform, Result};
use smallvec::smallvec;
use std::{fmt, sync::Arc};

/// A tensor that is computed when it is read: a handle, cheap to clone and shared by threads, of a
/// buffer or of an op on other lazy tensors.
///
/// It has the methods and operators of [`Tensor`](hloom_graph::Tensor), which take `&Lazy` and Rust
/// numbers. They compute nothing and never fail: an error is recorded, and returned with its line
/// when the result is realized.
///
/// ```no_run
/// # use hloom_lazy::*; use hloom_runtime::*;
/// # fn main() -> Result<()> {
/// let platform = Platform::cpu()?;
/// let x = Lazy::from_slice(&platform, &[1.0f32, 2.0, 3.0], [("n", 3)])?;
/// let y = (&x * 2.0 + 1.0).sum("n"); // nothing is computed yet
/// println!("{}", y.item::<f32>()?); // one program
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Lazy {
    pub(crate) node: Arc<Node>,
    pub(crate) result: u32,
}

hloom_graph::leaf!(Lazy);

/// Whether a lazy tensor has a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum LazyState {
    /// The tensor has a buffer, whose elements may not have been computed yet.
    Realized,
    /// The tensor is an op that was not run yet.
    Pending,
    /// An op that led to the tensor failed, or the program that computes it failed.
    Failed,
}

impl Lazy {
    pub(crate) fn new(
        place: Option<Arc<LazyPlatform>>,
        shapes: Arc<[Shape]>,
        state: NodeState,
        result: usize,
    ) -> Lazy {
        Lazy { node: Node::new(place, shapes, state), result: result as u32 }
    }

    /// A handle that returns this error.
    pub(crate) fn failed(place: Option<Arc<LazyPlatform>>, failure: Failure) -> Lazy {
        Lazy::new(place, [Shape::scalar(DType::F32)].into(), NodeState::Failed(failure), 0)
    }

    /// A realized tensor: a buffer on a platform's first device.
    pub fn from_buffer(platform: &Platform, buffer: impl Into<Arc<Buffer>>) -> Lazy {
        let buffer: Arc<Buffer> = buffer.into();
        let (shape, buffers): (Shape, Realized) = (buffer.shape(), smallvec![buffer]);
        Lazy::new(Some(place_of(platform)), [shape].into(), NodeState::Realized(buffers), 0)
    }

    /// A realized tensor with a copy of `values`, in row-major order.
    ///
    /// # Errors
    /// As [`Buffer::from_slice`].
    pub fn from_slice<T: Element>(
        platform: &Platform,
        values: &[T],
        dims: impl IntoDims,
    ) -> Result<Lazy> {
        Ok(Lazy::from_buffer(platform, Buffer::from_slice(platform, values, dims)?))
    }

    /// A realized tensor of nested arrays of numbers.
    ///
    /// # Errors
    /// As [`Buffer::array`].
    pub fn array<A: Nested>(platform: &Platform, numbers: A) -> Result<Lazy> {
        Ok(Lazy::from_buffer(platform, Buffer::array(platform, numbers)?))
    }

    /// A realized tensor without axes. Programs take it as an argument: unlike with a number in an
    /// expression, another value needs no new program.
    ///
    /// # Errors
    /// The plugin's error.
    pub fn scalar<T: Element>(platform: &Platform, value: T) -> Result<Lazy> {
        Ok(Lazy::from_buffer(platform, Buffer::scalar(platform, value)?))
    }

    /// The platform that it is computed on; `None` for the error of a function without lazy
    /// tensors.
    pub fn platform(&self) -> Option<&Platform> {
        Some(&self.node.place.as_ref()?.platform)
    }

    /// Whether it has a value; computes nothing.
    pub fn state(&self) -> LazyState {
        match &*self.node.state() {
            NodeState::Realized(_) => LazyState::Realized,
            NodeState::Failed(_) => LazyState::Failed,
            NodeState::Number(_) | NodeState::Pending(_) | NodeState::Claimed(_) => {
                LazyState::Pending
            }
        }
    }

    pub(crate) fn failure(&self) -> Option<Failure> {
        match &*self.node.state() {
            NodeState::Failed(failure) => Some(failure.clone()),
            _ => None,
        }
    }

    pub(crate) fn shape_ref(&self) -> &Shape {
        &self.node.shapes[self.result as usize]
    }

    pub(crate) fn is_same(&self, other: &Lazy) -> bool {
        Arc::ptr_eq(&self.node, &other.node) && self.result == other.result
    }

    /// The shape; `f32[]` if an op that led to this tensor failed.
    pub fn shape(&self) -> Shape {
        *self.shape_ref()
    }

    /// The element type; `f32` if an op that led to this tensor failed.
    pub fn dtype(&self) -> DType {
        self.shape_ref().dtype()
    }

    /// The number of axes.
    pub fn rank(&self) -> usize {
        self.shape_ref().rank()
    }

    /// The size of an axis; `None` when there is no such axis.
    pub fn size(&self, axis: impl Into<Axis>) -> Option<usize> {
        self.shape_ref().size(axis)
    }

    /// Whether an op that led to this tensor failed.
    pub fn is_poisoned(&self) -> bool {
        self.state() == LazyState::Failed
    }

    /// Computes the tensor, if it is pending, and all pending tensors that it needs and that have
    /// handles. Returns its buffer when the work is queued, or, if the program calls functions of
    /// the host, when the work has finished.
    ///
    /// # Errors
    /// The first error recorded while the tensor was built, with its source line; or the error of
    /// compiling or calling the program, which the tensor remembers. A function of the host cannot
    /// realize a tensor that the program which calls it computes: the wait would not end.
    pub fn realize(&self) -> Result<Arc<Buffer>> {
        realize_all([self])?;
        Ok(buffers(&self.node)?[self.result as usize].clone())
    }

    /// The elements, in row-major order. Realizes the tensor and waits for it.
    ///
    /// # Errors
    /// As [`realize`](Self::realize), and as [`Buffer::to_vec`].
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>> {
        self.realize()?.to_vec()
    }

    /// The only element. Realizes the tensor and waits for it.
    ///
    /// # Errors
    /// As [`realize`](Self::realize), and as [`Buffer::item`].
    pub fn item<T: Element>(&self) -> Result<T> {
        self.realize()?.item()
    }

    /// The elements as NumPy prints them. Realizes the tensor and waits for it.
    ///
    /// # Errors
    /// As [`realize`](Self::realize), and the error of the program that computes it.
    pub fn show(&self) -> Result<String> {
        let buffer = self.realize()?;
        buffer.ready()?;
        Ok(buffer.to_string())
    }
}

impl fmt::Display for Lazy {
    /// The shape and the state, or the error; computes nothing. [`Lazy::show`] prints the elements.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.failure() {
            Some(failure) => failure.fmt(f),
            None if self.state() == LazyState::Realized => write!(f, "{} (realized)", self.shape()),
            None => write!(f, "{} (pending)", self.shape()),
        }
    }
}

impl fmt::Debug for Lazy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Lazy({self})")
    }
}

const _: () = {
    fn shared_between_threads<T: Clone + Send + Sync>() {}
    let _ = shared_between_threads::<Lazy>;
};
