//! Builds a book of mdBook: `hloom-book FOLDER`.

use mdbook_driver::MDBook;
use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(folder) = std::env::args_os().nth(1) else {
        eprintln!("error: the folder of the book is missing");
        return ExitCode::FAILURE;
    };
    match MDBook::load(folder).and_then(|book| book.build()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
