//! The inputs and outputs of programs as other systems name them.

use hloom_graph::{DType, Shape};
use std::fmt;

/// An input or output of a program in StableHLO, as far as the file lists it.
#[derive(Clone, Debug, PartialEq, Default)]
#[non_exhaustive]
pub struct StableHloValue {
    /// Its name, such as `params.w`.
    pub name: Option<String>,
    /// Its shape.
    pub shape: Option<Shape>,
}

impl fmt::Display for StableHloValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name.as_deref().unwrap_or("_"))?;
        match self.shape {
            Some(shape) => write!(f, ": {shape}"),
            None => Ok(()),
        }
    }
}

/// A path in Python's notation (`params['layers'][0].w`) in that of Hloom: `params.layers.0.w`.
pub(super) fn plain_path(python: &str) -> String {
    let mut path = String::with_capacity(python.len());
    let mut rest = python;
    while let Some(start) = rest.find('[') {
        let (before, after) = rest.split_at(start);
        let Some(end) = after.find(']') else { break };
        let key = after[1..end].trim_matches(|c| c == '\'' || c == '"');
        path.push_str(before);
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(key);
        rest = &after[end + 1..];
    }
    path.push_str(rest);
    path
}

/// The path of a result: within the result, if that is a tree.
pub(super) fn result_path(python: &str) -> String {
    let path = plain_path(python);
    match path.strip_prefix("result.") {
        Some(within) => within.to_owned(),
        None => path,
    }
}

/// The element type of a name in MLIR.
pub(super) fn mlir_element(name: &str) -> Option<DType> {
    Some(match name {
        "i1" => DType::Bool,
        "i2" => DType::I2,
        "i4" => DType::I4,
        "i8" => DType::I8,
        "i16" => DType::I16,
        "i32" => DType::I32,
        "i64" => DType::I64,
        "ui2" => DType::U2,
        "ui4" => DType::U4,
        "ui8" => DType::U8,
        "ui16" => DType::U16,
        "ui32" => DType::U32,
        "ui64" => DType::U64,
        "complex<f32>" => DType::C64,
        "complex<f64>" => DType::C128,
        other => DType::from_name(&other.to_ascii_lowercase())?,
    })
}

/// A shape without names of axes.
pub(super) fn unnamed(dtype: DType, sizes: impl IntoIterator<Item = usize>) -> Option<Shape> {
    let sizes: Vec<usize> = sizes.into_iter().collect();
    Shape::new(dtype, sizes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_those_of_trees() {
        for (python, path) in [
            ("x", "x"),
            ("params['w']", "params.w"),
            ("params['layers'][0].w", "params.layers.0.w"),
            ("[0]", "0"),
            ("args[1][\"a b\"]", "args.1.a b"),
            ("open[", "open["),
        ] {
            assert_eq!(plain_path(python), path);
        }
        assert_eq!(result_path("result['s'][1]"), "s.1");
        assert_eq!(result_path("result"), "result");
        assert_eq!(result_path("result[0]"), "0");
    }
}
