//! The budget of a rendering.

use super::{generator::Generator, refused};
use minijinja::{Error, Value, value::ValueKind};
use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

/// The remaining work of a rendering, counted in bytes of the values that it handles.
#[derive(Clone)]
pub(super) struct Budget {
    left: Arc<AtomicU64>,
    granted: u64,
}

/// The basic budget, and the budget per byte of input: templates process a turn's text several
/// times, to trim, search and print it.
const GRANTED: u64 = 64 << 20;
const GRANTED_PER_INPUT: u64 = 64;
/// The cost of a list element, which is its size in memory.
pub(super) const ELEMENT: u64 = 32;
/// The nesting limit of lists and maps, which bounds the recursion over them.
const DEPTH: usize = 64;

impl Budget {
    /// The budget for a rendering of `input`.
    ///
    /// # Errors
    /// The input is nested too deeply.
    pub fn for_input(input: &Value) -> Result<Budget, Error> {
        let unlimited = Budget::of(u64::MAX);
        let size = unlimited.weigh(input)?;
        Ok(Budget::of(GRANTED.saturating_add(GRANTED_PER_INPUT.saturating_mul(size))))
    }

    fn of(granted: u64) -> Budget {
        Budget { left: Arc::new(AtomicU64::new(granted)), granted }
    }

    /// Subtracts `bytes` from the budget.
    ///
    /// # Errors
    /// The budget is exhausted.
    pub fn charge(&self, bytes: u64) -> Result<(), Error> {
        let less = |left: u64| left.checked_sub(bytes);
        let charged = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
        match charged {
            Ok(_) => Ok(()),
            Err(_) => Err(refused(format!(
                "handles more than the {} MB that a template may for this conversation",
                self.granted >> 20
            ))),
        }
    }

    /// Charges the size of a value, and collects a lazy iterable to a list: nested lazy values
    /// would recurse without a limit.
    ///
    /// # Errors
    /// The budget is exhausted, or the value is nested too deeply.
    pub fn settle(&self, value: Value) -> Result<Value, Error> {
        let generated = value.downcast_object_ref::<Generator>().is_some();
        if value.kind() != ValueKind::Iterable || generated {
            self.weigh(&value)?;
            return Ok(value);
        }
        // Charge before creating the list, where the length is known.
        self.charge(ELEMENT.saturating_mul(value.len().unwrap_or(0) as u64))?;
        let mut list = Vec::new();
        for item in value.try_iter()? {
            self.walk(&item, DEPTH - 1)?;
            list.push(item);
        }
        Ok(Value::from(list))
    }

    /// Charges one lookup in a value, which for a map or a list does not depend on its size.
    ///
    /// # Errors
    /// As [`settle`](Self::settle).
    pub fn open(&self, value: Value) -> Result<Value, Error> {
        match value.kind() {
            ValueKind::Map | ValueKind::Seq => Ok(value),
            _ => self.settle(value),
        }
    }

    /// Charges the size of a value and returns it.
    ///
    /// # Errors
    /// As [`settle`](Self::settle).
    pub fn weigh(&self, value: &Value) -> Result<u64, Error> {
        self.walk(value, DEPTH)
    }

    fn walk(&self, value: &Value, depth: usize) -> Result<u64, Error> {
        let own = ELEMENT
            + value.as_str().map_or(0, str::len) as u64
            + value.as_bytes().map_or(0, <[u8]>::len) as u64;
        self.charge(own)?;
        let nested = matches!(value.kind(), ValueKind::Seq | ValueKind::Iterable | ValueKind::Map);
        if !nested {
            return Ok(own);
        }
        let Some(depth) = depth.checked_sub(1) else {
            return Err(refused(format!("builds a value that is nested more than {DEPTH} deep")));
        };
        let mut total = own;
        if let Some(generator) = value.downcast_object_ref::<Generator>() {
            for item in generator.left() {
                total = total.saturating_add(self.walk(&item, depth)?);
            }
            return Ok(total);
        }
        let pairs = match value.kind() {
            ValueKind::Map => value.as_object().and_then(|object| object.try_iter_pairs()),
            _ => None,
        };
        match pairs {
            Some(pairs) => {
                for (key, item) in pairs {
                    total = total
                        .saturating_add(self.walk(&key, depth)?)
                        .saturating_add(self.walk(&item, depth)?);
                }
            }
            None => {
                for item in value.try_iter()? {
                    total = total.saturating_add(self.walk(&item, depth)?);
                }
            }
        }
        Ok(total)
    }
}
