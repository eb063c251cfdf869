//! Defects of plugins that Hloom works around, demonstrated on the plugin itself.
//!
//! Each test passes a plugin the program (or call) of Hloom without its work-around, in a process
//! of its own, and compares the outcome with the versions that the table lists. So a test fails
//! when a plugin gains or loses a defect: then the table is to be changed, and a work-around that
//! no listed plugin needs any more can go. The table is printed into `docs/plugin-defects.md`.
//!
//! Apart from `it`: what it finds is a property of the plugin, which `cargo xtask plugins test`
//! counts apart.

mod calls;
mod devices;
mod docs;
mod elements;
mod narrow;
mod products;
mod speed;
mod sums;
mod table;

use hloom_pjrt::{
    Buffer, Client, CompileOptions, Error, ExecuteOptions, LoadedExecutable, Program,
};
use hloom_test_support::{Child, CompileOwn, client, plugin};
use std::time::Duration;

/// Names the defect that a child shows.
const DEFECT: &str = "HLOOM_TEST_DEFECT";

/// Begins the line in which a child reports its finding.
const FOUND: &str = "defect found: ";

/// The time limit of a demonstration.
const LIMIT: Duration = Duration::from_secs(100);

/// The minor versions of the C API of the plugins that the table covers.
const TESTED: [i32; 3] = [81, 106, 115];

/// A defect or lack of a plugin.
struct Defect {
    /// The name of its test.
    name: &'static str,
    /// The behaviour of the plugin.
    what: &'static str,
    /// The workaround of Hloom, and where it is.
    instead: &'static str,
    /// The versions of [`TESTED`] that have it.
    versions: &'static [i32],
    /// Whether the defect ends the process.
    ends: bool,
    /// Whether the plugin of this process has it; none where only time shows it.
    is_there: Option<fn() -> bool>,
}

fn compile(
    client: &Client,
    text: &str,
    options: &CompileOptions,
) -> Result<LoadedExecutable, Error> {
    client.compile_own(&Program::mlir(text), options)
}

/// Compiles a program for one device and runs it once.
fn run(text: &str, arguments: &[&Buffer], client: &Client) -> Result<Vec<Buffer>, Error> {
    let outputs = compile(client, text, &CompileOptions::new())?
        .execute(arguments, &ExecuteOptions::new())?;
    outputs.iter().try_for_each(Buffer::wait)?;
    Ok(outputs)
}

/// Shows a defect in a process of its own and compares what it found with the table.
fn check(name: &str) {
    let defect = table::ALL.iter().find(|defect| defect.name == name);
    let defect = defect.expect("every test has its row");
    let ended = Child::ignored("demonstration").env(DEFECT, name).limit(LIMIT).run();
    let (status, text) = (ended.status, ended.text());
    let answer =
        text.lines().find_map(|line| line.split_once(FOUND)).map(|(_, answer)| answer == "true");
    let passed = status.is_some_and(|status| status.success());
    let found = match answer {
        Some(answer) if passed => answer,
        // The plugin may still crash after it returned.
        _ if defect.ends => true,
        _ => panic!("{name}: {status:?} without an answer:\n{text}"),
    };
    let (_, minor) = plugin().version();
    println!("{name}: {found} on 0.{minor}");
    if TESTED.contains(&minor) {
        assert_eq!(
            found,
            defect.versions.contains(&minor),
            "{name} on 0.{minor}: change the table\n{text}"
        );
    }
}

#[test]
#[ignore = "run by the other tests, in a process of its own"]
fn demonstration() {
    let name = std::env::var(DEFECT).expect("a name");
    let defect = table::ALL.iter().find(|defect| defect.name == name).expect("a defect");
    let is_there = defect.is_there.expect("a defect with a test");
    println!("\n{FOUND}{}", is_there());
}
