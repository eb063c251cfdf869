//! Printing to whoever reads, until they leave: `example | head -1` ends quietly.
//!
//! `print!` and `println!` of the standard library panic when standard output is closed; these take their place.

use std::{
    fmt,
    io::{self, Write},
    process,
};

/// The status of a program that a closed pipe ended, as a shell reports the signal for it.
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

/// Writes to standard output at once, and ends the program when that fails: quietly when nobody reads any more.
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
