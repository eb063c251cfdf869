//! Reading tables of the FlatBuffers format, whose bytes may be anything.
//!
//! Source: the FlatBuffers documentation, "FlatBuffers internals". A table starts with the distance
//! back to its list of fields; a field that is not in the list has its default value.

use std::cell::Cell;

/// The work that reading one buffer may take. Several references may have the same target, so that
/// a few bytes can describe a far larger structure.
pub(super) struct Budget(Cell<usize>);

impl Budget {
    /// The cost of the value of a field.
    const FIELD: usize = 8;
    /// The cost of an element of a list of references. Its bytes are counted apart.
    const REFERENCE: usize = 32;

    /// The budget of a buffer: far above the cost of files that share as much as they can.
    pub fn of(bytes: &[u8]) -> Budget {
        Budget(Cell::new(bytes.len().saturating_mul(32).saturating_add(1 << 16)))
    }

    /// Takes units from the budget; `None` if fewer are left.
    fn spend(&self, units: usize) -> Option<()> {
        let left = self.0.get().checked_sub(units);
        self.0.set(left.unwrap_or(0));
        left.map(drop)
    }
}

/// A table in a buffer.
#[derive(Clone, Copy)]
pub(super) struct Table<'a> {
    bytes: &'a [u8],
    at: usize,
    budget: &'a Budget,
}

impl<'a> Table<'a> {
    /// The outermost table.
    pub fn root(bytes: &'a [u8], budget: &'a Budget) -> Option<Table<'a>> {
        let at = u32_at(bytes, 0)? as usize;
        (at + 4 <= bytes.len()).then_some(Table { bytes, at, budget })
    }

    /// The position of a field's value; `None` if the field has its default value.
    fn field(&self, position: usize) -> Option<usize> {
        self.budget.spend(Budget::FIELD)?;
        let back = i64::from(u32_at(self.bytes, self.at)? as i32);
        let fields = usize::try_from(self.at as i64 - back).ok()?;
        let size = usize::from(u16_at(self.bytes, fields)?);
        let entry = 4 + 2 * position;
        if entry + 2 > size {
            return None;
        }
        match u16_at(self.bytes, fields + entry)? {
            0 => None,
            offset => Some(self.at + usize::from(offset)),
        }
    }

    /// The position that a field refers to: references point forwards.
    fn referred(&self, position: usize) -> Option<usize> {
        refer(self.bytes, self.field(position)?)
    }

    pub fn u8(&self, position: usize) -> u8 {
        self.field(position).and_then(|at| self.bytes.get(at).copied()).unwrap_or(0)
    }

    pub fn u16(&self, position: usize) -> u16 {
        self.field(position).and_then(|at| u16_at(self.bytes, at)).unwrap_or(0)
    }

    pub fn u32(&self, position: usize) -> u32 {
        self.field(position).and_then(|at| u32_at(self.bytes, at)).unwrap_or(0)
    }

    pub fn table(&self, position: usize) -> Option<Table<'a>> {
        Some(Table { at: self.referred(position)?, ..*self })
    }

    pub fn text(&self, position: usize) -> Option<&'a str> {
        str::from_utf8(self.vector(position, 1)?).ok()
    }

    /// The bytes of a list of values of `size` bytes each.
    pub fn vector(&self, position: usize, size: usize) -> Option<&'a [u8]> {
        let bytes = vector_at(self.bytes, self.referred(position)?, size)?;
        self.budget.spend(bytes.len())?;
        Some(bytes)
    }

    pub fn u32s(&self, position: usize) -> Vec<u32> {
        let bytes = self.vector(position, 4).unwrap_or_default().chunks_exact(4);
        bytes.map(|chunk| u32::from_le_bytes([chunk[0], chunk[1], chunk[2], chunk[3]])).collect()
    }

    pub fn u16s(&self, position: usize) -> Vec<u16> {
        let bytes = self.vector(position, 2).unwrap_or_default().chunks_exact(2);
        bytes.map(|chunk| u16::from_le_bytes([chunk[0], chunk[1]])).collect()
    }

    pub fn tables(&self, position: usize) -> Option<Vec<Table<'a>>> {
        self.references(position)?.map(|at| Some(Table { at: at?, ..*self })).collect()
    }

    pub fn texts(&self, position: usize) -> Option<Vec<&'a str>> {
        let text = |at: Option<usize>| {
            let bytes = vector_at(self.bytes, at?, 1)?;
            self.budget.spend(bytes.len())?;
            str::from_utf8(bytes).ok()
        };
        self.references(position)?.map(text).collect()
    }

    fn references(&self, position: usize) -> Option<impl Iterator<Item = Option<usize>> + 'a> {
        let bytes = self.bytes;
        let (start, count) = match self.field(position) {
            Some(at) => {
                let start = refer(bytes, at)?;
                (start, vector_at(bytes, start, 4)?.len() / 4)
            }
            None => (0, 0),
        };
        self.budget.spend(count.saturating_mul(Budget::REFERENCE))?;
        Some((0..count).map(move |i| refer(bytes, start + 4 + 4 * i)))
    }
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at.checked_add(2)?)?.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

fn refer(bytes: &[u8], at: usize) -> Option<usize> {
    at.checked_add(u32_at(bytes, at)? as usize)
}

fn vector_at(bytes: &[u8], at: usize, size: usize) -> Option<&[u8]> {
    let length = (u32_at(bytes, at)? as usize).checked_mul(size)?;
    bytes.get(at + 4..)?.get(..length)
}
