//! `docs/benchmarks.md`: prose with a table of results for each benchmark program.
//!
//! A table is between `<!-- bench: NAME -->` and `<!-- end -->`, below a line that describes the
//! machine it was measured on.

use super::Record;
use crate::Result;
use serde_json::Value;
use std::{fs, path::Path};

const BEGIN: &str = "<!-- bench: ";
const END: &str = "<!-- end -->";

/// Replaces the table of one program in the page.
///
/// # Errors
/// The page cannot be read or written, or it has no markers for this program.
pub(super) fn write(page: &Path, program: &str, records: &[Record]) -> Result {
    set(page, program, &format!("{}\n\n{}", machine(), markdown(records)))
}

/// Writes a note instead of a table: the program was not run limited to AVX2, since this machine
/// has nothing wider, so the table of `other` already shows it.
///
/// # Errors
/// As for [`write()`].
pub(super) fn write_not_run(page: &Path, program: &str, other: &str) -> Result {
    let machine = machine();
    let why = format!("Not run: there is nothing wider than AVX2 here. See `{other}`. {machine}\n");
    set(page, program, &why)
}

fn set(page: &Path, program: &str, block: &str) -> Result {
    let failed = |error| format!("{}: {error}", page.display());
    let text = fs::read_to_string(page).map_err(failed)?;
    let text = replaced(&text, program, block)?;
    fs::write(page, text).map_err(failed)
}

/// The text with another block of a program.
fn replaced(text: &str, program: &str, block: &str) -> Result<String> {
    let begin = format!("{BEGIN}{program} -->\n");
    let missing = || format!("the page of benchmarks has no `{}`", begin.trim_end());
    let start = text.find(&begin).ok_or_else(missing)? + begin.len();
    let length = text[start..].find(END).ok_or_else(|| format!("`{program}` has no `{END}`"))?;
    if text[start..start + length].contains(BEGIN) {
        return Err(format!("`{program}` has no `{END}`"));
    }
    Ok(format!("{}\n{block}\n{}", &text[..start], &text[start + length..]))
}

/// A row for each record.
fn markdown(records: &[Record]) -> String {
    let mut table = String::from(
        "| bench | value | reference | ratio | target | holds |\n|---|---|---|---|---|---|\n",
    );
    for record in records {
        let Record { bench, value, unit, reference, ratio, target, holds } = record;
        let optional = |value: &Option<f64>| value.map(short).unwrap_or_default();
        let target = match target {
            None | Some(Value::Null) => String::new(),
            Some(Value::Number(number)) => number.as_f64().map(short).unwrap_or_default(),
            Some(Value::String(text)) => text.clone(),
            Some(value) => value.to_string(),
        };
        let holds = match holds {
            None => "",
            Some(true) => "yes",
            Some(false) => "**no**",
        };
        table += &format!(
            "| {bench} | {} {unit} | {} | {} | {target} | {holds} |\n",
            short(*value),
            optional(reference),
            optional(ratio),
        );
    }
    table
}

/// A number in four characters or so: three significant digits, or whole.
fn short(value: f64) -> String {
    let digits = match value.abs() {
        size if size == 0.0 || size >= 100.0 => 0,
        size if size >= 10.0 => 1,
        size if size >= 1.0 => 2,
        size if size >= 1e-3 => 3,
        _ => return format!("{value:.2e}"),
    };
    format!("{value:.digits$}")
}

/// The machine and the day, in one line.
fn machine() -> String {
    let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let memory = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let day = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let day = day.map_or(0, |since| since.as_secs() / 86_400);
    describe(&cpu, &memory, cores, day)
}

fn describe(cpu: &str, memory: &str, cores: usize, day: u64) -> String {
    let field = |text: &str, name: &str| -> Option<String> {
        let line = text.lines().find(|line| line.starts_with(name))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    let model = field(cpu, "model name").unwrap_or_else(|| std::env::consts::ARCH.into());
    let flags = field(cpu, "flags").unwrap_or_default();
    let flags: Vec<&str> = flags.split(' ').collect();
    let widest = [("amx_bf16", "AMX"), ("avx512f", "AVX-512"), ("avx2", "AVX2")];
    let widest = widest.iter().find(|(flag, _)| flags.contains(flag));
    let widest = widest.map(|(_, name)| format!(" ({name})")).unwrap_or_default();
    let gigabytes = field(memory, "MemTotal")
        .and_then(|text| text.split(' ').next()?.parse::<f64>().ok())
        .map(|kilobytes| format!(", {:.0} GiB", kilobytes / f64::from(1 << 20)))
        .unwrap_or_default();
    format!("{cores} cores of {model}{widest}{gigabytes}, {}.", date(day))
}

/// The date of a day since the beginning of 1970, by Howard Hinnant's `civil_from_days`
/// ("chrono-Compatible Low-Level Date Algorithms").
fn date(day: u64) -> String {
    let shifted = day + 719_468;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = year + 400 * era + u64::from(month <= 2);
    format!("{year}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records() -> Vec<Record> {
        let lines = [
            r#"{"bench":"add","value":1.254,"unit":"us","reference":1.3,"ratio":0.9646,"target":1.1,"holds":true}"#,
            r#"{"bench":"mul","value":1234.5,"unit":"GB/s","reference":null,"ratio":null,"target":null,"holds":null}"#,
            r#"{"bench":"sub","value":0.00012,"unit":"s","reference":0.0001,"ratio":1.2,"target":1.0,"holds":false}"#,
        ];
        lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn results_become_rows() {
        let expected = "\
| bench | value | reference | ratio | target | holds |
|---|---|---|---|---|---|
| add | 1.25 us | 1.30 | 0.965 | 1.10 | yes |
| mul | 1234 GB/s |  |  |  |  |
| sub | 1.20e-4 s | 1.00e-4 | 1.20 | 1.00 | **no** |
";
        assert_eq!(markdown(&records()), expected);
    }

    #[test]
    fn only_the_table_of_the_program_is_replaced() {
        let page =
            "# A\n<!-- bench: x -->\nold\n<!-- end -->\nprose\n<!-- bench: y -->\n<!-- end -->\n";
        let once = replaced(page, "x", "new").unwrap();
        let expected = page.replace("old\n", "\nnew\n");
        assert_eq!(once, expected);
        assert_eq!(replaced(&once, "x", "new").unwrap(), expected, "again");
        assert!(replaced(page, "z", "new").unwrap_err().contains("<!-- bench: z -->"));
        for open in ["<!-- bench: x -->\n", "<!-- bench: x -->\n<!-- bench: y -->\n<!-- end -->\n"]
        {
            assert_eq!(replaced(open, "x", "new").unwrap_err(), "`x` has no `<!-- end -->`");
        }
    }

    #[test]
    fn a_program_that_was_not_run_says_so_in_place_of_its_table() {
        let folder = tempfile::tempdir().unwrap();
        let page = folder.path().join("page.md");
        fs::write(&page, "# A\n<!-- bench: x avx2 -->\n| old |\n<!-- end -->\n").unwrap();
        write_not_run(&page, "x avx2", "x").unwrap();
        let written = fs::read_to_string(&page).unwrap();
        assert!(written.contains("nothing wider than AVX2 here. See `x`. "), "{written}");
        assert!(!written.contains("old"), "{written}");
        assert!(write_not_run(&page, "y", "x").unwrap_err().contains("<!-- bench: y -->"));
    }

    #[test]
    fn a_machine_is_described_in_a_line() {
        let cpu = "processor\t: 0\nmodel name\t: Some CPU\nflags\t\t: sse2 avx2 avx512f\n";
        let memory = "MemTotal:       24612345 kB\n";
        let told = describe(cpu, memory, 2, 20_781);
        assert_eq!(told, "2 cores of Some CPU (AVX-512), 23 GiB, 2026-11-24.");
        assert_eq!(
            describe("", "", 1, 0),
            format!("1 cores of {}, 1970-01-01.", std::env::consts::ARCH)
        );
        assert_eq!(date(11_016), "2000-02-29");
    }
}
