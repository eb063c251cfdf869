//! Writes the report of an optimized program: `report program.hlo_with_config page.html [folder]`.

use hloom_report::Report;
use std::{env, fs, path::Path};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = env::args().skip(1);
    let (Some(program), Some(page)) = (arguments.next(), arguments.next()) else {
        return Err(
            "expected a program, a page to write, and optionally a folder of sources".into()
        );
    };
    // A dump's name ends in the format.
    let format = Path::new(&program).extension().and_then(|end| end.to_str()).unwrap_or("hlo");
    let report = Report::of_hlo(&fs::read(&program)?, format)?;
    let report = arguments.next().into_iter().fold(report, |report, folder| report.sources(folder));
    fs::write(page, report.html())?;
    Ok(())
}
