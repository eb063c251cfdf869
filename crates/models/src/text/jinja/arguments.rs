//! Arguments of calls, bound to the names of parameters as in Python.

use super::refused;
use minijinja::{
    Error, Value,
    value::{Kwargs, ValueKind},
};

/// The arguments of one call by their parameters.
pub(super) struct Arguments<'a> {
    call: &'a str,
    names: &'a [&'a str],
    values: Vec<Option<Value>>,
}

impl<'a> Arguments<'a> {
    /// Binds positional arguments, and keyword arguments, which the engine passes last.
    ///
    /// # Errors
    /// There are more arguments than parameters, or an argument has an unknown name or two values.
    pub fn bind(
        call: &'a str,
        names: &'a [&'a str],
        args: &[Value],
    ) -> Result<Arguments<'a>, Error> {
        let (keywords, positional) = match args.split_last() {
            Some((last, before)) if last.is_kwargs() => (Some(last), before),
            _ => (None, args),
        };
        if positional.len() > names.len() {
            return Err(refused(format!(
                "`{call}` has {} parameters; {} arguments were passed",
                names.len(),
                positional.len()
            )));
        }
        let mut values: Vec<Option<Value>> = positional.iter().cloned().map(Some).collect();
        values.resize(names.len(), None);
        if let Some(keywords) = keywords {
            let keywords = Kwargs::try_from(keywords.clone())?;
            for name in keywords.args() {
                let Some(at) = names.iter().position(|known| *known == name) else {
                    return Err(refused(format!(
                        "`{call}` has no parameter `{name}`; it has {}",
                        names.join(", ")
                    )));
                };
                if values[at].is_some() {
                    return Err(refused(format!("`{call}` has two values of `{name}`")));
                }
                values[at] = Some(keywords.peek::<Value>(name)?);
            }
        }
        Ok(Arguments { call, names, values })
    }

    /// The argument at a parameter's position, if it was passed.
    pub fn get(&self, at: usize) -> Option<&Value> {
        self.values[at].as_ref()
    }

    /// A required argument.
    ///
    /// # Errors
    /// The argument was not passed.
    pub fn value(&self, at: usize) -> Result<&Value, Error> {
        self.get(at).ok_or_else(|| refused(format!("`{}` needs `{}`", self.call, self.names[at])))
    }

    /// A required text.
    ///
    /// # Errors
    /// The argument was not passed, or is not a string.
    pub fn text(&self, at: usize) -> Result<&str, Error> {
        let value = self.value(at)?;
        value.as_str().ok_or_else(|| self.unfit(at, value, "text"))
    }

    /// An optional text; `None` where it was not passed, or is None.
    ///
    /// # Errors
    /// The argument has another type.
    pub fn optional_text(&self, at: usize) -> Result<Option<&str>, Error> {
        match self.get(at) {
            Some(value) if !value.is_none() => self.text(at).map(Some),
            _ => Ok(None),
        }
    }

    /// An optional integer; `None` where it was not passed, or is None.
    ///
    /// # Errors
    /// The argument has another type.
    pub fn integer(&self, at: usize) -> Result<Option<i128>, Error> {
        match self.get(at) {
            Some(value) if !value.is_none() => {
                let whole = value.is_integer() || value.kind() == ValueKind::Bool;
                let number = i128::try_from(value.clone()).ok().filter(|_| whole);
                number.map(Some).ok_or_else(|| self.unfit(at, value, "an integer"))
            }
            _ => Ok(None),
        }
    }

    /// Whether an optional argument was passed and is true.
    pub fn flag(&self, at: usize) -> bool {
        self.get(at).is_some_and(Value::is_true)
    }

    fn unfit(&self, at: usize, found: &Value, expected: &str) -> Error {
        refused(format!(
            "`{}` needs {expected} for `{}`, not a value of type {}",
            self.call,
            self.names[at],
            found.kind()
        ))
    }
}
