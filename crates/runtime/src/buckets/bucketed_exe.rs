//! The executable of a function compiled for buckets.

use super::{
    OnePerAxis,
    compile_pool::CompilePool,
    programs::{Bound, Programs},
};
use crate::{
    Arg, Args, BindFirst, BucketError, Buffer, CallError, Error, Result, ResultTree,
    exe::shape_mismatch, function::KeptArguments,
};
use hloom_graph::StructureMismatch;
use std::{fmt, marker::PhantomData, sync::Arc, time::Duration};

/// A function compiled for several sizes of an axis, its buckets, so that arguments of any length
/// along it can be passed; or for each combination of sizes of two axes.
///
/// A call selects the smallest bucket that holds the arguments' length, compiles the function for
/// it if no call has done so, pads the arguments with zeros, and passes the true length as one more
/// argument, with which the function masks the padding. Results that have the axis are cut to the
/// true length.
///
/// ```no_run
/// # use hloom_runtime::*; use hloom_graph::*;
/// # fn main() -> Result<()> {
/// let platform = Platform::cpu()?;
/// let centered = |x: Tensor, length: Tensor| {
///     let padding = Tensor::arange(DType::I32, "seq", x.size("seq")).ge(length);
///     let sum = x.masked_fill(padding, 0.0).sum("seq");
///     x - sum / length.convert(DType::F32)
/// };
/// let spec = Spec::f32([("seq", 1)]); // the size is replaced by that of a bucket
/// let exe = platform.compile_buckets(centered, (spec,), Buckets::pow2("seq", 16..=4096))?;
/// exe.compile_all(); // in the background; a call compiles what it needs also without this
/// let x = Buffer::from_slice(&platform, &[1f32, 2.0, 6.0], [("seq", 3)])?;
/// assert_eq!(exe.call((&x,))?.to_vec::<f32>()?, [-2.0, -1.0, 3.0]);
/// # Ok(()) }
/// ```
///
/// # Padding
/// Borrowed arguments are padded by a copy through the host, and results are cut by one, for which
/// the call waits; a length that is a bucket's size needs neither. No program is compiled for
/// it, since each length would need its own. [`call_padded`](Self::call_padded) takes padded
/// arguments, returns padded results, and copies nothing.
///
/// Donated arguments, such as a cache, are padded already: their size along the axis is that of the
/// bucket to use, and also the length where no borrowed argument has the axis. Results that reuse
/// the memory of donated arguments stay padded. Neither is copied.
///
/// Clones and bound executables share the programs. Several threads may call one executable at the
/// same time.
pub struct BucketedExe<A, R: ResultTree, const N: usize = 1> {
    pub(super) programs: Arc<Programs<R, N>>,
    pub(super) bound: Arc<Bound<R, N>>,
    /// Its threads hold the programs too, until they are joined.
    pool: Arc<CompilePool>,
    kept: Arc<KeptArguments>,
    /// The number of leading arguments that are bound.
    bound_arguments: usize,
    arguments: PhantomData<fn(A)>,
}

/// The counters of a [`BucketedExe`], shared with its clones and those that are bound.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BucketStats<const N: usize = 1> {
    /// Calls whose bucket was compiled before.
    pub hits: u64,
    /// Calls that compiled their bucket, or waited for its compilation.
    pub misses: u64,
    /// The buckets that are compiled, in increasing order.
    pub compiled: Vec<[usize; N]>,
    /// The time spent tracing and compiling; times in parallel are added.
    pub compile_time: Duration,
}

impl<A: Args, R: ResultTree, const N: usize> BucketedExe<A, R, N> {
    pub(super) fn new(programs: Programs<R, N>, kept: KeptArguments) -> BucketedExe<A, R, N> {
        BucketedExe {
            programs: Arc::new(programs),
            bound: Arc::new(Bound::new(Vec::new())),
            pool: Arc::default(),
            kept: Arc::new(kept),
            bound_arguments: 0,
            arguments: PhantomData,
        }
    }

    #[cold]
    pub(super) fn error(&self, source: BucketError) -> Error {
        Error::Bucket { executable: self.programs.name.clone(), source: Box::new(source) }
    }

    /// Checks that the trees of a call have the structures of those that it was prepared for.
    pub(super) fn check(&self, arguments: &A::Call<'_>) -> Result<()> {
        let structures = &self.kept.structures[self.bound_arguments..];
        let Err((position, mismatch)) = A::check(arguments, structures) else {
            return Ok(());
        };
        let leaves = A::leaves(arguments, position);
        Err(self.structure_error(self.bound_arguments + position, leaves, *mismatch))
    }

    #[cold]
    fn structure_error(
        &self,
        position: usize,
        leaves: Vec<(String, Option<&Buffer>)>,
        mismatch: StructureMismatch,
    ) -> Error {
        let inputs: Vec<&str> =
            self.programs.plan.inputs.iter().map(|input| &*input.name).collect();
        // Sizes along the axes of buckets are compared later.
        let problems = self.kept.problems(position, &inputs, leaves, mismatch, |_, _| None);
        CallError { executable: self.programs.name.clone(), problems }.into()
    }

    /// The bucket for a length, or for one length per axis; `None` for 0 and above the largest.
    pub fn bucket_of<L: OnePerAxis<usize, N>>(&self, lengths: L) -> Option<L> {
        self.programs.plan.buckets.bucket_of(lengths)
    }

    /// Compiles the bucket for a length, unless it is compiled, and waits.
    ///
    /// # Errors
    /// There is no such bucket, or as [`Platform::compile`](crate::Platform::compile).
    pub fn compile(&self, lengths: impl OnePerAxis<usize, N>) -> Result<()> {
        let lengths = lengths.into_array();
        match self.bucket_of(lengths) {
            Some(bucket) => self.programs.get(bucket, false).map(drop),
            None => Err(self.error(BucketError::NoBucket {
                lengths: lengths.to_vec(),
                buckets: self.programs.plan.buckets.to_string(),
            })),
        }
    }

    /// Whether the bucket for a length is compiled, so that a call does not wait for the compiler.
    pub fn is_compiled(&self, lengths: impl OnePerAxis<usize, N>) -> bool {
        let bucket = self.bucket_of(lengths.into_array());
        bucket.is_some_and(|bucket| self.programs.is_compiled(bucket))
    }

    /// The counters so far.
    pub fn stats(&self) -> BucketStats<N> {
        let (hits, misses, compile_time) = self.programs.counts();
        BucketStats { hits, misses, compiled: self.programs.compiled(), compile_time }
    }
}

impl<A: Args, R: ResultTree + 'static, const N: usize> BucketedExe<A, R, N> {
    /// Begins to compile the buckets for these lengths in the background, in this order. A call
    /// that needs one of them waits until it is compiled. A failure occurs again, and is reported,
    /// in such a call. When the last clone is dropped, compilations that have not begun are skipped
    /// and the others awaited.
    pub fn warm_up<L: OnePerAxis<usize, N>>(&self, lengths: impl IntoIterator<Item = L>) {
        let mut buckets = Vec::new();
        for lengths in lengths {
            let bucket = self.bucket_of(lengths.into_array());
            buckets.extend(bucket.filter(|bucket| !buckets.contains(bucket)));
        }
        self.pool.begin(buckets.into_iter().map(|bucket| {
            let programs = self.programs.clone();
            Box::new(move || drop(programs.get(bucket, false))) as Box<dyn FnOnce() + Send>
        }));
    }

    /// As [`warm_up`](Self::warm_up), for every bucket, the smallest first.
    pub fn compile_all(&self) {
        let mut buckets = vec![[0; N]];
        for (i, axis) in self.programs.plan.buckets.axes.iter().enumerate() {
            let with = |mut bucket: [usize; N], size| {
                bucket[i] = size;
                bucket
            };
            let all = |bucket| axis.sizes.iter().map(move |&size| with(bucket, size));
            buckets = buckets.into_iter().flat_map(all).collect();
        }
        self.warm_up(buckets);
    }
}

impl<A: BindFirst, R: ResultTree, const N: usize> BucketedExe<A, R, N> {
    /// An executable with one argument fewer: the first one is bound to these buffers, for every
    /// bucket, for the lifetime of the executable. This executable is unchanged and can be bound
    /// again.
    ///
    /// # Errors
    /// Every buffer that does not match, by path; or the argument has an axis with buckets.
    pub fn bind(&self, first: <A::First as Arg>::Call<'_>) -> Result<BucketedExe<A::Rest, R, N>> {
        let position = self.bound_arguments;
        if let Err(mismatch) = A::First::check(&first, &self.kept.structures[position]) {
            let leaves = A::First::leaves(&first);
            return Err(self.structure_error(position, leaves, *mismatch));
        }
        let mut buffers: Vec<Buffer> = self.bound.buffers.iter().map(Buffer::shared).collect();
        let mut problems = Vec::new();
        let mut padded = None;
        A::First::visit(&first, &mut |buffer| {
            if let Some(input) = self.programs.plan.inputs.get(buffers.len()) {
                let axes = &self.programs.plan.buckets.axes;
                let axis = input.axes.iter().zip(axes).find(|(position, _)| position.is_some());
                padded = padded.take().or(axis.map(|(_, axis)| (axis.axis, input.name.clone())));
                problems.extend(shape_mismatch(&input.name, input.shape, buffer));
            }
            buffers.push(buffer.shared());
        });
        if let Some((axis, input)) = padded {
            return Err(self.error(BucketError::Bound { axis, input }));
        }
        if !problems.is_empty() {
            let executable = self.programs.name.clone();
            return Err(CallError { executable, problems }.into());
        }
        Ok(BucketedExe {
            programs: self.programs.clone(),
            bound: Arc::new(Bound::new(buffers)),
            pool: self.pool.clone(),
            kept: self.kept.clone(),
            bound_arguments: self.bound_arguments + 1,
            arguments: PhantomData,
        })
    }
}

impl<A, R: ResultTree, const N: usize> Clone for BucketedExe<A, R, N> {
    fn clone(&self) -> Self {
        BucketedExe {
            programs: self.programs.clone(),
            bound: self.bound.clone(),
            pool: self.pool.clone(),
            kept: self.kept.clone(),
            bound_arguments: self.bound_arguments,
            arguments: PhantomData,
        }
    }
}

impl<A, R: ResultTree, const N: usize> fmt::Debug for BucketedExe<A, R, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BucketedExe")
            .field("name", &self.programs.name)
            .field("buckets", &self.programs.plan.buckets.to_string())
            .field("compiled", &self.programs.compiled())
            .finish()
    }
}
