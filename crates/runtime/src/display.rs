//! Tensors as NumPy prints them.

use half::{bf16, f16};
use hloom_graph::{DType, Element, Shape};
use std::fmt::{self, Write};

/// Tensors with more elements than this are summarized by their edges.
const THRESHOLD: usize = 1000;
/// How many elements are shown at each edge.
const EDGE: usize = 3;
/// The largest number of digits after the decimal point.
const PRECISION: usize = 8;
/// Columns of a line.
const WIDTH: usize = 75;

/// Writes the elements of a tensor, given as bytes in host layout.
pub(crate) fn write_array(f: &mut fmt::Formatter<'_>, shape: Shape, bytes: &[u8]) -> fmt::Result {
    let cells = cells(shape, bytes);
    if shape.element_count() == 0 {
        return f.write_str("[]");
    }
    let width = cells.iter().flatten().map(String::len).max().unwrap_or(0);
    let mut text = String::new();
    let mut next = cells.into_iter().map(|cell| match cell {
        Some(cell) => format!("{cell:>width$}"),
        None => "...".into(),
    });
    axis(&mut text, shape.sizes(), shape.element_count() > THRESHOLD, 0, &mut next)?;
    f.write_str(&text)
}

/// The indices along an axis that are shown; `None` marks the omitted ones.
fn shown(size: usize, summarize: bool) -> Vec<Option<usize>> {
    if !summarize || size <= 2 * EDGE {
        return (0..size).map(Some).collect();
    }
    let edges = (0..EDGE).map(Some).chain([None]).chain((size - EDGE..size).map(Some));
    edges.collect()
}

fn axis(
    out: &mut String,
    sizes: &[usize],
    summarize: bool,
    depth: usize,
    cells: &mut impl Iterator<Item = String>,
) -> fmt::Result {
    let Some((&size, rest)) = sizes.split_first() else {
        return out.write_str(cells.next().unwrap_or_default().trim_start());
    };
    out.push('[');
    let start = out.len() - out.rfind('\n').map_or(0, |at| at + 1);
    for (i, index) in shown(size, summarize).into_iter().enumerate() {
        if rest.is_empty() {
            let cell = match index {
                Some(_) => cells.next().unwrap_or_default(),
                None => "...".into(),
            };
            let column = out.len() - out.rfind('\n').map_or(0, |at| at + 1);
            // Leave room for the closing brackets.
            if i > 0 && column + 1 + cell.len() > WIDTH - 1 - depth {
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
                Some(_) => axis(out, rest, summarize, depth + 1, cells)?,
                None => out.push_str("..."),
            }
        }
    }
    out.push(']');
    Ok(())
}

/// The shown elements in order, in a common format.
fn cells(shape: Shape, bytes: &[u8]) -> Vec<Option<String>> {
    let size = shape.dtype().size();
    let mut offsets = vec![0usize];
    let summarize = shape.element_count() > THRESHOLD;
    let mut stride = shape.element_count();
    for &n in shape.sizes() {
        stride = stride.checked_div(n).unwrap_or(0);
        let along = shown(n, summarize);
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
        DType::BF16 => {
            floats(&bf16::from_bytes(&picked), |v| f64::from(*v), |v| f32::from(*v).to_string())
        }
        DType::F16 => {
            floats(&f16::from_bytes(&picked), |v| f64::from(*v), |v| f32::from(*v).to_string())
        }
        DType::F32 => floats(&f32::from_bytes(&picked), |v| f64::from(*v), f32::to_string),
        DType::F64 => floats(&f64::from_bytes(&picked), |v| *v, f64::to_string),
        DType::C64 => {
            let parts = f32::from_bytes(&picked);
            complex(&parts, |v| f64::from(*v), f32::to_string)
        }
        DType::C128 => {
            let parts = f64::from_bytes(&picked);
            complex(&parts, |v| *v, f64::to_string)
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
    parts: &[T],
    wide: impl Fn(&T) -> f64 + Copy,
    exact: impl Fn(&T) -> String + Copy,
) -> Vec<String> {
    let (re, im): (Vec<T>, Vec<T>) = parts.chunks_exact(2).map(|p| (p[0], p[1])).unzip();
    let (re, im) = (floats(&re, wide, exact), floats(&im, wide, exact));
    let join = |(re, im): (String, String)| match im.starts_with('-') {
        true => format!("{re}{im}j"),
        false => format!("{re}+{im}j"),
    };
    re.into_iter().zip(im).map(join).collect()
}

/// Floats aligned at the decimal point, or all in scientific notation when their magnitudes differ
/// too much.
fn floats<T>(values: &[T], wide: impl Fn(&T) -> f64, exact: impl Fn(&T) -> String) -> Vec<String> {
    let finite = || values.iter().map(&wide).filter(|v| v.is_finite() && *v != 0.0).map(f64::abs);
    let (max, min) = (finite().fold(0.0, f64::max), finite().fold(f64::INFINITY, f64::min));
    let scientific = max >= 1e8 || (max > 0.0 && (min < 1e-4 || max / min > 1000.0));
    let digits = |text: &str| {
        text.split_once('.').map_or(0, |(_, fraction)| fraction.trim_end_matches('0').len())
    };
    if scientific {
        let mantissa_digits = |v: &T| {
            let text = exact(v);
            let parsed: f64 = text.parse().unwrap_or(0.0);
            digits(format!("{parsed:e}").split('e').next().unwrap_or("")).min(PRECISION)
        };
        let most =
            values.iter().filter(|v| wide(v).is_finite()).map(mantissa_digits).max().unwrap_or(0);
        return values.iter().map(|v| scientific_text(&exact(v), wide(v), most)).collect();
    }
    // The shortest digits that identify the value in its own type, cut at the precision.
    let short = |v: &T| {
        let text = exact(v);
        if digits(&text) <= PRECISION { text } else { format!("{:.PRECISION$}", wide(v)) }
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
        text: String,
    }

    struct Shown(Shape, Vec<u8>);

    impl fmt::Display for Shown {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write_array(f, self.0, &self.1)
        }
    }

    #[test]
    fn arrays_print_as_numpy_prints_them() {
        let cases: Vec<Case> = serde_json::from_str(include_str!("display_numpy.json"))
            .expect("the oracle wrote JSON");
        assert!(cases.len() > 20);
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
            assert_eq!(Shown(shape, bytes).to_string(), case.text, "{shape}");
        }
    }
}
