//! A short form of the tables, for a plugin that is tried for the first time: one case of each row
//! and element type. The outcome is printed, not asserted, and read by `cargo xtask doctor --ops`.

use super::table::run;
use crate::reference::Case;
use hloom::prelude::*;
use hloom_op_suite::{Report, Row, Trial, case_dtype, largest};
use std::{collections::HashSet, sync::LazyLock};

/// The prefix of a survey's lines: plugins write to standard output too.
const MARK: &str = "hloom-survey:";

/// The plugin that `HLOOM_SURVEY_PLUGIN` names, and the keys that are skipped: those in the file
/// `HLOOM_SURVEY_TRIED`, one per line. The plugin may have aborted the process at the last of them.
static SURVEY: LazyLock<Option<Survey>> = LazyLock::new(|| {
    let library = std::env::var_os("HLOOM_SURVEY_PLUGIN")?;
    let tried = std::env::var_os("HLOOM_SURVEY_TRIED").map_or(String::new(), |file| {
        std::fs::read_to_string(file).expect("the keys that were tried are read")
    });
    Some(Survey {
        platform: Platform::load(library).expect("the plugin loads"),
        tried: tried.lines().map(str::to_owned).collect(),
    })
});

pub struct Survey {
    platform: Platform,
    tried: HashSet<String>,
}

impl Survey {
    /// The requested survey, if any.
    pub fn asked_for() -> Option<&'static Survey> {
        SURVEY.as_ref()
    }

    /// Tries a family: for each row and element type, the case with the most elements.
    pub fn tell(&self, family: &str, pairs: &[(&Row, &Case)]) {
        for (row, case) in largest(pairs) {
            let key = format!("{family}/{} {}", row.name, case_dtype(case));
            if self.tried.contains(&key) {
                continue;
            }
            println!("{MARK}try {key}");
            let mut report = Report::default();
            run((&self.platform).into(), family, &[Trial::new(row, case)], &mut report);
            match report.failures().first() {
                None => println!("{MARK}holds"),
                Some(why) => println!("{MARK}lacks {}", why.replace('\n', " ")),
            }
        }
    }
}
