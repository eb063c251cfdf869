use crate::hloom::{error, hloom, json, stdout};
use hloom_graph::{Spec, Tensor};
use hloom_runtime::CompilationCache;
use hloom_test_support::cpus;
use std::{fs, path::Path};

/// Programs of these names in a cache.
fn fill(folder: &Path, names: &[&str]) {
    let platform = cpus(1);
    platform.set_cache(CompilationCache::at(folder));
    for (i, name) in names.iter().enumerate() {
        let spec = (Spec::f32([("n", i + 1)]),);
        platform.compiler().name(*name).compile(|x: Tensor| x + x, spec).unwrap();
    }
}

#[test]
fn programs_are_listed_and_removed() {
    let folder = tempfile::tempdir().unwrap();
    let programs = folder.path().join("programs");
    fill(&programs, &["first", "second"]);
    let list = stdout(hloom(["cache", "list", "--folder"]).arg(&programs));
    let lines: Vec<&str> = list.lines().collect();
    assert_eq!(lines.len(), 5, "{list}");
    assert!(lines[0].starts_with("program") && lines[0].ends_with("used"), "{list}");
    assert!(list.contains("first ") && list.contains("second ") && list.contains(" cpu "));
    assert!(lines[1].ends_with("just now") && lines[1].contains(" kB"), "{list}");
    assert!(lines[4].starts_with("2 programs, ") && lines[4].contains("programs"), "{list}");

    // Used last comes first.
    let entries = CompilationCache::at(&programs).entries().unwrap();
    let of = |name: &str| entries.iter().find(|entry| entry.program == name).unwrap();
    let hour = std::time::Duration::from_secs(7300);
    let file = fs::File::open(&of("first").path).unwrap();
    file.set_modified(std::time::SystemTime::now() - hour).unwrap();
    let list = json(hloom(["cache", "list", "--json", "--folder"]).arg(&programs));
    assert_eq!(list["folder"], programs.to_str().unwrap());
    let found = list["programs"].as_array().unwrap();
    let names: Vec<_> = found.iter().map(|entry| entry["program"].as_str().unwrap()).collect();
    assert_eq!(names, ["second", "first"]);
    assert_eq!(list["bytes"], of("first").bytes + of("second").bytes);
    let list = stdout(hloom(["cache", "list", "--folder"]).arg(&programs));
    assert!(list.contains("2 hours ago"), "{list}");

    // The folder is also that of the variable, and the folder of the user.
    let list = stdout(hloom(["cache", "list"]).env("HLOOM_CACHE", &programs));
    assert!(list.contains("2 programs, "), "{list}");
    let user = folder.path().join("hloom");
    fs::create_dir(&user).unwrap();
    fs::rename(&programs, user.join("programs")).unwrap();
    let mut command = hloom(["cache", "list"]);
    let list = stdout(command.env("XDG_CACHE_HOME", folder.path()));
    assert!(list.contains("2 programs, "), "{list}");

    let mut command = hloom(["cache", "clear"]);
    let cleared = stdout(command.env("XDG_CACHE_HOME", folder.path()));
    assert!(cleared.contains(" kB removed from ") && cleared.contains("hloom/programs"));
    let list = stdout(hloom(["cache", "list"]).env("XDG_CACHE_HOME", folder.path()));
    assert!(list.starts_with("0 programs, 0 B in "), "{list}");
}

#[test]
fn clearing_leaves_what_is_not_of_the_cache() {
    let folder = tempfile::tempdir().unwrap();
    let cache = CompilationCache::at(folder.path());
    fill(folder.path(), &["f"]);
    let entry = cache.entries().unwrap()[0].path.clone();
    // A program that a user saved, and other files.
    fs::copy(&entry, folder.path().join("saved.hloom")).unwrap();
    fs::write(folder.path().join("notes.txt"), "mine").unwrap();
    stdout(hloom(["cache", "clear", "--folder"]).arg(folder.path()));
    assert!(!entry.exists());
    assert!(folder.path().join("saved.hloom").exists() && folder.path().join("notes.txt").exists());
}

#[test]
fn a_folder_that_is_not_there_is_empty_and_one_of_others_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("none");
    let list = stdout(hloom(["cache", "list", "--folder"]).arg(&missing));
    assert!(list.starts_with("0 programs, 0 B in "), "{list}");
    let cleared = stdout(hloom(["cache", "clear", "--folder"]).arg(&missing));
    assert!(cleared.starts_with("0 B removed from "), "{cleared}");
    assert!(!missing.exists());
    fs::write(folder.path().join("file"), "").unwrap();
    for action in ["list", "clear"] {
        let message = error(hloom(["cache", action, "--folder"]).arg(folder.path().join("file")));
        assert!(message.contains("cannot be ") && message.contains("not a directory"), "{message}");
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let open = folder.path().join("open");
        fs::create_dir(&open).unwrap();
        fs::set_permissions(&open, fs::Permissions::from_mode(0o777)).unwrap();
        let message = error(hloom(["cache", "clear", "--folder"]).arg(&open));
        assert!(message.ends_with("others can write to it (mode 777)"), "{message}");
    }
}
