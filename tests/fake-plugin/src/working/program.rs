//! Programs of one line, and their metadata as real plugins report it.

use super::failure::Failure;

/// Type and dimensions of an array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shape {
    /// The number of the C API.
    pub(crate) dtype: u32,
    pub(crate) dims: Vec<i64>,
}

/// Name, number in the C API (and, for these, in XLA's protos), bytes.
const TYPES: [(&str, u32, usize); 4] =
    [("pred", 1, 1), ("s32", 4, 4), ("u8", 6, 1), ("f32", 11, 4)];

impl Shape {
    pub(crate) fn bytes(&self) -> Result<usize, Failure> {
        let size = TYPES.iter().find(|(_, number, _)| *number == self.dtype).map(|t| t.2);
        let size =
            size.ok_or_else(|| Failure::new(12, format!("no element type {}", self.dtype)))?;
        let product = self
            .dims
            .iter()
            .try_fold(size, |product, &dim| product.checked_mul(usize::try_from(dim).ok()?));
        product.ok_or_else(|| Failure::invalid(format!("dimensions {:?}", self.dims)))
    }

    fn parse(text: &str) -> Option<Self> {
        let (name, dims) = text.trim().strip_suffix(']')?.split_once('[')?;
        let (_, dtype, _) = TYPES.iter().find(|(known, ..)| *known == name)?;
        let dims = dims.split(',').map(str::trim).filter(|dim| !dim.is_empty());
        Some(Self { dtype: *dtype, dims: dims.map(|dim| dim.parse().ok()).collect::<Option<_>>()? })
    }
}

/// `op(shape, ...) -> shape, ... [alias n, ...] [on devices]`: `identity` copies each parameter to
/// the result at the same position, `add` adds the first two parameters of `f32`, `fail` fails at
/// run time. `alias` names parameters whose memory the results at the same positions may reuse.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    pub(crate) text: String,
    pub(crate) op: String,
    pub(crate) parameters: Vec<Shape>,
    pub(crate) results: Vec<Shape>,
    pub(crate) aliases: Vec<usize>,
    pub(crate) devices: usize,
    // The arrays that the C API returns.
    pub(crate) result_types: Vec<u32>,
    pub(crate) result_dims: Vec<i64>,
    pub(crate) result_ranks: Vec<usize>,
}

impl Program {
    pub(crate) fn parse(text: &str) -> Result<Self, Failure> {
        Self::parts(text.trim()).ok_or_else(|| Failure::invalid(format!("no program: {text}")))
    }

    fn parts(text: &str) -> Option<Self> {
        let (op, rest) = text.split_once('(')?;
        let (parameters, rest) = rest.split_once(')')?;
        let rest = rest.trim().strip_prefix("->")?;
        let (rest, devices) = match rest.split_once(" on ") {
            Some((rest, devices)) => (rest, devices.trim().parse().ok()?),
            None => (rest, 1),
        };
        let (results, aliases) = match rest.split_once(" alias ") {
            Some((results, aliases)) => {
                (results, aliases.split(',').map(|n| n.trim().parse().ok()).collect())
            }
            None => (rest, Some(Vec::new())),
        };
        let results = shapes(results)?;
        Some(Self {
            text: text.to_owned(),
            op: op.trim().to_owned(),
            parameters: shapes(parameters)?,
            aliases: aliases?,
            devices,
            result_types: results.iter().map(|shape| shape.dtype).collect(),
            result_dims: results.iter().flat_map(|shape| shape.dims.clone()).collect(),
            result_ranks: results.iter().map(|shape| shape.dims.len()).collect(),
            results,
        })
    }

    /// The signature as an `HloModuleProtoWithConfig`.
    pub(crate) fn proto(&self) -> Vec<u8> {
        let mut shape = Vec::new();
        for parameter in &self.parameters {
            let mut own = Vec::new();
            integer(&mut own, 2, u64::from(parameter.dtype));
            parameter.dims.iter().for_each(|&dim| integer(&mut own, 3, dim as u64));
            message(&mut shape, 1, &own);
        }
        let mut aliases = Vec::new();
        for &alias in &self.aliases {
            let mut own = Vec::new();
            integer(&mut own, 2, alias as u64);
            message(&mut aliases, 1, &own);
        }
        let (mut module, mut all) = (Vec::new(), Vec::new());
        message(&mut module, 4, &shape);
        message(&mut module, 8, &aliases);
        message(&mut all, 1, &module);
        all
    }
}

/// Shapes separated by commas outside of brackets.
fn shapes(text: &str) -> Option<Vec<Shape>> {
    let parts = text.split_inclusive(']').map(|part| part.trim().trim_start_matches(','));
    parts.filter(|part| !part.trim().is_empty()).map(Shape::parse).collect()
}

fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn integer(out: &mut Vec<u8>, field: u64, value: u64) {
    varint(out, field << 3);
    varint(out, value);
}

fn message(out: &mut Vec<u8>, field: u64, bytes: &[u8]) {
    varint(out, field << 3 | 2);
    varint(out, bytes.len() as u64);
    out.extend(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_program() {
        let program =
            Program::parse("add(f32[2, 3], f32[2,3]) -> f32[2,3] alias 0 on 2").expect("a program");
        assert_eq!(
            (program.op.as_str(), program.devices, &*program.aliases),
            ("add", 2, &[0usize][..])
        );
        assert_eq!(program.parameters[1].dims, [2, 3]);
        assert_eq!(program.result_ranks, [2]);
        let empty = Program::parse("identity() -> ").expect("a program");
        assert!(empty.parameters.is_empty() && empty.results.is_empty());
        assert!(Program::parse("module {}").is_err());
    }
}
