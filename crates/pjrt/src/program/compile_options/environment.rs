//! XLA options from the environment.

use crate::{CompileOptions, Error, Result, XlaOption};

/// The variable with the options.
const VARIABLE: &str = "HLOOM_XLA_OPTIONS";

impl CompileOptions {
    /// The XLA options of the environment variable `HLOOM_XLA_OPTIONS`, in its order: separated by
    /// spaces, each `name=value`, or `name` alone for `True`, with or without the dashes of
    /// `XLA_FLAGS`. Compiling does not read it by itself.
    ///
    /// # Errors
    /// An option has no name, or the variable is not text; the message names the variable.
    pub fn options_from_environment() -> Result<Vec<(String, XlaOption)>> {
        match std::env::var_os(VARIABLE).map(|text| text.into_string()) {
            None => Ok(Vec::new()),
            Some(Ok(text)) => parse(&text),
            Some(Err(_)) => Err(Error::argument(format!("{VARIABLE} is not text"))),
        }
    }
}

fn parse(text: &str) -> Result<Vec<(String, XlaOption)>> {
    let options = text.split_whitespace().map(|option| {
        let (name, value) = match option.split_once('=') {
            Some((name, value)) => (name, value),
            None => (option, "True"),
        };
        let name = name.trim_start_matches('-');
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if !name.is_empty() && name.chars().all(is_name) {
            Ok((name.to_owned(), XlaOption::parse(value)))
        } else {
            Err(Error::argument(format!(
                "{VARIABLE}: `{option}` is not `name=value`; options are separated by spaces"
            )))
        }
    });
    options.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_names_with_values() {
        let text = "  --xla_a=3\n-xla_b=true xla_c= xla_d=a,b=c\txla_e xla_a=False ";
        let options: Vec<(String, String)> =
            parse(text).unwrap().into_iter().map(|(n, v)| (n, v.to_string())).collect();
        let expected = [
            ("xla_a", "3"),
            ("xla_b", "True"),
            ("xla_c", ""),
            ("xla_d", "a,b=c"),
            ("xla_e", "True"),
            ("xla_a", "False"),
        ];
        assert_eq!(options, expected.map(|(n, v)| (n.to_owned(), v.to_owned())));
        assert_eq!(parse("").unwrap(), []);
        for wrong in ["=3", "--", "--=3", "xla_a:3", "xla_a=1,xla_b=2 , xla_c=3", "xla a\u{e9}=1"] {
            let error = parse(wrong).unwrap_err().to_string();
            assert!(error.contains("HLOOM_XLA_OPTIONS: `"), "{wrong}: {error}");
        }
    }
}
