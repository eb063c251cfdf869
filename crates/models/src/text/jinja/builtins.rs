//! Every filter, test and function that a template can use, with its cost.

use super::{
    budget::{Budget, ELEMENT},
    engine_filters, guard, kinds, methods, operators, refused,
};
use minijinja::{Environment, Error, ErrorKind, Value, functions, tests, value::Rest};
use minijinja_contrib::globals;
use std::time::SystemTime;

/// The length limit of `range`, as in the engine.
const RANGE: i128 = 100_000;
/// The length limit of a date format in bytes; each byte may expand to a few.
const DATE: usize = 256;
/// The length limit of a template's own message in characters.
const MESSAGE: usize = 1_000;

/// Adds the supported filters, tests and functions. An initially empty environment has no others.
pub(super) fn add(environment: &mut Environment<'_>, budget: &Budget, time: Option<SystemTime>) {
    engine_filters::add(environment, budget);
    add_tests(environment);
    add_functions(environment, budget, time);
    add_operators(environment, budget);
    let budget = budget.clone();
    environment.set_unknown_method_callback(move |_, value, name, args| {
        methods::call(&budget, value, name, args)
    });
}

/// Adds the tests of [`kinds`] and of the engine: no test creates a value, and each inspects its
/// arguments once.
fn add_tests(environment: &mut Environment<'_>) {
    for (name, test) in kinds::ALL {
        environment.add_test(name, test);
    }
    environment.add_test("undefined", tests::is_undefined);
    environment.add_test("defined", tests::is_defined);
    environment.add_test("none", tests::is_none);
    environment.add_test("safe", tests::is_safe);
    environment.add_test("escaped", tests::is_safe);
    environment.add_test("boolean", tests::is_boolean);
    environment.add_test("odd", tests::is_odd);
    environment.add_test("even", tests::is_even);
    environment.add_test("divisibleby", tests::is_divisibleby);
    environment.add_test("string", tests::is_string);
    environment.add_test("startingwith", tests::is_startingwith);
    environment.add_test("endingwith", tests::is_endingwith);
    environment.add_test("sameas", tests::is_sameas);
    for name in ["eq", "equalto", "=="] {
        environment.add_test(name, tests::is_eq);
    }
    for name in ["ne", "!="] {
        environment.add_test(name, tests::is_ne);
    }
    for name in ["lt", "lessthan", "<"] {
        environment.add_test(name, tests::is_lt);
    }
    for name in ["le", "<="] {
        environment.add_test(name, tests::is_le);
    }
    for name in ["gt", "greaterthan", ">"] {
        environment.add_test(name, tests::is_gt);
    }
    for name in ["ge", ">="] {
        environment.add_test(name, tests::is_ge);
    }
    environment.add_test("in", tests::is_in);
    environment.add_test("true", tests::is_true);
    environment.add_test("false", tests::is_false);
    environment.add_test("filter", tests::is_filter);
    environment.add_test("test", tests::is_test);
}

/// Adds the functions of the engine and of `transformers`, except `debug`, which prints the
/// engine's state.
fn add_functions(environment: &mut Environment<'_>, budget: &Budget, time: Option<SystemTime>) {
    environment.add_function("dict", functions::dict);
    environment.add_function("namespace", functions::namespace);
    environment.add_function("joiner", globals::joiner);
    environment.add_function("cycler", |items: Rest<Value>| globals::cycler(items.to_vec()));
    environment.add_function("raise_exception", raise_exception);
    environment.add_function("strftime_now", move |format: &str| strftime(format, time));
    let budget = budget.clone();
    environment.add_function("range", move |first: i64, second: Option<i64>, step: Option<i64>| {
        let (start, end) = second.map_or((0, first), |second| (first, second));
        range(&budget, start.into(), end.into(), step.unwrap_or(1).into())
    });
}

/// Adds the operators that [`guard`] inserts into the tree.
fn add_operators(environment: &mut Environment<'_>, budget: &Budget) {
    let [settle, open, multiply, slice, add, modulo, format, concatenate] =
        std::array::from_fn(|_| budget.clone());
    environment.add_filter(guard::SETTLE, move |value: Value| settle.settle(value));
    environment.add_filter(guard::OPEN, move |value: Value| open.open(value));
    environment.add_filter(guard::ITERATE, |value: Value| {
        if value.is_none() { Err(refused("None is not iterable")) } else { Ok(value) }
    });
    environment.add_filter(guard::MULTIPLY, move |left: &Value, right: &Value| {
        operators::multiply(&multiply, left, right)
    });
    environment.add_filter(guard::ADD, move |left: &Value, right: &Value| {
        operators::add(&add, left, right)
    });
    environment.add_filter(guard::FLOOR_DIVIDE, operators::floor_divide);
    environment.add_filter(guard::MODULO, move |left: &Value, right: &Value| {
        operators::modulo(&modulo, left, right)
    });
    environment.add_filter(guard::FORMAT, move |left: &Value, right: &Value| {
        operators::format(&format, left, right)
    });
    environment.add_filter(guard::CONCATENATE, move |left: &Value, right: &Value| {
        operators::concatenate(&concatenate, left, right)
    });
    environment
        .add_filter(guard::ATTRIBUTE, |value: &Value, name: &str| methods::attribute(value, name));
    environment.add_filter(guard::ITEM, |value: &Value, name: &str| methods::item(value, name));
    environment.add_filter(
        guard::SLICE,
        move |value: &Value, start: &Value, stop: &Value, step: &Value| {
            operators::slice(&slice, value, start, stop, step)
        },
    );
}

fn range(budget: &Budget, start: i128, end: i128, step: i128) -> Result<Value, Error> {
    let len = match step {
        0 => return Err(refused("cannot create range with step of 0")),
        1.. => (end - start).max(0).div_euclid(step) + i128::from((end - start).max(0) % step > 0),
        _ => (start - end).max(0).div_euclid(-step) + i128::from((start - end).max(0) % -step > 0),
    };
    if len > RANGE {
        return Err(refused(format!(
            "makes a range of {len} numbers; at most {RANGE} are possible"
        )));
    }
    budget.charge(ELEMENT * len as u64)?;
    Ok((0..len).map(|at| Value::from((start + at * step) as i64)).collect())
}

fn raise_exception(message: &Value) -> Result<String, Error> {
    let text = message
        .as_str()
        .map_or_else(|| format!("an exception with a {}", message.kind()), str::to_owned);
    Err(Error::new(ErrorKind::InvalidOperation, text.chars().take(MESSAGE).collect::<String>()))
}

/// `strftime` of a time in UTC, or of now in the zone of the machine.
fn strftime(format: &str, time: Option<SystemTime>) -> Result<String, Error> {
    if format.len() > DATE {
        return Err(refused(format!(
            "formats the date by {} bytes; at most {DATE} are possible",
            format.len()
        )));
    }
    let time = match time {
        Some(time) => jiff::Timestamp::try_from(time)
            .map_err(|error| refused(error.to_string()))?
            .to_zoned(jiff::tz::TimeZone::UTC),
        None => jiff::Zoned::now(),
    };
    jiff::fmt::strtime::format(format, &time).map_err(|error| refused(error.to_string()))
}
