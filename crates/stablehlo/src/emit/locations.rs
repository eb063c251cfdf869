//! The locations of ops and values, each written once.

use super::{Location, syntax::Quoted};
use std::{collections::HashMap, fmt::Write, panic, ptr};

/// The locations so far, by number. They are printed before the module and define names such as
/// `#loc3`.
pub(crate) struct Locations {
    pub lines: String,
    count: usize,
    /// By the address of a line: a source line has one address, or a few.
    known: HashMap<*const panic::Location<'static>, usize>,
    /// Named locations, by the number of the line and the name: names of modules and ops repeat.
    named: HashMap<(usize, String), usize>,
    last: Option<(&'static panic::Location<'static>, usize)>,
}

/// The number of the unknown location.
const UNKNOWN: usize = 0;

impl Locations {
    pub fn new() -> Locations {
        Locations {
            lines: format!("#loc{UNKNOWN} = loc(unknown)\n"),
            count: 1,
            known: HashMap::new(),
            named: HashMap::new(),
            last: None,
        }
    }

    /// The number of a location, which is added if it is new.
    pub fn number(&mut self, location: Location<'_>) -> usize {
        let line = location.line.map_or(UNKNOWN, |line| self.line(line));
        match location.name {
            "" => line,
            name => match self.named.get(&(line, name.to_owned())) {
                Some(&number) => number,
                None => {
                    let number = self.add(format_args!("{}(#loc{line})", Quoted(name)));
                    self.named.insert((line, name.to_owned()), number);
                    number
                }
            },
        }
    }

    fn line(&mut self, line: &'static panic::Location<'static>) -> usize {
        // Ops of one line are adjacent.
        if let Some((_, number)) = self.last.filter(|(last, _)| ptr::eq(*last, line)) {
            return number;
        }
        let number = match self.known.get(&ptr::from_ref(line)) {
            Some(&number) => number,
            None => {
                let place =
                    format_args!("{}:{}:{}", Quoted(line.file()), line.line(), line.column());
                let number = self.add(place);
                self.known.insert(line, number);
                number
            }
        };
        self.last = Some((line, number));
        number
    }

    fn add(&mut self, place: std::fmt::Arguments<'_>) -> usize {
        let number = self.count;
        self.count += 1;
        writeln!(self.lines, "#loc{number} = loc({place})").expect("a string takes all text");
        number
    }
}
