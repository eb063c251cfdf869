//! The values of packed weights.

use super::{
    codes::{self, Arrangement},
    part::Part,
};
use crate::{Result, convert::Conversion};
use hloom_graph::{DType, Shape};
use std::ops::Range;

/// A weight in several tensors.
#[derive(Debug)]
pub(crate) struct PackedMatrix {
    /// The shape of the values, in a float type.
    pub(super) shape: Shape,
    pub(super) form: Form,
}

#[derive(Debug)]
pub(super) enum Form {
    Scaled(Scaled),
    Codes(Codes),
}

/// `(number - zero) * scale`.
#[derive(Debug)]
pub(super) struct Scaled {
    pub numbers: (Part, Arrangement),
    /// The zero of each row and group.
    pub zeros: Option<(Part, Arrangement)>,
    /// A number that is added to zeros.
    pub zero: f32,
    pub scales: Scales,
    /// The group of each column, if columns are not in the order of groups.
    pub groups: Option<Part>,
}

/// A matrix of scales.
#[derive(Debug)]
pub(super) struct Scales {
    pub part: Part,
    /// The sizes of the matrix.
    pub sizes: [usize; 2],
    /// The rows and columns of numbers that have the same scale.
    pub blocks: [usize; 2],
    /// Whether the tensor has the columns of the matrix as rows.
    pub is_transposed: bool,
    /// The element type, or `f8e8m0fnu` for bytes that are exponents of powers of two.
    pub dtype: DType,
    /// The number that scales are divided by.
    pub divisor: Option<Part>,
    /// The constant that scales are divided by.
    pub constant: f32,
}

/// Indices of four bits of numbers of a table, times the scales of blocks.
#[derive(Debug)]
pub(super) struct Codes {
    pub indices: Part,
    pub table: Part,
    pub scales: Part,
    /// The number of values of a block.
    pub block: usize,
    /// The scales of scales, which are then indices.
    pub nested: Option<Nested>,
}

#[derive(Debug)]
pub(super) struct Nested {
    pub table: Part,
    pub scales: Part,
    pub block: usize,
    pub offset: f32,
}

impl PackedMatrix {
    /// The shape of the values.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Rows and columns, with all axes but the last one joined.
    fn sizes(&self) -> [usize; 2] {
        let (&columns, rows) = self.shape.sizes().split_last().expect("a weight has axes");
        [rows.iter().product(), columns]
    }

    /// Writes bytes of the values from `start` on.
    ///
    /// # Errors
    /// A file was truncated, or cannot be read.
    pub fn read_at(&self, start: usize, output: &mut [u8]) -> Result<()> {
        if output.is_empty() {
            return Ok(());
        }
        let (dtype, [_, columns]) = (self.shape.dtype(), self.sizes());
        let row_bytes = columns * dtype.size();
        let rows = start / row_bytes..(start + output.len()).div_ceil(row_bytes);
        let mut values = vec![0.0; rows.len() * columns];
        self.values(rows.clone(), &mut values)?;
        let conversion = Conversion::between(DType::F32, dtype).expect("the type is a float");
        let values: Vec<u8> = values.into_iter().flat_map(f32::to_le_bytes).collect();
        let mut bytes = vec![0; rows.len() * row_bytes];
        conversion.run(&values, &mut bytes).expect("floats fit");
        output.copy_from_slice(&bytes[start - rows.start * row_bytes..][..output.len()]);
        Ok(())
    }

    fn values(&self, rows: Range<usize>, to: &mut [f32]) -> Result<()> {
        match &self.form {
            Form::Scaled(scaled) => scaled.values(rows, self.sizes(), to),
            Form::Codes(codes) => codes.values(rows.start * self.sizes()[1], to),
        }
    }

    /// Frees memory that was used to read it.
    pub fn release(&self) {
        match &self.form {
            Form::Scaled(Scaled { numbers, zeros, scales, groups, .. }) => {
                let parts = [Some(&numbers.0), zeros.as_ref().map(|zeros| &zeros.0)];
                let others = [Some(&scales.part), groups.as_ref()];
                parts.into_iter().chain(others).flatten().for_each(Part::release);
            }
            Form::Codes(Codes { indices, scales, .. }) => {
                [indices, scales].into_iter().for_each(Part::release);
            }
        }
    }
}

impl Scaled {
    fn values(&self, rows: Range<usize>, sizes: [usize; 2], to: &mut [f32]) -> Result<()> {
        let [all, columns] = sizes;
        let groups = self.scales.sizes[1];
        codes::read(&self.numbers.0, self.numbers.1, rows.clone(), sizes, to)?;
        let mut zeros = vec![0.0; rows.len() * groups];
        if let Some((part, arrangement)) = &self.zeros {
            codes::read(part, *arrangement, rows.clone(), [all, groups], &mut zeros)?;
        }
        let scales = self.scales.rows(rows.clone())?;
        let group_of = match &self.groups {
            Some(part) => part.with_bytes(|bytes| {
                let (groups, _) = bytes.as_chunks::<4>();
                groups.iter().map(|bytes| u32::from_le_bytes(*bytes) as usize).collect()
            })?,
            None => (0..columns).map(|column| column / self.scales.blocks[1]).collect::<Vec<_>>(),
        };
        if let Some(group) = group_of.iter().find(|group| **group >= groups) {
            let part = self.groups.as_ref().unwrap_or(&self.scales.part);
            return Err(part.error(format!("group {group} of {groups}")));
        }
        for (row, to) in to.chunks_exact_mut(columns.max(1)).enumerate() {
            for (to, group) in to.iter_mut().zip(&group_of) {
                let at = row * groups + group;
                *to = (*to - (zeros[at] + self.zero)) * scales[at];
            }
        }
        Ok(())
    }
}

impl Scales {
    /// The scales of each row and group.
    fn rows(&self, rows: Range<usize>) -> Result<Vec<f32>> {
        let [all, groups] = self.sizes;
        let place = |row: usize| row / self.blocks[0];
        let stored = match rows.end {
            0 => 0..0,
            end => place(rows.start)..place(end - 1) + 1,
        };
        let stored_values = if self.is_transposed {
            let mut values = vec![0.0; stored.len() * groups];
            for group in 0..groups {
                let column = self
                    .part
                    .values(self.dtype, group * all + stored.start..group * all + stored.end)?;
                for (row, value) in column.into_iter().enumerate() {
                    values[row * groups + group] = value;
                }
            }
            values
        } else {
            self.part.values(self.dtype, stored.start * groups..stored.end * groups)?
        };
        let divisor = match &self.divisor {
            Some(part) => part.floats(0..1)?[0],
            None => self.constant,
        };
        let row_of = |row: usize| &stored_values[(place(row) - stored.start) * groups..][..groups];
        Ok(rows.flat_map(|row| row_of(row).iter().map(|scale| scale / divisor)).collect())
    }
}

impl Codes {
    /// Values from one on.
    fn values(&self, first: usize, to: &mut [f32]) -> Result<()> {
        let table = self.table.floats(0..16)?;
        let blocks = first / self.block..(first + to.len()).div_ceil(self.block);
        let scales = match &self.nested {
            None => self.scales.floats(blocks.clone())?,
            Some(nested) => {
                let table = nested.table.floats(0..256)?;
                let outer = blocks.start / nested.block..blocks.end.div_ceil(nested.block);
                let scales = nested.scales.floats(outer.clone())?;
                let indices = self.scales.with_bytes(|bytes| bytes[blocks.clone()].to_vec())?;
                let value = |(index, code): (usize, u8)| {
                    let outer = (blocks.start + index) / nested.block - outer.start;
                    table[usize::from(code)] * scales[outer] + nested.offset
                };
                indices.into_iter().enumerate().map(value).collect()
            }
        };
        self.indices.with_bytes(|bytes| {
            for (at, to) in to.iter_mut().enumerate() {
                let at = first + at;
                // The first of two indices is in the high bits.
                let index = bytes[at / 2] >> (4 * (1 - at % 2)) & 15;
                *to = table[usize::from(index)] * scales[at / self.block - blocks.start];
            }
        })
    }
}
