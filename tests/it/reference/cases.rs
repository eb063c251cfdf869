//! Cases read from `tests/it/data/`.

use hloom::{DType, Shape};
use safetensors::SafeTensors;
use std::{collections::BTreeMap, path::Path};

/// A tensor in host layout.
#[derive(Clone)]
pub struct Values {
    pub shape: Shape,
    pub bytes: Vec<u8>,
}

/// Inputs of an op and its expected results.
pub struct Case {
    /// The op: the name of a row of its family's table.
    pub row: String,
    /// The name of the case in the row.
    pub name: String,
    pub inputs: Vec<Values>,
    pub outputs: Vec<Values>,
}

/// All cases of a family.
pub fn load(family: &str) -> Vec<Case> {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/it/data/{family}.safetensors"));
    let file = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let tensors =
        SafeTensors::deserialize(&file).expect("the reference data is a safetensors file");
    let mut cases = BTreeMap::<(String, String), Case>::new();
    let mut sorted = BTreeMap::new();
    for (key, view) in tensors.iter() {
        let (row, name, kind, at, shape) =
            parts(key).unwrap_or_else(|| panic!("{key} is not a tensor of a case"));
        let values = Values { shape, bytes: view.data().to_vec() };
        assert_eq!(values.bytes.len(), shape.byte_size(), "{key}");
        sorted.insert((row, name, kind, at), values);
    }
    for ((row, name, kind, at), values) in sorted {
        let case = cases.entry((row.clone(), name.clone())).or_insert_with(|| Case {
            row,
            name,
            inputs: Vec::new(),
            outputs: Vec::new(),
        });
        let list = if kind == "in" { &mut case.inputs } else { &mut case.outputs };
        assert_eq!(list.len(), at, "the tensors of a case are numbered");
        list.push(values);
    }
    cases.into_values().collect()
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
