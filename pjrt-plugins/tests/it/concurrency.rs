//! Several installs at once, and installs that are killed.

use std::{
    fs,
    path::PathBuf,
    process::Stdio,
    time::{Duration, Instant},
};

use crate::fixture::{LIBRARY, Member, World, installed, library};

#[test]
fn of_four_processes_at_once_one_installs_and_all_find_it() {
    let world = World::new();
    let manifest = world.demo(&[Member::File(LIBRARY, library(2 << 20))]);
    let log = world.path("log");
    let python = world.fake_python(&format!(
        "case \"$*\" in *download*) echo download >> '{}';; esac\nexec $PYTHON \"$@\"",
        log.display()
    ));
    let children: Vec<_> = (0..4)
        .map(|_| {
            world
                .install_command(&manifest)
                .env("HLOOM_PYTHON", &python)
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    let paths: Vec<PathBuf> =
        children.into_iter().map(|child| installed(&child.wait_with_output().unwrap())).collect();
    assert!(paths.iter().all(|path| *path == paths[0]), "{paths:?}");
    assert_eq!(fs::read(&paths[0]).unwrap(), library(2 << 20));
    assert_eq!(fs::read_to_string(log).unwrap(), "download\n");
    assert_eq!(world.left_over(), ["demo-1.0"]);
    // A killed process leaves the folder of its Python in the temporary folder: an empty folder.
    for entry in fs::read_dir(world.path("tmp")).unwrap().flatten() {
        assert!(entry.file_name().to_string_lossy().starts_with("hloom-python-"), "{entry:?}");
        fs::remove_dir(entry.path()).unwrap();
    }
    world.assert_nothing_outside();
}

#[test]
fn a_killed_install_leaves_nothing_that_looks_installed_and_the_next_one_sweeps_it() {
    let world = World::new();
    let manifest = world.demo(&[Member::File(LIBRARY, library(1000))]);
    // A download that has begun and does not end by itself.
    let python = world.fake_python(
        "case \"$*\" in *download*) while [ ! -e \"$GO\" ]; do sleep 0.05; done; exit 1;; \
         esac\nexec $PYTHON \"$@\"",
    );
    let go = world.path("log");
    let mut child = world
        .install_command(&manifest)
        .env("HLOOM_PYTHON", &python)
        .env("GO", &go)
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    while !world.left_over().iter().any(|name| name.contains("staging")) {
        assert!(begun.elapsed() < Duration::from_secs(60), "no install began");
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(world.left_over().len(), 1, "only the staging folder is there");
    let looked =
        world.command(&["path", "--manifest", manifest.to_str().unwrap()]).output().unwrap();
    assert!(!looked.status.success());
    fs::write(&go, "").unwrap();
    installed(&world.install(&manifest));
    assert_eq!(world.left_over(), ["demo-1.0"]);
}

#[test]
fn killed_at_any_moment_an_installation_is_whole_or_absent() {
    let world = World::new();
    let content = library(24 << 20);
    let manifest = world.demo(&[
        Member::File("demo_plugin/first", library(1 << 20)),
        Member::File(LIBRARY, content.clone()),
    ]);
    let begun = Instant::now();
    installed(&world.install(&manifest));
    let whole = begun.elapsed();
    let final_folder = world.plugins().join("demo-1.0");
    let (mut absent, mut complete) = (0, 0);
    for step in 1..=12 {
        let _ = fs::remove_dir_all(&final_folder);
        let mut child = world
            .install_command(&manifest)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(whole * step / 10);
        child.kill().unwrap();
        child.wait().unwrap();
        if final_folder.exists() {
            complete += 1;
            assert_eq!(fs::read(final_folder.join(LIBRARY)).unwrap(), content);
            assert!(final_folder.join("demo_plugin/first").exists());
            assert!(final_folder.join("installed.json").exists());
        } else {
            absent += 1;
        }
    }
    assert!(absent >= 3, "{absent} absent, {complete} complete: killed too late");
    let _ = fs::remove_dir_all(&final_folder);
    installed(&world.install(&manifest));
    assert_eq!(world.left_over(), ["demo-1.0"]);
    // A killed process leaves the folder of its Python in the temporary folder: an empty folder.
    for entry in fs::read_dir(world.path("tmp")).unwrap().flatten() {
        assert!(entry.file_name().to_string_lossy().starts_with("hloom-python-"), "{entry:?}");
        fs::remove_dir(entry.path()).unwrap();
    }
    world.assert_nothing_outside();
}
