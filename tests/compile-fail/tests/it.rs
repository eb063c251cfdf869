//! Programs that the types of the runtime or the kernels, or the derive, reject, with their error
//! messages.

/// E9: a call without a bound argument does not compile.
///
/// X1: a second use of a donated buffer does not compile.
///
/// C2: closures and structs that are not callbacks of the inputs do not compile, with readable
/// errors.
#[test]
fn wrong_programs_do_not_compile() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/calls/*.rs");
    cases.compile_fail("tests/derive/*.rs");
    cases.compile_fail("tests/kernels/*.rs");
}
