//! Filters that compute numbers.

use super::{
    arguments::Arguments,
    budget::Budget,
    characters,
    filters::{attribute, list},
    operators, refused,
};
use minijinja::{Error, Value, value::ValueKind};

pub(super) fn sum(budget: &Budget, args: &Arguments<'_>) -> Result<Value, Error> {
    let items = list(budget, args.value(0)?)?;
    let path = args.get(1).and_then(Value::as_str).map_or(0, str::len);
    budget.charge((items.len() as u64).saturating_mul(path as u64))?;
    let start = args.get(2).cloned().unwrap_or(Value::from(0));
    items
        .into_iter()
        .try_fold(start, |sum, item| operators::add(budget, &sum, &attribute(item, args.get(1))?))
}

pub(super) fn int(_: &Budget, args: &Arguments<'_>) -> Result<Value, Error> {
    let value = args.value(0)?;
    let base = args.integer(2)?.and_then(|base| u32::try_from(base).ok()).unwrap_or(10);
    let found = match value.kind() {
        ValueKind::String => {
            let text = characters::stripped(value.as_str().unwrap_or_default(), None, true, true);
            let digits = text.replace('_', "");
            let digits = match base {
                2 => digits.trim_start_matches("0b"),
                8 => digits.trim_start_matches("0o"),
                16 => digits.trim_start_matches("0x"),
                _ => &digits,
            };
            let whole = (2..=36).contains(&base).then(|| i128::from_str_radix(digits, base).ok());
            whole.flatten().or_else(|| whole_part(text.parse().ok()?))
        }
        ValueKind::Bool => Some(i128::from(value.is_true())),
        ValueKind::Number if value.is_integer() => return Ok(value.clone()),
        ValueKind::Number => f64::try_from(value.clone()).ok().and_then(whole_part),
        ValueKind::Undefined => return Err(refused("an undefined value is not a number")),
        _ => None,
    };
    let small = |whole| i64::try_from(whole).map_or(Value::from(whole), Value::from);
    Ok(found.map_or_else(|| args.get(1).cloned().unwrap_or(Value::from(0)), small))
}

fn whole_part(value: f64) -> Option<i128> {
    // The engine has no integers for larger floats.
    (value.abs() < 1e38).then_some(value as i128)
}

pub(super) fn float(_: &Budget, args: &Arguments<'_>) -> Result<Value, Error> {
    let value = args.value(0)?;
    let found = match value.kind() {
        ValueKind::String => {
            let text = characters::stripped(value.as_str().unwrap_or_default(), None, true, true);
            text.replace('_', "").parse::<f64>().ok()
        }
        ValueKind::Bool => Some(f64::from(u8::from(value.is_true()))),
        ValueKind::Number => f64::try_from(value.clone()).ok(),
        ValueKind::Undefined => return Err(refused("an undefined value is not a number")),
        _ => None,
    };
    let default = || args.get(1).cloned().unwrap_or(Value::from(0.0));
    Ok(found.map_or_else(default, Value::from))
}

pub(super) fn round(_: &Budget, args: &Arguments<'_>) -> Result<Value, Error> {
    let (value, method) = (args.value(0)?, args.optional_text(2)?.unwrap_or("common"));
    let precision = args.integer(1)?.unwrap_or(0).clamp(-400, 400) as i32;
    let Some(number) = f64::try_from(value.clone()).ok().filter(|_| value.is_number()) else {
        return Err(refused(format!("cannot round a value of type {}", value.kind())));
    };
    let power = 10f64.powi(precision);
    Ok(match method {
        "common" if value.is_integer() && precision >= 0 => value.clone(),
        // Rounds the exact decimal, with halves to even.
        "common" if precision >= 0 => {
            let rounded = format!("{number:.*}", precision as usize);
            Value::from(rounded.parse().unwrap_or(number))
        }
        "common" => {
            let rounded = (number * power).round_ties_even() / power;
            if value.is_integer() { Value::from(rounded as i64) } else { Value::from(rounded) }
        }
        "ceil" => Value::from((number * power).ceil() / power),
        "floor" => Value::from((number * power).floor() / power),
        _ => {
            return Err(refused(format!("rounds by `{method}`; common, ceil and floor are known")));
        }
    })
}

pub(super) fn abs(_: &Budget, args: &Arguments<'_>) -> Result<Value, Error> {
    minijinja::filters::abs(args.value(0)?.clone())
}
