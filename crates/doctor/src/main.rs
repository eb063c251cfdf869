//! The doctor as a command of its own, which builds without LLVM and without the runtime.

#![forbid(unsafe_code)]

use hloom_doctor::{Host, Report};
use std::{path::Path, process::ExitCode};

const USAGE: &str = "usage: hloom-doctor [--json]";
const HOST: Host = Host { probe: &["--probe"], install: "cargo xtask plugin install" };

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => print!("{}", Report::make(HOST).text()),
        ["--json"] => println!("{:#}", serde_json::json!(Report::make(HOST))),
        ["--probe", path] => hloom_doctor::probe(Path::new(path)),
        ["--help" | "-h"] => println!("{USAGE}"),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}
