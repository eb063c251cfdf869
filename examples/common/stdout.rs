//! Printing until the reader closes the pipe: `example | head -1` ends quietly.
//!
//! `print!` and `println!` of the standard library panic when standard output is closed; these
//! macros replace them.

use std::{
    fmt,
    io::{self, Write},
    process,
};

/// The exit status of a program ended by a closed pipe, as a shell reports the signal.
const PIPE_CLOSED: i32 = 128 + 13;

/// Prints to standard output.
#[allow(unused_macros, reason = "not every example prints parts of lines")]
macro_rules! print {
    ($($text:tt)*) => {
        crate::stdout::write(format_args!($($text)*))
    };
}

/// Prints a line to standard output.
#[allow(unused_macros, reason = "not every example prints whole lines")]
macro_rules! println {
    () => {
        crate::stdout::write(format_args!("\n"))
    };
    ($($text:tt)*) => {
        crate::stdout::write(format_args!("{}\n", format_args!($($text)*)))
    };
}

/// Writes to standard output at once, and ends the program if that fails: quietly if the reader has
/// closed it.
pub fn write(text: fmt::Arguments<'_>) {
    let mut out = io::stdout().lock();
    match out.write_fmt(text).and_then(|()| out.flush()) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => process::exit(PIPE_CLOSED),
        Err(error) => {
            eprintln!("error: standard output: {error}");
            process::exit(1);
        }
    }
}
