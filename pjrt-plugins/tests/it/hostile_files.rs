//! Links, pipes and devices where files are expected, folders that others could write to, and disks
//! that are full.

use std::{
    fs,
    os::unix::fs::{MetadataExt, symlink},
    path::Path,
    process::{Command, Output, Stdio},
    time::{Duration, Instant},
};

use crate::fixture::{LIBRARY, Member, World, failure, installed, library};

/// The output of a command that must end within a minute: opening a pipe without a writer would
/// wait forever.
fn within_a_minute(mut command: Command) -> Output {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begun.elapsed() > Duration::from_secs(60) {
            child.kill().unwrap();
            panic!("it waits: {:?}", child.wait_with_output());
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    child.wait_with_output().unwrap()
}

fn pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// The install command of a world, run by a shell after `setting`.
fn install_after(world: &World, manifest: &Path, setting: &str) -> Command {
    let install = world.install_command(manifest);
    let mut command = Command::new("sh");
    command
        .args(["-c", &format!("{setting}; exec \"$0\" \"$@\"")])
        .arg(install.get_program())
        .args(install.get_args());
    command.current_dir(install.get_current_dir().unwrap());
    for (name, value) in install.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command
}

#[test]
fn a_lock_file_that_is_a_link_is_refused_and_its_target_is_left_alone() {
    let world = World::new();
    let manifest = world.demo(&[Member::File(LIBRARY, library(10))]);
    fs::create_dir_all(world.plugins()).unwrap();
    let lock = world.plugins().join(".demo.lock");
    let victim = world.path("log");
    fs::write(&victim, "precious").unwrap();
    for target in [victim.clone(), world.path("elsewhere/new")] {
        symlink(&target, &lock).unwrap();
        let text = failure(&within_a_minute(world.install_command(&manifest)));
        assert!(
            text.contains("cannot lock") && text.contains(".demo.lock: it is a symbolic link"),
            "{text}"
        );
        fs::remove_file(&lock).unwrap();
    }
    assert_eq!(fs::read_to_string(victim).unwrap(), "precious");
    world.assert_nothing_outside();
    pipe(&lock);
    let text = failure(&within_a_minute(world.install_command(&manifest)));
    assert!(text.contains("cannot lock"), "{text}");
    fs::remove_file(&lock).unwrap();
    installed(&world.install(&manifest));
}

#[test]
fn what_is_no_regular_file_is_refused_as_a_manifest() {
    let world = World::new();
    let path = world.path("manifest.json");
    pipe(&path);
    for (path, found) in [
        (path.as_path(), "a named pipe"),
        (Path::new("/dev/zero"), "a device"),
        (world.path("home").as_path(), "a folder"),
    ] {
        let text = failure(&within_a_minute(world.install_command(path)));
        let expected =
            format!("cannot read {}: expected a regular file, found {found}", path.display());
        assert!(text.contains(&expected), "{text}");
    }
    // A link to a file is the file.
    fs::remove_file(&path).unwrap();
    let manifest = world.demo(&[Member::File(LIBRARY, library(10))]);
    let link = world.path("elsewhere/link.json");
    symlink(&manifest, &link).unwrap();
    installed(&world.install(&link));
}

#[test]
fn a_pipe_in_place_of_the_marker_is_no_installation_and_is_not_waited_for() {
    let world = World::new();
    let manifest = world.demo(&[Member::File(LIBRARY, library(10))]);
    let path = installed(&world.install(&manifest));
    let marker = world.plugins().join("demo-1.0/installed.json");
    fs::remove_file(&marker).unwrap();
    pipe(&marker);
    assert_eq!(installed(&within_a_minute(world.install_command(&manifest))), path);
    assert!(fs::metadata(marker).unwrap().is_file());
}

#[test]
fn nobody_else_can_write_to_what_was_installed_whatever_the_mask() {
    let world = World::new();
    let manifest = world.demo(&[
        Member::File(LIBRARY, library(10)),
        Member::Program("demo_plugin/bin/ptxas", b"#!/bin/sh\n".to_vec()),
    ]);
    for mask in ["000", "002"] {
        let _ = fs::remove_dir_all(world.path("cache/hloom"));
        installed(&install_after(&world, &manifest, &format!("umask {mask}")).output().unwrap());
        let mut open = vec![world.path("cache/hloom")];
        let mut seen = 0;
        while let Some(path) = open.pop() {
            let data = fs::symlink_metadata(&path).unwrap();
            assert_eq!(
                data.mode() & 0o022,
                0,
                "mask {mask}: {} has mode {:o}",
                path.display(),
                data.mode()
            );
            seen += 1;
            if data.is_dir() {
                open.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
            }
        }
        assert!(seen >= 9, "{seen} files and folders");
    }
}

/// Files end at 64 KiB, as on a disk that is full, and the signal that comes with it is ignored.
const FULL: &str = "ulimit -f 128 && trap '' XFSZ";

#[test]
fn a_disk_that_fills_up_while_unpacking_leaves_nothing() {
    let world = World::new();
    // Small as an archive, large when it is unpacked.
    let manifest = world.demo(&[Member::File(LIBRARY, vec![0; 4 << 20])]);
    let text = failure(&install_after(&world, &manifest, FULL).output().unwrap());
    assert!(
        text.contains("cannot write") && text.contains("demo_plugin/demo.so: File too large"),
        "{text}"
    );
    assert_eq!(world.left_over(), [""; 0]);
    world.assert_nothing_outside();
    installed(&world.install(&manifest));
}

#[test]
fn a_disk_that_fills_up_while_downloading_leaves_nothing() {
    let world = World::new();
    let manifest = world.demo(&[Member::File(LIBRARY, library(1 << 20))]);
    let text = failure(&install_after(&world, &manifest, FULL).output().unwrap());
    assert!(text.contains("demo_plugin") && text.contains("File too large"), "{text}");
    assert_eq!(world.left_over(), [""; 0]);
    world.assert_nothing_outside();
    installed(&world.install(&manifest));
}
