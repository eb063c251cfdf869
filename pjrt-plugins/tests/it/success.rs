//! The results and requirements of a successful install.

use std::{
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::Path,
    time::SystemTime,
};

use serde_json::json;

use crate::fixture::{LIBRARY, Member, World, failure, installed, library};

/// X4: one command installs a plugin's package, pinned by version and hash.
#[test]
fn an_install_holds_the_package_and_nothing_is_written_elsewhere() {
    let world = World::new();
    let content = library(100_000);
    let manifest = world.demo(&[
        Member::File(LIBRARY, content.clone()),
        Member::Program("demo_plugin/bin/ptxas", b"#!/bin/sh\n".to_vec()),
        Member::File("demo_plugin/empty", Vec::new()),
    ]);
    let path = installed(&world.install(&manifest));
    assert_eq!(path, world.plugins().join("demo-1.0").join(LIBRARY));
    assert_eq!(fs::read(&path).unwrap(), content);
    let mode = |name: &str| {
        let file = world.plugins().join("demo-1.0/demo_plugin").join(name);
        fs::metadata(file).unwrap().permissions().mode() & 0o777
    };
    assert_eq!(mode("bin/ptxas") & 0o111, 0o111);
    assert_eq!(mode("demo.so") & 0o111, 0);
    assert_eq!(mode("empty") & 0o400, 0o400);
    assert_eq!(world.left_over(), ["demo-1.0"]);
    world.assert_nothing_outside();
}

/// The hash, size and time of the last change, as they are written next to a library.
fn identity(library: &Path) -> String {
    let data = fs::metadata(library).unwrap();
    let since = data.modified().unwrap().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    let sha256 = pjrt_plugins::wheel::sha256(library).unwrap();
    format!("{sha256} {} {}\n", data.len(), since.as_nanos())
}

#[test]
fn the_hash_of_the_library_is_next_to_it() {
    let world = World::new();
    let other = "demo_plugin/demo.so.sha256";
    let manifest = world.demo(&[
        Member::File(LIBRARY, library(100_000)),
        Member::File(other, b"of the package".to_vec()),
    ]);
    let path = installed(&world.install(&manifest));
    let written = world.plugins().join("demo-1.0").join(other);
    assert_eq!(fs::read_to_string(&written).unwrap(), identity(&path));
    let mode = fs::metadata(&written).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o644, "others cannot write to it");
}

#[test]
fn a_second_install_needs_neither_wheel_nor_pip_nor_python() {
    let world = World::new();
    let manifest = world.demo(&[Member::File(LIBRARY, library(1000))]);
    let first = installed(&world.install(&manifest));
    let before = fs::metadata(&first).unwrap();
    fs::remove_dir_all(world.path("wheels")).unwrap();
    let second = world
        .install_command(&manifest)
        .env("HLOOM_PYTHON", "/no/such/python")
        .env("PATH", "")
        .output()
        .unwrap();
    assert_eq!(installed(&second), first);
    let after = fs::metadata(&first).unwrap();
    assert_eq!((before.ino(), before.mtime_nsec()), (after.ino(), after.mtime_nsec()));
}

#[test]
fn path_finds_what_is_installed_and_fails_for_what_is_not() {
    let world = World::new();
    let manifest = world.demo(&[Member::File(LIBRARY, library(10))]);
    let arguments = ["path", "--manifest", manifest.to_str().unwrap()];
    let missing = world.command(&arguments).output().unwrap();
    assert_eq!(failure(&missing), "error: plugin `demo` is not installed\n");
    assert!(missing.stdout.is_empty());
    assert!(!world.plugins().exists(), "looking creates nothing");
    let path = installed(&world.install(&manifest));
    assert_eq!(installed(&world.command(&arguments).output().unwrap()), path);
}

#[test]
fn a_damaged_installation_is_replaced() {
    let world = World::new();
    let content = library(5000);
    let manifest = world.demo(&[Member::File(LIBRARY, content.clone())]);
    let path = installed(&world.install(&manifest));
    fs::write(&path, &content[..100]).unwrap();
    assert_eq!(installed(&world.install(&manifest)), path);
    assert_eq!(fs::read(&path).unwrap(), content, "a cut library is made whole");
    fs::remove_file(world.plugins().join("demo-1.0/installed.json")).unwrap();
    assert_eq!(installed(&world.install(&manifest)), path);
    assert_eq!(world.left_over(), ["demo-1.0"]);
}

#[test]
fn a_new_version_or_hash_of_the_manifest_is_installed() {
    let world = World::new();
    let manifest = world.demo(&[Member::File(LIBRARY, library(10))]);
    let path = installed(&world.install(&manifest));
    let manifest = world.demo(&[Member::File(LIBRARY, library(20))]);
    assert_eq!(installed(&world.install(&manifest)), path);
    assert_eq!(fs::metadata(&path).unwrap().len(), 20);
}

#[test]
fn companions_for_running_come_when_asked_for_and_share_files_with_the_smaller_installation() {
    let world = World::new();
    let package = |name: &str, member: &'static str| {
        let wheel = world.wheel(name, &[Member::File(member, library(64))]);
        world.package(name, &wheel)
    };
    let mut manifest = world.manifest(&package("demo_plugin", LIBRARY));
    manifest["device_nodes"] = json!(["/dev/no-such-device"]);
    manifest["companions"] = json!({
        "compile": [package("demo_compile", "nvidia/cu13/bin/ptxas")],
        "run": [package("demo_run", "nvidia/cu13/lib/libcublas.so")],
    });
    let file = world.write(&manifest);
    let small = installed(&world.install(&file));
    let root = world.plugins().join("demo-1.0");
    assert_eq!(small, root.join(LIBRARY));
    assert!(root.join("nvidia/cu13/bin/ptxas").exists());
    assert!(!root.join("nvidia/cu13/lib").exists());

    let arguments = ["install", "--run", "--manifest", file.to_str().unwrap()];
    let large = installed(&world.command(&arguments).output().unwrap());
    let root = world.plugins().join("demo-1.0-run");
    assert_eq!(large, root.join(LIBRARY));
    assert!(root.join("nvidia/cu13/bin/ptxas").exists());
    assert!(root.join("nvidia/cu13/lib/libcublas.so").exists());
    let inode = |path| fs::metadata(path).unwrap().ino();
    assert_eq!(inode(&small), inode(&large));
    for library in [&small, &large] {
        let hash = library.with_extension("so.sha256");
        assert_eq!(fs::read_to_string(hash).unwrap(), identity(library));
    }

    // From now on the complete installation is found, whichever group is requested.
    assert_eq!(installed(&world.install(&file)), large);
    assert_eq!(world.left_over(), ["demo-1.0", "demo-1.0-run"]);

    // A machine with a device installs them by default.
    let other = World::new();
    fs::create_dir_all(other.path("wheels")).unwrap();
    for entry in fs::read_dir(world.path("wheels")).unwrap().flatten() {
        fs::copy(entry.path(), other.path("wheels").join(entry.file_name())).unwrap();
    }
    manifest["device_nodes"] = json!(["/dev/null"]);
    let path = installed(&other.install(&other.write(&manifest)));
    assert_eq!(path, other.plugins().join("demo-1.0-run").join(LIBRARY));
    assert_eq!(other.left_over(), ["demo-1.0-run"]);
}

#[test]
fn the_cache_follows_xdg_cache_home_then_home() {
    let world = World::new();
    let manifest = world.demo(&[Member::File(LIBRARY, library(10))]);
    let in_home = world.path("home/.cache/hloom/plugins/demo-1.0").join(LIBRARY);
    for relative in [None, Some("relative/cache")] {
        let mut command = world.install_command(&manifest);
        match relative {
            None => command.env_remove("XDG_CACHE_HOME"),
            Some(path) => command.env("XDG_CACHE_HOME", path),
        };
        assert_eq!(installed(&command.output().unwrap()), in_home);
    }
    let mut command = world.install_command(&manifest);
    command.env_remove("XDG_CACHE_HOME").env_remove("HOME");
    assert!(failure(&command.output().unwrap()).contains("set XDG_CACHE_HOME or HOME"));
}

#[test]
fn a_pip_that_only_works_in_virtual_environments_is_told_that_this_is_none_of_its_business() {
    let world = World::new();
    let manifest = world.demo(&[Member::File(LIBRARY, library(10))]);
    let mut command = world.install_command(&manifest);
    installed(&command.env("PIP_REQUIRE_VIRTUALENV", "true").output().unwrap());
}

#[test]
fn list_shows_every_plugin_as_table_and_as_json() {
    let world = World::new();
    let table = world.command(&["list"]).output().unwrap();
    let table = String::from_utf8(table.stdout).unwrap();
    let json = world.command(&["list", "--json"]).output().unwrap();
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    let plugins = json.as_array().unwrap();
    assert_eq!(plugins.len(), pjrt_plugins::list().len());
    for (plugin, manifest) in plugins.iter().zip(pjrt_plugins::list()) {
        assert_eq!(plugin["manifest"]["name"], manifest.name.as_str());
        assert!(plugin["installed"].is_null());
        assert!(table.contains(&manifest.plugin.package));
    }
    assert_eq!(table.matches("not installed").count(), plugins.len());
}
