//! Every filter, test and function that a template can use, with its cost.

use super::{
    budget::{Budget, ELEMENT},
    cost::{self, Cost},
    guard, methods, operators, refused,
};
use crate::text::python_json;
use minijinja::{
    Environment, Error, ErrorKind, State, Value, filters, functions, tests,
    value::{Kwargs, Rest},
};

/// The length limit of `range`, as in the engine.
const RANGE: i128 = 100_000;
/// The largest indent of `tojson`.
const INDENT: usize = 64;
/// The length limit of a date format in bytes, each of which may expand to a few.
const DATE: usize = 256;
/// The length limit of a template's own message in characters.
const MESSAGE: usize = 1_000;

/// Adds the supported filters, tests and functions. An initially empty environment has no others.
pub(super) fn add(environment: &mut Environment<'_>, budget: &Budget) {
    add_filters(environment, budget);
    add_tests(environment);
    add_functions(environment, budget);
    add_operators(environment, budget);
    let budget = budget.clone();
    environment.set_unknown_method_callback(move |state, value, name, args| {
        methods::call(&budget, state, value, name, args)
    });
}

/// The engine's filters, except `chain` and `zip`, which are specific to this engine and lazy.
fn add_filters(environment: &mut Environment<'_>, budget: &Budget) {
    let table: Vec<(&'static str, Value, Cost)> = vec![
        ("safe", Value::from_function(filters::safe), cost::linear),
        ("escape", Value::from_function(filters::escape), cost::printing),
        ("e", Value::from_function(filters::escape), cost::printing),
        ("lower", Value::from_function(filters::lower), cost::widening),
        ("upper", Value::from_function(filters::upper), cost::widening),
        ("title", Value::from_function(filters::title), cost::widening),
        ("capitalize", Value::from_function(filters::capitalize), cost::widening),
        ("replace", Value::from_function(filters::replace), cost::replacing),
        ("length", Value::from_function(filters::length), cost::linear),
        ("count", Value::from_function(filters::length), cost::linear),
        ("dictsort", Value::from_function(filters::dictsort), cost::sorting),
        ("items", Value::from_function(filters::items), cost::linear),
        ("reverse", Value::from_function(filters::reverse), cost::linear),
        ("trim", Value::from_function(filters::trim), cost::trimming),
        ("join", Value::from_function(filters::join), cost::joining),
        ("split", Value::from_function(filters::split), cost::listing),
        ("lines", Value::from_function(filters::lines), cost::listing),
        ("default", Value::from_function(filters::default), cost::linear),
        ("d", Value::from_function(filters::default), cost::linear),
        ("round", Value::from_function(filters::round), cost::linear),
        ("abs", Value::from_function(filters::abs), cost::linear),
        ("int", Value::from_function(filters::int), cost::linear),
        ("float", Value::from_function(filters::float), cost::linear),
        ("attr", Value::from_function(filters::attr), cost::linear),
        ("first", Value::from_function(filters::first), cost::linear),
        ("last", Value::from_function(filters::last), cost::linear),
        ("min", Value::from_function(filters::min), cost::sorting),
        ("max", Value::from_function(filters::max), cost::sorting),
        ("sort", Value::from_function(filters::sort), cost::sorting),
        ("list", Value::from_function(filters::list), cost::listing),
        ("string", Value::from_function(filters::string), cost::printing),
        ("bool", Value::from_function(filters::bool), cost::linear),
        ("batch", Value::from_function(filters::batch), cost::dividing),
        ("slice", Value::from_function(filters::slice), cost::dividing),
        ("sum", Value::from_function(filters::sum), cost::linear),
        ("indent", Value::from_function(filters::indent), cost::indenting),
        ("select", Value::from_function(filters::select), cost::each),
        ("reject", Value::from_function(filters::reject), cost::each),
        ("selectattr", Value::from_function(filters::selectattr), cost::each),
        ("rejectattr", Value::from_function(filters::rejectattr), cost::each),
        ("map", Value::from_function(filters::map), cost::each),
        ("groupby", Value::from_function(filters::groupby), cost::sorting),
        ("unique", Value::from_function(filters::unique), cost::sorting),
        ("pprint", Value::from_function(filters::pprint), cost::printing),
        ("format", Value::from_function(filters::format), cost::percent_format),
    ];
    for (name, filter, cost) in table {
        let budget = budget.clone();
        environment.add_filter(
            name,
            move |state: &State, args: Rest<Value>| -> Result<Value, Error> {
                budget.charge(cost(&budget, &args)?)?;
                filter.call(state, &args)
            },
        );
    }
    let budget = budget.clone();
    environment.add_filter("tojson", move |value: &Value, options: Kwargs| {
        to_json(&budget, value, options)
    });
}

/// The engine's tests: none builds a value, and each inspects its arguments once.
fn add_tests(environment: &mut Environment<'_>) {
    environment.add_test("undefined", tests::is_undefined);
    environment.add_test("defined", tests::is_defined);
    environment.add_test("none", tests::is_none);
    environment.add_test("safe", tests::is_safe);
    environment.add_test("escaped", tests::is_safe);
    environment.add_test("boolean", tests::is_boolean);
    environment.add_test("odd", tests::is_odd);
    environment.add_test("even", tests::is_even);
    environment.add_test("divisibleby", tests::is_divisibleby);
    environment.add_test("number", tests::is_number);
    environment.add_test("integer", tests::is_integer);
    environment.add_test("int", tests::is_integer);
    environment.add_test("float", tests::is_float);
    environment.add_test("string", tests::is_string);
    environment.add_test("sequence", tests::is_sequence);
    environment.add_test("iterable", tests::is_iterable);
    environment.add_test("mapping", tests::is_mapping);
    environment.add_test("startingwith", tests::is_startingwith);
    environment.add_test("endingwith", tests::is_endingwith);
    environment.add_test("lower", tests::is_lower);
    environment.add_test("upper", tests::is_upper);
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

/// Functions of the engine and of `transformers`, except `debug`, which prints the engine's state.
fn add_functions(environment: &mut Environment<'_>, budget: &Budget) {
    environment.add_function("dict", functions::dict);
    environment.add_function("namespace", functions::namespace);
    environment.add_function("raise_exception", raise_exception);
    environment.add_function("strftime_now", strftime_now);
    let budget = budget.clone();
    environment.add_function("range", move |first: i64, second: Option<i64>, step: Option<i64>| {
        let (start, end) = second.map_or((0, first), |second| (first, second));
        range(&budget, start.into(), end.into(), step.unwrap_or(1).into())
    });
}

/// The operators that [`guard`] inserts into the tree.
fn add_operators(environment: &mut Environment<'_>, budget: &Budget) {
    let (settle, open, multiply, slice) =
        (budget.clone(), budget.clone(), budget.clone(), budget.clone());
    environment.add_filter(guard::SETTLE, move |value: Value| settle.settle(value));
    environment.add_filter(guard::OPEN, move |value: Value| open.open(value));
    environment.add_filter(guard::MULTIPLY, move |left: &Value, right: &Value| {
        operators::multiply(&multiply, left, right)
    });
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

fn strftime_now(format: &str) -> Result<String, Error> {
    if format.len() > DATE {
        return Err(refused(format!(
            "formats the date by {} bytes; at most {DATE} are possible",
            format.len()
        )));
    }
    let now = jiff::fmt::strtime::format(format, &jiff::Zoned::now());
    now.map_err(|error| refused(error.to_string()))
}

fn to_json(budget: &Budget, value: &Value, options: Kwargs) -> Result<String, Error> {
    let indent: Option<usize> = options.get("indent")?;
    // Accepted for templates that state the defaults.
    let _: Option<bool> = options.get("ensure_ascii")?;
    options.assert_all_used()?;
    let spaces = indent.unwrap_or(0);
    if spaces > INDENT {
        return Err(refused(format!(
            "writes JSON with an indent of {spaces}; at most {INDENT} is possible"
        )));
    }
    // Six bytes for an escaped character; an element adds its line's spaces, for each level.
    budget.charge(budget.weigh(value)?.saturating_mul(6 + 2 * spaces as u64))?;
    let json = python_json::write(value, indent);
    json.map_err(|error| Error::new(ErrorKind::BadSerialization, error.to_string()))
}
