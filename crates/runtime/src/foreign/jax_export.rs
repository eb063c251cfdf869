//! Functions that `jax.export` serialized.
//!
//! The format is a FlatBuffers table of JAX's own: the StableHLO module as a portable artifact, the
//! trees and types of arguments and results, the number of devices.

use super::{
    ForeignError, StableHlo,
    flat_buffer::{Budget, Table},
    value::{StableHloValue, unnamed},
};
use hloom_graph::DType;

/// The start of MLIR bytecode.
pub(super) const BYTECODE: &[u8] = b"ML\xefR";

/// The positions of the fields of `Exported`.
mod field {
    pub const FUNCTION_NAME: usize = 1;
    pub const IN_AVALS: usize = 3;
    pub const OUT_TREE: usize = 4;
    pub const OUT_AVALS: usize = 5;
    pub const FEW_DEVICES: usize = 6;
    pub const PLATFORMS: usize = 9;
    pub const ORDERED_EFFECTS: usize = 10;
    pub const MODULE: usize = 13;
    pub const KEPT_ARGUMENTS: usize = 15;
    pub const DEVICES: usize = 18;
    pub const UNIQUE_AVALS: usize = 19;
    pub const UNIQUE_MESHES: usize = 20;
    pub const IN_AVAL_INDICES: usize = 22;
    pub const OUT_AVAL_INDICES: usize = 23;
}

/// Reads a serialized function; `None` if the bytes are something else.
pub(super) fn read(bytes: &[u8]) -> Option<Result<StableHlo, ForeignError>> {
    let budget = Budget::of(bytes);
    let exported = Table::root(bytes, &budget)?;
    let code = exported.vector(field::MODULE, 1).filter(|code| code.starts_with(BYTECODE))?;
    let name = exported.text(field::FUNCTION_NAME)?;
    Some(read_function(exported, name, code))
}

fn read_function(exported: Table<'_>, name: &str, code: &[u8]) -> Result<StableHlo, ForeignError> {
    let malformed = || ForeignError::NotAProgram;
    if !exported.tables(field::ORDERED_EFFECTS).ok_or_else(malformed)?.is_empty() {
        return Err(ForeignError::Effects);
    }
    let arguments = values(exported, field::IN_AVALS, field::IN_AVAL_INDICES)?;
    let kept = exported.u16s(field::KEPT_ARGUMENTS);
    let inputs = kept.iter().map(|&i| arguments.get(usize::from(i)).cloned());
    let mut inputs: Vec<_> = inputs.collect::<Option<_>>().ok_or_else(malformed)?;
    let is_kept = |at: &usize| kept.iter().any(|&kept| usize::from(kept) == *at);
    let left_out = (0..arguments.len()).filter(|at| !is_kept(at)).collect();
    let platforms = exported.texts(field::PLATFORMS).ok_or_else(malformed)?;
    if platforms.len() > 1 {
        // The module chooses between its platforms by an index, which has 64 bits where JAX was
        // configured for such types: the compiled program has its type.
        let name = Some(super::PLATFORM_INDEX.to_owned());
        inputs.insert(0, StableHloValue { name, shape: None });
    }
    let mut outputs = values(exported, field::OUT_AVALS, field::OUT_AVAL_INDICES)?;
    let tree = exported.table(field::OUT_TREE).ok_or_else(malformed)?;
    let mut leaves = Leaves { paths: Vec::new(), path: Vec::new(), read: 0 };
    leaves.visit(tree).ok_or_else(malformed)?;
    for (output, name) in outputs.iter_mut().zip(leaves.paths) {
        output.name = Some(if name.is_empty() { "result".into() } else { name });
    }
    let devices = match exported.u32(field::DEVICES) {
        0 => u32::from(exported.u16(field::FEW_DEVICES)),
        devices => devices,
    };
    let meshes = exported.tables(field::UNIQUE_MESHES).unwrap_or_default();
    let mesh = meshes.iter().find_map(|mesh| {
        let sizes: Vec<usize> = mesh.u32s(0).into_iter().map(|size| size as usize).collect();
        let names = mesh.texts(1)?;
        let axes = names.len() == sizes.len() && product(&sizes) == Some(devices as usize);
        axes.then(|| names.into_iter().map(str::to_owned).zip(sizes).collect())
    });
    Ok(StableHlo {
        name: Some(name.to_owned()),
        code: code.to_vec(),
        devices: (devices as usize).max(1),
        mesh,
        platforms: platforms.into_iter().map(str::to_owned).collect(),
        inputs: Some(inputs),
        outputs: Some(outputs),
        left_out,
    })
}

/// The number of devices of a mesh; `None` if there is no such number.
fn product(sizes: &[usize]) -> Option<usize> {
    sizes.iter().try_fold(1usize, |product, &size| product.checked_mul(size))
}

/// The types of arguments or results: older files list them, newer ones number the different ones.
fn values(
    exported: Table<'_>,
    listed: usize,
    numbered: usize,
) -> Result<Vec<StableHloValue>, ForeignError> {
    let malformed = || ForeignError::NotAProgram;
    let numbers = exported.u32s(numbered);
    let avals = if numbers.is_empty() {
        exported.tables(listed)
    } else {
        exported
            .tables(field::UNIQUE_AVALS)
            .and_then(|unique| numbers.iter().map(|&i| unique.get(i as usize).copied()).collect())
    };
    let avals = avals.ok_or_else(malformed)?;
    let value = |aval: &Table<'_>| {
        let sizes = aval.texts(1).ok_or_else(malformed)?;
        let symbolic = |size: &str| ForeignError::SymbolicSize(size.to_owned());
        let sizes = sizes.iter().map(|size| size.parse::<usize>().map_err(|_| symbolic(size)));
        let sizes = sizes.collect::<Result<Vec<_>, _>>()?;
        // For keys of random numbers, and for types that Hloom lacks, the shape is read from the
        // compiled program.
        let shape = element(aval.u8(2)).and_then(|dtype| unnamed(dtype, sizes));
        Ok(StableHloValue { name: None, shape })
    };
    avals.iter().map(value).collect()
}

/// The element types by JAX's numbers.
fn element(number: u8) -> Option<DType> {
    Some(match number {
        0 => DType::Bool,
        1 => DType::I8,
        2 => DType::I16,
        3 => DType::I32,
        4 => DType::I64,
        5 => DType::U8,
        6 => DType::U16,
        7 => DType::U32,
        8 => DType::U64,
        9 => DType::F16,
        10 => DType::F32,
        11 => DType::F64,
        12 => DType::C64,
        13 => DType::C128,
        14 => DType::BF16,
        15 => DType::I4,
        16 => DType::U4,
        17 => DType::F8E4M3B11FNUZ,
        18 => DType::F8E4M3FN,
        19 => DType::F8E4M3FNUZ,
        20 => DType::F8E5M2,
        21 => DType::F8E5M2FNUZ,
        23 => DType::F8E4M3,
        24 => DType::F8E3M4,
        25 => DType::F8E8M0FNU,
        26 => DType::F4E2M1FN,
        _ => return None,
    })
}

/// The paths of the leaves of a tree, in order.
struct Leaves {
    paths: Vec<String>,
    /// The keys from the root.
    path: Vec<String>,
    /// The nodes, names and bytes of paths that were read so far.
    read: usize,
}

impl Leaves {
    /// Visits a tree; `None` if it exceeds the limit: a file can describe trees without end.
    fn visit(&mut self, tree: Table<'_>) -> Option<()> {
        const LEAF: u8 = 0;
        const NONE: u8 = 1;
        const DICT: u8 = 4;
        const MAX_NODES: usize = 1 << 22;
        self.read += 1;
        if self.read > MAX_NODES || self.path.len() > 64 {
            return None;
        }
        match tree.u8(0) {
            LEAF => {
                let path = self.path.join(".");
                self.read += path.len();
                self.paths.push(path);
            }
            NONE => {}
            kind => {
                let (names, children) = (tree.texts(2)?, tree.tables(1)?);
                // Many nodes may share one list.
                self.read += names.len() + children.len();
                for (i, child) in children.into_iter().enumerate() {
                    self.path.push(match names.get(i) {
                        Some(name) if kind == DICT => (*name).to_owned(),
                        _ => i.to_string(),
                    });
                    self.visit(child)?;
                    self.path.pop();
                }
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mesh_of_absurd_sizes_has_no_devices() {
        assert_eq!(product(&[2, 3]), Some(6));
        assert_eq!(product(&[u32::MAX as usize; 3]), None);
    }
}
