//! `hloom report`.

use crate::{
    failure::{Failure, Outcome},
    file_kind::FileKind,
    inspect::saved,
    program::ProgramFile,
};
use clap::Args;
use hloom_report::Report;
use hloom_runtime::Signature;
use std::path::PathBuf;

#[derive(Args)]
pub struct ReportPage {
    #[command(flatten)]
    program: ProgramFile,
    /// The page, a file in HTML
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// A folder with the sources of the program, which the page shows next to it; may be repeated
    #[arg(long, value_name = "FOLDER")]
    sources: Vec<PathBuf>,
}

impl ReportPage {
    pub fn run(self) -> Outcome {
        let report = match FileKind::of(&self.program.file)? {
            FileKind::SavedProgram => self.of_saved()?,
            _ => self.of_compiled()?,
        };
        let page = self.sources.iter().fold(report, |report, folder| report.sources(folder)).html();
        let failed = |error| Failure::new(format!("{}: {error}", self.output.display()));
        hloom_files::write(&self.output, page).map_err(failed)
    }

    /// The report of a saved program, whose code is not run.
    fn of_saved(&self) -> Outcome<Report> {
        let saved = saved::read(&self.program.file)?;
        let Some((format, program)) = saved.optimized_program() else {
            return Err(Failure::new(format!(
                "{}: the optimized program is not in it: the plugin did not return it, or it is \
                 an entry of a cache",
                self.program.file.display()
            )));
        };
        let report = report(program, format, saved.name(), saved.platform())?;
        let report = saved.signature().map_or(report.clone(), |signature| named(report, signature));
        Ok(match saved.memory() {
            Some(memory) => report.memory_stats(memory),
            None => report,
        })
    }

    fn of_compiled(&self) -> Outcome<Report> {
        // A program that was loaded from a cache has fewer statistics.
        let (exe, _) = self.program.load_afresh()?;
        let Some((format, program)) = exe.optimized_program() else {
            let platform = exe.platform();
            return Err(Failure::new(format!("{platform} does not return optimized programs")));
        };
        let report = report(&program, &format, exe.name(), &exe.platform().to_string())?;
        let report = named(report, exe.signature());
        Ok(match exe.memory() {
            Ok(memory) => report.memory_stats(memory),
            Err(_) => report,
        })
    }
}

fn report(program: &[u8], format: &str, name: &str, platform: &str) -> Outcome<Report> {
    let report = Report::of_hlo(program, format).map_err(Failure::new)?;
    Ok(report.title(name).platform(platform))
}

fn named(report: Report, signature: &Signature) -> Report {
    report.input_names(signature.inputs.iter().map(|input| &*input.name))
}
