//! What a developer or a newcomer runs: set-up, tests, examples, bindings, doctor.
fn main() {}
