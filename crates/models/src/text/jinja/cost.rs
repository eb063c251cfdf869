//! Costs of filters and methods beyond the sizes of their arguments.

use super::{
    budget::{Budget, ELEMENT},
    refused,
};
use minijinja::{Error, Value, value::ValueKind};

/// The largest width or precision of a format. The engine's own formatting fails at 65,536.
const WIDTH: u64 = 4_096;

/// An upper bound of the cost in bytes of a call with these arguments.
pub(super) type Cost = fn(&Budget, &[Value]) -> Result<u64, Error>;

/// No additional cost: the arguments have been charged.
pub(super) fn linear(_: &Budget, _: &[Value]) -> Result<u64, Error> {
    Ok(0)
}

/// A list with an element for each character, line or item.
pub(super) fn listing(_: &Budget, args: &[Value]) -> Result<u64, Error> {
    Ok(ELEMENT.saturating_mul(1 + count(args)))
}

/// Comparisons of the items with each other, by attributes whose path is an argument.
pub(super) fn sorting(budget: &Budget, args: &[Value]) -> Result<u64, Error> {
    let paths = args.get(1..).unwrap_or_default().iter().map(|arg| budget.weigh(arg));
    let paths: u64 = paths.sum::<Result<u64, Error>>()?;
    let items = match args.first() {
        Some(value) => budget.weigh(value)?,
        None => 0,
    };
    // The number of rounds of a sort of the largest list that the budget allows.
    Ok(listing(budget, args)?
        .saturating_add(32 * items)
        .saturating_add(32u64.saturating_mul(count(args)).saturating_mul(paths)))
}

/// A call for each item, with all other arguments.
pub(super) fn each(budget: &Budget, args: &[Value]) -> Result<u64, Error> {
    let others = args.get(1..).unwrap_or_default().iter().map(|arg| budget.weigh(arg));
    let others: u64 = others.sum::<Result<u64, Error>>()?;
    let items = count(args);
    Ok(listing(budget, args)?.saturating_add(items.saturating_mul(others)))
}

/// `batch(items, count, fill)` and `slice(items, count, fill)`.
pub(super) fn dividing(_: &Budget, args: &[Value]) -> Result<u64, Error> {
    let parts = largest(args.get(1..).unwrap_or_default());
    Ok((2 * ELEMENT).saturating_mul(count(args).saturating_add(parts)))
}

/// `"%5.2f" | format(..)`.
pub(super) fn percent_format(budget: &Budget, args: &[Value]) -> Result<u64, Error> {
    let pattern = text(args, 0).unwrap_or_default();
    let mut fields = 0;
    let mut rest = pattern;
    while let Some(at) = rest.find('%') {
        fields += 1;
        rest = &rest[at + 1..];
        if rest.starts_with('(') {
            rest = rest.split_once(')').map_or("", |(_, behind)| behind);
        }
        let end = rest.find(|c: char| !"-+ #0123456789.*hlL".contains(c)).unwrap_or(rest.len());
        widths(&rest[..end], rest[..end].contains('*'), args)?;
        rest = &rest[end..];
        // `%%` is one field.
        rest = rest.strip_prefix('%').unwrap_or(rest);
    }
    formatted(budget, fields, args)
}

/// `"{:>5}".format(..)`.
pub(super) fn brace_format(budget: &Budget, args: &[Value]) -> Result<u64, Error> {
    let pattern = text(args, 0).unwrap_or_default();
    let mut fields = 0;
    for field in pattern.split('{').skip(1) {
        fields += 1;
        let spec = field.split('}').next().unwrap_or_default();
        // A nested field specifies the width.
        widths(spec, !field.contains('}'), args)?;
    }
    formatted(budget, fields, args)
}

/// Rejects widths that are too large, both in fields and in arguments.
fn widths(spec: &str, from_arguments: bool, args: &[Value]) -> Result<(), Error> {
    let written = spec.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty());
    let widest = written.map(|digits| digits.parse().unwrap_or(u64::MAX)).max().unwrap_or(0);
    let given = if from_arguments { largest(args.get(1..).unwrap_or_default()) } else { 0 };
    match widest.max(given) {
        width if width > WIDTH => Err(refused(format!(
            "formats with a width or precision of {width}; at most {WIDTH} is possible"
        ))),
        _ => Ok(()),
    }
}

fn formatted(budget: &Budget, fields: u64, args: &[Value]) -> Result<u64, Error> {
    let mut most: u64 = 2 * WIDTH;
    for arg in args.get(1..).unwrap_or_default() {
        most = most.saturating_add(budget.weigh(arg)?.saturating_mul(6));
    }
    Ok(fields.saturating_mul(most))
}

/// An upper bound of the number of items of a list, or of characters of a text.
fn count(args: &[Value]) -> u64 {
    match args.first() {
        Some(value) if value.kind() == ValueKind::String => {
            value.as_str().map_or(0, |text| text.len() as u64 + 2)
        }
        Some(value) => value.len().unwrap_or(0) as u64,
        None => 0,
    }
}

fn text(args: &[Value], at: usize) -> Option<&str> {
    args.get(at)?.as_str()
}

/// The largest number among the arguments, including keyword arguments.
fn largest(args: &[Value]) -> u64 {
    let number = |value: &Value| match i128::try_from(value.clone()) {
        Ok(number) => u64::try_from(number.unsigned_abs()).unwrap_or(u64::MAX),
        Err(_) => 0,
    };
    let named = |value: &Value| {
        let pairs = value
            .as_object()
            .filter(|_| value.kind() == ValueKind::Map)
            .and_then(|map| map.try_iter_pairs());
        pairs.into_iter().flatten().map(|(_, value)| number(&value)).max().unwrap_or(0)
    };
    args.iter().map(|value| number(value).max(named(value))).max().unwrap_or(0)
}
