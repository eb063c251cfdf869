//! Buffers from host memory.

use crate::{
    Buffer, DType, Element, Elements, Error, Event, HostLease, PlatformKind, Result, as_bytes,
    buffer::destination::{Destination, destination_setters},
    client::Client,
    spec::{check_array, host_bytes},
    sys,
    transfer::owner::Owner,
};

/// The time for which the plugin may read host memory that a buffer is made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HostBufferSemantics {
    /// Only during the call: the plugin copies.
    ImmutableOnlyDuringCall,
    /// Until the transfer is done, which the lease reports.
    ImmutableUntilTransferCompletes,
    /// As long as the buffer lives: it may use the host memory itself.
    ImmutableZeroCopy,
    /// As long as the buffer lives, and executions that it is donated to may write there.
    MutableZeroCopy,
}

impl HostBufferSemantics {
    /// The number of the C API (`PJRT_HostBufferSemantics`).
    pub fn to_raw(self) -> u32 {
        match self {
            Self::ImmutableOnlyDuringCall => sys::PJRT_HostBufferSemantics_kImmutableOnlyDuringCall,
            Self::ImmutableUntilTransferCompletes => {
                sys::PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes
            }
            Self::ImmutableZeroCopy => sys::PJRT_HostBufferSemantics_kImmutableZeroCopy,
            Self::MutableZeroCopy => sys::PJRT_HostBufferSemantics_kMutableZeroCopy,
        }
    }
}

/// Builds a buffer from host memory; from [`Client::host_buffer`]. By default the plugin chooses
/// its layout.
///
/// The four ways differ in how long the plugin reads the memory: see [`HostBufferSemantics`]. All
/// but [`copy`](Self::copy) take the memory's owner, and free it when the plugin releases the
/// memory.
#[must_use = "no buffer is created before `copy`, or another method that reads the values"]
#[derive(Clone, Debug)]
pub struct BufferFromHost<'a> {
    client: &'a Client,
    dtype: DType,
    dims: &'a [i64],
    byte_strides: Option<&'a [i64]>,
    destination: Destination<'a>,
}

impl Client {
    /// A builder for a buffer of this type and these dimensions from host memory.
    pub fn host_buffer<'a>(&'a self, dtype: DType, dims: &'a [i64]) -> BufferFromHost<'a> {
        BufferFromHost {
            client: self,
            dtype,
            dims,
            byte_strides: None,
            destination: Destination::default(),
        }
    }

    /// Copies a slice to the first addressable device.
    ///
    /// # Errors
    /// The number of elements in `values` does not match the dimensions, or the plugin's error.
    ///
    /// # Examples
    /// ```no_run
    /// # fn f(client: hloom_pjrt::Client) -> hloom_pjrt::Result<()> {
    /// let buffer = client.buffer(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0], &[2, 3])?;
    /// # Ok(()) }
    /// ```
    pub fn buffer<T: Element>(&self, values: &[T], dims: &[i64]) -> Result<Buffer> {
        self.host_buffer(T::DTYPE, dims).copy(as_bytes(values))
    }

    /// Copies one element, as a buffer of rank 0, to the first addressable device.
    ///
    /// # Errors
    /// The plugin's error.
    pub fn scalar<T: Element>(&self, value: T) -> Result<Buffer> {
        self.buffer(&[value], &[])
    }

    /// Copies one element, as a buffer of rank 0, to the addressable device at an index.
    ///
    /// # Errors
    /// The index is out of range, or the plugin's error.
    pub fn scalar_on<T: Element>(&self, ordinal: usize, value: T) -> Result<Buffer> {
        let device = self.addressable_device(ordinal)?;
        self.host_buffer(T::DTYPE, &[]).on_device(&device).copy(as_bytes(&[value]))
    }

    /// Moves a vector to the first addressable device, which may use its memory without a copy.
    ///
    /// # Errors
    /// As for [`Client::buffer`].
    pub fn buffer_from_vec<T: Element>(&self, values: Vec<T>, dims: &[i64]) -> Result<Buffer> {
        let (buffer, _lease) =
            self.host_buffer(T::DTYPE, dims).zero_copy(Elements::<_, T>::new(values))?;
        Ok(buffer)
    }
}

destination_setters!(BufferFromHost.destination);

impl<'a> BufferFromHost<'a> {
    /// The host memory's strides in bytes; may be negative only with [`from_ptr`](Self::from_ptr).
    /// Default: row-major without gaps.
    pub fn byte_strides(mut self, byte_strides: &'a [i64]) -> Self {
        self.byte_strides = Some(byte_strides);
        self
    }

    /// Copies the bytes before it returns.
    ///
    /// # Errors
    /// The number of bytes does not match type, dimensions and strides; device or memory belong to
    /// another client; elements of the type have no host form; or the plugin's error.
    pub fn copy(&self, bytes: &[u8]) -> Result<Buffer> {
        self.check_len(bytes.len())?;
        let semantics = HostBufferSemantics::ImmutableOnlyDuringCall;
        // SAFETY: the slice is borrowed for the call, and its length is checked.
        let (buffer, done) = unsafe { self.from_ptr(bytes.as_ptr(), semantics) }?;
        drop(done);
        Ok(buffer)
    }

    /// Transfers the bytes asynchronously; their owner is kept until that is done.
    ///
    /// # Errors
    /// As for [`copy`](Self::copy). The owner is then dropped.
    pub fn transfer<O>(&self, owner: O) -> Result<(Buffer, HostLease<O>)>
    where
        O: AsRef<[u8]> + Send + 'static,
    {
        let owner = Owner::new(owner);
        let bytes = parts(owner.get().as_ref());
        self.lend(owner, bytes, HostBufferSemantics::ImmutableUntilTransferCompletes)
    }

    /// Lets the buffer use the bytes without a copy, if the plugin can; their owner is kept until
    /// the buffer's memory is freed. The CPU plugin needs the bytes at a multiple of
    /// [`ALIGNMENT`](crate::ALIGNMENT), and copies them otherwise.
    ///
    /// The lease ends only after the buffer is dropped: waiting for it before that blocks forever.
    ///
    /// # Errors
    /// As for [`copy`](Self::copy). The owner is then dropped.
    pub fn zero_copy<O>(&self, owner: O) -> Result<(Buffer, HostLease<O>)>
    where
        O: AsRef<[u8]> + Send + 'static,
    {
        let owner = Owner::new(owner);
        let bytes = parts(owner.get().as_ref());
        self.lend(owner, bytes, HostBufferSemantics::ImmutableZeroCopy)
    }

    /// Like [`zero_copy`](Self::zero_copy), and lets an execution that the buffer is donated to
    /// write its result there. The lease then ends after that result is dropped.
    ///
    /// # Errors
    /// As for [`copy`](Self::copy). The owner is then dropped.
    pub fn zero_copy_mut<O>(&self, owner: O) -> Result<(Buffer, HostLease<O>)>
    where
        O: AsMut<[u8]> + Send + 'static,
    {
        let mut owner = Owner::new(owner);
        let bytes = owner.get_mut().as_mut();
        let bytes = (bytes.as_mut_ptr().cast_const(), bytes.len());
        self.lend(owner, bytes, HostBufferSemantics::MutableZeroCopy)
    }

    /// Makes a buffer from memory that the caller keeps valid until the event: the plugin then no
    /// longer needs it.
    ///
    /// # Errors
    /// As for [`copy`](Self::copy). If the plugin returned a null handle, it is unknown when it is
    /// done with the memory.
    ///
    /// # Safety
    /// `start` points to the element with all indices 0 of an array of this type, these dimensions
    /// and strides, which stays readable (writable for
    /// [`MutableZeroCopy`](HostBufferSemantics::MutableZeroCopy)) and unchanged as long as the
    /// semantics require.
    pub unsafe fn from_ptr(
        &self,
        start: *const u8,
        semantics: HostBufferSemantics,
    ) -> Result<(Buffer, Event)> {
        // SAFETY: by the contract of this function.
        let (buffer, done) = unsafe { self.start(start, semantics) }?;
        Ok((buffer?, done?))
    }

    /// Starts the transfer. An inner error means that the plugin started, but returned a null
    /// buffer or event.
    ///
    /// # Safety
    /// As for [`from_ptr`](Self::from_ptr).
    unsafe fn start(
        &self,
        start: *const u8,
        semantics: HostBufferSemantics,
    ) -> Result<(Result<Buffer>, Result<Event>)> {
        let client = &self.client.inner;
        check_array(client.api, self.dtype, self.dims)?;
        self.check_strides()?;
        let mut layout = self.destination.layout(self.dims)?;
        self.check_order()?;
        let mut args: sys::PJRT_Client_BufferFromHostBuffer_Args = client.api.zeroed();
        args.client = client.raw.as_ptr();
        args.data = start.cast();
        args.type_ = self.dtype.to_raw();
        args.dims = self.dims.as_ptr();
        args.num_dims = self.dims.len();
        if let Some(strides) = self.byte_strides {
            args.byte_strides = strides.as_ptr();
            args.num_byte_strides = strides.len();
        }
        args.host_buffer_semantics = semantics.to_raw();
        (args.device, args.memory) = self.destination.place(client)?;
        if let Some(layout) = &mut layout {
            args.device_layout = &raw mut layout.raw;
        }
        const FUNCTION: &str = "PJRT_Client_BufferFromHostBuffer";
        // SAFETY: pointers outlive the call; the caller answers for the memory.
        unsafe {
            client.api.call(&mut args)?;
            let spec = client.spec(self.dtype, self.dims);
            let done = Event::from_call(client, args.done_with_host_buffer, FUNCTION);
            Ok((Buffer::from_call(client, args.buffer, spec, FUNCTION), done))
        }
    }

    /// CPU plugins built before July 2026 label such a buffer with its layout, and copy the bytes
    /// unchanged.
    fn check_order(&self) -> Result<()> {
        let api = self.client.inner.api;
        let has_other_order = self.destination.layout.is_some_and(|layout| !layout.is_row_major());
        let is_cpu = self.client.inner.platform_kind() == PlatformKind::Cpu;
        if has_other_order && is_cpu && api.minor() < 115 {
            Err(Error::argument(format!(
                "plugin `{}` (API 0.{}) does not rearrange host memory for a layout of the \
                 device: use the default one",
                api.name(),
                api.minor()
            )))
        } else {
            Ok(())
        }
    }

    fn lend<O: Send + 'static>(
        &self,
        owner: Owner<O>,
        (start, len): (*const u8, usize),
        semantics: HostBufferSemantics,
    ) -> Result<(Buffer, HostLease<O>)> {
        self.check_len(len)?;
        // SAFETY: the bytes belong to `owner`, which the lease neither moves nor frees before the
        // plugin is done with them.
        let (buffer, done) = unsafe { self.start(start, semantics) }?;
        match done {
            Ok(done) => {
                let lease = HostLease::new(owner, done)?;
                Ok((buffer?, lease))
            }
            Err(error) => {
                owner.leak();
                Err(error)
            }
        }
    }

    fn check_len(&self, found: usize) -> Result<()> {
        let expected = match self.byte_strides {
            None => host_bytes(self.dtype, self.dims)?,
            Some(strides) => self.strided_bytes(strides)?,
        };
        // With strides the memory may be larger than what is read of it.
        let fits = if self.byte_strides.is_some() { found >= expected } else { found == expected };
        if fits {
            return Ok(());
        }
        let what =
            format!("bytes of host memory for {} with dimensions {:?}", self.dtype, self.dims);
        Err(Error::size(what, expected, found))
    }

    fn check_strides(&self) -> Result<()> {
        match self.byte_strides {
            Some(strides) if strides.len() != self.dims.len() => {
                Err(Error::size("byte strides", self.dims.len(), strides.len()))
            }
            _ => Ok(()),
        }
    }

    /// The bytes from the first element to the end of the last one.
    fn strided_bytes(&self, strides: &[i64]) -> Result<usize> {
        self.check_strides()?;
        if host_bytes(self.dtype, self.dims)? == 0 {
            return Ok(0);
        }
        let size = self.dtype.host_bytes().unwrap_or(0);
        let last = self.dims.iter().zip(strides).try_fold(0usize, |sum, (&dim, &stride)| {
            let dim = usize::try_from(dim).ok()?.checked_sub(1)?;
            sum.checked_add(dim.checked_mul(usize::try_from(stride).ok()?)?)
        });
        last.and_then(|last| last.checked_add(size)).ok_or_else(|| {
            Error::argument(format!(
                "byte strides {strides:?} with dimensions {:?} leave the memory of a slice",
                self.dims
            ))
        })
    }
}

fn parts(bytes: &[u8]) -> (*const u8, usize) {
    (bytes.as_ptr(), bytes.len())
}
