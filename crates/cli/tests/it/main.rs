//! The command as a process, on real files and with the real CPU plugin.

mod cache;
mod hloom;
mod inspect;
mod machine;
mod output;
