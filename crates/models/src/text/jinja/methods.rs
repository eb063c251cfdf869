//! Methods of Python's values, and their lookup by attributes and items.

use super::{
    arguments::Arguments,
    budget::{Budget, ELEMENT},
    print, refused, strings,
};
use minijinja::{
    Error, ErrorKind, State, Value,
    value::{Object, ObjectRepr, ValueKind},
};
use std::sync::Arc;

/// The methods of maps. Methods that would change a map are refused, as in jinja2's sandbox.
const OF_MAPS: [&str; 11] = [
    "clear",
    "copy",
    "fromkeys",
    "get",
    "items",
    "keys",
    "pop",
    "popitem",
    "setdefault",
    "update",
    "values",
];
/// The methods of lists.
const OF_LISTS: [&str; 11] = [
    "append", "clear", "copy", "count", "extend", "index", "insert", "pop", "remove", "reverse",
    "sort",
];

/// Whether a value of some type has a method of this name.
pub(super) fn is_name(name: &str) -> bool {
    OF_MAPS.contains(&name) || OF_LISTS.contains(&name) || strings::METHODS.contains(&name)
}

/// Whether the value has this method.
fn has(value: &Value, name: &str) -> bool {
    match value.kind() {
        ValueKind::String => strings::METHODS.contains(&name),
        ValueKind::Seq | ValueKind::Iterable => OF_LISTS.contains(&name),
        ValueKind::Map => OF_MAPS.contains(&name) && !print::is_namespace(value),
        _ => false,
    }
}

/// A bound method: it is true as a condition, and can be called.
#[derive(Debug)]
struct Bound {
    value: Value,
    name: String,
}

impl Object for Bound {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn call(self: &Arc<Self>, state: &State<'_, '_>, args: &[Value]) -> Result<Value, Error> {
        self.value.call_method(state, &self.name, args)
    }
}

/// `value.name`: the method of this name before the item, as in jinja2.
///
/// # Errors
/// The value is undefined.
pub(super) fn attribute(value: &Value, name: &str) -> Result<Value, Error> {
    if has(value, name) {
        return Ok(Value::from_object(Bound { value: value.clone(), name: name.into() }));
    }
    value.get_attr(name)
}

/// `value['name']`: the item of this name before the method.
///
/// # Errors
/// The value is undefined.
pub(super) fn item(value: &Value, name: &str) -> Result<Value, Error> {
    let found = value.get_item(&Value::from(name))?;
    if found.is_undefined() { attribute(value, name) } else { Ok(found) }
}

/// Calls a method. Its arguments have been charged, its receiver has not.
///
/// # Errors
/// There is no such method, it fails, or the budget is exhausted.
pub(super) fn call(
    budget: &Budget,
    value: &Value,
    name: &str,
    args: &[Value],
) -> Result<Value, Error> {
    match value.kind() {
        ValueKind::String => {
            budget.weigh(value)?;
            strings::call(budget, value.as_str().unwrap_or_default(), name, args)
        }
        ValueKind::Map => of_map(budget, value, name, args),
        ValueKind::Seq | ValueKind::Iterable => of_list(budget, value, name, args),
        _ => Err(Error::from(ErrorKind::UnknownMethod)),
    }
}

/// Looks up one key, or lists the pairs; the values are charged when they are used.
fn of_map(budget: &Budget, value: &Value, name: &str, args: &[Value]) -> Result<Value, Error> {
    if !has(value, name) {
        return Err(Error::from(ErrorKind::UnknownMethod));
    }
    let bind = |names| Arguments::bind(name, names, args);
    match name {
        "get" => {
            let args = bind(&["key", "default"])?;
            let key = args.value(0)?;
            let found = value.as_object().and_then(|object| object.get_value(key));
            Ok(found.unwrap_or_else(|| args.get(1).cloned().unwrap_or(Value::from(()))))
        }
        "items" | "keys" | "values" | "copy" => {
            bind(&[])?;
            let len = value.len().unwrap_or(0) as u64;
            budget.charge((4 * ELEMENT).saturating_mul(1 + len))?;
            let pairs = value.as_object().and_then(|object| object.try_iter_pairs());
            let pairs = pairs.into_iter().flatten();
            Ok(match name {
                "items" => pairs.map(|(key, item)| print::pair(key, item)).collect(),
                "keys" => pairs.map(|(key, _)| key).collect(),
                "values" => pairs.map(|(_, item)| item).collect(),
                _ => value.clone(),
            })
        }
        _ => Err(changes(name)),
    }
}

fn of_list(budget: &Budget, value: &Value, name: &str, args: &[Value]) -> Result<Value, Error> {
    let bind = |names| Arguments::bind(name, names, args);
    match name {
        "count" | "index" => {
            let args = bind(&["value"])?;
            let wanted = args.value(0)?;
            // Each item is compared with the value.
            let len = value.len().unwrap_or(0) as u64;
            budget.charge(len.saturating_mul(budget.weigh(wanted)?))?;
            budget.weigh(value)?;
            let mut equal = value.try_iter()?.map(|item| item == *wanted);
            if name == "count" {
                return Ok(Value::from(equal.filter(|equal| *equal).count()));
            }
            let at = equal.position(|equal| equal);
            at.map(Value::from).ok_or_else(|| refused("the value is not in the list"))
        }
        "copy" => {
            bind(&[])?;
            Ok(value.clone())
        }
        _ if OF_LISTS.contains(&name) => Err(changes(name)),
        _ => Err(Error::from(ErrorKind::UnknownMethod)),
    }
}

fn changes(name: &str) -> Error {
    refused(format!("`{name}` changes a value, which a chat template must not"))
}
