//! The totals in the heading.

use super::escape;
use crate::{BufferKind, Memory, Report, costs::Cost};

/// Names and figures.
pub(super) struct Totals(Vec<(&'static str, String, String)>);

/// Sums the costs and sizes of a program.
pub(super) fn of(report: &Report, costs: &[Cost], memory: &Memory) -> Totals {
    let kernels = &report.kernels;
    let instructions: usize =
        report.module.computations.iter().map(|body| body.instructions.len()).sum();
    let fusions = kernels.iter().filter(|kernel| kernel.opcode == "fusion").count();
    let unknown = kernels.iter().filter(|kernel| kernel.flops.is_none()).count();
    let sum = |costs: &mut dyn Iterator<Item = u64>| costs.fold(0, u64::saturating_add);
    let traffic = sum(&mut costs.iter().map(|cost| cost.bytes));
    let flops = sum(&mut costs.iter().filter_map(|cost| cost.flops));
    let estimated = "estimated from live ranges";
    let (arguments, results, temporaries, note) = match report.memory_stats {
        Some(stats) => {
            let size = |bytes: i64| u64::try_from(bytes).unwrap_or(0);
            let [arguments, outputs, temporaries] =
                [stats.arguments, stats.outputs.saturating_sub(stats.aliases), stats.temporaries]
                    .map(size);
            (arguments, outputs, temporaries, "reported by the compiler")
        }
        None => {
            let results = memory.bytes(BufferKind::Result);
            let temporaries = memory.peak_bytes().saturating_sub(results);
            (memory.bytes(BufferKind::Argument), results, temporaries, estimated)
        }
    };
    let without = match unknown {
        0 => String::new(),
        1 => "1 kernel of unknown cost left out".to_owned(),
        count => format!("{count} kernels of unknown cost left out"),
    };
    let bytes = |name, bytes, note: &str| (name, self::bytes(bytes), note.to_owned());
    Totals(vec![
        ("Operations", scaled(flops), without),
        bytes("Memory traffic", traffic, "operands and results of all kernels"),
        ("Kernels", kernels.len().to_string(), format!("{fusions} fusions")),
        (
            "Instructions",
            instructions.to_string(),
            format!("in {} computations", report.module.computations.len()),
        ),
        bytes("Arguments", arguments, note),
        bytes("Results", results, note),
        bytes("Temporaries", temporaries, note),
    ])
}

impl Totals {
    pub fn html(&self) -> String {
        let tile = |(name, figure, note): &(&str, String, String)| {
            let [figure, note] = [figure, note].map(|text| escape::html(text));
            format!("<div><dt>{name}</dt><dd>{figure}</dd><dd class=\"note\">{note}</dd></div>\n")
        };
        let tiles: String = self.0.iter().map(tile).collect();
        format!("<dl class=\"totals\">\n{tiles}</dl>\n")
    }
}

/// A number of bytes, with three digits: `1.21 MiB`.
fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    match bytes {
        0..1024 => format!("{bytes} B"),
        _ => in_units(bytes as f64, 1024.0, &UNITS),
    }
}

/// A count, with three digits: `3.40 G`.
fn scaled(count: u64) -> String {
    const UNITS: [&str; 6] = ["k", "M", "G", "T", "P", "E"];
    match count {
        0..1000 => count.to_string(),
        _ => in_units(count as f64, 1000.0, &UNITS),
    }
}

fn in_units(mut value: f64, step: f64, units: &[&str]) -> String {
    let mut unit = "";
    for name in units {
        if value < 999.5 && !unit.is_empty() {
            break;
        }
        value /= step;
        unit = name;
    }
    let digits = match value {
        ..9.995 => 2,
        ..99.95 => 1,
        _ => 0,
    };
    format!("{value:.digits$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::{instruction, module};

    #[test]
    fn memory_is_the_compilers_where_it_is_known() {
        let module = module(vec![vec![
            instruction(1, "parameter", &[256], &[]),
            instruction(2, "sine", &[256], &[1]),
            instruction(3, "abs", &[256], &[2]),
        ]]);
        let report = Report::of_module(module).expect("it has an entry");
        let shown = |report: &Report| {
            let all = super::of(report, &[], &report.memory()).0;
            all[4..].iter().map(|(name, figure, _)| format!("{name} {figure}")).collect::<Vec<_>>()
        };
        let estimated = ["Arguments 1.00 KiB", "Results 1.00 KiB", "Temporaries 1.00 KiB"];
        assert_eq!(shown(&report), estimated);
        let mut stats = crate::CompiledMemoryStats::default();
        (stats.arguments, stats.outputs, stats.aliases, stats.temporaries) = (4096, 3072, 1024, 10);
        let reported = ["Arguments 4.00 KiB", "Results 2.00 KiB", "Temporaries 10 B"];
        assert_eq!(shown(&report.memory_stats(stats)), reported, "donated memory counts once");
    }

    #[test]
    fn figures_have_three_digits() {
        let found = [0, 1023, 1024, 10 << 10, 1000 << 10, 1_270_000, u64::MAX].map(bytes);
        let expected =
            ["0 B", "1023 B", "1.00 KiB", "10.0 KiB", "0.98 MiB", "1.21 MiB", "16.0 EiB"];
        assert_eq!(found, expected);
        let found = [0, 999, 1000, 99_960, 999_499, 999_500, 2_000_000_000].map(scaled);
        assert_eq!(found, ["0", "999", "1.00 k", "100 k", "999 k", "1.00 M", "2.00 G"]);
    }
}
