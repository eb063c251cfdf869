//! Interned axis names.

use std::{
    collections::HashMap,
    fmt,
    num::NonZeroU32,
    sync::{LazyLock, RwLock},
};

/// The name of an axis, interned for the life of the process: copying and comparing one is copying
/// and comparing an integer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(NonZeroU32);

struct Interner {
    ids: HashMap<&'static str, Name>,
    texts: Vec<&'static str>,
}

static INTERNER: LazyLock<RwLock<Interner>> = LazyLock::new(|| {
    RwLock::new(Interner { ids: HashMap::from([("", Name::EMPTY)]), texts: vec![""] })
});

impl Name {
    /// The empty name, which is the first in the table.
    const EMPTY: Name = Name(NonZeroU32::MIN);

    /// Whether the name is empty.
    pub(crate) fn is_empty(self) -> bool {
        self == Name::EMPTY
    }

    /// Interns `text`.
    pub fn new(text: &str) -> Name {
        // A poisoned lock still protects a consistent table: entries are only ever appended.
        if let Some(&name) = INTERNER.read().unwrap_or_else(|e| e.into_inner()).ids.get(text) {
            return name;
        }
        let mut interner = INTERNER.write().unwrap_or_else(|e| e.into_inner());
        if let Some(&name) = interner.ids.get(text) {
            return name;
        }
        let text: &'static str = Box::leak(text.into());
        interner.texts.push(text);
        let id = u32::try_from(interner.texts.len())
            .expect("fewer than 2^32 distinct axis names fit in memory");
        let name =
            Name(NonZeroU32::new(id).expect("the table holds at least the name just pushed"));
        interner.ids.insert(text, name);
        name
    }

    /// The text that was interned.
    pub fn as_str(self) -> &'static str {
        INTERNER.read().unwrap_or_else(|e| e.into_inner()).texts[self.0.get() as usize - 1]
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Name {
        Name::new(text)
    }
}
