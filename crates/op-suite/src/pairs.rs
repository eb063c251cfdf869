//! Cases with their rows, and the choice of few of them.

use crate::{Case, Row};
use hloom::DType;
use std::collections::BTreeMap;

/// Each case with its row, in the order of the cases; those of products by element type.
///
/// # Errors
/// A case has no row, or two rows have one name.
pub fn pair<'a>(
    family: &str,
    rows: &'a [Row],
    cases: &'a [Case],
) -> Result<Vec<(&'a Row, &'a Case)>, String> {
    let by_name: BTreeMap<&str, &Row> = rows.iter().map(|row| (row.name, row)).collect();
    if by_name.len() != rows.len() {
        return Err(format!("{family}: {} rows have {} names", rows.len(), by_name.len()));
    }
    let with_row = |case: &'a Case| match by_name.get(case.row.as_str()) {
        Some(&row) => Ok((row, case)),
        None => Err(format!("{family}: case `{}` has no row `{}`", case.name, case.row)),
    };
    let mut pairs = cases.iter().map(with_row).collect::<Result<Vec<_>, _>>()?;
    if family == "dot" {
        pairs.sort_by_key(|(_, case)| case_dtype(case));
    }
    Ok(pairs)
}

/// For each row and element type, the case with the most elements.
pub fn largest<'a>(pairs: &[(&'a Row, &'a Case)]) -> Vec<(&'a Row, &'a Case)> {
    let mut largest: BTreeMap<(&str, DType), (&Row, &Case)> = BTreeMap::new();
    for &(row, case) in pairs {
        let known = largest.entry((row.name, case_dtype(case))).or_insert((row, case));
        if elements(case) > elements(known.1) {
            *known = (row, case);
        }
    }
    largest.into_values().collect()
}

/// The element type of a case: the first operand's, or the first result's.
///
/// # Panics
/// The case has neither.
pub fn case_dtype(case: &Case) -> DType {
    case.inputs.first().unwrap_or(&case.outputs[0]).shape.dtype()
}

fn elements(case: &Case) -> usize {
    case.inputs.iter().map(|x| x.shape.element_count()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EXACT, Values, rows};
    use hloom::Shape;

    fn case(row: &str, name: &str, dtype: DType, size: usize) -> Case {
        let shape = Shape::new(dtype, [size]).unwrap();
        let values = Values { shape, bytes: vec![0; shape.byte_size()] };
        Case {
            row: row.into(),
            name: name.into(),
            inputs: vec![values.clone()],
            outputs: vec![values],
        }
    }

    #[test]
    fn the_largest_case_of_each_row_and_type_is_chosen() {
        let rows = rows!["abs", EXACT, [x] => x.abs(); "neg", EXACT, [x] => -x;];
        let cases = [
            case("abs", "small", DType::F32, 1),
            case("abs", "large", DType::F32, 3),
            case("abs", "other", DType::F16, 2),
            case("neg", "only", DType::F32, 0),
        ];
        let pairs = pair("unary", &rows, &cases).unwrap();
        let mut names: Vec<&str> = largest(&pairs).iter().map(|(_, case)| &*case.name).collect();
        names.sort_unstable();
        assert_eq!(names, ["large", "only", "other"]);
    }

    #[test]
    fn a_case_without_a_row_is_an_error() {
        let rows = rows!["abs", EXACT, [x] => x.abs();];
        let cases = [case("exp", "some", DType::F32, 1)];
        let error = pair("unary", &rows, &cases).err().unwrap();
        assert_eq!(error, "unary: case `some` has no row `exp`");
        let twice = rows!["abs", EXACT, [x] => x.abs(); "abs", EXACT, [x] => x.abs();];
        assert_eq!(pair("unary", &twice, &[]).err().unwrap(), "unary: 2 rows have 1 names");
    }
}
