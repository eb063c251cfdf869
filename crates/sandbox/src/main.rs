//! The child process of a sandbox: started by the library, with its requests on standard input.

use std::process::ExitCode;

fn main() -> ExitCode {
    hloom_sandbox::enter();
    eprintln!("hloom-sandbox is started by programs that run a stranger's StableHLO, not by hand");
    ExitCode::FAILURE
}
