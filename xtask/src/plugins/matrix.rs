//! The matrix of the README: a row for each plugin.

use std::path::Path;

use pjrt_plugins::{Manifest, Verified};

use crate::Result;

/// Begins the matrix in the README; the text up to [`END`] is generated here.
const BEGIN: &str = "<!-- written by `cargo xtask plugins test` -->";
const END: &str = "<!-- end -->";

const HEAD: &str = "\
| plugin | for | package | PJRT API | XLA | extensions | tests | how |
|---|---|---|---|---|---|---|---|
";

/// The properties of a plugin beyond its manifest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tested {
    /// The version of its C API.
    pub version: String,
    /// The names of its extensions.
    pub extensions: String,
    /// Passed and failed tests, in words.
    pub tests: String,
}

/// The row of a plugin.
fn row(manifest: &Manifest, tested: &Tested) -> String {
    let how = match manifest.verified {
        Verified::Runs => "runs",
        Verified::Compiles => "loads and compiles ahead of time, without its device",
        Verified::Installs => "its archive was checked; not run",
        _ => "not tried",
    };
    let Manifest { name, plugin, .. } = manifest;
    let Tested { version, extensions, tests } = tested;
    let (package, number) = (&plugin.package, &plugin.version);
    let xla = &manifest.xla;
    format!(
        "| `{name}` | {} | `{package}` {number} | {version} | {xla} | {extensions} | {tests} | \
         {how} |\n",
        manifest.description
    )
}

/// Writes the rows of tested plugins into the README, and leaves those of others unchanged.
///
/// # Errors
/// The README has no markers for the matrix, or cannot be read or written.
pub fn write(readme: &Path, tested: &[(&Manifest, Tested)]) -> Result {
    let failed = |what: &str, error| format!("cannot {what} {}: {error}", readme.display());
    let old = std::fs::read_to_string(readme).map_err(|error| failed("read", error))?;
    let new = with_rows(&old, pjrt_plugins::list(), tested)?;
    if new == old {
        Ok(())
    } else {
        std::fs::write(readme, new).map_err(|error| failed("write", error))
    }
}

/// The README below `root` with a row for each plugin, and those that were tested unchanged.
///
/// # Errors
/// The README has no markers for the matrix, or cannot be read.
pub fn page(root: &Path) -> Result<String> {
    let readme = root.join("README.md");
    let text = std::fs::read_to_string(&readme)
        .map_err(|error| format!("cannot read {}: {error}", readme.display()))?;
    with_rows(&text, pjrt_plugins::list(), &[])
}

fn with_rows(text: &str, manifests: &[Manifest], tested: &[(&Manifest, Tested)]) -> Result<String> {
    let parts =
        text.split_once(BEGIN).and_then(|(before, rest)| Some((before, rest.split_once(END)?)));
    let Some((before, (old, after))) = parts else {
        return Err(format!("the README has no lines `{BEGIN}` and `{END}`"));
    };
    let mut rows = HEAD.to_owned();
    for manifest in manifests {
        let begin = format!("| `{}` |", manifest.name);
        let new = tested.iter().find(|(other, _)| other.name == manifest.name);
        // A row of another version of the package does not apply to this one.
        let version = format!("| `{}` {} |", manifest.plugin.package, manifest.plugin.version);
        let kept = old.lines().find(|line| line.starts_with(&begin) && line.contains(&version));
        rows += &match (new, kept) {
            (Some((manifest, tested)), _) => row(manifest, tested),
            (None, Some(kept)) => format!("{kept}\n"),
            (None, None) => row(manifest, &Tested::default()),
        };
    }
    Ok(format!("{before}{BEGIN}\n{rows}{END}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(name: &str, version: &str) -> Manifest {
        let json = serde_json::json!({
            "name": name, "description": "d", "library": "l", "verified": "runs", "xla": "2025-11",
            "plugin": { "package": "p", "version": version, "wheels": {} },
        });
        Manifest::from_json(&json.to_string(), "a test").unwrap()
    }

    #[test]
    fn rows_of_tested_plugins_are_written_and_others_stay_while_their_package_does() {
        let (a, b, c) = (manifest("a", "1"), manifest("b", "1"), manifest("c", "2"));
        let old = format!(
            "x\n{BEGIN}\n| `b` | d | `p` 1 | kept |\n| `c` | d | `p` 1 | of another version \
             |\n{END}\ny\n"
        );
        let tested =
            Tested { version: "0.81".into(), extensions: "FFI".into(), tests: "3 passed".into() };
        let manifests = [a.clone(), b, c];
        let new = with_rows(&old, &manifests, &[(&a, tested.clone())]).unwrap();
        let expected = format!(
            "x\n{BEGIN}\n{HEAD}| `a` | d | `p` 1 | 0.81 | 2025-11 | FFI | 3 passed | runs |\n| \
             `b` | d | `p` 1 | kept |\n| `c` | d | `p` 2 |  | 2025-11 |  |  | runs |\n{END}\ny\n"
        );
        assert_eq!(new, expected);
        assert_eq!(with_rows(&new, &manifests, &[(&a, tested)]).unwrap(), new, "nothing changes");
        assert!(with_rows("no place", &manifests, &[]).is_err());
    }
}
