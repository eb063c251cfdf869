//! Results of filters that are generators in Python: they can be iterated once, are true even when
//! they are empty, and have no length.

use minijinja::{
    Value,
    value::{Enumerator, Object, ObjectRepr},
};
use std::sync::{Arc, Mutex, PoisonError};

/// The items, until they are iterated.
#[derive(Debug)]
pub(super) struct Generator(Mutex<Vec<Value>>);

impl Generator {
    /// A generator of the items of a list.
    pub fn of(items: Vec<Value>) -> Value {
        Value::from_object(Generator(Mutex::new(items)))
    }

    /// The remaining items, without consuming them.
    pub fn left(&self) -> Vec<Value> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Object for Generator {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Iterable
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        let items = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        Enumerator::Iter(Box::new(items.into_iter()))
    }

    fn enumerator_len(self: &Arc<Self>) -> Option<usize> {
        None
    }

    fn is_true(self: &Arc<Self>) -> bool {
        true
    }
}
