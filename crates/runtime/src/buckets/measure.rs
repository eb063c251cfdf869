//! The bucket and the true lengths of a call.

use super::plan::{Plan, PlannedInput};
use crate::{BucketError, Buffer};
use hloom_graph::Name;

/// The sizes and the true lengths of a call, one of each for each axis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Measured<const N: usize> {
    pub bucket: [usize; N],
    pub lengths: [usize; N],
}

impl<const N: usize> Measured<N> {
    /// Whether the bucket is larger along one of the axes that a tensor has.
    pub fn differs_along(&self, axes: &[Option<usize>; N]) -> bool {
        (0..N).any(|i| axes[i].is_some() && self.bucket[i] != self.lengths[i])
    }
}

impl<const N: usize> Plan<N> {
    /// The smallest bucket for the true lengths of the borrowed buffers. A donated buffer is
    /// padded: its size is that of the bucket, and also the length where no borrowed buffer has the
    /// axis. `passed` are the buffers after the first `bound` inputs.
    pub fn measure(&self, bound: usize, passed: &[&Buffer]) -> Result<Measured<N>, BucketError> {
        self.measure_axes(|i| {
            let axis = &self.buckets.axes[i];
            let (name, limit) = (axis.axis, axis.largest());
            let sizes = |donated| self.sizes(i, donated, &self.inputs[bound..], passed);
            let room = self.donated_size(i, agreed(name, sizes(true))?)?;
            let Some((input, length)) = agreed(name, sizes(false))? else {
                // No size was found because no buffer has the rank of its argument; the call
                // reports that.
                let size = room.map_or(axis.smallest(), |(_, room)| room);
                return Ok((size, size));
            };
            let input = input.to_owned();
            match (room, axis.at_least(length)) {
                _ if length == 0 => Err(BucketError::Empty { axis: name, input, limit }),
                (_, None) => Err(BucketError::TooLong { axis: name, input, length, limit }),
                (Some((donated, room)), _) if length > room => {
                    let donated = donated.into();
                    Err(BucketError::NoRoom { axis: name, input, length, donated, room })
                }
                (Some((_, room)), _) => Ok((room, length)),
                (None, Some(bucket)) => Ok((bucket, length)),
            }
        })
    }

    /// The bucket of buffers that are all padded, with these true lengths.
    pub fn measure_padded(
        &self,
        bound: usize,
        passed: &[&Buffer],
        lengths: [usize; N],
    ) -> Result<Measured<N>, BucketError> {
        self.measure_axes(|i| {
            let (axis, length) = (&self.buckets.axes[i], lengths[i]);
            let all = [true, false].into_iter();
            let all = all.flat_map(|donated| self.sizes(i, donated, &self.inputs[bound..], passed));
            let found = self.donated_size(i, agreed(axis.axis, all)?)?;
            let (name, limit) = (axis.axis, found.map_or(axis.largest(), |(_, size)| size));
            let input = found.map_or_else(String::new, |(input, _)| input.into());
            match length {
                0 => Err(BucketError::Empty { axis: name, input, limit }),
                _ if length > limit => {
                    Err(BucketError::TooLong { axis: name, input, length, limit })
                }
                _ => Ok((limit, length)),
            }
        })
    }

    fn measure_axes(
        &self,
        mut measure: impl FnMut(usize) -> Result<(usize, usize), BucketError>,
    ) -> Result<Measured<N>, BucketError> {
        let mut measured = Measured { bucket: [0; N], lengths: [0; N] };
        for i in 0..N {
            (measured.bucket[i], measured.lengths[i]) = measure(i)?;
        }
        Ok(measured)
    }

    /// The size of an axis in each buffer that has it.
    fn sizes<'a>(
        &self,
        axis: usize,
        donated: bool,
        inputs: &'a [PlannedInput<N>],
        passed: &'a [&Buffer],
    ) -> impl Iterator<Item = (&'a str, usize)> {
        let inputs = inputs.iter().zip(passed).filter(move |(input, _)| input.donated == donated);
        inputs.filter_map(move |(input, buffer)| {
            let fits = buffer.shape().rank() == input.shape.rank();
            let size = *buffer.shape().sizes().get(input.axes[axis]?)?;
            fits.then_some((&*input.name, size))
        })
    }

    /// Checks that a padded size is one of the buckets.
    fn donated_size<'a>(
        &self,
        axis: usize,
        found: Option<(&'a str, usize)>,
    ) -> Result<Option<(&'a str, usize)>, BucketError> {
        let axis = &self.buckets.axes[axis];
        match found {
            Some((input, size)) if !axis.has(size) => Err(BucketError::NotABucket {
                axis: axis.axis,
                input: input.into(),
                size,
                sizes: axis.sizes.clone(),
            }),
            found => Ok(found),
        }
    }
}

/// The size on which all buffers agree, with the first of them.
fn agreed<'a>(
    axis: Name,
    mut sizes: impl Iterator<Item = (&'a str, usize)>,
) -> Result<Option<(&'a str, usize)>, BucketError> {
    let Some(first) = sizes.next() else {
        return Ok(None);
    };
    let others = sizes.filter(|(_, size)| *size != first.1);
    let others: Vec<_> = others.map(|(name, size)| (name.to_owned(), size)).collect();
    if others.is_empty() {
        return Ok(Some(first));
    }
    let lengths = [(first.0.to_owned(), first.1)].into_iter().chain(others).collect();
    Err(BucketError::Disagree { axis, lengths })
}
