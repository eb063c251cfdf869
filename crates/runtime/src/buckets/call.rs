//! Calls of a function compiled for buckets.

use super::{BucketedExe, OnePerAxis, measure::Measured};
use crate::{Args, Buffer, Exe, Result, ResultTree};
use smallvec::SmallVec;

impl<A: Args, R: ResultTree, const N: usize> BucketedExe<A, R, N> {
    /// Runs the function on arguments of any length up to the largest bucket. It waits for results
    /// to cut; others are futures.
    ///
    /// # Errors
    /// A length is 0, above the largest bucket, or not the same in all arguments; a donated
    /// argument does not have the size of a bucket; or as [`Platform::compile`] and [`Exe::call`].
    ///
    /// [`Platform::compile`]: crate::Platform::compile
    pub fn call(&self, arguments: A::Call<'_>) -> Result<R::Buffers> {
        self.check(&arguments)?;
        let mut passed = SmallVec::<[&Buffer; 64]>::new();
        A::visit(&arguments, &mut |buffer| passed.push(buffer));
        let measured = self.programs.plan.measure(self.bound.buffers.len(), &passed);
        let measured = measured.map_err(|error| self.error(error))?;
        let exe = self.exe(measured.bucket)?;
        let padded = self.padded(&exe, &passed, measured)?;
        let mut results = self.run(&exe, &passed, &padded, measured.lengths)?;
        // Donated arguments are consumed once the program is queued.
        drop(passed);
        drop(arguments);
        self.cut(&exe, &mut results, measured)?;
        Ok(results)
    }

    /// Runs the function on arguments that are padded to the sizes of a bucket, with the true
    /// lengths. The results stay padded, and nothing is copied. It returns as soon as the work is
    /// queued.
    ///
    /// # Errors
    /// The arguments do not have the sizes of one bucket, a length is 0 or exceeds it; or as
    /// [`call`](Self::call).
    pub fn call_padded(
        &self,
        lengths: impl OnePerAxis<usize, N>,
        arguments: A::Call<'_>,
    ) -> Result<R::Buffers> {
        self.check(&arguments)?;
        let mut passed = SmallVec::<[&Buffer; 64]>::new();
        A::visit(&arguments, &mut |buffer| passed.push(buffer));
        let (bound, lengths) = (self.bound.buffers.len(), lengths.into_array());
        let measured = self.programs.plan.measure_padded(bound, &passed, lengths);
        let measured = measured.map_err(|error| self.error(error))?;
        let exe = self.exe(measured.bucket)?;
        let results = self.run(&exe, &passed, &[], lengths);
        drop(passed);
        drop(arguments);
        results
    }

    /// The program of a bucket, for a call.
    fn exe(&self, bucket: [usize; N]) -> Result<Exe<(), R>> {
        self.bound.get(bucket, self.programs.get(bucket, true)?)
    }

    /// Runs the program on the buffers of a call, some of them replaced by padded ones.
    fn run(
        &self,
        exe: &Exe<(), R>,
        passed: &[&Buffer],
        padded: &[(usize, Buffer)],
        lengths: [usize; N],
    ) -> Result<R::Buffers> {
        let place = self.programs.placement();
        let mut scalars = SmallVec::<[Buffer; 2]>::new();
        for length in lengths {
            let length = i32::try_from(length).expect("buckets have at most i32::MAX elements");
            scalars.push(Buffer::scalar(place, length)?);
        }
        exe.call_with(|each| {
            let mut padded = padded.iter().peekable();
            for (position, buffer) in passed.iter().enumerate() {
                match padded.next_if(|(at, _)| *at == position) {
                    Some((_, buffer)) => each(buffer),
                    None => each(buffer),
                }
            }
            scalars.iter().for_each(each);
        })
    }

    /// The borrowed buffers that are shorter than the bucket, padded, with their positions.
    fn padded(
        &self,
        exe: &Exe<(), R>,
        passed: &[&Buffer],
        measured: Measured<N>,
    ) -> Result<SmallVec<[(usize, Buffer); 4]>> {
        let first = self.bound.buffers.len();
        let inputs = self.programs.plan.inputs[first..].iter().zip(passed).enumerate();
        let mut padded = SmallVec::new();
        for (position, (input, buffer)) in inputs {
            if input.donated || buffer.shape().rank() != input.shape.rank() {
                continue;
            }
            let sharding = exe.signature().inputs[first + position].sharding.as_ref();
            // A length that the mesh cannot split is placed in another way than the bucket.
            let moves = input.axes.iter().any(Option::is_some) && !buffer.lies_as(sharding);
            if moves || measured.differs_along(&input.axes) {
                let place = exe.any().interface().placement(sharding);
                let buffer = buffer.resized(place, &input.axes, measured.bucket)?;
                padded.push((position, buffer));
            }
        }
        Ok(padded)
    }

    /// Cuts the results to the true lengths.
    fn cut(&self, exe: &Exe<(), R>, results: &mut R::Buffers, measured: Measured<N>) -> Result<()> {
        let (mut position, mut outcome) = (0, Ok(()));
        R::each_mut(results, &mut |buffer| {
            let axes = self.programs.plan.cut_axes(position);
            position += 1;
            if let (Some(axes), Ok(())) = (axes, &outcome)
                && measured.differs_along(&axes)
            {
                let place = exe.any().interface().placement(buffer.sharding());
                match buffer.resized(place, &axes, measured.lengths) {
                    Ok(cut) => *buffer = cut,
                    Err(error) => outcome = Err(error),
                }
            }
        });
        outcome
    }
}
