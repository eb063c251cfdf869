//! Tensors as NumPy prints them.

use half::{bf16, f16};
use hloom_graph::{DType, Element, Shape};
use std::fmt::{self, Write};

/// Options for printing tensors: those of `numpy.printoptions`, with its defaults.
///
/// ```
/// use hloom_graph::Tensor;
/// use hloom_runtime::{PrintOptions, TensorPrint};
///
/// fn forward(x: Tensor) -> Tensor {
///     x.print_with("x", PrintOptions::default().precision(3).threshold(20))
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PrintOptions {
    precision: usize,
    suppress_small: bool,
    threshold: usize,
    edge_items: usize,
    line_width: usize,
}

impl Default for PrintOptions {
    fn default() -> PrintOptions {
        PrintOptions {
            precision: 8,
            suppress_small: false,
            threshold: 1000,
            edge_items: 3,
            line_width: 75,
        }
    }
}

impl PrintOptions {
    /// The maximum number of digits after the decimal point; 8 by default.
    pub fn precision(mut self, digits: usize) -> PrintOptions {
        self.precision = digits.min(MAX_PRECISION);
        self
    }

    /// Whether numbers that are small, or small compared with others, are printed as zeros instead
    /// of printing all in scientific notation; off by default.
    pub fn suppress_small(mut self, suppress: bool) -> PrintOptions {
        self.suppress_small = suppress;
        self
    }

    /// Tensors with more elements than this are summarized by their edges; 1000 by default.
    pub fn threshold(mut self, elements: usize) -> PrintOptions {
        self.threshold = elements;
        self
    }

    /// The number of elements at each edge of a summarized axis; 3 by default.
    pub fn edge_items(mut self, elements: usize) -> PrintOptions {
        self.edge_items = elements;
        self
    }

    /// The number of columns of a line; 75 by default.
    pub fn line_width(mut self, columns: usize) -> PrintOptions {
        self.line_width = columns;
        self
    }
}

/// More digits than any float has.
const MAX_PRECISION: usize = 1100;

/// Writes the elements of a tensor, given as bytes in host layout; blocks as their bytes.
pub(crate) fn write_array(
    f: &mut fmt::Formatter<'_>,
    shape: Shape,
    bytes: &[u8],
    options: &PrintOptions,
) -> fmt::Result {
    let shape = shape.stored();
    let cells = cells(shape, bytes, options);
    if shape.element_count() == 0 {
        return f.write_str("[]");
    }
    let width = cells.iter().flatten().map(String::len).max().unwrap_or(0);
    let mut text = String::new();
    let mut next = cells.into_iter().map(|cell| match cell {
        Some(cell) => format!("{cell:>width$}"),
        None => "...".into(),
    });
    let summarize = shape.element_count() > options.threshold;
    let layout = Layout { options, edge: summarize.then_some(options.edge_items) };
    layout.axis(&mut text, shape.sizes(), 0, &mut next)?;
    f.write_str(&text)
}

/// The indices along an axis that are shown, with `edge` elements at each end; `None` marks the
/// omitted ones.
fn shown(size: usize, edge: Option<usize>) -> Vec<Option<usize>> {
    match edge {
        Some(edge) if size > edge.saturating_mul(2) => {
            (0..edge).map(Some).chain([None]).chain((size - edge..size).map(Some)).collect()
        }
        _ => (0..size).map(Some).collect(),
    }
}

/// The arrangement of the elements in lines.
struct Layout<'a> {
    options: &'a PrintOptions,
    /// The number of elements at each end of a summarized axis.
    edge: Option<usize>,
}

impl Layout<'_> {
    fn axis(
        &self,
        out: &mut String,
        sizes: &[usize],
        depth: usize,
        cells: &mut impl Iterator<Item = String>,
    ) -> fmt::Result {
        let Some((&size, rest)) = sizes.split_first() else {
            return out.write_str(cells.next().unwrap_or_default().trim_start());
        };
        out.push('[');
        let start = out.len() - out.rfind('\n').map_or(0, |at| at + 1);
        for (i, index) in shown(size, self.edge).into_iter().enumerate() {
            if rest.is_empty() {
                let cell = match index {
                    Some(_) => cells.next().unwrap_or_default(),
                    None => "...".into(),
                };
                let column = out.len() - out.rfind('\n').map_or(0, |at| at + 1);
                // Leave room for the closing brackets.
                if i > 0 && column + 1 + cell.len() + 1 + depth > self.options.line_width {
                    out.truncate(out.trim_end().len());
                    write!(out, "\n{:start$}{cell}", "")?;
                } else {
                    write!(out, "{}{cell}", if i > 0 { " " } else { "" })?;
                }
            } else {
                if i > 0 {
                    out.push_str(&"\n".repeat(rest.len()));
                    write!(out, "{:1$}", "", depth + 1)?;
                }
                match index {
                    Some(_) => self.axis(out, rest, depth + 1, cells)?,
                    None => out.push_str("..."),
                }
            }
        }
        out.push(']');
        Ok(())
    }
}

/// The shown elements in order, in a common format.
fn cells(shape: Shape, bytes: &[u8], options: &PrintOptions) -> Vec<Option<String>> {
    let size = shape.dtype().size();
    let mut offsets = vec![0usize];
    let edge = (shape.element_count() > options.threshold).then_some(options.edge_items);
    let mut stride = shape.element_count();
    for &n in shape.sizes() {
        stride = stride.checked_div(n).unwrap_or(0);
        let along = shown(n, edge);
        offsets = offsets
            .iter()
            .flat_map(|&base| along.iter().flatten().map(move |&i| base + i * stride))
            .collect();
    }
    let picked: Vec<u8> = offsets
        .iter()
        .filter_map(|&o| bytes.get(o * size..(o + 1) * size))
        .flatten()
        .copied()
        .collect();
    let texts = match shape.dtype() {
        DType::Bool => each::<bool>(&picked, |v| if v { "True".into() } else { "False".into() }),
        DType::I2 | DType::I4 | DType::I8 => each::<i8>(&picked, |v| v.to_string()),
        DType::I16 => each::<i16>(&picked, |v| v.to_string()),
        DType::I32 => each::<i32>(&picked, |v| v.to_string()),
        DType::I64 => each::<i64>(&picked, |v| v.to_string()),
        DType::U16 => each::<u16>(&picked, |v| v.to_string()),
        DType::U32 => each::<u32>(&picked, |v| v.to_string()),
        DType::U64 => each::<u64>(&picked, |v| v.to_string()),
        DType::BF16 => floats(
            options,
            &bf16::from_bytes(&picked),
            |v| f64::from(*v),
            |v| f32::from(*v).to_string(),
        ),
        DType::F16 => floats(
            options,
            &f16::from_bytes(&picked),
            |v| f64::from(*v),
            |v| f32::from(*v).to_string(),
        ),
        DType::F32 => floats(options, &f32::from_bytes(&picked), |v| f64::from(*v), f32::to_string),
        DType::F64 => floats(options, &f64::from_bytes(&picked), |v| *v, f64::to_string),
        DType::C64 => {
            let parts = f32::from_bytes(&picked);
            complex(options, &parts, |v| f64::from(*v), f32::to_string)
        }
        DType::C128 => {
            let parts = f64::from_bytes(&picked);
            complex(options, &parts, |v| *v, f64::to_string)
        }
        // The other types have no numbers in Rust: their bits are shown.
        _ => each::<u8>(&picked, |v| format!("0x{v:02x}")),
    };
    texts.into_iter().map(Some).collect()
}

fn each<T: Element>(bytes: &[u8], text: impl Fn(T) -> String) -> Vec<String> {
    T::from_bytes(bytes).into_iter().map(text).collect()
}

fn complex<T: Copy>(
    options: &PrintOptions,
    parts: &[T],
    wide: impl Fn(&T) -> f64 + Copy,
    exact: impl Fn(&T) -> String + Copy,
) -> Vec<String> {
    let (re, im): (Vec<T>, Vec<T>) = parts.chunks_exact(2).map(|p| (p[0], p[1])).unzip();
    let (re, im) = (floats(options, &re, wide, exact), floats(options, &im, wide, exact));
    let join = |(re, im): (String, String)| {
        let sign = if im.starts_with('-') { "" } else { "+" };
        // The spaces that align the points come after the unit.
        let digits = im.trim_end();
        format!("{re}{sign}{digits}j{}", &im[digits.len()..])
    };
    re.into_iter().zip(im).map(join).collect()
}

/// Floats aligned at the decimal point, or all in scientific notation when their magnitudes differ
/// too much.
fn floats<T>(
    options: &PrintOptions,
    values: &[T],
    wide: impl Fn(&T) -> f64,
    exact: impl Fn(&T) -> String,
) -> Vec<String> {
    let finite = || values.iter().map(&wide).filter(|v| v.is_finite() && *v != 0.0).map(f64::abs);
    let (max, min) = (finite().fold(0.0, f64::max), finite().fold(f64::INFINITY, f64::min));
    let differ = max > 0.0 && (min < 1e-4 || max / min > 1000.0);
    let scientific = max >= 1e8 || (differ && !options.suppress_small);
    let precision = options.precision;
    let digits = |text: &str| {
        text.split_once('.').map_or(0, |(_, fraction)| fraction.trim_end_matches('0').len())
    };
    if scientific {
        let mantissa_digits = |v: &T| {
            let text = exact(v);
            let parsed: f64 = text.parse().unwrap_or(0.0);
            digits(format!("{parsed:e}").split('e').next().unwrap_or("")).min(precision)
        };
        let most =
            values.iter().filter(|v| wide(v).is_finite()).map(mantissa_digits).max().unwrap_or(0);
        return values.iter().map(|v| scientific_text(&exact(v), wide(v), most)).collect();
    }
    // The shortest digits that identify the value in its own type, cut at the precision.
    let short = |v: &T| {
        let text = exact(v);
        if digits(&text) <= precision { text } else { format!("{:.precision$}", wide(v)) }
    };
    let most =
        values.iter().filter(|v| wide(v).is_finite()).map(|v| digits(&short(v))).max().unwrap_or(0);
    let text = |v: &T| {
        let value = wide(v);
        if value.is_nan() {
            return "nan".into();
        }
        if value.is_infinite() {
            return if value > 0.0 { "inf".into() } else { "-inf".into() };
        }
        let text = short(v);
        let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
        format!("{whole}.{:<most$}", fraction.trim_end_matches('0'))
    };
    values.iter().map(text).collect()
}

fn scientific_text(exact: &str, value: f64, digits: usize) -> String {
    if value.is_nan() {
        return "nan".into();
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf".into() } else { "-inf".into() };
    }
    let parsed: f64 = exact.parse().unwrap_or(value);
    let text = format!("{parsed:.digits$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(exponent) => ('-', exponent),
        None => ('+', exponent),
    };
    let point = if digits == 0 { "." } else { "" };
    format!("{mantissa}{point}e{sign}{exponent:0>2}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Deserialize)]
    struct Case {
        dtype: String,
        dims: Vec<usize>,
        hex: String,
        arange: bool,
        options: Options,
        text: String,
    }

    #[derive(serde::Deserialize)]
    struct Options {
        precision: Option<usize>,
        suppress_small: Option<bool>,
        threshold: Option<usize>,
        edgeitems: Option<usize>,
        max_line_width: Option<usize>,
    }

    struct Shown(Shape, Vec<u8>, PrintOptions);

    impl fmt::Display for Shown {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write_array(f, self.0, &self.1, &self.2)
        }
    }

    #[test]
    fn arrays_print_as_numpy_prints_them() {
        let cases: Vec<Case> = serde_json::from_str(include_str!("display_numpy.json"))
            .expect("the oracle wrote JSON");
        assert!(cases.len() > 35);
        for case in cases {
            let dtype = DType::from_name(&case.dtype).expect("a known element type");
            let shape = Shape::new(dtype, case.dims.as_slice()).expect("a sound shape");
            let count = shape.element_count();
            let bytes: Vec<u8> = match (case.arange, dtype) {
                (true, DType::F32) => (0..count).flat_map(|i| (i as f32).to_le_bytes()).collect(),
                (true, _) => (0..count).flat_map(|i| (i as i32).to_le_bytes()).collect(),
                (false, _) => case
                    .hex
                    .as_bytes()
                    .chunks(2)
                    .map(|pair| {
                        u8::from_str_radix(std::str::from_utf8(pair).expect("ASCII"), 16)
                            .expect("hex")
                    })
                    .collect(),
            };
            let given = case.options;
            let default = PrintOptions::default();
            let options = default
                .precision(given.precision.unwrap_or(default.precision))
                .suppress_small(given.suppress_small.unwrap_or_default())
                .threshold(given.threshold.unwrap_or(default.threshold))
                .edge_items(given.edgeitems.unwrap_or(default.edge_items))
                .line_width(given.max_line_width.unwrap_or(default.line_width));
            let text = Shown(shape, bytes, options).to_string();
            assert_eq!(text, case.text, "{shape} with {options:?}");
        }
    }
}
