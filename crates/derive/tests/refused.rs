//! What the derive refuses, with the messages that a user sees.

#[test]
fn refused_programs_say_why() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/refused/*.rs");
}
