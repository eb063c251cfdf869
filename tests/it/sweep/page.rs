//! The table of the largest errors in `docs/numerics.md`.

use super::{
    EXCEPTIONS, Exception,
    functions::{ONE, TWO},
    measure::Worst,
};
use std::{collections::BTreeMap, fmt::Write, path::PathBuf};

/// The types, in the order of the page.
const TYPES: [&str; 6] = ["f64", "f32", "bf16", "f16", "c128", "c64"];

const BEGIN: &str = "<!-- errors of functions -->\n";
const END: &str = "<!-- end of errors -->\n";

fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs/numerics.md")
}

/// The parts of a function, with what they are called on the page.
pub fn parts(name: &str) -> Vec<(&'static str, String)> {
    if ONE.iter().any(|(one, _)| *one == name) {
        return vec![("value", format!("`{name}`")), ("slope", format!("`{name}`, derivative"))];
    }
    let slope = |of: &str| format!("`{name}`, derivative by {of}");
    vec![("value", format!("`{name}`")), ("slope_x", slope("x")), ("slope_y", slope("y"))]
}

/// All functions, in the order of the page.
pub fn names() -> impl Iterator<Item = &'static str> {
    ONE.iter().map(|(name, _)| *name).chain(TWO.iter().map(|(name, _)| *name))
}

/// The errors on the page, by type, function and part.
pub fn read() -> BTreeMap<String, f64> {
    let text = std::fs::read_to_string(path()).expect("the page is there");
    let table = text.split_once(BEGIN).and_then(|(_, rest)| rest.split_once(END));
    let table = table.expect("the page has the table").0;
    let cells = |line: &str| -> Vec<String> {
        line.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect()
    };
    let rows: BTreeMap<String, Vec<String>> =
        table.lines().map(cells).map(|mut row| (row.remove(0), row)).collect();
    let mut all = BTreeMap::new();
    for name in names() {
        for (part, title) in parts(name) {
            let Some(row) = rows.get(&title) else { continue };
            for (dtype, cell) in TYPES.iter().zip(row) {
                if let Ok(units) = cell.parse() {
                    all.insert(format!("{dtype}/{name}/{part}"), units);
                }
            }
        }
    }
    all
}

/// Writes the page.
pub fn write(errors: &BTreeMap<String, Worst>) {
    let mut table = String::from(
        "| function | f64 | f32 | bf16 | f16 | c128 | c64 |\n|---|---|---|---|---|---|---|\n",
    );
    for name in names() {
        for (part, title) in parts(name) {
            let cell = |dtype| match errors.get(&format!("{dtype}/{name}/{part}")) {
                Some(worst) => ((worst.units * 10.0).ceil() / 10.0).to_string(),
                None => "-".to_owned(),
            };
            let cells = TYPES.map(cell);
            if cells.iter().any(|cell| cell != "-") {
                writeln!(table, "| {title} | {} |", cells.join(" | ")).expect("it is a text");
            }
        }
    }
    table.push_str(
        "\nLarger errors, and their reasons:\n\n| part | types | reason |\n|---|---|---|\n",
    );
    for Exception { dtypes, part, reason } in EXCEPTIONS {
        let dtypes = dtypes.join(", ");
        writeln!(table, "| `{part}` | {dtypes} | {reason} |").expect("it is a text");
    }
    let text = std::fs::read_to_string(path()).expect("the page is there");
    let (before, rest) = text.split_once(BEGIN).expect("the page has the table");
    let (_, after) = rest.split_once(END).expect("the table ends");
    std::fs::write(path(), format!("{before}{BEGIN}{table}{END}{after}")).expect("it is written");
}
