//! Axis sizes with optional names.

use crate::{MAX_RANK, Name, PerAxis, Shape, ShapeError, Spec};

/// The axes of a shape: a size each, and an optional name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Dims {
    pub(crate) sizes: PerAxis<usize>,
    pub(crate) names: PerAxis<Option<Name>>,
}

/// Argument that lists axes: sizes (`[32, 784]`) or named sizes (`[("batch", 32), ("in", 784)]`),
/// as an array, slice or vector; or the axes of a [`Shape`], a [`Spec`] or a buffer. The name `_`
/// means no name.
pub trait IntoDims {
    /// The axes.
    ///
    /// # Errors
    /// More than [`MAX_RANK`] axes, an empty name, a name used twice, or more elements than memory
    /// can address.
    fn into_dims(self) -> Result<Dims, ShapeError>;
}

impl Dims {
    /// Axes from an iterator of names and sizes.
    ///
    /// # Errors
    /// As [`IntoDims::into_dims`].
    pub fn new(axes: impl IntoIterator<Item = (Option<Name>, usize)>) -> Result<Dims, ShapeError> {
        let mut dims = Dims::default();
        let mut count = 0usize;
        for (name, size) in axes {
            count += 1;
            if name.is_some_and(Name::is_empty) {
                return Err(ShapeError::EmptyName);
            }
            if let Some(name) = name
                && dims.names.contains(&Some(name))
            {
                return Err(ShapeError::DuplicateName(name));
            }
            if dims.sizes.push(size).is_some() {
                dims.names.push(name).expect("sizes and names have the same length");
            }
        }
        if count > MAX_RANK {
            return Err(ShapeError::Rank(count));
        }
        dims.check_size()?;
        Ok(dims)
    }

    /// Returns an error if there are more elements than memory can address.
    pub(crate) fn check_size(&self) -> Result<(), ShapeError> {
        // The limit for the widest element type, of 16 bytes.
        let limit = isize::MAX as usize / 16;
        let product = self.sizes.iter().try_fold(1usize, |n, &d| n.checked_mul(d.max(1)));
        match product {
            Some(n) if n <= limit => Ok(()),
            _ => Err(ShapeError::TooLarge(self.sizes.to_vec())),
        }
    }

    /// The sizes, in order.
    pub fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    /// The names, in order.
    pub fn names(&self) -> &[Option<Name>] {
        &self.names
    }
}

impl IntoDims for Dims {
    fn into_dims(self) -> Result<Dims, ShapeError> {
        Ok(self)
    }
}

impl IntoDims for Shape {
    fn into_dims(self) -> Result<Dims, ShapeError> {
        Ok(self.axes())
    }
}

impl IntoDims for &Shape {
    fn into_dims(self) -> Result<Dims, ShapeError> {
        Ok(self.axes())
    }
}

/// The axes of a spec, or the error of an invalid spec.
impl IntoDims for &Spec {
    fn into_dims(self) -> Result<Dims, ShapeError> {
        self.checked_dims()
    }
}

impl IntoDims for Result<Dims, ShapeError> {
    fn into_dims(self) -> Result<Dims, ShapeError> {
        self
    }
}

impl IntoDims for &[usize] {
    fn into_dims(self) -> Result<Dims, ShapeError> {
        Dims::new(self.iter().map(|&size| (None, size)))
    }
}

impl IntoDims for &[(&str, usize)] {
    fn into_dims(self) -> Result<Dims, ShapeError> {
        Dims::new(self.iter().map(|&(name, size)| ((name != "_").then(|| Name::new(name)), size)))
    }
}

impl IntoDims for &[(Name, usize)] {
    fn into_dims(self) -> Result<Dims, ShapeError> {
        Dims::new(self.iter().map(|&(name, size)| (Some(name), size)))
    }
}

impl<const N: usize> IntoDims for [usize; N] {
    fn into_dims(self) -> Result<Dims, ShapeError> {
        self.as_slice().into_dims()
    }
}

impl<const N: usize> IntoDims for &[usize; N] {
    fn into_dims(self) -> Result<Dims, ShapeError> {
        self.as_slice().into_dims()
    }
}

impl<const N: usize> IntoDims for [(&str, usize); N] {
    fn into_dims(self) -> Result<Dims, ShapeError> {
        self.as_slice().into_dims()
    }
}

impl<const N: usize> IntoDims for [(Name, usize); N] {
    fn into_dims(self) -> Result<Dims, ShapeError> {
        self.as_slice().into_dims()
    }
}

impl IntoDims for Vec<usize> {
    fn into_dims(self) -> Result<Dims, ShapeError> {
        self.as_slice().into_dims()
    }
}

impl IntoDims for &Vec<usize> {
    fn into_dims(self) -> Result<Dims, ShapeError> {
        self.as_slice().into_dims()
    }
}

impl IntoDims for Vec<(&str, usize)> {
    fn into_dims(self) -> Result<Dims, ShapeError> {
        self.as_slice().into_dims()
    }
}
