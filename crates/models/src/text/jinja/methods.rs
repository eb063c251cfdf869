//! Methods of Python's strings, lists and maps.

use super::{budget::Budget, cost};
use minijinja::{Error, State, Value, value::ValueKind};
use minijinja_contrib::pycompat::unknown_method_callback;

/// Calls a method. Its arguments have been charged, its receiver has not.
///
/// # Errors
/// There is no such method, it fails, or the budget is exhausted.
pub(super) fn call(
    budget: &Budget,
    state: &State,
    value: &Value,
    name: &str,
    args: &[Value],
) -> Result<Value, Error> {
    let with_receiver: Vec<Value> = std::iter::once(value).chain(args).cloned().collect();
    let cost: cost::Cost = match (value.kind(), name) {
        // Looks up one key; the other values are charged when they are used.
        (ValueKind::Map, _) => return unknown_method_callback(state, value, name, args),
        (ValueKind::String, "count") if args.first().and_then(Value::as_str) == Some("") => {
            // The library would loop forever on an empty search text.
            budget.weigh(value)?;
            let characters = value.as_str().map_or(0, |text| text.chars().count());
            return Ok(Value::from(characters + 1));
        }
        (ValueKind::String, "replace") => cost::replacing,
        (ValueKind::String, "format") => cost::brace_format,
        (ValueKind::String, "split" | "splitlines") => cost::listing,
        (ValueKind::String, "strip" | "lstrip" | "rstrip") => cost::trimming,
        (ValueKind::String, "upper" | "lower" | "title" | "capitalize") => cost::widening,
        (ValueKind::String, "join") => {
            let items_first: Vec<Value> = args.iter().take(1).chain([value]).cloned().collect();
            budget.charge(cost::joining(budget, &items_first)?)?;
            cost::linear
        }
        (ValueKind::String, "startswith" | "endswith") => cost::linear,
        _ => cost::each,
    };
    budget.weigh(value)?;
    budget.charge(cost(budget, &with_receiver)?)?;
    unknown_method_callback(state, value, name, args)
}
