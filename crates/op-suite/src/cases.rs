//! Cases read from files of the format that `tests/oracle/ops.py` writes.

use hloom::{DType, Shape};
use safetensors::SafeTensors;
use std::{collections::BTreeMap, path::Path};

/// A tensor in host layout.
#[derive(Clone)]
pub struct Values {
    /// The shape.
    pub shape: Shape,
    /// The elements, in row-major order.
    pub bytes: Vec<u8>,
}

/// Inputs of an op and its expected results.
pub struct Case {
    /// The op: the name of a row of its family's table.
    pub row: String,
    /// The name of the case in the row.
    pub name: String,
    /// The operands.
    pub inputs: Vec<Values>,
    /// The expected results.
    pub outputs: Vec<Values>,
}

/// All cases of a family, from its file in a folder.
///
/// # Errors
/// The file cannot be read, or its tensors are not numbered inputs and outputs of cases.
pub fn load(folder: &Path, family: &str) -> Result<Vec<Case>, String> {
    let path = folder.join(format!("{family}.safetensors"));
    let failed = |why: &dyn std::fmt::Display| format!("{}: {why}", path.display());
    let file = std::fs::read(&path).map_err(|error| failed(&error))?;
    let tensors = SafeTensors::deserialize(&file).map_err(|error| failed(&error))?;
    let mut sorted = BTreeMap::new();
    for (key, view) in tensors.iter() {
        let Some((row, name, kind, at, shape)) = parts(key) else {
            return Err(failed(&format!("`{key}` is not a tensor of a case")));
        };
        let values = Values { shape, bytes: view.data().to_vec() };
        if values.bytes.len() != shape.byte_size() {
            let (found, expected) = (values.bytes.len(), shape.byte_size());
            return Err(failed(&format!("`{key}` has {found} bytes, expected {expected}")));
        }
        sorted.insert((row, name, kind, at), values);
    }
    let mut cases = BTreeMap::<(String, String), Case>::new();
    for ((row, name, kind, at), values) in sorted {
        let case = cases.entry((row.clone(), name.clone())).or_insert_with(|| Case {
            row,
            name,
            inputs: Vec::new(),
            outputs: Vec::new(),
        });
        let list = if kind == "in" { &mut case.inputs } else { &mut case.outputs };
        if list.len() != at {
            let (row, name, found) = (&case.row, &case.name, list.len());
            return Err(failed(&format!("`{row}/{name}` has {kind}{at} after {found} of them")));
        }
        list.push(values);
    }
    Ok(cases.into_values().collect())
}

/// `row/case/in0:f32[2, 3]` in parts.
fn parts(key: &str) -> Option<(String, String, String, usize, Shape)> {
    let (path, shape) = key.rsplit_once(':')?;
    let mut path = path.rsplitn(3, '/');
    let (slot, name, row) = (path.next()?, path.next()?, path.next()?);
    let digits = slot.find(|c: char| c.is_ascii_digit())?;
    let (kind, at) = slot.split_at(digits);
    let (dtype, sizes) = shape.strip_suffix(']')?.split_once('[')?;
    let sizes = sizes
        .split(", ")
        .filter(|s| !s.is_empty())
        .map(str::parse)
        .collect::<Result<Vec<usize>, _>>()
        .ok()?;
    let shape = Shape::new(DType::from_name(dtype)?, sizes).ok()?;
    Some((row.into(), name.into(), kind.into(), at.parse().ok()?, shape))
}

#[cfg(test)]
mod tests {
    use super::*;
    use safetensors::tensor::{Dtype, TensorView, serialize_to_file};

    /// The error of a file with a tensor of three bytes for each key.
    fn error_of(keys: &[&str]) -> String {
        let folder = tempfile::tempdir().unwrap();
        let view = || TensorView::new(Dtype::U8, vec![3], &[1, 2, 3]).unwrap();
        let tensors: Vec<(&str, TensorView<'_>)> = keys.iter().map(|&key| (key, view())).collect();
        serialize_to_file(tensors, None, &folder.path().join("unary.safetensors")).unwrap();
        let error = load(folder.path(), "unary").err().unwrap();
        error.rsplit_once("safetensors: ").unwrap().1.to_owned()
    }

    #[test]
    fn files_of_another_form_are_errors() {
        assert_eq!(error_of(&["abs"]), "`abs` is not a tensor of a case");
        assert_eq!(error_of(&["abs/a/in0:u9[3]"]), "`abs/a/in0:u9[3]` is not a tensor of a case");
        assert_eq!(error_of(&["abs/a/in0:u16[3]"]), "`abs/a/in0:u16[3]` has 3 bytes, expected 6");
        assert_eq!(error_of(&["abs/a/in1:u8[3]"]), "`abs/a` has in1 after 0 of them");
        let folder = tempfile::tempdir().unwrap();
        assert!(load(folder.path(), "unary").err().unwrap().contains("unary.safetensors"));
    }
}
