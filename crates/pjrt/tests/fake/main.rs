//! Tests against a plugin that is linked into the test, with injected faults.
//!
//! Apart from `it`: it loads no library, so that interpreters of Rust can run it.

mod faults;
mod lies;
mod memory;
mod nested;
mod never;
mod recovery;
mod script;
mod statistics;
mod unwritten;

use fake_plugin::working::Session;
use hloom_pjrt::{Client, Plugin};

/// The plugin of a session's version.
fn plugin(session: &Session) -> Plugin {
    // SAFETY: the table lives as long as the process.
    unsafe { Plugin::register(&session.name(), session.table()) }.expect("the table is whole")
}

/// A client of two devices.
fn client(session: &Session) -> Client {
    plugin(session).client().expect("nothing goes wrong")
}
