//! pip, which fetches packages from whatever index the user's pip is set up for.

use std::{
    ffi::{OsStr, OsString},
    fs::{self, File},
    path::{Path, PathBuf},
    time::Duration,
};

use crate::{Error, Package, Python, Result, Wheel, error::IoContext, wheel};

/// A Python 3 that has pip.
#[derive(Debug)]
pub(crate) struct Pip(Python);

impl Pip {
    /// Finds one: `chosen`, else the one named in `HLOOM_PYTHON`, else the first that works of
    /// `python3`, `python` and the system's.
    ///
    /// # Errors
    /// [`Error::Python`] with each candidate's output.
    pub(crate) fn find(chosen: Option<&Path>) -> Result<Self> {
        let candidates: Vec<OsString> = match chosen
            .map(OsString::from)
            .or_else(|| std::env::var_os("HLOOM_PYTHON").filter(|name| !name.is_empty()))
        {
            Some(python) => vec![python],
            None => ["python3", "python", "/usr/bin/python3"].map(OsString::from).into(),
        };
        let mut answers = Vec::new();
        for name in candidates {
            let asked = Python::new(&name).and_then(|python| {
                let output = python.command().args(["-m", "pip", "--version"]).output()?;
                Ok((python, output))
            });
            let answer = match asked {
                Ok((python, output)) if output.status.success() => return Ok(Self(python)),
                Ok((_, output)) => last_lines(&String::from_utf8_lossy(&output.stderr), 1),
                Err(error) => error.to_string(),
            };
            answers.push(format!("`{}`: {answer}", name.display()));
        }
        Err(Error::Python { reason: answers.join("; ") })
    }

    /// Downloads `package`'s wheel into `scratch`, an existing folder that pip may also use for its
    /// temporary files, and returns the path of the file; `seen` is called with the number of bytes
    /// so far.
    ///
    /// # Errors
    /// [`Error::HashMismatch`], [`Error::Pip`] with pip's output, [`Error::Io`].
    pub(crate) fn download(
        &self,
        package: &Package,
        wheel: &Wheel,
        scratch: &Path,
        seen: &mut dyn FnMut(u64),
    ) -> Result<PathBuf> {
        let Package { package: name, version, .. } = package;
        // pip works in another folder.
        let scratch = &std::path::absolute(scratch).at("find", scratch)?;
        let requirements = scratch.join("requirements.txt");
        let line = format!("{name}=={version} --hash=sha256:{}\n", wheel.sha256);
        fs::write(&requirements, line).at("write", &requirements)?;
        let downloads = scratch.join("wheel");
        let temporary = scratch.join("tmp");
        for folder in [&downloads, &temporary] {
            fs::create_dir(folder).at("create", folder)?;
        }
        let log = scratch.join("pip.log");
        let output = File::create(&log).at("create", &log)?;
        let errors = output.try_clone().at("create", &log)?;

        let mut command = self.0.command();
        command
            .args(["-m", "pip", "download", "--no-deps", "--require-hashes"])
            .args(["--only-binary", ":all:", "--no-cache-dir", "--no-input"])
            .args(["--progress-bar", "off", "--disable-pip-version-check"])
            .args(selectors(wheel))
            .arg("--dest")
            .arg(&downloads)
            .arg("--requirement")
            .arg(&requirements)
            .env("TMPDIR", &temporary)
            // Nothing is installed into any Python, so none has to be a virtual environment.
            .env("PIP_REQUIRE_VIRTUALENV", "false")
            .stdout(output)
            .stderr(errors);
        let python = self.0.program();
        let mut child = command.spawn().at("run", python)?;
        let status = loop {
            if let Some(status) = child.try_wait().at("wait for", python)? {
                break status;
            }
            seen(size_of(scratch));
            std::thread::sleep(Duration::from_millis(50));
        };

        let output = fs::read(&log).unwrap_or_default();
        let output = String::from_utf8_lossy(&output);
        if !status.success() {
            return Err(match refused_hash(&output) {
                Some(found) => mismatch(package, wheel, found),
                None => Error::Pip {
                    package: name.clone(),
                    version: version.clone(),
                    output: last_lines(&output, 12),
                },
            });
        }
        let mut files = fs::read_dir(&downloads)
            .at("read", &downloads)?
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.extension() == Some(OsStr::new("whl")));
        let (Some(file), None) = (files.next(), files.next()) else {
            return Err(Error::Pip {
                package: name.clone(),
                version: version.clone(),
                output: "it succeeded but did not leave exactly one wheel".to_owned(),
            });
        };
        let found = wheel::sha256(&file)?;
        if found != wheel.sha256 {
            return Err(mismatch(package, wheel, found));
        }
        Ok(file)
    }
}

/// The options that make pip accept this wheel, whatever Python it runs in.
fn selectors(wheel: &Wheel) -> Vec<String> {
    let mut parts = wheel.tag.split('-');
    let (python, _abi, platforms) = (parts.next(), parts.next(), parts.next());
    let mut options = Vec::new();
    if let Some(version) = python.and_then(|tag| tag.strip_prefix("cp3")) {
        options.extend(["--implementation".to_owned(), "cp".to_owned()]);
        options.extend(["--python-version".to_owned(), format!("3.{version}")]);
    }
    for platform in platforms.unwrap_or("any").split('.') {
        options.extend(["--platform".to_owned(), platform.to_owned()]);
    }
    options
}

fn mismatch(package: &Package, wheel: &Wheel, found: String) -> Error {
    Error::HashMismatch {
        package: package.package.clone(),
        version: package.version.clone(),
        expected: wheel.sha256.clone(),
        found,
    }
}

/// The hash that pip found, from its report of a mismatch.
fn refused_hash(output: &str) -> Option<String> {
    let (_, after) = output.split_once("DO NOT MATCH THE HASHES")?;
    let found = after.lines().find_map(|line| line.trim().strip_prefix("Got "))?;
    Some(found.trim().to_owned())
}

fn last_lines(text: &str, count: usize) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(count)..].join("\n")
}

/// The size of all files below a folder that others write to meanwhile.
fn size_of(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else {
        return 0;
    };
    entries
        .flatten()
        .map(|entry| match entry.metadata() {
            Ok(data) if data.is_dir() => size_of(&entry.path()),
            Ok(data) => data.len(),
            Err(_) => 0,
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_that_pip_refuses_is_found_in_its_words() {
        let words = "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.\n\
                     \x20   demo==1.0 from file:\n\
                     \x20       Expected sha256 aa\n\
                     \x20            Got        bb\n";
        assert_eq!(refused_hash(words).as_deref(), Some("bb"));
        assert_eq!(refused_hash("ERROR: No matching distribution"), None);
    }

    #[test]
    fn selectors_name_every_platform_of_a_tag_and_a_cpython_version() {
        let wheel = |tag: &str| Wheel { tag: tag.to_owned(), sha256: String::new(), bytes: 0 };
        assert_eq!(
            selectors(&wheel("py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64")),
            ["--platform", "manylinux2014_x86_64", "--platform", "manylinux_2_17_x86_64"]
        );
        assert_eq!(
            selectors(&wheel("cp312-cp312-manylinux_2_31_x86_64"))[..4],
            ["--implementation", "cp", "--python-version", "3.12"]
        );
    }
}
