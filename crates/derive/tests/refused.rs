//! Inputs that the derive rejects, with their error messages.

#[test]
fn refused_programs_say_why() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/refused/*.rs");
}
