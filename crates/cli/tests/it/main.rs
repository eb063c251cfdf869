//! The command as a process, on real files and with the real CPU plugin.

mod bench;
mod cache;
mod compile;
mod hloom;
mod inspect;
mod machine;
mod output;
mod report;
mod run;
