//! The child as the system shows it.

use super::started;
use hloom_sandbox::Limits;
use hloom_test_support::Child;
use rustix::io::{FdFlags, fcntl_setfd};
use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

fn of(process: u32, file: &str) -> PathBuf {
    Path::new("/proc").join(process.to_string()).join(file)
}

#[test]
fn it_has_no_environment_and_no_descriptors_of_its_parent() {
    let file = File::open("/dev/zero").expect("a descriptor");
    fcntl_setfd(&file, FdFlags::empty()).expect("the descriptor is inherited by other children");
    let child = started(Limits::default()).process_id();
    let session = started(Limits::default());
    let child = session.process_id().max(child);
    let entries = fs::read_dir(of(child, "fd")).expect("its descriptors");
    let targets = entries.map(|entry| fs::read_link(entry.expect("an entry").path()));
    let targets: Vec<_> = targets.map(|target| target.expect("a target")).collect();
    let is_known = |target: &PathBuf| {
        let target = target.to_string_lossy();
        let known = ["/dev/null", "socket:", "/memfd:hloom-sandbox"];
        known.iter().any(|known| target.starts_with(known))
    };
    assert!(targets.iter().all(is_known), "{targets:?}");
    let environment = fs::read_to_string(of(child, "environ")).expect("its environment");
    // The child reads no variable; the plugin's level of logging is set by itself.
    assert!(environment.is_empty(), "{environment}");
    assert_eq!(fs::read_link(of(child, "cwd")).expect("its folder"), Path::new("/"));
}

#[test]
fn all_its_threads_are_filtered() {
    let session = started(Limits::default());
    let mut threads = 0;
    for thread in fs::read_dir(of(session.process_id(), "task")).expect("its threads") {
        let status = thread.expect("a thread").path().join("status");
        let status = fs::read_to_string(status).expect("its status");
        assert!(status.contains("\nSeccomp:\t2\n"), "{status}");
        assert!(status.contains("\nNoNewPrivs:\t1\n"), "{status}");
        threads += 1;
    }
    assert!(threads > 1, "the plugin has threads");
}

#[test]
fn it_ends_with_its_session_and_with_its_parent() {
    let session = started(Limits::default());
    let child = session.process_id();
    assert!(of(child, "stat").exists());
    drop(session);
    assert!(!of(child, "stat").exists());
    let parent = Child::ignored("confinement::starts_a_child_and_aborts").run();
    let child = parent.stdout.lines().find_map(|line| line.strip_prefix("child "));
    let child: u32 = child.expect("it prints the child").parse().expect("a number");
    let start = Instant::now();
    while of(child, "exe").read_link().is_ok() {
        assert!(start.elapsed() < Duration::from_secs(10), "the child outlives its parent");
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
#[ignore = "run by the test above"]
fn starts_a_child_and_aborts() {
    // The child also outlives the thread that asked for it.
    let session = thread::spawn(|| started(Limits::default())).join().expect("the child starts");
    thread::sleep(Duration::from_millis(50));
    assert!(of(session.process_id(), "exe").read_link().is_ok());
    println!("\nchild {}", session.process_id());
    std::process::abort();
}
