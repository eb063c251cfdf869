//! Tensors on a platform's devices.

use crate::callback::Record;
use crate::{Error, Platform, Result, display, element_types::to_pjrt};
use hloom_graph::{DType, Element, IntoDims, Path, Shape, Spec, Tree};
use std::{
    fmt,
    future::{Future, IntoFuture},
    pin::Pin,
    sync::Arc,
};

/// A tensor on a platform's devices: a shape and the memory that holds its elements.
///
/// A buffer that a call gave is a future: its elements may not be there yet. Reading waits for them, and so do
/// [`ready`](Buffer::ready) and `.await`; what went wrong while the program ran is reported there.
pub struct Buffer {
    shape: Shape,
    memory: Arc<hloom_pjrt::Buffer>,
    /// The call that gave it, if the program calls Rust functions, which may fail.
    record: Option<Arc<Record>>,
}

hloom_graph::leaf!(Buffer);

impl Buffer {
    /// A buffer with a copy of `values`, in row-major order.
    ///
    /// # Errors
    /// The axes make no shape, the number of values is not theirs, or the plugin has no memory left.
    pub fn from_slice<T: Element>(platform: &Platform, values: &[T], dims: impl IntoDims) -> Result<Buffer> {
        let shape = Shape::new(T::DTYPE, dims)?;
        if values.len() != shape.element_count() {
            return Err(Error::host_data(shape, values.len(), T::DTYPE));
        }
        Buffer::from_bytes(platform, shape, bytemuck::cast_slice(values))
    }

    /// A buffer with a copy of bytes in host layout: row-major, `bool` and elements below a byte in a byte each.
    ///
    /// # Errors
    /// The number of bytes is not the shape's, or the plugin has no memory left.
    pub fn from_bytes(platform: &Platform, shape: Shape, bytes: &[u8]) -> Result<Buffer> {
        check_bytes(shape, bytes.len())?;
        let memory = platform
            .client()
            .host_buffer(to_pjrt(shape.dtype()), &dims_i64(shape))
            .copy(bytes);
        Buffer::wrap(shape, memory)
    }

    /// A buffer of bytes in host layout that `owner` keeps, without a copy where the plugin can read them in place: on the CPU,
    /// when they are aligned to 64 bytes. The owner is let go of when the plugin no longer needs it.
    ///
    /// # Errors
    /// As [`from_bytes`](Self::from_bytes).
    pub fn from_owner<O>(platform: &Platform, shape: Shape, owner: O) -> Result<Buffer>
    where
        O: AsRef<[u8]> + Send + 'static,
    {
        check_bytes(shape, owner.as_ref().len())?;
        let memory = platform
            .client()
            .host_buffer(to_pjrt(shape.dtype()), &dims_i64(shape))
            .zero_copy(owner);
        Buffer::wrap(shape, memory.map(|(memory, _)| memory))
    }

    /// A buffer with one element.
    ///
    /// # Errors
    /// The plugin has no memory left.
    pub fn scalar<T: Element>(platform: &Platform, value: T) -> Result<Buffer> {
        Buffer::from_bytes(platform, Shape::scalar(T::DTYPE), bytemuck::bytes_of(&value))
    }

    /// A buffer of zeros.
    ///
    /// # Errors
    /// The plugin has no memory left.
    pub fn zeros(platform: &Platform, shape: Shape) -> Result<Buffer> {
        let dims = dims_i64(shape);
        // Mutable memory: a program that the buffer is donated to may write its result there.
        let memory = hloom_pjrt::AlignedVec::<u8>::zeroed(shape.byte_size()).and_then(|zeros| {
            platform
                .client()
                .host_buffer(to_pjrt(shape.dtype()), &dims)
                .zero_copy_mut(zeros)
        });
        Buffer::wrap(shape, memory.map(|(memory, _)| memory))
    }

    /// A buffer for each leaf of a tree of specs, with the values that `f` gives.
    ///
    /// # Errors
    /// The path of the first leaf whose values do not fit.
    pub fn tree<S: Tree<Leaf = Spec>, T: Element>(
        platform: &Platform,
        specs: S,
        mut f: impl FnMut(&Path<'_>, &Spec) -> Vec<T>,
    ) -> Result<S::With<Buffer>> {
        try_map(specs, &mut |path, spec| {
            Buffer::from_slice(platform, &f(path, &spec), spec.shape().axes())
        })
    }

    /// Zeros for each leaf of a tree of specs.
    ///
    /// # Errors
    /// The plugin has no memory left.
    pub fn zeros_tree<S: Tree<Leaf = Spec>>(platform: &Platform, specs: S) -> Result<S::With<Buffer>> {
        try_map(specs, &mut |_, spec| Buffer::zeros(platform, spec.shape()))
    }

    /// Takes over a PJRT buffer, which gives its axes no names.
    ///
    /// # Errors
    /// Its element type or rank is none of ours.
    pub fn from_pjrt(memory: hloom_pjrt::Buffer) -> Result<Buffer> {
        let dtype = DType::ALL.into_iter().find(|&d| to_pjrt(d) == memory.dtype());
        let dims: Vec<usize> = memory.dims().iter().map(|&d| usize::try_from(d).unwrap_or(0)).collect();
        let dtype = dtype.ok_or_else(|| Error::ForeignElementType(memory.dtype().to_string()))?;
        Ok(Buffer {
            shape: Shape::new(dtype, dims)?,
            memory: Arc::new(memory),
            record: None,
        })
    }

    pub(crate) fn from_program(shape: Shape, memory: hloom_pjrt::Buffer, record: Option<Arc<Record>>) -> Buffer {
        Buffer {
            shape,
            memory: Arc::new(memory),
            record,
        }
    }

    /// Puts other memory under this handle, using its allocation again when nobody else shares it.
    pub(crate) fn replace(&mut self, shape: Shape, memory: hloom_pjrt::Buffer, record: Option<Arc<Record>>) {
        self.shape = shape;
        self.record = record;
        match Arc::get_mut(&mut self.memory) {
            Some(old) => *old = memory,
            None => self.memory = Arc::new(memory),
        }
    }

    fn wrap(shape: Shape, memory: hloom_pjrt::Result<hloom_pjrt::Buffer>) -> Result<Buffer> {
        let memory = memory.map_err(Error::plugin(format!("a buffer of {shape}")))?;
        Ok(Buffer {
            shape,
            memory: Arc::new(memory),
            record: None,
        })
    }

    /// The shape.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        self.shape.dtype()
    }

    /// The same memory under other axis names and sizes of the same number of elements in all; nothing is copied.
    ///
    /// # Errors
    /// The axes make no shape, or have other sizes.
    pub fn named(self, dims: impl IntoDims) -> Result<Buffer> {
        let shape = self.shape.with_dims(dims.into_dims()?);
        match shape.sizes() == self.shape.sizes() {
            true => Ok(Buffer {
                shape,
                memory: self.memory,
                record: self.record,
            }),
            false => Err(Error::host_data(shape, self.shape.element_count(), self.dtype())),
        }
    }

    /// The PJRT buffer underneath.
    pub fn as_pjrt(&self) -> &Arc<hloom_pjrt::Buffer> {
        &self.memory
    }

    /// The elements, in row-major order. Waits for them.
    ///
    /// # Errors
    /// `T` is not the element type, the program that should have filled the buffer failed, or its memory was donated.
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>> {
        if T::DTYPE != self.dtype() {
            let (shape, found) = (self.shape, self.shape.element_count());
            return Err(Error::host_data(shape, found, T::DTYPE));
        }
        Ok(T::from_bytes(&self.to_bytes()?))
    }

    /// The bytes in host layout. Waits for them.
    ///
    /// # Errors
    /// The program that should have filled the buffer failed, or its memory was donated.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        self.memory.to_bytes().map_err(self.failed("reading"))
    }

    /// Reads the elements into a slice of the same number. Waits for them.
    ///
    /// # Errors
    /// As [`to_vec`](Self::to_vec), or the slice has another length.
    pub fn read_into<T: Element + bytemuck::AnyBitPattern>(&self, values: &mut [T]) -> Result<()> {
        if T::DTYPE != self.dtype() || values.len() != self.shape.element_count() {
            let (shape, found) = (self.shape, values.len());
            return Err(Error::host_data(shape, found, T::DTYPE));
        }
        let bytes = bytemuck::cast_slice_mut(values);
        self.memory.read_into_bytes(bytes).map_err(self.failed("reading"))
    }

    /// The only element. Waits for it.
    ///
    /// # Errors
    /// As [`to_vec`](Self::to_vec), or there is not one element.
    pub fn item<T: Element>(&self) -> Result<T> {
        let values = self.to_vec::<T>()?;
        match values.len() {
            1 => Ok(values[0]),
            found => {
                let shape = self.shape.with_dims(hloom_graph::Dims::default());
                Err(Error::host_data(shape, found, T::DTYPE))
            }
        }
    }

    /// Waits until the elements are there.
    ///
    /// # Errors
    /// What went wrong in the program that should have filled the buffer.
    pub fn ready(&self) -> Result<()> {
        self.memory.wait().map_err(self.failed("a buffer of"))
    }

    /// Whether the elements are there, or will never be.
    ///
    /// # Errors
    /// The plugin's own.
    pub fn try_ready(&self) -> Result<bool> {
        let event = self.memory.ready_event();
        event
            .and_then(|event| event.is_ready())
            .map_err(self.failed("a buffer of"))
    }

    /// What a plugin's error means for this buffer: a callback's failure, if that is what the program ended with.
    fn failed(&self, doing: &'static str) -> impl FnOnce(hloom_pjrt::Error) -> Error + Send + use<> {
        let (shape, record) = (self.shape, self.record.clone());
        move |error| match record.and_then(|record| record.failure()) {
            Some(failure) => Error::Callback(Box::new(failure)),
            None => Error::plugin(format!("{doing} {shape}"))(error),
        }
    }

    /// A copy on the same device.
    ///
    /// # Errors
    /// The plugin has no memory left.
    pub fn duplicate(&self, platform: &Platform) -> Result<Buffer> {
        Buffer::from_owner(platform, self.shape, self.to_bytes()?)
    }
}

impl IntoFuture for &Buffer {
    type Output = Result<()>;
    type IntoFuture = Pin<Box<dyn Future<Output = Result<()>> + Send>>;

    /// Waits until the elements are there.
    fn into_future(self) -> Self::IntoFuture {
        let (failed, event) = (self.failed("a buffer of"), self.memory.ready_event());
        Box::pin(async move {
            let done = match event {
                Ok(event) => event.await,
                Err(error) => Err(error),
            };
            done.map_err(failed)
        })
    }
}

impl fmt::Display for Buffer {
    /// The elements as NumPy prints them, or why they cannot be read.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.to_bytes() {
            Ok(bytes) => display::write_array(f, self.shape, &bytes),
            Err(error) => write!(f, "{} ({error})", self.shape),
        }
    }
}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Buffer({})", self.shape)
    }
}

fn check_bytes(shape: Shape, found: usize) -> Result<()> {
    match found == shape.byte_size() {
        true => Ok(()),
        false => Err(Error::host_data(shape, found / shape.dtype().size(), shape.dtype())),
    }
}

pub(crate) fn dims_i64(shape: Shape) -> Vec<i64> {
    // A shape's sizes were checked to be addressable, which fits.
    shape.sizes().iter().map(|&size| size as i64).collect()
}

/// Makes a buffer of each leaf; the first error ends it.
fn try_map<S: Tree<Leaf = Spec>>(
    specs: S,
    f: &mut dyn FnMut(&Path<'_>, Spec) -> Result<Buffer>,
) -> Result<S::With<Buffer>> {
    // The tree is rebuilt in one walk, which cannot stop; what fails first is checked for in a walk before it.
    let mut made = std::collections::VecDeque::new();
    let mut failed = None;
    specs.visit(&mut |path, spec| {
        if failed.is_none() {
            match f(path, spec.clone()) {
                Ok(buffer) => made.push_back(buffer),
                Err(error) => failed = Some(error),
            }
        }
    });
    match failed {
        Some(error) => Err(error),
        None => Ok(specs.map(&mut |_, _| made.pop_front().expect("a buffer was made for each leaf"))),
    }
}
