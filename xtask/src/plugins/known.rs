//! Tests that are known to fail on a plugin: `known_failures.json`, one row for each with its
//! reason.

use serde::Deserialize;

use super::suite::Name;
use crate::Result;

/// A row of the file.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Known {
    /// The versions of the C API (`0.81`) of the plugins on which it fails.
    pub versions: Vec<String>,
    /// The package of the test.
    pub package: String,
    /// The test's program, such as `it`.
    pub program: String,
    /// Its path in the program.
    pub test: String,
    /// The reason why it fails.
    pub reason: String,
}

/// The rows of the file.
///
/// # Errors
/// The file is not well formed.
pub fn read() -> Result<Vec<Known>> {
    serde_json::from_str(include_str!("known_failures.json"))
        .map_err(|error| format!("known_failures.json: {error}"))
}

/// The row of a test on a plugin of a version.
pub fn find<'a>(known: &'a [Known], version: &str, name: &Name) -> Option<&'a Known> {
    known.iter().find(|row| {
        let same =
            (&row.package, &row.program, &row.test) == (&name.package, &name.program, &name.test);
        same && row.versions.iter().any(|known| known == version)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_of_one_test_and_of_listed_versions_and_have_a_reason() {
        let rows =
            r#"[{"versions":["0.115"],"package":"p","program":"it","test":"a::b","reason":"r"}]"#;
        let rows: Vec<Known> = serde_json::from_str(rows).unwrap();
        let name =
            |test: &str| Name { package: "p".into(), program: "it".into(), test: test.into() };
        assert!(find(&rows, "0.115", &name("a::b")).is_some());
        assert!(find(&rows, "0.81", &name("a::b")).is_none());
        assert!(find(&rows, "0.115", &name("a::c")).is_none());
        assert!(
            read().unwrap().iter().all(|row| !row.reason.is_empty() && !row.versions.is_empty())
        );
    }
}
