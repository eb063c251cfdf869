//! Runs every suite on every plugin, and reports the results.

use std::collections::BTreeMap;

use pjrt_plugins::{Companions, Installer, Manifest, Verified};

use super::{
    known::{self, Known},
    matrix::{self, Tested},
    probe::{self, Loaded},
    suite::{self, Name, Outcome, TestProgram},
};
use crate::{Result, cargo};

/// Plugins that are tested by default, in addition to those that run on this machine: they compile
/// without a device.
const COMPILERS: [&str; 2] = ["cuda13", "tpu"];

/// The program whose tests show defects of plugins, not of this repository; its package.
const DEFECTS: (&str, &str) = ("hloom-pjrt", "defects");

/// Runs the suites on the plugins `names`, or on all that this machine can run or compile for, and
/// writes the README's matrix; or only those of `package`, without the matrix.
///
/// # Errors
/// A plugin is unknown or cannot be installed or loaded, or a test failed that is not known to
/// fail.
pub fn run(names: &[String], package: Option<&str>) -> Result {
    let manifests = select(names)?;
    let known = known::read()?;
    // Builds all packages, as `cargo xtask test` does: a part of them would have other features and
    // be rebuilt.
    let programs = suite::build(&["--workspace", "--tests"])?;
    if let Some(package) =
        package.filter(|package| programs.iter().all(|program| program.package != *package))
    {
        return Err(format!("package `{package}` has no tests that use plugins"));
    }
    let mut problems = Vec::new();
    for manifest in &manifests {
        eprintln!("== {} ==", manifest.name);
        let on_plugin = on_plugin(manifest, &programs, package, &known)?;
        print!("{}", on_plugin.report);
        problems.extend(on_plugin.problems);
        if package.is_none() {
            // Writes the row at once: the next plugin takes as long again.
            matrix::write(&cargo::workspace().join("README.md"), &[(manifest, on_plugin.tested)])?;
        }
    }
    if names.is_empty() {
        let is_left =
            |manifest: &&Manifest| manifests.iter().all(|tested| tested.name != manifest.name);
        let left: Vec<&str> = pjrt_plugins::list()
            .iter()
            .filter(is_left)
            .map(|manifest| manifest.name.as_str())
            .collect();
        println!("not run here: {}", left.join(", "));
    }
    if problems.is_empty() { Ok(()) } else { Err(problems.join("\n")) }
}

fn select(names: &[String]) -> Result<Vec<Manifest>> {
    let named = |name: &String| pjrt_plugins::manifest(name).map_err(|error| error.to_string());
    if !names.is_empty() {
        return names.iter().map(named).collect();
    }
    let has_wheel = |manifest: &&Manifest| manifest.plugin.wheel(&manifest.name).is_ok();
    let is_tested = |manifest: &&Manifest| {
        let runs = manifest.verified == Verified::Runs && manifest.device_present();
        runs || COMPILERS.contains(&manifest.name.as_str())
    };
    Ok(pjrt_plugins::list().iter().filter(has_wheel).filter(is_tested).cloned().collect())
}

/// The result of one plugin.
#[derive(Debug, Default)]
struct OnPlugin {
    tested: Tested,
    report: String,
    /// Unknown failures.
    problems: Vec<String>,
}

fn on_plugin(
    manifest: &Manifest,
    programs: &[TestProgram],
    package: Option<&str>,
    known: &[Known],
) -> Result<OnPlugin> {
    let installation =
        Installer::new().and_then(|installer| installer.ensure(manifest, Companions::Auto));
    let library = installation.map_err(|error| error.to_string())?.library;
    let environment: BTreeMap<String, String> = if manifest.device_present() {
        BTreeMap::new()
    } else {
        manifest.probe_environment.clone()
    };
    let loaded = probe::run(&library, &environment)?;
    let mut environment: Vec<(String, String)> = environment.into_iter().collect();
    let mut arguments = Vec::new();
    match manifest.verified {
        // Every test uses the plugin `cpu` unless another is requested.
        Verified::Runs => {
            let platform = manifest.platform.to_ascii_uppercase();
            environment.push((format!("HLOOM_PLUGIN_{platform}"), library.display().to_string()));
        }
        _ => arguments.extend(["--ignored".to_owned(), format!("plugin_{}_", manifest.name)]),
    }
    let (mut ours, mut defects) = (Outcome::default(), Outcome::default());
    for program in
        programs.iter().filter(|program| package.is_none_or(|package| program.package == package))
    {
        let outcome = suite::run(program, &arguments, &environment)?;
        eprintln!(
            "{} {}: {} passed, {} failed",
            program.package,
            program.name,
            outcome.passed.len(),
            outcome.failed.len()
        );
        let is_defects = (program.package.as_str(), program.name.as_str()) == DEFECTS;
        let sum = if is_defects { &mut defects } else { &mut ours };
        sum.passed.extend(outcome.passed);
        sum.failed.extend(outcome.failed);
    }
    Ok(judge(manifest, &loaded, &ours, &defects, known))
}

fn judge(
    manifest: &Manifest,
    loaded: &Loaded,
    ours: &Outcome,
    defects: &Outcome,
    known: &[Known],
) -> OnPlugin {
    let version = loaded.version();
    let reason = |name: &Name| known::find(known, &version, name).map(|row| row.reason.as_str());
    let mut problems = Vec::new();
    let mut report =
        format!("{}: PJRT API {version}; {} passed\n", manifest.name, ours.passed.len());
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for name in &ours.failed {
        match reason(name) {
            Some(reason) => {
                report += &format!("  known failure: {name}: {reason}\n");
                *reasons.entry(reason).or_default() += 1;
            }
            None => problems.push(format!("{}: {name} failed", manifest.name)),
        }
    }
    for name in ours.passed.iter().filter(|name| reason(name).is_some()) {
        report += &format!("  passes, though known to fail: {name}\n");
    }
    for name in &defects.failed {
        problems.push(format!("{}: {name} differs from the table of defects", manifest.name));
    }
    let mut tests = format!("{} passed", ours.passed.len());
    if !ours.failed.is_empty() {
        tests += &format!(", {} failed", ours.failed.len());
        let reasons: Vec<String> =
            reasons.iter().map(|(reason, count)| format!("{count}: {reason}")).collect();
        if !reasons.is_empty() {
            tests += &format!(" ({})", reasons.join("; "));
        }
    }
    if !defects.passed.is_empty() {
        report += &format!(
            "  {} tests of its own defects found what the table lists\n",
            defects.passed.len()
        );
        tests += &format!("; {} of its defects", defects.passed.len());
    }
    let extensions = loaded.extension_names();
    OnPlugin { tested: Tested { version, extensions, tests }, report, problems }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(test: &str) -> Name {
        Name { package: "p".into(), program: "it".into(), test: test.into() }
    }

    #[test]
    fn unknown_failures_are_problems_and_known_ones_are_reported_with_their_reason() {
        let known: Vec<Known> = ["a", "b"]
            .map(|test| Known {
                versions: vec!["0.115".into()],
                package: "p".into(),
                program: "it".into(),
                test: test.into(),
                reason: "less accurate".into(),
            })
            .into();
        let ours =
            Outcome { passed: vec![name("a"), name("d")], failed: vec![name("b"), name("c")] };
        let defects = Outcome { passed: vec![name("x")], failed: vec![name("y")] };
        let manifest = pjrt_plugins::manifest("cpu115").unwrap();
        let loaded = Loaded { api_version: (0, 115), extensions: Vec::new() };
        let judged = judge(&manifest, &loaded, &ours, &defects, &known);
        assert_eq!(
            judged.problems,
            ["cpu115: p it c failed", "cpu115: p it y differs from the table of defects"]
        );
        assert_eq!(judged.tested.tests, "2 passed, 2 failed (1: less accurate); 1 of its defects");
        assert!(
            judged.report.contains("known failure: p it b: less accurate"),
            "{}",
            judged.report
        );
        assert!(
            judged.report.contains("passes, though known to fail: p it a"),
            "{}",
            judged.report
        );
        let other = Loaded { api_version: (0, 81), extensions: Vec::new() };
        assert_eq!(judge(&manifest, &other, &ours, &Outcome::default(), &known).problems.len(), 2);
    }

    #[test]
    fn plugins_that_run_or_compile_here_are_tested_and_wrong_names_are_refused() {
        let names: Vec<String> =
            select(&[]).unwrap().into_iter().map(|manifest| manifest.name).collect();
        assert!(
            names.contains(&"cpu".to_owned()) && !names.contains(&"mps".to_owned()),
            "{names:?}"
        );
        assert!(select(&["no_such".into()]).unwrap_err().contains("no_such"));
    }
}
