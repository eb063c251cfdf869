//! Programs that crash or hang the CPU plugin, or make it read and write memory that is not theirs.

use super::{bytes, compiled, numbers, started};
use hloom_pjrt::CompileOptions;
use hloom_sandbox::{Argument, Error, Limits, Program};
use std::{fs, path::PathBuf, time::Duration};

const LIMITS: Limits = Limits {
    memory: 1 << 30,
    threads: 1000,
    start: Duration::from_secs(60),
    compile: Duration::from_secs(10),
    bind: Duration::from_secs(10),
    call: Duration::from_secs(3),
};

fn hostile_programs() -> Vec<PathBuf> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/stablehlo/hostile");
    let entries = fs::read_dir(folder).expect("the folder is there");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    files
}

/// Calls a program with arguments of these bytes.
fn call_with(program: &Program, byte: u8) -> Result<(), Error> {
    let parameters = &program.description().parameters;
    let arguments: Vec<Vec<u8>> = parameters.iter().map(|one| vec![byte; one.bytes]).collect();
    let arguments: Vec<_> = arguments.iter().map(|bytes| Argument::Bytes(bytes)).collect();
    program.call(&arguments).map(drop)
}

#[test]
fn each_returns_a_result_or_an_error() {
    let mut session = started(LIMITS);
    let (mut ended, mut too_long, mut failed) = (Vec::new(), Vec::new(), 0);
    let files = hostile_programs();
    assert_eq!(files.len(), 45);
    for file in &files {
        let code = fs::read(file).expect("the file is read");
        let outcome = session.compile(&code, &CompileOptions::new()).and_then(|program| {
            call_with(&program, 0)?;
            call_with(&program, 0x3f)
        });
        let name = file.file_name().expect("a file").to_string_lossy().into_owned();
        match outcome {
            Ok(()) => continue,
            Err(Error::Plugin { .. } | Error::TooLarge { .. }) => failed += 1,
            Err(Error::TimeLimit { .. }) => too_long.push(name),
            Err(Error::Ended { status, .. }) => ended.push((name, status)),
            Err(error) => panic!("{name}: {error}"),
        }
        session = if is_alive(&session) { session } else { started(LIMITS) };
    }
    println!("{failed} errors, too long: {too_long:?}, ended: {ended:?}");
    // Otherwise these programs are too tame to show anything.
    assert!(ended.iter().filter(|(_, status)| status.starts_with("signal:")).count() >= 10);
    // A program of ours runs in a child next to them.
    let negate = "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %y = stablehlo.negate %x : tensor<2xf32>
      return %y : tensor<2xf32>
    }";
    let program = compiled(&started(LIMITS), negate);
    let results = program.call(&[Argument::Bytes(&bytes(&[1.0, 2.0]))]).expect("the call returns");
    assert_eq!(numbers(&results[0]), [-1.0, -2.0]);
}

fn is_alive(session: &hloom_sandbox::Session) -> bool {
    let empty = session.compile(b"func.func @main() { return }", &CompileOptions::new());
    !matches!(empty, Err(Error::Dead(_)))
}

#[test]
fn memory_beyond_the_limit_is_an_error() {
    let session = started(LIMITS);
    // Two arrays of 2 GiB, with a result of four bytes.
    let text = "func.func @main(%x: tensor<f32>) -> tensor<f32> {
      %wide = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> tensor<536870912xf32>
      %iota = stablehlo.iota dim = 0 : tensor<536870912xf32>
      %all = stablehlo.multiply %wide, %iota : tensor<536870912xf32>
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %sorted = \"stablehlo.sort\"(%all) ({
        ^bb0(%a: tensor<f32>, %b: tensor<f32>):
          %less = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
          stablehlo.return %less : tensor<i1>
      }) {dimension = 0 : i64} : (tensor<536870912xf32>) -> tensor<536870912xf32>
      %sum = stablehlo.reduce(%sorted init: %zero) applies stablehlo.add across dimensions = [0]
        : (tensor<536870912xf32>, tensor<f32>) -> tensor<f32>
      return %sum : tensor<f32>
    }";
    let error = call_with(&compiled(&session, text), 0).unwrap_err();
    assert!(matches!(error, Error::Plugin { .. } | Error::Ended { .. }), "{error}");
}

#[test]
fn feeds_are_refused_before_the_first_call() {
    let session = started(LIMITS);
    let text = "func.func @main() -> tensor<f32> {
      %token = stablehlo.create_token : !stablehlo.token
      %fed:2 = \"stablehlo.infeed\"(%token) {infeed_config = \"\"}
        : (!stablehlo.token) -> (tensor<f32>, !stablehlo.token)
      return %fed#0 : tensor<f32>
    }";
    let error = session.compile(text.as_bytes(), &CompileOptions::new()).unwrap_err().to_string();
    assert!(error.contains("the op `infeed`, which waits for another program"), "{error}");
}
