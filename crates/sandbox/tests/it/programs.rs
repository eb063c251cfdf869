//! Programs that harm nobody.

use super::{bytes, compiled, numbers, sandbox, started};
use hloom_pjrt::{CompileOptions, DType, Spec};
use hloom_sandbox::{Argument, Error, Limits, Work};
use hloom_test_support::plugin_path;
use std::time::Duration;

const ADD: &str = "
func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> (tensor<2xf32>, tensor<f32>) {
  %c = stablehlo.add %a, %b : tensor<2xf32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  return %c, %one : tensor<2xf32>, tensor<f32>
}";

/// Counts to two thousand million.
const LONG: &str = "
func.func @main(%x: tensor<i32>) -> tensor<i32> {
  %end = stablehlo.constant dense<2000000000> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %last = stablehlo.while(%i = %x) : tensor<i32>
    cond {
      %more = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %next = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %next : tensor<i32>
    }
  return %last : tensor<i32>
}";

#[test]
fn a_program_computes_on_arguments_that_are_sent_and_bound() {
    let session = started(Limits::default());
    assert_eq!((session.platform_name(), session.device_count()), ("cpu", 1));
    let program = compiled(&session, ADD);
    let description = program.description();
    let vector = Spec::new(DType::F32, [2]);
    assert_eq!(description.results, [vector.clone(), Spec::new(DType::F32, [])]);
    let parameters = description.parameters.iter();
    assert_eq!(parameters.map(|one| (&one.spec, one.bytes)).collect::<Vec<_>>(), [(&vector, 8); 2]);
    let (a, b) = (bytes(&[1.0, 2.0]), bytes(&[10.0, 20.0]));
    let sum = |arguments: &[Argument<'_>]| {
        let results = program.call(arguments).expect("the call returns");
        assert_eq!(numbers(&results[1]), [1.0]);
        numbers(&results[0])
    };
    assert_eq!(sum(&[Argument::Bytes(&a), Argument::Bytes(&b)]), [11.0, 22.0]);
    let bound = program.bind(0, 0, &bytes(&[100.0, 200.0])).expect("the argument is copied");
    assert_eq!(sum(&[Argument::Bound(&bound), Argument::Bytes(&b)]), [110.0, 220.0]);
    assert_eq!(sum(&[Argument::Bound(&bound), Argument::Bytes(&a)]), [101.0, 202.0]);
}

#[test]
fn arrays_larger_than_the_socket_holds_pass_both_ways() {
    let session = started(Limits::default());
    let text = "func.func @main(%a: tensor<3000001xf32>) -> tensor<3000001xf32> {
      %b = stablehlo.negate %a : tensor<3000001xf32>
      return %b : tensor<3000001xf32>
    }";
    let program = compiled(&session, text);
    let values: Vec<f32> = (0..3_000_001).map(|i| i as f32).collect();
    let results = program.call(&[Argument::Bytes(&bytes(&values))]).expect("the call returns");
    assert!(numbers(&results[0]).iter().zip(&values).all(|(found, value)| *found == -value));
}

#[test]
fn a_program_for_two_devices_sums_over_them() {
    let session = sandbox().start(plugin_path(), 2).expect("the child starts");
    let text = r#"
    module attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 2 : i32} {
      func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
        %b = "stablehlo.all_reduce"(%a) ({
          ^bb0(%x: tensor<f32>, %y: tensor<f32>):
            %s = stablehlo.add %x, %y : tensor<f32>
            stablehlo.return %s : tensor<f32>
        }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
        return %b : tensor<2xf32>
      }
    }"#;
    let options = CompileOptions::replicated(2);
    let program = session.compile(text.as_bytes(), &options).expect("the program compiles");
    assert_eq!(program.description().devices, 2);
    let second = program.bind(1, 0, &bytes(&[10.0, 20.0])).expect("the argument is copied");
    let first = bytes(&[1.0, 2.0]);
    let arguments = [Argument::Bytes(&first), Argument::Bound(&second)];
    let results = program.call(&arguments).expect("the call returns");
    assert_eq!(results.len(), 2);
    assert!(results.iter().all(|result| numbers(result) == [11.0, 22.0]));
    let swapped = program.call(&[Argument::Bound(&second), Argument::Bytes(&first)]);
    assert!(swapped.unwrap_err().to_string().contains("found parameter 0 on device 1"));
}

#[test]
fn arguments_that_do_not_fit_are_errors_of_the_caller() {
    let session = started(Limits::default());
    let (program, other) = (compiled(&session, ADD), compiled(&session, ADD));
    let (a, short) = (bytes(&[1.0, 2.0]), bytes(&[1.0]));
    let of_other = other.bind(0, 0, &a).expect("the argument is copied");
    let message = |outcome: Result<Vec<_>, Error>| outcome.map(drop).unwrap_err().to_string();
    let call = |arguments: &[Argument<'_>]| message(program.call(arguments));
    assert_eq!(call(&[]), "arguments: expected 2, found 0");
    assert_eq!(
        call(&[Argument::Bytes(&a), Argument::Bytes(&short)]),
        "bytes of argument 1, f32[2]: expected 8, found 4"
    );
    assert!(call(&[Argument::Bound(&of_other), Argument::Bytes(&a)]).contains("for another"));
    assert!(program.bind(1, 0, &a).unwrap_err().to_string().contains("at most 0, found 1"));
    assert!(program.bind(0, 2, &a).unwrap_err().to_string().contains("one of 2, found 2"));
    let partitioned = session.compile(ADD.as_bytes(), &CompileOptions::partitioned(2));
    assert!(partitioned.unwrap_err().to_string().contains("expected 1, found options for 2"));
    // The child has noticed nothing.
    assert!(program.call(&[Argument::Bytes(&a), Argument::Bytes(&a)]).is_ok());
}

#[test]
fn errors_of_the_plugin_are_returned_and_the_child_goes_on() {
    let session = started(Limits::default());
    let wrong = session.compile(b"func.func @main() { return %x }", &CompileOptions::new());
    let error = wrong.unwrap_err();
    assert!(matches!(error, Error::Plugin { work: Work::Compile, .. }), "{error}");
    compiled(&session, ADD);
    let missing = sandbox().start("/no/such/plugin.so", 1).unwrap_err();
    assert!(matches!(missing, Error::Plugin { work: Work::Start, .. }), "{missing}");
    assert!(missing.to_string().contains("/no/such/plugin.so"), "{missing}");
}

#[test]
fn a_call_that_takes_too_long_ends_the_child() {
    let limits = Limits { call: Duration::from_millis(200), ..Limits::default() };
    let session = started(limits);
    let program = compiled(&session, LONG);
    let error = program.call(&[Argument::Bytes(&[0; 4])]).unwrap_err();
    assert_eq!(error.to_string(), "a call in the sandbox took longer than its limit of 200ms");
    assert!(!std::path::Path::new(&format!("/proc/{}", session.process_id())).exists());
    let again = program.call(&[Argument::Bytes(&[0; 4])]).unwrap_err();
    assert!(matches!(&again, Error::Dead(reason) if *reason == error.to_string()), "{again}");
}

#[test]
fn programs_with_arrays_beyond_the_limit_of_memory_are_refused() {
    let limits = Limits { memory: 1 << 30, ..Limits::default() };
    let session = started(limits);
    let text = "func.func @main() -> tensor<1073741825xi8> {
      %x = stablehlo.iota dim = 0 : tensor<1073741825xi8>
      return %x : tensor<1073741825xi8>
    }";
    let error = session.compile(text.as_bytes(), &CompileOptions::new()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the results of the program have 1073741825 bytes, and the limit of memory is 1073741824"
    );
    compiled(&session, ADD);
}
