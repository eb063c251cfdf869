//! Buffers from and to arrays of the `ndarray` crate.

use super::{Buffer, Placement};
use crate::Result;
use hloom_graph::Element;
use ndarray::{ArrayBase, ArrayD, Data, Dimension};
use std::borrow::Cow;

impl Buffer {
    /// A buffer with a copy of an array of any layout; [`named`](Self::named) names its axes.
    ///
    /// # Errors
    /// As [`from_slice`](Self::from_slice).
    pub fn from_array<'a, T, S, D>(
        to: impl Into<Placement<'a>>,
        array: &ArrayBase<S, D>,
    ) -> Result<Buffer>
    where
        T: Element,
        S: Data<Elem = T>,
        D: Dimension,
    {
        let values = match array.as_slice() {
            Some(values) => Cow::Borrowed(values),
            None => Cow::Owned(array.iter().copied().collect()),
        };
        Buffer::from_slice(to, &values, array.shape())
    }

    /// The elements as an array of the same axes, in row-major order.
    ///
    /// # Errors
    /// As [`to_vec`](Self::to_vec).
    pub fn to_array<T: Element>(&self) -> Result<ArrayD<T>> {
        let values = self.to_vec()?;
        Ok(ArrayD::from_shape_vec(self.shape().sizes(), values)
            .expect("a buffer has as many elements as its shape"))
    }
}
