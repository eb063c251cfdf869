//! A world of its own for each test: cache, home, temporary folder and a folder of wheels.

use std::{
    fs::{self, File},
    io::Write,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use serde_json::{Value, json};
use tempfile::TempDir;
use zip::{ZipWriter, write::SimpleFileOptions};

/// Path of the library inside the wheels made here.
pub const LIBRARY: &str = "demo_plugin/demo.so";

/// The environment of a test; removed with everything in it at the end.
pub struct World {
    root: TempDir,
}

/// A member of a wheel.
pub enum Member {
    /// A file with its content.
    File(&'static str, Vec<u8>),
    /// A file that can be executed.
    Program(&'static str, Vec<u8>),
    /// A symbolic link with its target.
    Link(&'static str, &'static str),
}

impl World {
    pub fn new() -> Self {
        let root = TempDir::new().unwrap();
        for folder in ["home", "cache", "tmp", "wheels", "elsewhere"] {
            fs::create_dir(root.path().join(folder)).unwrap();
        }
        Self { root }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    pub fn plugins(&self) -> PathBuf {
        self.path("cache/hloom/plugins")
    }

    /// Writes a wheel of package `package`, version 1.0, that pip accepts, and returns its path.
    pub fn wheel(&self, package: &str, members: &[Member]) -> PathBuf {
        let path = self.path("wheels").join(format!("{package}-1.0-py3-none-any.whl"));
        let mut zip = ZipWriter::new(File::create(&path).unwrap());
        let info = format!("{package}-1.0.dist-info");
        let mut add = |name: &str, content: &[u8], mode: u32| {
            let options = SimpleFileOptions::default().unix_permissions(mode);
            zip.start_file(name, options).unwrap();
            zip.write_all(content).unwrap();
        };
        let metadata = format!("Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n");
        add(&format!("{info}/METADATA"), metadata.as_bytes(), 0o644);
        let wheel =
            b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n";
        add(&format!("{info}/WHEEL"), wheel, 0o644);
        add(&format!("{info}/RECORD"), b"", 0o644);
        for member in members {
            match member {
                Member::File(name, content) => add(name, content, 0o644),
                Member::Program(name, content) => add(name, content, 0o755),
                Member::Link(..) => {}
            }
        }
        for member in members {
            if let Member::Link(name, target) = member {
                zip.add_symlink(*name, *target, SimpleFileOptions::default()).unwrap();
            }
        }
        zip.finish().unwrap();
        path
    }

    /// The entry of a manifest for a wheel made by [`World::wheel`].
    pub fn package(&self, package: &str, wheel: &Path) -> Value {
        let entry = json!({
            "tag": "py3-none-any",
            "sha256": pjrt_plugins::wheel::sha256(wheel).unwrap(),
            "bytes": fs::metadata(wheel).unwrap().len(),
        });
        json!({
            "package": package,
            "version": "1.0",
            "wheels": { "x86_64": entry, "aarch64": entry },
        })
    }

    /// A manifest of plugin `demo` whose package is `plugin`.
    pub fn manifest(&self, plugin: &Value) -> Value {
        json!({ "name": "demo", "description": "for tests", "library": LIBRARY, "plugin": plugin })
    }

    /// A wheel with `members` and the manifest file that installs it.
    pub fn demo(&self, members: &[Member]) -> PathBuf {
        let wheel = self.wheel("demo_plugin", members);
        self.write(&self.manifest(&self.package("demo_plugin", &wheel)))
    }

    /// Writes a manifest file.
    pub fn write(&self, manifest: &Value) -> PathBuf {
        let path = self.path("manifest.json");
        fs::write(&path, manifest.to_string()).unwrap();
        path
    }

    /// The command in this world: its own home, cache and temporary folder, pip without network.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pjrt-plugins"));
        command
            .args(arguments)
            .current_dir(self.path("elsewhere"))
            .env("HOME", self.path("home"))
            .env("XDG_CACHE_HOME", self.path("cache"))
            .env("TMPDIR", self.path("tmp"))
            .env("PIP_NO_INDEX", "1")
            .env("PIP_FIND_LINKS", self.path("wheels"))
            .env_remove("HLOOM_PYTHON");
        command
    }

    pub fn install_command(&self, manifest: &Path) -> Command {
        self.command(&["install", "--manifest", manifest.to_str().unwrap()])
    }

    pub fn install(&self, manifest: &Path) -> Output {
        self.install_command(manifest).output().unwrap()
    }

    /// A program that replaces Python; `$PYTHON` in the script is the real one.
    pub fn fake_python(&self, script: &str) -> PathBuf {
        let path = self.path("python");
        fs::write(&path, format!("#!/bin/sh\nPYTHON=python3\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    /// Names in the plugin folder that are not locks.
    pub fn left_over(&self) -> Vec<String> {
        let entries = fs::read_dir(self.plugins()).into_iter().flatten().flatten();
        let mut names: Vec<String> = entries
            .map(|entry| entry.file_name().into_string().unwrap())
            .filter(|name| !name.ends_with(".lock"))
            .collect();
        names.sort();
        names
    }

    /// Checks that nothing was written outside of the cache's plugin folder.
    pub fn assert_nothing_outside(&self) {
        for folder in ["home", "tmp", "elsewhere"] {
            let found: Vec<_> = fs::read_dir(self.path(folder)).unwrap().flatten().collect();
            assert!(found.is_empty(), "{folder} holds {found:?}");
        }
        let names = |folder: &str| -> Vec<String> {
            let entries = fs::read_dir(self.path(folder)).into_iter().flatten().flatten();
            entries.map(|entry| entry.file_name().into_string().unwrap()).collect()
        };
        assert!(names("cache").iter().all(|name| name == "hloom"));
        assert!(names("cache/hloom").iter().all(|name| name == "plugins"));
        let known =
            ["home", "cache", "tmp", "wheels", "elsewhere", "manifest.json", "python", "log"];
        for name in names("") {
            assert!(known.contains(&name.as_str()), "{name} was written");
        }
    }
}

/// Standard error of a command, which must fail.
#[track_caller]
pub fn failure(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success(), "it succeeded: {output:?}");
    assert!(!text.contains("panicked"), "{text}");
    text
}

/// Path on the last line that a successful install printed.
#[track_caller]
pub fn installed(output: &Output) -> PathBuf {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    PathBuf::from(text.lines().last().expect("a path is printed"))
}

/// A dummy library: `length` incompressible bytes.
pub fn library(length: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_u32;
    let next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state.to_le_bytes()[0]
    };
    std::iter::repeat_with(next).take(length).collect()
}
