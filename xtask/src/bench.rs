//! Benchmarks: programs that print one JSON object per line, gathered into a table.

mod page;

use std::{
    io::{BufRead, BufReader},
    process::{Command, Stdio},
};

use serde::Deserialize;
use serde_json::Value;

use crate::{Result, cargo, setup};

/// One line of a benchmark's output.
#[derive(Debug, Deserialize, PartialEq)]
struct Record {
    bench: String,
    value: f64,
    unit: String,
    /// The baseline, in the same unit.
    reference: Option<f64>,
    ratio: Option<f64>,
    /// The bound that the ratio or the value has to keep.
    target: Option<Value>,
    holds: Option<bool>,
}

/// A benchmark program.
#[derive(Debug, PartialEq)]
struct BenchProgram {
    package: String,
    name: String,
}

impl BenchProgram {
    /// The name on the page of benchmarks: that of the package too if it is not the main one.
    fn title(&self) -> String {
        match self.package.as_str() {
            "hloom" => self.name.clone(),
            package => format!("{package} {}", self.name),
        }
    }
}

/// The comparison with other systems, which is not a program of the workspace.
const PEERS: &str = "peers";
/// The Python into whose environment `benches/peers/setup.sh` installs the peers.
const PEERS_PYTHON: &str = "benches/peers/.venv/bin/python";
/// The arguments of `benches/peers/run.py`. The median of three rounds is that of a process that
/// finds its programs compiled; the larger model takes minutes a process, with JAX many.
const PEERS_RUNS: [&[&str]; 2] = [
    &["S", "--rounds", "3", "--peers", "hloom,hloom-off,llama.cpp,torch,jax,candle"],
    &["M", "--rounds", "1", "--new", "16", "--peers", "hloom,hloom-off,llama.cpp,torch"],
];

/// The title of a benchmark that is limited to AVX2.
const LIMITED: &str = "avx2";
/// The benchmark program that is run both ways.
const KERNELS: &str = "kernels";
/// The variables that limit the kernels and the plugin to AVX2. The plugin's library of dot
/// products (YNNPACK) detects the processor itself, so it is turned off.
const AVX2: [(&str, &str); 2] = [
    ("HLOOM_KERNELS_ISA", "avx2"),
    ("HLOOM_XLA_OPTIONS", "xla_cpu_max_isa=AVX2 xla_cpu_experimental_ynn_fusion_type="),
];

/// Runs the benchmark `name`, or all, and prints a table, or the records unchanged. With `page`,
/// the tables of `docs/benchmarks.md` are replaced. Where the peers are installed, JAX and PyTorch
/// are measured too, and all of them by `peers`. On a processor with AVX-512, `kernels` and `peers`
/// run once more limited to AVX2; on others the page states that they did not.
///
/// # Errors
/// There is no such benchmark, one failed or printed no result, or a target is missed.
pub fn run(name: Option<&str>, json: bool, page: bool) -> Result {
    let peers = cargo::workspace().join(PEERS_PYTHON);
    let programs = match name {
        Some(PEERS) => Vec::new(),
        name => select(programs()?, name)?,
    };
    setup::run()?;
    let markdown = cargo::workspace().join("docs/benchmarks.md");
    let mut records = Vec::new();
    let mut done = |title: &str, own: Vec<Record>| {
        if own.is_empty() {
            return Err(format!("benchmark `{title}` printed no result"));
        }
        if page {
            page::write(&markdown, title, &own)?;
        }
        records.extend(own);
        Ok(())
    };
    for program in &programs {
        let command = || {
            let mut command = cargo::command(&["bench", "--package", &program.package, "--bench"]);
            command.arg(&program.name);
            if peers.exists() {
                command.env("HLOOM_PYTHON", &peers);
            }
            command
        };
        let mut whole = command();
        if peers.exists() {
            whole.env("HLOOM_BENCH_JAX", "1").env("HLOOM_BENCH_TORCH", "1");
        }
        done(&program.title(), measure(whole, json)?)?;
        if program.title() == KERNELS {
            let title = format!("{KERNELS} {LIMITED}");
            if is_wider_than_avx2() {
                let mut limited = command();
                limited.envs(AVX2);
                done(&title, measure(limited, json)?)?;
            } else if page {
                page::write_not_run(&markdown, &title, KERNELS)?;
            }
        }
    }
    match (name, peers.exists()) {
        (None | Some(PEERS), true) => {
            let mut compare = |title: &str, isa: &str| {
                let mut own = Vec::new();
                for run in PEERS_RUNS {
                    let mut command = Command::new(&peers);
                    command.current_dir(cargo::workspace()).arg("benches/peers/run.py");
                    command.args(run).args(["--isa", isa]);
                    own.extend(measure(command, json)?);
                }
                done(title, own)
            };
            compare(PEERS, "native")?;
            let title = format!("{PEERS} {LIMITED}");
            if is_wider_than_avx2() {
                compare(&title, LIMITED)?;
            } else if page {
                page::write_not_run(&markdown, &title, PEERS)?;
            }
        }
        (Some(PEERS), false) => return Err(format!("run benches/peers/setup.sh: {PEERS_PYTHON}")),
        (None, false) => eprintln!("without peers, which benches/peers/setup.sh installs"),
        _ => {}
    }
    if !json {
        print!("{}", table(&records));
    }
    let broken: Vec<&str> = records
        .iter()
        .filter(|record| record.holds == Some(false))
        .map(|record| record.bench.as_str())
        .collect();
    if broken.is_empty() {
        Ok(())
    } else {
        Err(format!("these targets do not hold: {}", broken.join(", ")))
    }
}

/// Whether this machine's vectors are wider than those of AVX2.
fn is_wider_than_avx2() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::is_x86_feature_detected!("avx512f");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// The benchmark programs of the workspace.
fn programs() -> Result<Vec<BenchProgram>> {
    let mut command = cargo::command(&["metadata", "--no-deps", "--format-version", "1"]);
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("cannot run `cargo metadata`: {error}"))?;
    let metadata: Value = serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("`cargo metadata` printed no JSON: {error}"))?;
    Ok(programs_of(&metadata))
}

fn programs_of(metadata: &Value) -> Vec<BenchProgram> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut programs = Vec::new();
    for package in list(&metadata["packages"]) {
        for target in list(&package["targets"]) {
            if list(&target["kind"]).iter().any(|kind| kind == "bench") {
                programs.push(BenchProgram {
                    package: text(&package["name"]),
                    name: text(&target["name"]),
                });
            }
        }
    }
    programs
}

fn select(programs: Vec<BenchProgram>, name: Option<&str>) -> Result<Vec<BenchProgram>> {
    let known: Vec<String> = programs.iter().map(|program| program.name.clone()).collect();
    let chosen: Vec<BenchProgram> = programs
        .into_iter()
        .filter(|program| name.is_none_or(|name| name == program.name))
        .collect();
    match (chosen.is_empty(), name) {
        (false, _) => Ok(chosen),
        (true, None) => Err("the workspace has no benchmarks".to_owned()),
        (true, Some(name)) => {
            Err(format!("no benchmark is called `{name}`: known are {}", known.join(", ")))
        }
    }
}

/// The records that a command prints; its other lines go to standard error.
fn measure(mut command: Command, json: bool) -> Result<Vec<Record>> {
    let mut records = Vec::new();
    let line = cargo::line(&command);
    let failed = |error| format!("cannot run `{line}`: {error}");
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(failed)?;
    for text in child.stdout.take().into_iter().flat_map(|out| BufReader::new(out).lines()) {
        let text = text.map_err(failed)?;
        match serde_json::from_str(&text) {
            Ok(record) => {
                if json {
                    println!("{text}");
                }
                records.push(record);
            }
            Err(_) => eprintln!("{text}"),
        }
    }
    let status = child.wait().map_err(failed)?;
    if status.success() { Ok(records) } else { Err(format!("`{line}` ended with {status}")) }
}

fn table(records: &[Record]) -> String {
    let number = |value: f64| match value.abs() {
        size if size == 0.0 || (1e-3..1e6).contains(&size) => format!("{value:.3}"),
        _ => format!("{value:.3e}"),
    };
    let optional = |value: Option<f64>| value.map_or("-".to_owned(), number);
    let mut rows =
        vec![["bench", "value", "unit", "reference", "ratio", "target", "holds"].map(String::from)];
    rows.extend(records.iter().map(|record| {
        [
            record.bench.clone(),
            number(record.value),
            record.unit.clone(),
            optional(record.reference),
            optional(record.ratio),
            match &record.target {
                None | Some(Value::Null) => "-".to_owned(),
                Some(Value::String(text)) => text.clone(),
                Some(value) => value.to_string(),
            },
            match record.holds {
                None => "-".to_owned(),
                Some(true) => "yes".to_owned(),
                Some(false) => "NO".to_owned(),
            },
        ]
    }));
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: [usize; 7] = std::array::from_fn(|column| width(column).unwrap_or(0));
    let mut table = String::new();
    for row in &rows {
        for (column, cell) in row.iter().enumerate() {
            table += &match column {
                0 | 2 | 5 | 6 => format!("{cell:<width$}  ", width = widths[column]),
                _ => format!("{cell:>width$}  ", width = widths[column]),
            };
        }
        table.truncate(table.trim_end().len());
        table.push('\n');
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_become_a_table_with_what_does_not_hold_in_capitals() {
        let lines = [
            r#"{"bench":"add","value":1.25,"unit":"us","reference":1.3,"ratio":0.96,"target":1.1,"holds":true}"#,
            r#"{"bench":"trace 22 layers","value":12.0,"unit":"ms","reference":null,"ratio":null,"target":"<= 10 ms","holds":false}"#,
        ];
        let records: Vec<Record> =
            lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
        let expected = "\
bench             value  unit  reference  ratio  target    holds
add               1.250  us        1.300  0.960  1.1       yes
trace 22 layers  12.000  ms            -      -  <= 10 ms  NO
";
        assert_eq!(table(&records), expected);
    }

    #[test]
    fn every_program_has_a_place_on_the_page() {
        let page = std::fs::read_to_string(cargo::workspace().join("docs/benchmarks.md")).unwrap();
        let titles = programs().unwrap().into_iter().map(|program| program.title());
        let limited = [KERNELS, PEERS].map(|title| format!("{title} {LIMITED}"));
        for title in titles.chain(limited).chain([PEERS.to_owned()]) {
            assert!(page.contains(&format!("<!-- bench: {title} -->\n")), "{title}");
        }
    }

    #[test]
    fn programs_are_the_bench_targets_of_the_workspace_and_a_wrong_name_lists_them() {
        let metadata = serde_json::json!({ "packages": [
            {
                "name": "a",
                "targets": [
                    { "name": "a", "kind": ["lib"] },
                    { "name": "x", "kind": ["bench"] },
                ],
            },
            { "name": "b", "targets": [{ "name": "y", "kind": ["bench"] }] },
        ]});
        let names = |programs: &[BenchProgram]| -> Vec<String> {
            programs.iter().map(|program| program.name.clone()).collect()
        };
        assert_eq!(names(&programs_of(&metadata)), ["x", "y"]);
        assert_eq!(names(&select(programs_of(&metadata), Some("y")).unwrap()), ["y"]);
        let message = select(programs_of(&metadata), Some("z")).unwrap_err();
        assert_eq!(message, "no benchmark is called `z`: known are x, y");
        assert!(select(Vec::new(), None).is_err());
    }
}
