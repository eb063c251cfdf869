//! The table as a page of the documentation.

use crate::{TESTED, table};
use std::{fmt::Write, path::Path};

/// Writes the page where it differs, in place of failing.
const WRITE: &str = "HLOOM_WRITE_DOCS";

fn page() -> String {
    let mut page = String::from(
        "# Defects of plugins that Hloom works around\n\nPrinted from the table of \
         `crates/pjrt/tests/defects`, where each row but the last has a test of its name that \
         shows\nthe defect on the plugin itself: `cargo test -p hloom-pjrt --test defects` with \
         the default plugin, `cargo xtask plugins test`\nwith all. The last is a matter of time, \
         which the processor decides. Where the last columns are empty, no plugin here has\nthe \
         defect in the form that the test shows. A single name in parentheses is a pass of \
         `crates/runtime/src/legalize`, which\nlists for each the plugins that need it.\n\n",
    );
    let heads: Vec<String> = TESTED.iter().map(|minor| format!("0.{minor}")).collect();
    let _ =
        writeln!(page, "| test | what the plugin does | what Hloom does | {} |", heads.join(" | "));
    let _ = writeln!(page, "|---|---|---|{}", "---|".repeat(TESTED.len()));
    for defect in table::ALL.iter().chain(&table::TIMED) {
        let marks =
            TESTED.map(|minor| if defect.versions.contains(&minor) { "has it" } else { "" });
        let _ = writeln!(
            page,
            "| `{}` | {} | {} | {} |",
            defect.name,
            defect.what,
            defect.instead,
            marks.join(" | ")
        );
    }
    let _ = write!(page, "\n## Without a test\n\n{}", table::WITHOUT_A_TEST);
    page
}

#[test]
fn the_page_of_the_documentation_is_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/plugin-defects.md");
    let page = page();
    if std::env::var_os(WRITE).is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == page,
        "docs/plugin-defects.md is stale: `{WRITE}=1 cargo test -p hloom-pjrt --test defects \
         the_page` writes it"
    );
}
