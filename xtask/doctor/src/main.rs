//! Reports what this machine has: LLVM and MLIR, plugins and their devices, caches.
//!
//! A plugin is foreign code that may crash, hang or end the process when it is loaded, so each is
//! loaded in a process of its own: this program again, with `--probe`.

#![forbid(unsafe_code)]

mod cache;
mod package;
mod plugin;
mod probe;
mod report;
#[path = "../../../build/toolchain.rs"]
mod toolchain;

use std::process::ExitCode;

const USAGE: &str = "usage: hloom-doctor [--json]";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => print!("{}", report::Report::make().text()),
        ["--json"] => println!("{:#}", serde_json::json!(report::Report::make())),
        [probe::FLAG, path] => probe::child(path),
        ["--help" | "-h"] => println!("{USAGE}"),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}
