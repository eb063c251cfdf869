//! Measurements of dot products: their occasions, and the results that are kept.

use super::dots::{class, compile, platform, product, specs};
use hloom_graph::{DType, Spec, Tensor};
use hloom_pjrt::alive;
use hloom_runtime::{Buffer, CompilationCache, DotStrategy, DotTable, Exe, Platform};
use hloom_test_support::{Child, is_alone, is_child};
use std::{
    fs,
    path::{Path, PathBuf},
    process, thread,
    time::{Duration, Instant},
};

/// The time in which a process that is idle begins to measure, even if it shares the machine.
const SOON: Duration = Duration::from_secs(60);
/// The time in which it would begin to measure, and does not.
const WHILE: Duration = Duration::from_millis(3500);

/// A platform with the programs of a folder, as in another process.
fn with_folder(folder: &Path, table: DotTable) -> Platform {
    let platform = platform();
    platform.set_cache(CompilationCache::at(folder));
    // By default a busy machine measures nothing.
    platform.set_dot_table(table);
    platform
}

fn is_measured(platform: &Platform) -> bool {
    platform.dot_table().entries().count() > 0
}

/// The kept table in a folder.
fn note(folder: &Path) -> Option<PathBuf> {
    let mut files = fs::read_dir(folder).expect("it is there").map(|entry| entry.unwrap().path());
    files.find(|path| {
        let table = fs::read_to_string(path).ok().and_then(|text| text.parse::<DotTable>().ok());
        table.is_some_and(|table| table.entries().count() > 0)
    })
}

fn call(exe: &Exe<(Spec, Spec), Tensor>) -> Vec<u8> {
    let platform = exe.any().platform();
    let filled = |spec: &Spec| {
        let bytes = vec![0x3c; spec.shape().byte_size()];
        Buffer::from_bytes(platform, spec.shape(), &bytes).expect("a buffer")
    };
    let (x, w) = specs(DType::F16);
    let y = exe.call((&filled(&x), &filled(&w))).expect("it runs");
    y.to_bytes().expect("it is read")
}

/// Waits until something is so.
fn wait(what: &str, is_so: impl Fn() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < SOON, "{what}");
        thread::sleep(Duration::from_millis(1));
    }
}

/// Waits until weights for a measurement are there.
fn wait_for_measuring(own_buffers: usize) {
    wait("it measures", || alive().buffers > own_buffers + 2);
}

/// E14: compiling never measures. A later step does, and keeps the programs of its table too.
#[test]
fn programs_of_a_new_table_are_kept_with_it() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let first = with_folder(folder.path(), DotTable::measured());
    let exe = compile(&first, DType::F16);
    let programs = |platform: &Platform| platform.cache().unwrap().entries().unwrap().len();
    assert!(!is_measured(&first), "compiling does not measure");
    assert_eq!((note(folder.path()), programs(&first)), (None, 1));
    let expected = call(&exe);
    first.measure_dots().expect("it is measured");
    assert!(first.dot_table().get(class(DType::F16)).is_some());
    let path = note(folder.path()).expect("the table is kept");
    assert_eq!(fs::read_to_string(&path).unwrap(), first.dot_table().to_string());
    assert_eq!(call(&exe), expected, "an executable stays as it is");

    // Another process finds that the plugin is faster, between the compilation and the step.
    fs::remove_file(&path).expect("it is there");
    let second = with_folder(folder.path(), DotTable::measured());
    assert!(!compile(&second, DType::F16).kernels().is_empty(), "as built in");
    let before = programs(&second);
    let table = DotTable::built_in().with(class(DType::F16), DotStrategy::Plugin);
    fs::write(&path, table.to_string()).expect("it is written");
    second.measure_dots().expect("nothing is left to measure");
    assert_eq!(second.dot_table().to_string(), table.to_string());
    assert_eq!(fs::read_to_string(&path).unwrap(), table.to_string());
    let first_was_alike = first.dot_table().get(class(DType::F16)) == Some(DotStrategy::Plugin);
    assert_eq!(programs(&second), before + usize::from(!first_was_alike));

    let third = with_folder(folder.path(), DotTable::measured());
    assert!(compile(&third, DType::F16).kernels().is_empty(), "as measured");
    let stats = third.cache_stats();
    assert_eq!((stats.folder_hits, stats.misses), (1, 0), "the program is found, too");
}

#[test]
fn the_table_of_a_program_is_not_measured() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let platform = with_folder(folder.path(), DotTable::built_in());
    drop(compile(&platform, DType::F16));
    platform.measure_dots().expect("there is nothing to do");
    assert!(!is_measured(&platform));
    assert_eq!(note(folder.path()), None);
}

#[test]
fn an_idle_process_measures_in_the_background() {
    if !is_alone("kernels::measuring::an_idle_process_measures_in_the_background") {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let platform = with_folder(folder.path(), DotTable::measured());
    let exe = compile(&platform, DType::F16);
    thread::sleep(WHILE);
    assert!(!is_measured(&platform), "the first results come first");
    let expected = call(&exe);
    wait("the table is kept", || note(folder.path()).is_some());
    assert!(platform.dot_table().get(class(DType::F16)).is_some());
    assert_eq!(call(&exe), expected, "an executable stays as it is");
    let next = with_folder(folder.path(), DotTable::measured());
    drop(compile(&next, DType::F16));
    assert_eq!(next.dot_table(), platform.dot_table());
    let stats = next.cache_stats();
    assert_eq!((stats.folder_hits, stats.misses), (1, 0));
    // Other classes are measured as well.
    drop(compile(&next, DType::F32));
    call(&compile(&next, DType::F16));
    wait("a class is added", || next.dot_table().entries().count() == 2);
}

#[test]
fn measuring_in_the_background_can_be_switched_off() {
    if !is_alone("kernels::measuring::measuring_in_the_background_can_be_switched_off") {
        return;
    }
    let platform = platform();
    platform.set_dot_table(DotTable::measured());
    platform.set_background_measuring(false);
    let exe = compile(&platform, DType::F16);
    call(&exe);
    thread::sleep(WHILE);
    assert!(!is_measured(&platform));
    platform.set_background_measuring(true);
    call(&exe);
    wait("it is measured", || is_measured(&platform));
}

#[test]
fn the_environment_says_whether_dot_products_are_measured() {
    const TEST: &str = "kernels::measuring::the_environment_says_whether_dot_products_are_measured";
    if !is_child() {
        for value in ["measure", "kept", "built-in"] {
            Child::test(TEST).env("HLOOM_DOTS", value).run().passed();
        }
        return;
    }
    let value = std::env::var("HLOOM_DOTS").expect("it is set");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let with_folder = || {
        let platform = platform();
        platform.set_cache(CompilationCache::at(folder.path()));
        platform
    };
    let first = with_folder();
    call(&compile(&first, DType::F16));
    match &*value {
        "measure" => return wait("it is measured", || is_measured(&first)),
        _ => thread::sleep(WHILE),
    }
    assert!(!is_measured(&first));
    first.measure_dots().expect("it is measured, or nothing is to be");
    assert_eq!(is_measured(&first), value == "kept");
    assert_eq!(note(folder.path()).is_some(), value == "kept");
    let second = with_folder();
    drop(compile(&second, DType::F16));
    assert_eq!(second.dot_table(), first.dot_table());
}

#[test]
fn a_platform_in_use_is_left_alone() {
    if !is_alone("kernels::measuring::a_platform_in_use_is_left_alone") {
        return;
    }
    let platform = platform();
    platform.set_dot_table(DotTable::measured());
    let exe = compile(&platform, DType::F16);
    call(&exe);
    wait_for_measuring(0);
    let begin = Instant::now();
    while begin.elapsed() < WHILE {
        call(&exe);
        thread::sleep(Duration::from_millis(50));
    }
    assert!(!is_measured(&platform), "the calls interrupt it");
    assert_eq!(alive().buffers, 0);
    wait("it is measured after the calls", || is_measured(&platform));
}

#[test]
fn another_table_ends_what_is_measured() {
    if !is_alone("kernels::measuring::another_table_ends_what_is_measured") {
        return;
    }
    let platform = platform();
    platform.set_dot_table(DotTable::measured());
    call(&compile(&platform, DType::F16));
    wait_for_measuring(0);
    platform.set_dot_table(DotTable::built_in());
    wait("it ends", || alive().buffers == 0);
    thread::sleep(WHILE);
    assert!(!is_measured(&platform));
}

/// The number of threads that measure.
#[cfg(target_os = "linux")]
fn threads() -> usize {
    let threads = fs::read_dir("/proc/self/task").expect("Linux lists the threads");
    let names = threads.flatten().filter_map(|at| fs::read_to_string(at.path().join("comm")).ok());
    names.filter(|name| name.trim() == "hloom-dots").count()
}

#[cfg(target_os = "linux")]
#[test]
fn a_dropped_platform_is_not_measured_on() {
    if !is_alone("kernels::measuring::a_dropped_platform_is_not_measured_on") {
        return;
    }
    let platform = platform();
    platform.set_dot_table(DotTable::measured());
    call(&compile(&platform, DType::F16));
    wait_for_measuring(0);
    // A thread that it starts for the kernels has its name until it sets its own.
    wait("one thread measures", || threads() == 1);
    let begin = Instant::now();
    drop(platform);
    assert!(begin.elapsed() < Duration::from_millis(500), "nobody waits for it");
    wait("it ends", || threads() == 0);
    assert_eq!(alive(), hloom_pjrt::Alive::default());
}

#[test]
fn a_process_ends_while_it_measures() {
    const TEST: &str = "kernels::measuring::a_process_ends_while_it_measures";
    if !is_child() {
        for after in [0, 20, 100, 300] {
            let begin = Instant::now();
            let ended = Child::test(TEST).env("HLOOM_TEST_RUN", after.to_string()).run();
            let is_sound = ended.status.is_some_and(|status| status.success());
            assert!(is_sound && ended.stdout.contains("it measures"), "{after}: {ended:?}");
            assert!(begin.elapsed() < SOON);
        }
        return;
    }
    let platform = platform();
    platform.set_dot_table(DotTable::measured());
    let weight = |side| Spec::f16([("out", side), ("in", side)]);
    for rows in [1, 4, 8, 32] {
        let x = Spec::f16([("row", rows), ("in", 768)]);
        drop(platform.compile(product, (x, weight(768))).expect("it compiles"));
    }
    call(&compile(&platform, DType::F16));
    wait_for_measuring(0);
    println!("it measures");
    let after = std::env::var("HLOOM_TEST_RUN").expect("it is set").parse().unwrap();
    thread::sleep(Duration::from_millis(after));
    // The platform is not dropped.
    process::exit(0);
}
