//! Element type and dimensions of an array.

use crate::{Api, DType, Error, Result};
use std::{
    collections::HashSet,
    sync::{Arc, Mutex, PoisonError},
};

/// The element type and the dimensions of an array.
///
/// Those of buffers and executables are interned: within a client, equal ones are one allocation,
/// so they are compared by pointer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Spec {
    dtype: DType,
    dims: Box<[i64]>,
}

impl Spec {
    /// An array of this type and these dimensions.
    pub fn new(dtype: DType, dims: impl Into<Box<[i64]>>) -> Self {
        Self { dtype, dims: dims.into() }
    }

    /// The type of the elements.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The dimensions, outermost first.
    pub fn dims(&self) -> &[i64] {
        &self.dims
    }

    /// The number of elements.
    ///
    /// # Errors
    /// A dimension is negative, or the product does not fit.
    pub fn element_count(&self) -> Result<usize> {
        element_count(&self.dims)
    }

    /// Bytes of the whole array on the host, without gaps.
    ///
    /// # Errors
    /// As for [`Spec::element_count`], or elements of this type have no host form.
    pub fn host_bytes(&self) -> Result<usize> {
        host_bytes(self.dtype, &self.dims)
    }
}

impl std::fmt::Display for Spec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}[", self.dtype)?;
        for (i, dim) in self.dims.iter().enumerate() {
            let comma = if i == 0 { "" } else { "," };
            write!(f, "{comma}{dim}")?;
        }
        f.write_str("]")
    }
}

pub(crate) fn element_count(dims: &[i64]) -> Result<usize> {
    let product = dims
        .iter()
        .try_fold(1usize, |product, &dim| product.checked_mul(usize::try_from(dim).ok()?));
    let product = product.filter(|&p| isize::try_from(p).is_ok());
    product.ok_or_else(|| Error::argument(format!("dimensions {dims:?} are not those of an array")))
}

pub(crate) fn host_bytes(dtype: DType, dims: &[i64]) -> Result<usize> {
    let size = dtype
        .host_bytes()
        .ok_or_else(|| Error::argument(format!("elements of {dtype} have no form on the host")))?;
    let bytes = element_count(dims)?.checked_mul(size).filter(|&b| isize::try_from(b).is_ok());
    bytes.ok_or_else(|| Error::argument(format!("{dtype} with dimensions {dims:?} is too large")))
}

/// Checks that this is the type of an array, that the plugin is new enough for it, and that size
/// and dimensions are possible. Plugins do not: they abort, or read beyond the end of their tables.
pub(crate) fn check_array(api: &Api, dtype: DType, dims: &[i64]) -> Result<()> {
    host_bytes(dtype, dims)?;
    match dtype.since() {
        since if api.minor() < since => Err(api.unsupported(dtype.name(), since)),
        _ => Ok(()),
    }
}

/// The interned specs of a client.
#[derive(Default)]
pub(crate) struct Specs {
    known: Mutex<HashSet<Arc<Spec>>>,
}

impl Specs {
    /// The interned form of a spec.
    pub(crate) fn intern(&self, dtype: DType, dims: &[i64]) -> Arc<Spec> {
        let spec = Spec::new(dtype, dims);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(shared) = known.get(&spec) {
            return Arc::clone(shared);
        }
        // Programs whose shapes never repeat must not grow this without limit.
        if known.len() >= 4096 && known.len() == known.capacity() {
            known.retain(|spec| Arc::strong_count(spec) > 1);
        }
        let shared = Arc::new(spec);
        known.insert(Arc::clone(&shared));
        shared
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_checked() {
        assert_eq!(Spec::new(DType::F32, [2, 3]).host_bytes().unwrap(), 24);
        assert_eq!(Spec::new(DType::F32, []).element_count().unwrap(), 1);
        assert_eq!(Spec::new(DType::S4, [5]).host_bytes().unwrap(), 5);
        assert_eq!(Spec::new(DType::F64, [3, 0, i64::MAX]).host_bytes().unwrap(), 0);
        assert!(Spec::new(DType::F32, [-1]).element_count().is_err());
        assert!(Spec::new(DType::F32, [i64::MAX, 4]).element_count().is_err());
        assert!(Spec::new(DType::F64, [i64::MAX / 4]).host_bytes().is_err());
        assert!(Spec::new(DType::Token, []).host_bytes().is_err());
        assert_eq!(Spec::new(DType::BF16, [2, 3]).to_string(), "bf16[2,3]");
        assert_eq!(Spec::new(DType::Pred, []).to_string(), "pred[]");
    }

    #[test]
    fn equal_specs_are_one() {
        let specs = Specs::default();
        let a = specs.intern(DType::F32, &[2, 3]);
        assert!(Arc::ptr_eq(&a, &specs.intern(DType::F32, &[2, 3])));
        assert!(!Arc::ptr_eq(&a, &specs.intern(DType::F32, &[3, 2])));
        for n in 0..20_000 {
            specs.intern(DType::F32, &[n]);
        }
        assert!(specs.known.lock().unwrap().len() < 20_000);
        assert!(Arc::ptr_eq(&a, &specs.intern(DType::F32, &[2, 3])), "those in use are kept");
    }
}
