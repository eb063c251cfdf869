//! The filter `tojson`, with the arguments of `transformers`.

use super::{
    arguments::Arguments,
    budget::Budget,
    filters::{list, printed},
    generator::Generator,
    refused,
};
use crate::text::python_json::{self, Layout};
use minijinja::{Error, Value, value::ValueKind};

/// The maximum indent of `tojson`, and the maximum length of a separator in bytes.
const INDENT: usize = 64;

pub(super) fn to_json(budget: &Budget, args: &Arguments<'_>) -> Result<Value, Error> {
    let value = args.value(0)?;
    let indent = match args.get(2) {
        Some(text) if text.as_str().is_some() => text.as_str().map(str::to_owned),
        _ => {
            let spaces = args.integer(2)?.map(|spaces| usize::try_from(spaces).unwrap_or(0));
            if let Some(spaces) = spaces.filter(|spaces| *spaces > INDENT) {
                return Err(refused(format!(
                    "writes JSON with an indent of {spaces}; at most {INDENT} is possible"
                )));
            }
            spaces.map(|spaces| " ".repeat(spaces))
        }
    };
    let (items, keys) = match args.get(3).filter(|pair| !pair.is_none()) {
        None => (if indent.is_some() { "," } else { ", " }.to_owned(), ": ".to_owned()),
        Some(pair) => {
            let parts: Vec<Value> = list(budget, pair)?;
            match &parts[..] {
                [items, keys] => (printed(budget, items)?.into(), printed(budget, keys)?.into()),
                _ => return Err(refused("`separators` of `tojson` has two texts")),
            }
        }
    };
    let longest = [&items, &keys].map(String::len).into_iter().max().unwrap_or(0)
        + indent.as_ref().map_or(0, String::len);
    if longest > 2 * INDENT {
        return Err(refused(format!("writes JSON with more than {INDENT} bytes between items")));
    }
    if contains_generator(value) {
        return Err(refused("writes a generator as JSON; `| list` makes a list of it"));
    }
    // Twelve bytes for an escaped character; an element adds its line's spaces, for each level.
    let each = 12 + 2 * longest as u64;
    budget.charge(budget.weigh(value)?.saturating_mul(each))?;
    let layout = Layout { items, keys, indent, ascii: args.flag(1), sorted: args.flag(4) };
    python_json::write(value, &layout).map(Value::from).map_err(refused)
}

/// Whether a value of bounded depth is a generator, or contains one.
fn contains_generator(value: &Value) -> bool {
    match value.kind() {
        ValueKind::Iterable => value.downcast_object_ref::<Generator>().is_some(),
        ValueKind::Seq => {
            value.try_iter().is_ok_and(|mut items| items.any(|item| contains_generator(&item)))
        }
        ValueKind::Map => {
            let pairs = value.as_object().and_then(|object| object.try_iter_pairs());
            pairs.into_iter().flatten().any(|(_, item)| contains_generator(&item))
        }
        _ => false,
    }
}
