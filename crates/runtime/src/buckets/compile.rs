//! Compiling functions for buckets.

use super::{
    BucketFunction, BucketedExe, Buckets, OnePerAxis,
    arguments::Resized,
    plan::{self, Plan, Sample},
    programs::{Programs, Target},
    sizes::AxisSizes,
};
use crate::{
    Args, Compiler, Mesh, Platform, Result, ResultTree, Signature,
    function::{KeptArguments, Traced, function_name, trace_at},
};
use hloom_graph::{Graph, Tensor};
use std::panic::Location;

impl Platform {
    /// Prepares `function` for arguments whose named axes have any length up to a limit: see
    /// [`BucketedExe`]. It is traced here, and compiled for a bucket when a call needs it, or by
    /// [`BucketedExe::compile_all`].
    ///
    /// `arguments` may have any size along the axes of the buckets. After them the function takes
    /// the true length, an `i32` scalar; for two axes, an array of two.
    ///
    /// # Errors
    /// The first error recorded while tracing the function, with its source line; the buckets are
    /// invalid, no argument has their axis, or a size of a result depends on the bucket without
    /// being that of an axis of its name.
    #[track_caller]
    pub fn compile_buckets<A, F, Lengths, Passing, const N: usize>(
        &self,
        function: F,
        arguments: A,
        buckets: Buckets<N>,
    ) -> Result<BucketedExe<A, F::Output, N>>
    where
        A: Args + Clone + Send + Sync + 'static,
        F: BucketFunction<A, Lengths, Passing>,
        F::Output: ResultTree,
        Lengths: OnePerAxis<Tensor, N>,
    {
        self.compiler().compile_buckets(function, arguments, buckets)
    }
}

impl Mesh {
    /// As [`Platform::compile_buckets`], for the devices of this mesh.
    ///
    /// # Errors
    /// As [`Platform::compile_buckets`].
    #[track_caller]
    pub fn compile_buckets<A, F, Lengths, Passing, const N: usize>(
        &self,
        function: F,
        arguments: A,
        buckets: Buckets<N>,
    ) -> Result<BucketedExe<A, F::Output, N>>
    where
        A: Args + Clone + Send + Sync + 'static,
        F: BucketFunction<A, Lengths, Passing>,
        F::Output: ResultTree,
        Lengths: OnePerAxis<Tensor, N>,
    {
        self.compiler().compile_buckets(function, arguments, buckets)
    }
}

impl Compiler<'_> {
    /// As [`Platform::compile_buckets`], with these options for the program of each bucket.
    ///
    /// # Errors
    /// As [`Platform::compile_buckets`].
    #[track_caller]
    pub fn compile_buckets<A, F, Lengths, Passing, const N: usize>(
        self,
        function: F,
        arguments: A,
        buckets: Buckets<N>,
    ) -> Result<BucketedExe<A, F::Output, N>>
    where
        A: Args + Clone + Send + Sync + 'static,
        F: BucketFunction<A, Lengths, Passing>,
        F::Output: ResultTree,
        Lengths: OnePerAxis<Tensor, N>,
    {
        let location = Location::caller();
        if let Some(message) = buckets.invalid() {
            return Err(plan::error(message, Vec::new(), location).into());
        }
        let Compiler { on, settings } = self;
        let name = settings.name.clone().unwrap_or_else(function_name::<F>);
        let (own_name, mesh_shape) = (name.clone(), settings.mesh_shape());
        let axes = buckets.axes.each_ref().map(|axis| axis.axis);
        let mut names = settings.inputs.clone();
        if !names.is_empty() {
            names.extend(axes.map(|axis| format!("{axis}_length")));
        }
        let trace = move |sizes: [usize; N]| {
            let bucket = axes.iter().zip(sizes).map(|(axis, size)| format!("_{axis}{size}"));
            let name = own_name.clone() + &bucket.collect::<String>();
            let arguments = Resized { arguments: arguments.clone(), axes, sizes };
            let run = |(arguments, lengths)| function.run(arguments, Lengths::from_array(lengths));
            trace_at(location, &name, &names, mesh_shape, arguments, |_, donated| donated, run)
        };
        let (plan, kept) = plan(buckets, location, &trace)?;
        let target = Target { platform: on.clone(), settings };
        let programs = Programs::new(target, name, location, plan, Box::new(trace));
        Ok(BucketedExe::new(programs, kept))
    }
}

/// Traces the function for the smallest bucket and the largest one. The function may refuse a
/// combination of a small size with a large one, so such a combination is checked when it is
/// compiled.
fn plan<S, const N: usize>(
    buckets: Buckets<N>,
    location: &'static Location<'static>,
    trace: &impl Fn([usize; N]) -> Result<Traced<S>>,
) -> Result<(Plan<N>, KeptArguments)> {
    let sample_of = |sizes, graph: &Graph| Sample { sizes, signature: Signature::of(graph) };
    let sample = |sizes| -> Result<Sample<N>> { Ok(sample_of(sizes, &trace(sizes)?.graph)) };
    let smallest = buckets.axes.each_ref().map(AxisSizes::smallest);
    let largest = buckets.axes.each_ref().map(AxisSizes::largest);
    let Traced { graph, arguments: kept, .. } = trace(smallest)?;
    let base = sample_of(smallest, &graph);
    let mut others = Vec::new();
    if largest != smallest {
        others.push(sample(largest)?);
    }
    for (i, _) in buckets.axes.iter().enumerate().filter(|(_, axis)| axis.sizes.len() == 1) {
        // With a single bucket, sizes that depend on it are found by tracing at another size, which
        // the function may refuse.
        let mut sizes = smallest;
        sizes[i] = sizes[i].saturating_mul(2);
        others.extend(sample(sizes).ok());
    }
    Ok((Plan::new(buckets, &base, &others, location)?, kept))
}
