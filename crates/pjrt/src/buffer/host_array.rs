//! Contents of a buffer on the host, whose element type is known at run time.

use crate::{AlignedVec, Buffer, DType, Element, Error, Result, Spec};
use std::sync::Arc;

/// An array on the host, with its element type and dimensions; from [`Buffer::to_host`].
///
/// ```no_run
/// use hloom_pjrt::DType;
/// # fn f(buffer: hloom_pjrt::Buffer) -> hloom_pjrt::Result<()> {
/// let array = buffer.to_host()?;
/// match array.dtype() {
///     DType::F32 => println!("{:?} of {:?}", array.as_slice::<f32>()?, array.dims()),
///     other => println!("{} bytes of {other}", array.as_bytes().len()),
/// }
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct HostArray {
    spec: Arc<Spec>,
    /// Aligned for every element type.
    bytes: AlignedVec<u8>,
}

impl Buffer {
    /// The contents in row-major order, with their type and dimensions. Blocks.
    ///
    /// # Errors
    /// As for [`Buffer::to_bytes`].
    pub fn to_host(&self) -> Result<HostArray> {
        let mut bytes = AlignedVec::zeroed(self.host_size()?)?;
        self.read_into_bytes(&mut bytes)?;
        Ok(HostArray { spec: Arc::clone(&self.spec), bytes })
    }
}

impl HostArray {
    /// The type of the elements.
    pub fn dtype(&self) -> DType {
        self.spec.dtype()
    }

    /// The dimensions, outermost first.
    pub fn dims(&self) -> &[i64] {
        self.spec.dims()
    }

    /// The bytes in row-major order, in the form of [`Buffer::to_bytes`].
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The elements in row-major order.
    ///
    /// # Errors
    /// `T` is not the type of the elements.
    pub fn as_slice<T: Element>(&self) -> Result<&[T]> {
        if T::DTYPE != self.dtype() {
            let what = format!("the elements of {}", self.spec);
            return Err(Error::DType { what, expected: self.dtype(), found: T::DTYPE });
        }
        let len = self.bytes.len() / size_of::<T>();
        // SAFETY: aligned, as long as the bytes, and these are values: they were normalized when
        // they were read.
        Ok(unsafe { std::slice::from_raw_parts(self.bytes.as_ptr().cast::<T>(), len) })
    }
}

impl std::fmt::Debug for HostArray {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "HostArray({})", self.spec)
    }
}
