//! The engine's filters that compute the same as those of jinja2, but differ in their arguments or
//! the type of the result.

use super::{
    arguments::Arguments,
    budget::Budget,
    cost::{self, Cost},
    filters,
    generator::Generator,
    print,
};
use minijinja::{
    Environment, Error, State, Value, filters as engine,
    value::{Kwargs, Rest},
};

/// The conversion of the result of an engine's filter to that of jinja2.
#[derive(Clone, Copy)]
enum Made {
    /// The same value.
    Alike,
    /// A generator of its items.
    Generator,
    /// A list of its pairs as tuples.
    Pairs,
    /// The first of its items, or the last.
    First,
    Last,
}
use Made::{Alike, First, Generator as Generated, Last, Pairs};

impl Made {
    fn from(self, value: Value) -> Result<Value, Error> {
        let mut items = match self {
            Alike => return Ok(value),
            _ => value.try_iter()?,
        };
        Ok(match self {
            Alike => items.collect(),
            Generated => Generator::of(items.collect()),
            Pairs => {
                let pair = |pair: Value| Ok(print::tuple(pair.try_iter()?.collect()));
                items.map(pair).collect::<Result<Vec<Value>, Error>>()?.into()
            }
            First => items.next().unwrap_or_default(),
            Last => items.last().unwrap_or_default(),
        })
    }
}

/// The way in which a filter of the engine takes the arguments after the value.
#[derive(Clone, Copy)]
enum Passing {
    /// Arguments are passed unchanged.
    AsWritten,
    /// Arguments are passed by position.
    ByPosition,
    /// Arguments are passed by name.
    ByName,
}
use Passing::{AsWritten, ByName, ByPosition};

/// Adds the filters of [`filters`], and those of the engine.
pub(super) fn add(environment: &mut Environment<'_>, budget: &Budget) {
    for (name, names, filter) in filters::ALL {
        let budget = budget.clone();
        environment.add_filter(name, move |args: Rest<Value>| -> Result<Value, Error> {
            filter(&budget, &Arguments::bind(name, names, &args)?)
        });
    }
    type Engine = (&'static str, Value, Passing, &'static [&'static str], Cost, Made);
    const SORT: &[&str] = &["value", "reverse", "case_sensitive", "attribute"];
    const UNIQUE: &[&str] = &["value", "case_sensitive", "attribute"];
    const PAIRS: &[&str] = &["value", "case_sensitive", "by", "reverse"];
    const BATCH: &[&str] = &["value", "linecount", "fill_with"];
    const SLICE: &[&str] = &["value", "slices", "fill_with"];
    let table: Vec<Engine> = vec![
        ("dictsort", Value::from_function(engine::dictsort), ByName, PAIRS, cost::sorting, Pairs),
        ("split", Value::from_function(engine::split), AsWritten, &[], cost::listing, Alike),
        ("lines", Value::from_function(engine::lines), AsWritten, &[], cost::listing, Alike),
        ("attr", Value::from_function(engine::attr), AsWritten, &[], cost::linear, Alike),
        ("min", Value::from_function(engine::sort), ByName, UNIQUE, cost::sorting, First),
        ("max", Value::from_function(engine::sort), ByName, UNIQUE, cost::sorting, Last),
        ("sort", Value::from_function(engine::sort), ByName, SORT, cost::sorting, Alike),
        ("bool", Value::from_function(engine::bool), AsWritten, &[], cost::linear, Alike),
        (
            "batch",
            Value::from_function(engine::batch),
            ByPosition,
            BATCH,
            cost::dividing,
            Generated,
        ),
        (
            "slice",
            Value::from_function(engine::slice),
            ByPosition,
            SLICE,
            cost::dividing,
            Generated,
        ),
        ("select", Value::from_function(engine::select), AsWritten, &[], cost::each, Generated),
        ("reject", Value::from_function(engine::reject), AsWritten, &[], cost::each, Generated),
        (
            "selectattr",
            Value::from_function(engine::selectattr),
            AsWritten,
            &[],
            cost::each,
            Generated,
        ),
        (
            "rejectattr",
            Value::from_function(engine::rejectattr),
            AsWritten,
            &[],
            cost::each,
            Generated,
        ),
        ("map", Value::from_function(engine::map), AsWritten, &[], cost::each, Generated),
        ("groupby", Value::from_function(engine::groupby), AsWritten, &[], cost::sorting, Alike),
        ("unique", Value::from_function(engine::unique), ByName, UNIQUE, cost::sorting, Generated),
    ];
    for (name, filter, passing, names, cost, made) in table {
        let budget = budget.clone();
        environment.add_filter(
            name,
            move |state: &State, args: Rest<Value>| -> Result<Value, Error> {
                budget.charge(cost(&budget, &args)?)?;
                let value = match passing {
                    AsWritten => filter.call(state, &args),
                    ByPosition => {
                        let args = Arguments::bind(name, names, &args)?;
                        let args = (0..names.len()).map_while(|at| args.get(at).cloned());
                        filter.call(state, &args.collect::<Vec<_>>())
                    }
                    ByName => {
                        let args = Arguments::bind(name, names, &args)?;
                        let pairs = names.iter().enumerate().skip(1);
                        let pairs = pairs.filter_map(|(at, name)| {
                            let value = args.get(at).filter(|value| !value.is_none())?;
                            Some((name.to_string(), value.clone()))
                        });
                        let named: Kwargs = pairs.collect();
                        filter.call(state, &[args.value(0)?.clone(), named.into()])
                    }
                };
                made.from(value?)
            },
        );
    }
    let format = budget.clone();
    environment.add_filter("format", move |pattern: &Value, args: Rest<Value>| {
        filters::percent_format(&format, &filters::printed(&format, pattern)?, &args)
    });
    let print = budget.clone();
    environment.add_filter("pprint", move |value: &Value| {
        filters::printed(&print, value).map(|text| text.into_owned())
    });
}
