//! Operators whose results can be larger than their operands or lazy, or that the engine computes
//! differently from Python.

use super::{
    budget::{Budget, ELEMENT},
    filters, refused,
};
use minijinja::{Error, ErrorKind, Value, value::ValueKind};

/// `left * right`: a product of numbers, or a repeated text or list.
///
/// # Errors
/// The operands cannot be multiplied, the product is too large, or the budget is exhausted.
pub(super) fn multiply(budget: &Budget, left: &Value, right: &Value) -> Result<Value, Error> {
    let repeatable = |value: &Value| matches!(value.kind(), ValueKind::String | ValueKind::Seq);
    let (repeated, count) = if repeatable(left) { (left, right) } else { (right, left) };
    if !repeatable(repeated) {
        return numbers("*", left, right, i128::checked_mul, |a, b| Some(a * b));
    }
    // A negative count is zero, as in Python.
    let count = match i128::try_from(count.clone()) {
        Ok(count) if count.is_positive() => usize::try_from(count).unwrap_or(usize::MAX),
        Ok(_) => 0,
        Err(_) => return Err(unfit("*", left, right)),
    };
    let size = if let Some(text) = repeated.as_str() {
        text.len() as u64
    } else {
        ELEMENT * repeated.len().unwrap_or(0) as u64
    };
    // Repeating an empty value costs too.
    budget.charge(size.max(1).saturating_mul(count as u64))?;
    if let Some(text) = repeated.as_str() {
        return Ok(Value::from(text.repeat(count)));
    }
    let items: Vec<Value> = repeated.try_iter()?.collect();
    let len = items.len() * count;
    Ok(Value::from(items.into_iter().cycle().take(len).collect::<Vec<_>>()))
}

/// `left + right` of numbers, texts or lists.
///
/// # Errors
/// The operands cannot be added, the sum is too large, or the budget is exhausted.
pub(super) fn add(budget: &Budget, left: &Value, right: &Value) -> Result<Value, Error> {
    if let (Some(a), Some(b)) = (left.as_str(), right.as_str()) {
        budget.charge((a.len() + b.len()) as u64)?;
        return Ok(match (left.is_safe(), right.is_safe()) {
            (false, false) => Value::from([a, b].concat()),
            (true, true) => Value::from_safe_string([a, b].concat()),
            // A text marked as safe escapes the other one.
            (true, false) => Value::from_safe_string([a, &escaped(budget, b)?].concat()),
            (false, true) => Value::from_safe_string([&escaped(budget, a)?, b].concat()),
        });
    }
    if left.kind() == ValueKind::Seq && right.kind() == ValueKind::Seq {
        let len = left.len().unwrap_or(0).saturating_add(right.len().unwrap_or(0));
        budget.charge(ELEMENT.saturating_mul(len as u64))?;
        return Ok(left.try_iter()?.chain(right.try_iter()?).collect::<Vec<_>>().into());
    }
    numbers("+", left, right, i128::checked_add, |a, b| Some(a + b))
}

/// `left // right`, rounded down.
///
/// # Errors
/// The operands are not numbers, or the right one is 0.
pub(super) fn floor_divide(left: &Value, right: &Value) -> Result<Value, Error> {
    let whole = |a: i128, b: i128| {
        let quotient = a.checked_div(b)?;
        Some(if a % b != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient })
    };
    numbers("//", left, right, whole, |a, b| (b != 0.0).then(|| (a / b).floor()))
}

/// `left % right`: the remainder with the sign of the right number, or a formatted text.
///
/// # Errors
/// The operands do not fit, the right number is 0, or the budget is exhausted.
pub(super) fn modulo(budget: &Budget, left: &Value, right: &Value) -> Result<Value, Error> {
    if let Some(pattern) = left.as_str() {
        return filters::percent_format(budget, pattern, std::slice::from_ref(right));
    }
    let whole = |a: i128, b: i128| {
        let rest = a.checked_rem(b)?;
        Some(if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest })
    };
    numbers("%", left, right, whole, |a, b| {
        let rest = if b == 0.0 { return None } else { a % b };
        Some(if rest != 0.0 && (rest < 0.0) != (b < 0.0) { rest + b } else { rest })
    })
}

/// `left % (..)`: a text formatted by the items of a list, or the error of [`modulo`].
///
/// # Errors
/// As [`modulo`].
pub(super) fn format(budget: &Budget, left: &Value, right: &Value) -> Result<Value, Error> {
    match left.as_str() {
        Some(pattern) => filters::percent_format(budget, pattern, &filters::list(budget, right)?),
        None => modulo(budget, left, right),
    }
}

/// `left ~ right` as Python's texts.
///
/// # Errors
/// Python prints the address of an operand, or the budget is exhausted.
pub(super) fn concatenate(budget: &Budget, left: &Value, right: &Value) -> Result<Value, Error> {
    let (a, b) = (filters::printed(budget, left)?, filters::printed(budget, right)?);
    budget.charge((a.len() + b.len()) as u64)?;
    Ok(Value::from([a, b].concat()))
}

/// A text as markup that prints it.
fn escaped(budget: &Budget, text: &str) -> Result<String, Error> {
    budget.charge(6 * text.len() as u64)?;
    Ok(filters::markup(text))
}

/// Computes with two numbers; booleans count as 0 and 1, as in Python.
fn numbers(
    operator: &str,
    left: &Value,
    right: &Value,
    whole: impl Fn(i128, i128) -> Option<i128>,
    float: impl Fn(f64, f64) -> Option<f64>,
) -> Result<Value, Error> {
    let is = |value: &Value| matches!(value.kind(), ValueKind::Number | ValueKind::Bool);
    let integer = |value: &Value| {
        if value.is_number() && !value.is_integer() {
            None
        } else {
            i128::try_from(value.clone()).ok()
        }
    };
    if !is(left) || !is(right) {
        return Err(unfit(operator, left, right));
    }
    let found = match (integer(left), integer(right)) {
        (Some(a), Some(b)) => {
            whole(a, b).map(|found| i64::try_from(found).map_or(Value::from(found), Value::from))
        }
        _ => match (f64::try_from(left.clone()), f64::try_from(right.clone())) {
            (Ok(a), Ok(b)) => float(a, b).map(Value::from),
            _ => None,
        },
    };
    found.ok_or_else(|| refused(format!("unable to calculate {left} {operator} {right}")))
}

fn unfit(operator: &str, left: &Value, right: &Value) -> Error {
    refused(format!(
        "tried to use {operator} operator on unsupported types {} and {}",
        left.kind(),
        right.kind()
    ))
}

/// `value[start:stop:step]` of a text or a list, as in Python; each bound may be `none`.
///
/// # Errors
/// The value cannot be sliced, a bound is not an integer, the step is 0, or the budget is
/// exhausted.
pub(super) fn slice(
    budget: &Budget,
    value: &Value,
    start: &Value,
    stop: &Value,
    step: &Value,
) -> Result<Value, Error> {
    let bound = |bound: &Value| {
        if bound.is_none() || bound.is_undefined() {
            Ok(None)
        } else {
            i128::try_from(bound.clone()).map(Some)
        }
    };
    let (start, stop, step) = (bound(start)?, bound(stop)?, bound(step)?.unwrap_or(1));
    if step == 0 {
        return Err(refused("cannot slice by step size of 0"));
    }
    match value.kind() {
        ValueKind::Undefined | ValueKind::None => Ok(Value::from(Vec::<Value>::new())),
        ValueKind::String => {
            let text = value.as_str().unwrap_or_default();
            budget.charge(4 * text.len() as u64)?;
            let chars: Vec<char> = text.chars().collect();
            Ok(Value::from(
                places(chars.len(), start, stop, step).map(|at| chars[at]).collect::<String>(),
            ))
        }
        ValueKind::Seq => {
            let items: Vec<Value> = value.try_iter()?.collect();
            Ok(Value::from(
                places(items.len(), start, stop, step)
                    .map(|at| items[at].clone())
                    .collect::<Vec<_>>(),
            ))
        }
        kind => Err(Error::new(
            ErrorKind::InvalidOperation,
            format!("value of type {kind} cannot be sliced"),
        )),
    }
}

/// The indices below `len` that a slice selects, in its order.
fn places(
    len: usize,
    start: Option<i128>,
    stop: Option<i128>,
    step: i128,
) -> impl Iterator<Item = usize> {
    let len = len as i128;
    let (lowest, highest) = if step > 0 { (0, len) } else { (-1, len - 1) };
    let clamp = |bound: i128| {
        if bound < 0 { bound.saturating_add(len).max(lowest) } else { bound.min(highest) }
    };
    let first = start.map_or(if step > 0 { lowest } else { highest }, clamp);
    let end = stop.map_or(if step > 0 { highest } else { lowest }, clamp);
    let next = move |at: &i128| at.checked_add(step);
    std::iter::successors(Some(first), next)
        .take_while(move |&at| if step > 0 { at < end } else { at > end })
        .map(|at| at as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_are_pythons() {
        // From Python 3: ''.join(map(str, list(range(5))[slice]))
        for (start, stop, step, expected) in [
            (None, None, 1, "01234"),
            (Some(1), Some(3), 1, "12"),
            (Some(-2), None, 1, "34"),
            (None, Some(-2), 1, "012"),
            (None, None, -1, "43210"),
            (None, None, -2, "420"),
            (Some(1), Some(2), -1, ""),
            (Some(3), Some(0), -1, "321"),
            (Some(-1), Some(-4), -2, "42"),
            (Some(9), None, -3, "41"),
            (Some(i128::MIN), Some(i128::MAX), 2, "024"),
            (Some(2), None, i128::MAX, "2"),
            (Some(2), None, i128::MIN, "2"),
        ] {
            let found: String = places(5, start, stop, step).map(|at| at.to_string()).collect();
            assert_eq!(found, expected, "{start:?}:{stop:?}:{step}");
        }
        assert_eq!(places(0, None, None, -1).count(), 0);
    }
}
