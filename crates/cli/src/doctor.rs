//! `hloom doctor`.

use crate::{failure::Outcome, text::write_json};
use clap::Args;
use hloom_doctor::{Host, Report};
use serde_json::json;
use std::{io::Write, path::PathBuf};

const HOST: Host = Host { probe: &["doctor", "--probe"], install: "hloom plugin install" };

#[derive(Args)]
pub struct Doctor {
    /// One JSON object instead of text
    #[arg(long)]
    json: bool,
    /// Load one plugin and describe it; a report does so in processes of its own
    #[arg(long, hide = true, value_name = "FILE")]
    probe: Option<PathBuf>,
}

impl Doctor {
    pub fn run(self, out: &mut dyn Write) -> Outcome {
        if let Some(plugin) = self.probe {
            hloom_doctor::probe(&plugin);
            return Ok(());
        }
        let report = Report::make(HOST);
        if self.json {
            write_json(out, &json!(report))
        } else {
            Ok(out.write_all(report.text().as_bytes())?)
        }
    }
}
