//! Finds LLVM and MLIR 22 and the libraries that linking them needs.
//!
//! Shared by the build script of the root package and by `cargo xtask`, so it uses nothing but the
//! standard library. It makes a few dozen file look-ups and runs `llvm-config` once.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

/// The default prefix of LLVM 22, unless the environment names one.
pub const DEFAULT_PREFIX: &str = "/usr/lib/llvm-22";

/// What was found, and what was not.
#[derive(Debug)]
pub struct Toolchain {
    /// The folder that LLVM and MLIR were looked for in.
    pub prefix: PathBuf,
    /// The version from its `llvm-config`, if it exists.
    pub version: Option<String>,
    /// The files that were found.
    pub found: Vec<PathBuf>,
    /// The missing parts.
    pub missing: Vec<Missing>,
}

/// A missing part.
#[derive(Debug, PartialEq, Eq)]
pub struct Missing {
    /// What it is, and where it was expected.
    pub what: String,
    /// The package of Debian and Ubuntu that carries it.
    pub package: &'static str,
}

/// Files below the prefix of LLVM: path, what it is, package.
const PARTS: [(&str, &str, &str); 6] = [
    ("lib/libLLVMCore.a", "static libraries of LLVM 22", "llvm-22-dev"),
    ("include/mlir-c/IR.h", "C headers of MLIR 22", "libmlir-22-dev"),
    ("lib/libMLIRCAPIIR.a", "static libraries of MLIR 22", "libmlir-22-dev"),
    ("bin/mlir-tblgen", "tools of MLIR 22", "mlir-22-tools"),
    ("bin/clang", "clang 22, whose headers bindgen reads", "clang-22"),
    ("lib/libPolly.a", "Polly, which `llvm-config` links", "libpolly-22-dev"),
];

/// Libraries that a program with MLIR inside links: name, what it is, package.
const LIBRARIES: [(&str, &str, &str); 4] = [
    ("zstd", "the compression library zstd", "libzstd-dev"),
    ("z", "the compression library zlib", "zlib1g-dev"),
    ("xml2", "the XML library libxml2", "libxml2-dev"),
    ("z3", "the solver Z3", "libz3-dev"),
];

/// Looks for everything; `variable` reads the environment.
pub fn look(variable: &dyn Fn(&str) -> Option<String>) -> Toolchain {
    let folder = |name: &str, default: &str| {
        PathBuf::from(variable(name).filter(|value| !value.is_empty()).unwrap_or(default.into()))
    };
    let prefix = folder("MLIR_SYS_220_PREFIX", DEFAULT_PREFIX);
    let tablegen = folder("TABLEGEN_220_PREFIX", DEFAULT_PREFIX);
    let clang = folder("LIBCLANG_PATH", &format!("{DEFAULT_PREFIX}/lib"));
    let mut toolchain =
        Toolchain { prefix: prefix.clone(), version: None, found: Vec::new(), missing: Vec::new() };

    for (name, prefix) in [("MLIR_SYS_220_PREFIX", &prefix), ("TABLEGEN_220_PREFIX", &tablegen)] {
        let version = toolchain.llvm_config(name, prefix);
        toolchain.version = toolchain.version.or(version);
    }
    for (path, what, package) in PARTS {
        toolchain.expect(prefix.join(path), what, package);
    }
    toolchain.libclang(&clang);
    let folders = linker_folders(&prefix, variable("LIBRARY_PATH"));
    for (name, what, package) in LIBRARIES {
        toolchain.library(&folders, name, what, package);
    }
    toolchain.compiler(variable("CXX"));
    toolchain
}

impl Toolchain {
    /// Names of the packages that carry what is missing, each once.
    pub fn packages(&self) -> Vec<&'static str> {
        let mut packages: Vec<_> = self.missing.iter().map(|missing| missing.package).collect();
        packages.sort_unstable();
        packages.dedup();
        packages
    }

    /// What is missing and how to get it, for a person to read.
    pub fn report(&self) -> String {
        let mut report = format!(
            "the build needs what is not on this machine (LLVM is looked for in {}):\n",
            self.prefix.display()
        );
        for missing in &self.missing {
            report += &format!("  - {} (package {})\n", missing.what, missing.package);
        }
        report +=
            &format!("on Debian and Ubuntu:\n  apt-get install {}\n", self.packages().join(" "));
        report += "elsewhere install the same parts with the system's packages, or unpack a \
                   release of LLVM 22 that has MLIR\nand name its folder in MLIR_SYS_220_PREFIX \
                   and TABLEGEN_220_PREFIX and its `lib` in LIBCLANG_PATH\n";
        report
    }

    fn lacks(&mut self, what: String, package: &'static str) {
        let missing = Missing { what, package };
        if !self.missing.contains(&missing) {
            self.missing.push(missing);
        }
    }

    fn expect(&mut self, path: PathBuf, what: &str, package: &'static str) {
        if path.exists() {
            self.found.push(path);
        } else {
            self.lacks(format!("{what}: no {}", path.display()), package);
        }
    }

    /// Checks the version that a prefix has.
    fn llvm_config(&mut self, variable: &str, prefix: &Path) -> Option<String> {
        let program = prefix.join("bin/llvm-config");
        let output = match Command::new(&program).arg("--version").output() {
            Ok(output) if output.status.success() => output,
            _ => {
                let what = format!("LLVM 22: no {} ({variable})", program.display());
                self.lacks(what, "llvm-22-dev");
                return None;
            }
        };
        let version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        if version.starts_with("22.") {
            self.found.push(program);
        } else {
            let place = program.display();
            let what = format!("LLVM 22: {place} ({variable}) is version {version}");
            self.lacks(what, "llvm-22-dev");
        }
        Some(version)
    }

    fn libclang(&mut self, folder: &Path) {
        let is_library = |path: &Path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let library = name.starts_with("libclang.so") || name.starts_with("libclang-22.so");
            (library || name == "libclang.dylib") && path.exists()
        };
        let mut entries =
            std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        // The variable may name the library itself.
        match entries.find(|path| is_library(path)) {
            Some(path) => self.found.push(path),
            None if is_library(folder) => self.found.push(folder.to_owned()),
            None => {
                let what = format!("libclang 22: none in {} (LIBCLANG_PATH)", folder.display());
                self.lacks(what, "libclang-22-dev");
            }
        }
    }

    fn library(&mut self, folders: &[PathBuf], name: &str, what: &str, package: &'static str) {
        let files = ["so", "a", "dylib", "tbd"].map(|kind| format!("lib{name}.{kind}"));
        let known = folders
            .iter()
            .flat_map(|folder| files.iter().map(|file| folder.join(file)))
            .find(|path| path.exists());
        // The compiler also searches folders that a fixed list lacks.
        match known.or_else(|| files.iter().find_map(|file| compiler_finds(file))) {
            Some(path) => self.found.push(path),
            None => self.lacks(format!("{what}: the linker has no -l{name}"), package),
        }
    }

    fn compiler(&mut self, chosen: Option<String>) {
        let name = chosen.filter(|name| !name.is_empty()).unwrap_or("c++".into());
        // The variable may carry arguments or a wrapper before the compiler's name.
        let program = name.split_whitespace().next().unwrap_or("c++");
        if Command::new(program).arg("--version").output().is_err() {
            self.lacks(format!("a C++ compiler: no `{program}`"), "g++");
        }
    }
}

/// Folders that the linker looks into, as far as they are the same everywhere.
fn linker_folders(prefix: &Path, library_path: Option<String>) -> Vec<PathBuf> {
    let triple = format!("{}-linux-gnu", std::env::consts::ARCH);
    let mut folders: Vec<PathBuf> = library_path.iter().flat_map(std::env::split_paths).collect();
    folders.push(prefix.join("lib"));
    for root in ["/usr/local/lib", "/usr/lib", "/lib"] {
        folders.push(Path::new(root).join(&triple));
        folders.push(root.into());
        folders.push(format!("{root}64").into());
    }
    folders
}

/// The path of a library file if the C compiler knows it by its bare name.
fn compiler_finds(file: &str) -> Option<PathBuf> {
    let output = Command::new("cc").arg(format!("-print-file-name={file}")).output().ok()?;
    let path = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
    (path.is_absolute() && path.exists()).then_some(path)
}
