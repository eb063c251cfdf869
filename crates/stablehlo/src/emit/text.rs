//! Prints a module as MLIR's text, with every op in its generic form.

use super::{
    Emitter, Location, Operation, Region, Value, Values,
    locations::Locations,
    syntax::{NamedAttribute, Separated},
};
use crate::{attribute::Attribute, types::Type};
use std::fmt::{self, Write};

/// A module being printed.
pub(crate) struct TextEmitter {
    values: Vec<Defined>,
    /// The text of each open region, the outermost first: that of the module itself.
    open: Vec<String>,
    ended: Vec<Option<String>>,
    locations: Locations,
}

/// A value with its type.
#[derive(Clone, Copy)]
struct Defined {
    r#type: Type,
    /// Whether it is an argument of a region.
    is_argument: bool,
}

/// A printed module.
pub(crate) struct Text {
    /// The locations that the body uses, one per line.
    locations: String,
    body: String,
}

/// The text before the number of a location.
const LOCATION: &str = " loc(#loc";

impl Text {
    pub fn with_locations(&self) -> String {
        [&*self.locations, &*self.body].concat()
    }

    pub fn without_locations(&self) -> String {
        let mut text = String::with_capacity(self.body.len());
        for line in self.body.lines() {
            let (before, after) = line.rsplit_once(LOCATION).unwrap_or((line, ""));
            let after = after.trim_start_matches(|c: char| c.is_ascii_digit());
            // Except at the end of a line, these characters are part of a string.
            match after {
                ")" | ")," | ")):" => text.extend([before, &after[1..]]),
                _ => text.push_str(line),
            }
            text.push('\n');
        }
        text
    }
}

impl TextEmitter {
    pub fn new() -> TextEmitter {
        TextEmitter {
            values: Vec::new(),
            open: vec![String::new()],
            ended: Vec::new(),
            locations: Locations::new(),
        }
    }

    /// The module with these attributes around its body.
    pub fn finish(mut self, attributes: &[(&'static str, Attribute<'_>)], body: Region) -> Text {
        self.operation(Operation {
            name: "builtin.module",
            operands: &[],
            results: &[],
            attributes,
            regions: vec![body],
            location: Location::UNKNOWN,
        });
        Text { locations: self.locations.lines, body: self.open.pop().unwrap_or_default() }
    }

    fn define(&mut self, types: impl ExactSizeIterator<Item = Type>, is_argument: bool) -> Values {
        let values = Values::after(self.values.len(), types.len());
        self.values.extend(types.map(|r#type| Defined { r#type, is_argument }));
        values
    }

    /// Appends to the open region.
    fn write(&mut self, write: impl FnOnce(&mut Self, &mut String) -> fmt::Result) {
        let mut out = self.open.pop().expect("ops stand in regions");
        write(self, &mut out).expect("a string takes all text");
        self.open.push(out);
    }

    fn name(&self, value: Value) -> Named {
        Named { value, is_argument: self.values[value.index()].is_argument }
    }

    fn names(&self, values: impl Iterator<Item = Value> + Clone) -> impl fmt::Display {
        Separated(values.map(|value| self.name(value)))
    }

    /// The header of a region, one argument per line.
    fn print_arguments(
        &mut self,
        out: &mut String,
        values: Values,
        arguments: &[(Type, Location<'_>)],
    ) -> fmt::Result {
        let width = 2 * self.open.len() - 2;
        for (i, (value, (r#type, location))) in values.iter().zip(arguments).enumerate() {
            let (begin, end) = (
                if i == 0 { "^bb0(" } else { "     " },
                if i + 1 < arguments.len() { "," } else { "):" },
            );
            let (name, location) = (self.name(value), self.locations.number(*location));
            writeln!(out, "{:width$}{begin}{name}: {type}{LOCATION}{location}){end}", "")?;
        }
        Ok(())
    }

    fn print(
        &mut self,
        out: &mut String,
        operation: &Operation<'_, '_>,
        results: Values,
    ) -> fmt::Result {
        // While an op is added, its region is popped.
        let indent = self.open.len();
        write!(out, "{:width$}", "", width = 2 * indent)?;
        if !operation.results.is_empty() {
            write!(out, "{} = ", self.names(results.iter()))?;
        }
        write!(out, "\"{}\"({})", operation.name, self.names(operation.operands.iter().copied()))?;
        for (i, region) in operation.regions.iter().enumerate() {
            let region = self.ended[region.index()].take().expect("a region has one op");
            let begin = if i == 0 { " (" } else { ", " };
            write!(out, "{begin}{{\n{region}{:width$}}}", "", width = 2 * indent)?;
        }
        if !operation.regions.is_empty() {
            out.push(')');
        }
        if !operation.attributes.is_empty() {
            let attributes = operation.attributes.iter();
            let attributes = attributes.map(|(name, attribute)| NamedAttribute(name, attribute));
            write!(out, " {{{}}}", Separated(attributes))?;
        }
        let operands = operation.operands.iter().map(|value| self.values[value.index()].r#type);
        write!(out, " : ({}) -> ", Separated(operands))?;
        match operation.results {
            [one] => write!(out, "{one}")?,
            several => write!(out, "({})", Separated(several.iter()))?,
        }
        let location = self.locations.number(operation.location);
        writeln!(out, "{LOCATION}{location})")
    }
}

impl Emitter for TextEmitter {
    fn operation(&mut self, operation: Operation<'_, '_>) -> Values {
        let results = self.define(operation.results.iter().copied(), false);
        self.write(|emitter, out| emitter.print(out, &operation, results));
        results
    }

    fn begin_region(&mut self, arguments: &[(Type, Location<'_>)]) -> Values {
        let values = self.define(arguments.iter().map(|argument| argument.0), true);
        self.open.push(String::new());
        self.write(|emitter, out| emitter.print_arguments(out, values, arguments));
        values
    }

    fn end_region(&mut self) -> Region {
        let region = self.open.pop().expect("a region that is ended was opened");
        let ended = Region::after(self.ended.len());
        self.ended.push(Some(region));
        ended
    }
}

/// A value as printed in an op.
struct Named {
    value: Value,
    is_argument: bool,
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_argument { "%arg" } else { "%" })?;
        self.value.index().fmt(f)
    }
}
