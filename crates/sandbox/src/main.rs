//! The child process of a sandbox. Started by hand, it compiles a program in a sandbox of its own
//! and prints the program's parameters and results: `hloom-sandbox PLUGIN FILE`.

use hloom_pjrt::CompileOptions;
use hloom_sandbox::{Result, Sandbox};
use std::{env, ffi::OsString, fs, path::Path, process::ExitCode};

fn main() -> ExitCode {
    hloom_sandbox::enter();
    let arguments: Vec<OsString> = env::args_os().skip(1).collect();
    let [plugin, file] = &arguments[..] else {
        eprintln!(
            "usage: hloom-sandbox PLUGIN FILE\nprints the parameters and results of a StableHLO \
             program, compiled by a plugin for the CPU in a sandbox"
        );
        return ExitCode::from(2);
    };
    let code = match fs::read(file) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {}: {error}", file.display());
            return ExitCode::FAILURE;
        }
    };
    match print(plugin.as_ref(), &code) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // The plugin quotes the program, which may hold sequences that control a terminal.
            eprintln!("error: {}", error.to_string().escape_debug());
            ExitCode::FAILURE
        }
    }
}

fn print(plugin: &Path, code: &[u8]) -> Result<()> {
    let session = Sandbox::new().start(plugin, 1)?;
    let program = session.compile(code, &CompileOptions::new())?;
    let description = program.description();
    for (index, parameter) in description.parameters.iter().enumerate() {
        let name = parameter.name.as_deref().unwrap_or_default().escape_debug();
        println!("parameter {index}: {} {name}", parameter.spec);
    }
    for (index, result) in description.results.iter().enumerate() {
        println!("result {index}: {result}");
    }
    Ok(())
}
