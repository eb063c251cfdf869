//! The arguments of a function, resized to a bucket.

use crate::{Args, function::TraceArgs};
use hloom_graph::{DType, Dims, Name, Path, Spec, Structure, Tensor};

/// Arguments whose named axes have the sizes of a bucket, followed by the true lengths. They are
/// traced, and never called with: `BucketedExe` passes the lengths.
pub(super) struct Resized<A, const N: usize> {
    pub arguments: A,
    pub axes: [Name; N],
    pub sizes: [usize; N],
}

impl<A: Args, const N: usize> TraceArgs for Resized<A, N> {
    type Traced = (A::Traced, [Tensor; N]);
    const COUNT: usize = A::COUNT + N;

    fn structures(&self) -> Box<[Structure]> {
        let lengths = (0..N).map(|_| Structure::default());
        Args::structures(&self.arguments).into_iter().chain(lengths).collect()
    }

    fn trace(self, f: &mut dyn FnMut(usize, bool, &Path<'_>, Spec) -> Tensor) -> Self::Traced {
        let Resized { arguments, axes, sizes } = self;
        let arguments = Args::trace(arguments, &mut |position, donated, path, spec| {
            f(position, donated, path, resized(spec, axes, sizes))
        });
        let length = |axis| f(A::COUNT + axis, false, &Path::ROOT, Spec::scalar(DType::I32));
        let mut lengths = (0..N).map(length);
        let lengths = [(); N].map(|()| lengths.next().expect("there are N axes"));
        (arguments, lengths)
    }
}

/// The spec with other sizes of the named axes. An invalid spec stays as it is, to be reported.
fn resized<const N: usize>(spec: Spec, axes: [Name; N], sizes: [usize; N]) -> Spec {
    let shape = spec.shape();
    let size = |(&name, &size): (&Option<Name>, &usize)| {
        let bucket = axes.iter().position(|&axis| Some(axis) == name);
        (name, bucket.map_or(size, |bucket| sizes[bucket]))
    };
    let dims = Dims::new(shape.names().iter().zip(shape.sizes()).map(size));
    if spec.error().is_some() || dims == Ok(shape.axes()) {
        return spec;
    }
    Spec::new(shape.dtype(), dims).partitioned(spec.partition_spec())
}
