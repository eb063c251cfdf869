//! Checksums of checkpoints, against damage by disks and transfers. They do not protect against
//! deliberate changes.

use hloom_graph::Shape;
use std::collections::BTreeMap;
use xxhash_rust::xxh3::Xxh3;

/// The key of the header's entry with the checksum.
pub(crate) const KEY: &str = "hloom.checksum";

/// The checksum of the contents of a file, not of its bytes: other programs may rewrite the header
/// in another form.
pub(crate) struct Checksum(Xxh3);

impl Checksum {
    /// The checksum of the header's text entries, except that of the checksum itself. The tensors
    /// follow in the order of their names.
    pub fn of_entries(metadata: &BTreeMap<String, String>) -> Checksum {
        let mut sum = Checksum(Xxh3::new());
        let entries = metadata.iter().filter(|(key, _)| *key != KEY);
        sum.number(entries.clone().count());
        for (key, text) in entries {
            sum.text_of(key);
            sum.text_of(text);
        }
        sum
    }

    /// Adds a tensor, whose bytes follow. The names of its axes are text entries.
    pub fn tensor(&mut self, name: &str, shape: Shape, bytes: usize) {
        self.text_of(name);
        self.text_of(&shape.dtype().to_string());
        self.number(shape.rank());
        for &size in shape.sizes() {
            self.number(size);
        }
        self.number(bytes);
    }

    /// Adds bytes of the last tensor.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The checksum with the name of its kind.
    pub fn text(&self) -> String {
        format!("xxh3-128:{:032x}", self.0.digest128())
    }

    fn text_of(&mut self, text: &str) {
        self.number(text.len());
        self.0.update(text.as_bytes());
    }

    fn number(&mut self, number: usize) {
        self.0.update(&(number as u64).to_le_bytes());
    }
}
