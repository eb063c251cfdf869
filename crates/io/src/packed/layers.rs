//! The packed weights of a checkpoint.

use super::{
    QuantizationConfig,
    codes::Arrangement,
    config::Method,
    matrix::{Codes, Form, Nested, PackedMatrix, Scaled, Scales},
    part::Part,
};
use crate::{Checkpoint, Error, Result};
use hloom_graph::{DType, Shape};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

const FLOATS: [DType; 3] = [DType::F32, DType::BF16, DType::F16];
const FLOATS_8: [DType; 4] = [DType::F8E4M3FN, DType::F8E4M3FNUZ, DType::F8E5M2, DType::F8E5M2FNUZ];

/// Tensors that describe activations, which are not quantised here.
const OF_ACTIVATIONS: [&str; 7] = [
    ".input_scale",
    ".input_scale_ub",
    ".input_zero_point",
    ".input_global_scale",
    ".output_scale",
    ".k_scale",
    ".v_scale",
];

/// Packed weights by name, and the names of tensors that are a part of one, or of no use.
#[derive(Default)]
pub(crate) struct Found {
    /// With the name of the tensor of its numbers.
    pub weights: BTreeMap<String, (String, PackedMatrix)>,
    pub used: BTreeSet<String>,
}

struct Search<'a> {
    checkpoint: &'a Checkpoint,
    dtype: DType,
    found: Found,
    /// The tensor of the numbers of the current weight.
    name: String,
}

/// Finds the packed weights, whose values have the element type `dtype`.
pub(crate) fn find(
    checkpoint: &Checkpoint,
    config: &QuantizationConfig,
    dtype: DType,
) -> Result<Found> {
    let mut search = Search { checkpoint, dtype, found: Found::default(), name: String::new() };
    for name in checkpoint.names() {
        if OF_ACTIVATIONS.iter().any(|end| name.ends_with(end)) {
            search.found.used.insert(name.to_owned());
            continue;
        }
        let suffix = match config.method {
            Method::Mxfp4 => "_blocks",
            Method::PackedInts(_) | Method::Nvfp4 => ".weight_packed",
            Method::Awq | Method::Gptq { .. } => ".qweight",
            _ => ".weight",
        };
        let Some(layer) = name.strip_suffix(suffix) else { continue };
        if config.ignores(layer) {
            continue;
        }
        search.name = name.to_owned();
        search.layer(layer, name, config.method)?;
    }
    Ok(search.found)
}

impl Search<'_> {
    fn layer(&mut self, layer: &str, name: &str, method: Method) -> Result<()> {
        let stored = self.checkpoint.get(name).expect("a name of the checkpoint").shape();
        match method {
            Method::Float8(block) if FLOATS_8.contains(&stored.dtype()) => {
                let inverse = format!("{name}_scale_inv");
                let scale = match self.checkpoint.get(&inverse) {
                    Some(_) => inverse,
                    None => format!("{name}_scale"),
                };
                self.elements(name, &scale, block, 1.0)
            }
            Method::Int8 if stored.dtype() == DType::I8 => {
                self.elements(name, &format!("{name}_scale"), [0; 2], 1.0)
            }
            Method::Codes8 if stored.dtype() == DType::I8 => {
                self.elements(name, &format!("{layer}.SCB"), [0; 2], 127.0)
            }
            Method::Codes4 if stored.dtype() == DType::U8 => self.codes(name),
            Method::Float8(_) | Method::Int8 | Method::Codes8 | Method::Codes4 => Ok(()),
            Method::Mxfp4 => self.mxfp4(layer, name),
            Method::PackedInts(bits) => self.packed_ints(layer, name, bits),
            Method::Nvfp4 => self.nvfp4(layer, name),
            Method::Awq => self.awq(layer, name),
            Method::Gptq { bits, zero } => self.gptq(layer, name, bits, zero),
        }
    }

    /// A tensor that a weight needs.
    fn part(&mut self, name: &str) -> Result<Part> {
        self.optional(name).ok_or_else(|| Error::Tensor {
            name: name.to_owned(),
            message: "missing; a quantised weight needs it".to_owned(),
        })
    }

    fn optional(&mut self, name: &str) -> Option<Part> {
        let view = self.checkpoint.get(name)?;
        self.found.used.insert(name.to_owned());
        Some(Part::new(view))
    }

    fn add(&mut self, name: &str, sizes: &[usize], form: Form) -> Result<()> {
        let shape = Shape::new(self.dtype, sizes)
            .map_err(|error| Error::Tensor { name: name.to_owned(), message: error.to_string() })?;
        let numbers = self.name.clone();
        self.found.weights.insert(name.to_owned(), (numbers, PackedMatrix { shape, form }));
        Ok(())
    }

    /// Elements of 8 bits, with scales of the tensor, of rows or of blocks.
    fn elements(
        &mut self,
        name: &str,
        scale: &str,
        block: [usize; 2],
        constant: f32,
    ) -> Result<()> {
        let numbers = self.part(name)?;
        let [rows, columns] = matrix(&numbers)?;
        let part = self.part(scale)?;
        let stored = part.shape().sizes().to_vec();
        let (sizes, blocks) = if block != [0; 2] {
            ([rows.div_ceil(block[0]), columns.div_ceil(block[1])], block)
        } else if stored.iter().product::<usize>() == 1 {
            ([1, 1], [rows, columns])
        } else {
            let groups = stored.get(1).copied().unwrap_or(1).max(1);
            ([rows, groups], [1, columns.div_ceil(groups)])
        };
        let blocks = blocks.map(|size| size.max(1));
        let expected: &[usize] = if stored.len() < 2 { &stored } else { &sizes };
        let fits = stored.iter().product::<usize>() == sizes[0] * sizes[1];
        let dtypes = [&FLOATS[..], &[DType::F8E8M0FNU]].concat();
        if !fits {
            return Err(part.error(format!("expected {sizes:?} scales, found {}", part.shape())));
        }
        part.check(&dtypes, expected)?;
        let zeros = match self.optional(&format!("{name}_zero_point")) {
            Some(zeros) => {
                zeros.check(&[DType::I8, DType::F32, DType::BF16, DType::F16], &stored)?;
                (sizes[0] == rows).then_some((zeros, Arrangement::Elements))
            }
            None => None,
        };
        let scales = Scales { constant, ..Scales::new(part, sizes, blocks) };
        let scaled = Scaled {
            numbers: (numbers, Arrangement::Elements),
            zeros,
            zero: 0.0,
            scales,
            groups: None,
        };
        self.add(name, &[rows, columns], Form::Scaled(scaled))
    }

    fn mxfp4(&mut self, layer: &str, name: &str) -> Result<()> {
        let numbers = self.part(name)?;
        let sizes = numbers.shape().sizes().to_vec();
        let Some((before, &[groups, 16])) = sizes.split_last_chunk::<2>() else {
            let message = format!("expected u8[.., groups, 16], found {}", numbers.shape());
            return Err(numbers.error(message));
        };
        numbers.check(&[DType::U8], &sizes)?;
        let part = self.part(&format!("{layer}_scales"))?;
        part.check(&[DType::U8, DType::F8E8M0FNU], &sizes[..sizes.len() - 1])?;
        let rows = before.iter().product();
        let scales =
            Scales { dtype: DType::F8E8M0FNU, ..Scales::new(part, [rows, groups], [1, 32]) };
        let all: Vec<usize> = before.iter().copied().chain([32 * groups]).collect();
        let scaled = Scaled {
            numbers: (numbers, Arrangement::E2m1),
            zeros: None,
            zero: 0.0,
            scales,
            groups: None,
        };
        self.add(layer, &all, Form::Scaled(scaled))
    }

    fn packed_ints(&mut self, layer: &str, name: &str, bits: usize) -> Result<()> {
        let numbers = self.part(name)?;
        let [rows, words] = matrix(&numbers)?;
        let offset = 1 << (bits - 1);
        let shape = self.optional(&format!("{layer}.weight_shape"));
        let columns = match shape {
            Some(shape) => shape.with_bytes(|bytes| {
                let size = bytes.len() / 2;
                bytes.get(size..size + 4).map_or(0, |bytes| {
                    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) as usize
                })
            })?,
            None => words * 32 / bits,
        };
        numbers.check(&[DType::I32, DType::U32], &[rows, (columns * bits).div_ceil(32)])?;
        if !(columns * bits).is_multiple_of(32) {
            return Err(numbers.error(format!("rows of {columns} numbers are not whole words")));
        }
        let part = self.part(&format!("{layer}.weight_scale"))?;
        let groups = groups(&part, 1, columns)?;
        part.check(&FLOATS, &[rows, groups])?;
        let zeros = match self.optional(&format!("{layer}.weight_zero_point")) {
            Some(zeros) => {
                zeros.check(&[DType::I32, DType::U32], &[(rows * bits).div_ceil(32), groups])?;
                Some((zeros, Arrangement::Down { bits, offset }))
            }
            None => None,
        };
        let indices = self.group_indices(&format!("{layer}.weight_g_idx"), columns)?;
        let scaled = Scaled {
            numbers: (numbers, Arrangement::Fields { bits, offset }),
            zeros,
            zero: 0.0,
            scales: Scales::new(part, [rows, groups], [1, columns / groups]),
            groups: indices,
        };
        self.add(&format!("{layer}.weight"), &[rows, columns], Form::Scaled(scaled))
    }

    fn nvfp4(&mut self, layer: &str, name: &str) -> Result<()> {
        let numbers = self.part(name)?;
        let [rows, bytes] = matrix(&numbers)?;
        numbers.check(&[DType::U8], &[rows, bytes])?;
        let part = self.part(&format!("{layer}.weight_scale"))?;
        part.check(&[DType::F8E4M3FN], &[rows, bytes / 8])?;
        let divisor = self.part(&format!("{layer}.weight_global_scale"))?;
        divisor.check(&[DType::F32], divisor.shape().sizes())?;
        if divisor.shape().element_count() != 1 {
            return Err(divisor.error(format!("expected one number, found {}", divisor.shape())));
        }
        let scales =
            Scales { divisor: Some(divisor), ..Scales::new(part, [rows, bytes / 8], [1, 16]) };
        let scaled = Scaled {
            numbers: (numbers, Arrangement::E2m1),
            zeros: None,
            zero: 0.0,
            scales,
            groups: None,
        };
        self.add(&format!("{layer}.weight"), &[rows, 2 * bytes], Form::Scaled(scaled))
    }

    fn awq(&mut self, layer: &str, name: &str) -> Result<()> {
        let numbers = self.part(name)?;
        let [columns, words] = matrix(&numbers)?;
        let rows = 8 * words;
        numbers.check(&[DType::I32], &[columns, words])?;
        let part = self.part(&format!("{layer}.scales"))?;
        let groups = groups(&part, 0, columns)?;
        part.check(&FLOATS, &[groups, rows])?;
        let zeros = self.part(&format!("{layer}.qzeros"))?;
        zeros.check(&[DType::I32], &[groups, words])?;
        let scales = Scales::new(part, [rows, groups], [1, columns / groups]);
        let scaled = Scaled {
            numbers: (numbers, Arrangement::Awq),
            zeros: Some((zeros, Arrangement::Awq)),
            zero: 0.0,
            scales: Scales { is_transposed: true, ..scales },
            groups: None,
        };
        self.add(&format!("{layer}.weight"), &[rows, columns], Form::Scaled(scaled))
    }

    fn gptq(&mut self, layer: &str, name: &str, bits: usize, zero: u8) -> Result<()> {
        let numbers = self.part(name)?;
        let [words, rows] = matrix(&numbers)?;
        let columns = words * 32 / bits;
        numbers.check(&[DType::I32], &[words, rows])?;
        let part = self.part(&format!("{layer}.scales"))?;
        let groups = groups(&part, 0, columns)?;
        part.check(&FLOATS, &[groups, rows])?;
        let zeros = self.part(&format!("{layer}.qzeros"))?;
        zeros.check(&[DType::I32], &[groups, rows * bits / 32])?;
        let indices = self.group_indices(&format!("{layer}.g_idx"), columns)?;
        let scales = Scales::new(part, [rows, groups], [1, columns / groups]);
        let scaled = Scaled {
            numbers: (numbers, Arrangement::Gptq { bits }),
            zeros: Some((zeros, Arrangement::Across { bits })),
            zero: zero.into(),
            scales: Scales { is_transposed: true, ..scales },
            groups: indices,
        };
        self.add(&format!("{layer}.weight"), &[rows, columns], Form::Scaled(scaled))
    }

    /// The tensor with the group of each column.
    fn group_indices(&mut self, name: &str, columns: usize) -> Result<Option<Part>> {
        let indices = self.optional(name);
        if let Some(indices) = &indices {
            indices.check(&[DType::I32], &[columns])?;
        }
        Ok(indices)
    }

    fn codes(&mut self, name: &str) -> Result<()> {
        let Some(state) = self.state(name)? else { return Ok(()) };
        let indices = self.part(name)?;
        let number = |name: &str| state[name].as_u64().map(|number| number as usize);
        let sizes: Option<Vec<usize>> = state["shape"].as_array().and_then(|sizes| {
            sizes.iter().map(|size| size.as_u64().map(|size| size as usize)).collect()
        });
        let (Some(sizes), Some(block @ 1..)) = (sizes, number("blocksize")) else {
            return Err(indices.error("`shape` or `blocksize` of its state is missing".to_owned()));
        };
        let count = sizes.iter().try_fold(1usize, |count, size| count.checked_mul(*size));
        let bytes = indices.shape().element_count();
        if count.map(|count| count.div_ceil(2)) != Some(bytes) || sizes.len() != 2 {
            return Err(indices.error(format!("{bytes} bytes are not pairs of {sizes:?} values")));
        }
        let blocks = (2 * bytes).div_ceil(block);
        let scales = self.part(&format!("{name}.absmax"))?;
        let table = self.part(&format!("{name}.quant_map"))?;
        table.check(&FLOATS, &[16])?;
        let nested = match number("nested_blocksize") {
            Some(block @ 1..) => {
                scales.check(&[DType::U8], &[blocks])?;
                let table = self.part(&format!("{name}.nested_quant_map"))?;
                table.check(&FLOATS, &[256])?;
                let outer = self.part(&format!("{name}.nested_absmax"))?;
                outer.check(&FLOATS, &[blocks.div_ceil(block)])?;
                let offset = state["nested_offset"].as_f64().unwrap_or_default() as f32;
                Some(Nested { table, scales: outer, block, offset })
            }
            _ => {
                scales.check(&FLOATS, &[blocks])?;
                None
            }
        };
        self.add(name, &sizes, Form::Codes(Codes { indices, table, scales, block, nested }))
    }

    /// The state of a weight of bitsandbytes, which is JSON in a tensor.
    fn state(&mut self, name: &str) -> Result<Option<Value>> {
        for kind in ["nf4", "fp4"] {
            let name = format!("{name}.quant_state.bitsandbytes__{kind}");
            let Some(part) = self.optional(&name) else { continue };
            let state = part.with_bytes(|bytes| serde_json::from_slice(bytes))?;
            return state.map(Some).map_err(|error| part.error(format!("not JSON: {error}")));
        }
        Ok(None)
    }
}

impl Scales {
    fn new(part: Part, sizes: [usize; 2], blocks: [usize; 2]) -> Scales {
        Scales {
            dtype: part.shape().dtype(),
            part,
            sizes,
            blocks: blocks.map(|size| size.max(1)),
            is_transposed: false,
            divisor: None,
            constant: 1.0,
        }
    }
}

fn matrix(part: &Part) -> Result<[usize; 2]> {
    let shape = part.shape();
    <[usize; 2]>::try_from(shape.sizes())
        .map_err(|_| part.error(format!("expected a matrix, found {shape}")))
}

/// The number of groups of columns, the size of an axis of the scales.
fn groups(scales: &Part, axis: usize, columns: usize) -> Result<usize> {
    let groups = scales.shape().sizes().get(axis).copied().unwrap_or_default();
    if groups == 0 || !columns.is_multiple_of(groups) {
        let message = format!("{columns} columns are not groups of the scales {}", scales.shape());
        return Err(scales.error(message));
    }
    Ok(groups)
}
