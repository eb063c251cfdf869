//! Chromium, in which a test loads the page of a report.

use crate::{Result, apt::Apt};
use std::process::{Command, Stdio};

/// The start of the names of tests that need a browser, which are otherwise ignored.
pub const TESTS: &str = "browser_";

/// The package of the tests that need a browser.
pub const PACKAGE: &str = "hloom-report";

/// Whether the browser is installed, under the name that the tests start it by.
pub fn is_installed() -> bool {
    let mut version = Command::new("chromium");
    version.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    version.status().is_ok_and(|status| status.success())
}

/// Installs it where it is missing.
///
/// # Errors
/// There is no apt-get, or it cannot install the package.
pub fn ensure() -> Result {
    if is_installed() {
        return Ok(());
    }
    let apt = Apt::find().ok_or("`chromium` is missing, and there is no apt-get to install it")?;
    eprintln!("installing chromium");
    apt.install(&["chromium"])?;
    if is_installed() { Ok(()) } else { Err("`chromium` was installed and does not run".into()) }
}
