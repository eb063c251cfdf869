use super::{check, compile, doubled, spec, warnings::warnings};
use hloom_graph::{Spec, Tensor};
use hloom_runtime::{CacheStats, CompilationCache, Platform};
use hloom_test_support::{Child, cpus, is_child};
use std::{fs, path::PathBuf, thread, time::UNIX_EPOCH};

fn stats(memory_hits: u64, folder_hits: u64, misses: u64, failures: u64) -> CacheStats {
    let mut stats = CacheStats::default();
    (stats.memory_hits, stats.folder_hits) = (memory_hits, folder_hits);
    (stats.misses, stats.failures) = (misses, failures);
    stats
}

/// E14: what is compiled is kept in a folder, for the next process.
#[test]
fn a_program_is_compiled_once() {
    let folder = tempfile::tempdir().unwrap();
    let platform = cpus(1);
    platform.set_cache(CompilationCache::at(folder.path().join("deep/programs")));
    for _ in 0..3 {
        check(&compile(&platform).unwrap());
    }
    assert_eq!(platform.cache_stats(), stats(2, 0, 1, 0));

    // As in the next process.
    let cache = CompilationCache::at(folder.path().join("deep/programs"));
    platform.set_cache(cache.clone());
    check(&compile(&platform).unwrap());
    assert_eq!(platform.cache_stats(), stats(0, 1, 0, 0));
    let entries = cache.entries().unwrap();
    assert_eq!(entries.len(), 1);
    assert!(entries[0].program.contains("doubled"), "{entries:?}");
    assert_eq!(cache.clear().unwrap(), entries[0].bytes);
    assert!(cache.entries().unwrap().is_empty());
    check(&compile(&platform).unwrap());
    assert_eq!(platform.cache_stats(), stats(0, 1, 1, 0));
}

#[test]
fn a_miss_is_explained() {
    let folder = tempfile::tempdir().unwrap();
    let platform = cpus(1);
    let cache = CompilationCache::at(folder.path());
    platform.set_cache(cache.clone());
    assert_eq!(cache.explain_miss(), None);
    let of = |times: f64| platform.compiler().name("f").compile(move |x: Tensor| x * times, spec());
    of(2.0).unwrap();
    assert_eq!(cache.explain_miss().unwrap(), "`f`: there is no entry of this name");
    of(3.0).unwrap();
    let why = cache.explain_miss().unwrap();
    assert_eq!(why, "`f`: another module");
    let compiler = platform.compiler().name("f").xla_option("xla_cpu_enable_fast_math", true);
    compiler.compile(|x: Tensor| x * 3.0, spec()).unwrap();
    let why = cache.explain_miss().unwrap();
    assert!(why.contains("options from byte") && why.contains("fast_math"), "{why}");
}

#[test]
fn a_plugin_is_known_by_the_hash_that_its_installer_wrote() {
    const TEST: &str = "saving::cache::a_plugin_is_known_by_the_hash_that_its_installer_wrote";
    const LIBRARY: &str = "libpjrt_linked.so";
    if is_child() {
        let folder = PathBuf::from(std::env::var_os("HLOOM_TEST_FOLDER").unwrap());
        let platform = Platform::load(folder.join(LIBRARY)).unwrap();
        let cache = CompilationCache::at(folder.join("programs"));
        platform.set_cache(cache.clone());
        platform.compiler().name("f").compile(doubled, spec()).unwrap();
        println!("because {:?}", cache.explain_miss());
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let library = folder.path().join(LIBRARY);
    let plugin = hloom_test_support::plugin_path();
    // A copy where a link to the file is not possible.
    fs::hard_link(plugin, &library).or_else(|_| fs::copy(plugin, &library).map(drop)).unwrap();
    let data = library.metadata().unwrap();
    let modified = data.modified().unwrap().duration_since(UNIX_EPOCH).unwrap().as_nanos();
    let (bytes, other_bytes) = (data.len(), data.len() + 1);
    for (hash, bytes, why) in [
        ("0123", bytes, r#"Some("`f`: there is no entry of this name")"#),
        ("0123", bytes, "None"),
        ("4567", bytes, r#"Some("`f`: another plugin")"#),
        // The hash of another file: that of the library is computed.
        ("0123", other_bytes, r#"Some("`f`: another plugin")"#),
        ("4567", other_bytes, "None"),
    ] {
        let text = format!("{} {bytes} {modified}\n", hash.repeat(16));
        fs::write(folder.path().join(format!("{LIBRARY}.sha256")), text).unwrap();
        let child = Child::test(TEST).env("HLOOM_TEST_FOLDER", folder.path()).run().passed();
        assert!(child.stdout.contains(&format!("because {why}\n")), "{why}: {}", child.stdout);
    }
}

#[test]
fn equal_functions_elsewhere_are_one_program_without_locations() {
    let platform = cpus(1);
    let compile = |kept: bool| {
        let cache = CompilationCache::in_memory();
        platform.set_cache(cache.clone());
        let compiler = || platform.compiler().name("f").locations(kept);
        compiler().compile(|x: Tensor| x + x, spec()).unwrap();
        compiler().compile(|x: Tensor| x + x, spec()).unwrap();
        cache.stats()
    };
    assert_eq!(compile(true), stats(0, 0, 2, 0));
    assert_eq!(compile(false), stats(1, 0, 1, 0));
}

#[test]
fn threads_wait_for_the_one_that_compiles() {
    let platform = cpus(1);
    platform.set_cache(CompilationCache::in_memory());
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| check(&compile(&platform).unwrap()));
        }
    });
    assert_eq!(platform.cache_stats(), stats(7, 0, 1, 0));
}

#[test]
fn damaged_entries_are_misses_and_go() {
    let folder = tempfile::tempdir().unwrap();
    let platform = cpus(1);
    let fresh = || {
        let cache = CompilationCache::at(folder.path());
        platform.set_cache(cache.clone());
        cache
    };
    let cache = fresh();
    compile(&platform).unwrap();
    let path = cache.entries().unwrap()[0].path.clone();
    let sound = fs::read(&path).unwrap();
    let mut changed = sound.clone();
    *changed.last_mut().unwrap() ^= 1;
    for bytes in [&[][..], &sound[..sound.len() / 2], b"HLOOMEXE", b"text", &changed] {
        fs::write(&path, bytes).unwrap();
        let cache = fresh();
        check(&compile(&platform).unwrap());
        assert_eq!(cache.stats(), stats(0, 0, 1, 1));
        assert_eq!(fs::read(&path).unwrap().len(), sound.len(), "it is written again");
    }
    // An entry under the name of another.
    let cache = fresh();
    let (other,) = (Spec::f32([("n", 7)]),);
    platform.compile(doubled, (other,)).unwrap();
    let entries = cache.entries().unwrap();
    let other = entries.iter().find(|entry| entry.path != path).unwrap();
    fs::copy(&other.path, &path).unwrap();
    let cache = fresh();
    check(&compile(&platform).unwrap());
    assert_eq!(cache.stats(), stats(0, 0, 1, 1));
}

#[test]
fn the_least_recently_used_entries_go() {
    let folder = tempfile::tempdir().unwrap();
    let platform = cpus(1);
    let cache = CompilationCache::at(folder.path());
    platform.set_cache(cache.clone());
    compile(&platform).unwrap();
    let bytes = cache.entries().unwrap()[0].bytes;
    // Files that are not of the cache stay, and do not count.
    let own = ["saved.hloom", "model.bin", "list.note"].map(|name| folder.path().join(name));
    for path in &own {
        fs::write(path, vec![0; 3 * bytes as usize]).unwrap();
    }
    let cache = CompilationCache::at(folder.path()).with_limit(3 * bytes);
    platform.set_cache(cache.clone());
    for size in 10..16 {
        platform.compile(doubled, (Spec::f32([("n", size)]),)).unwrap();
    }
    let kept: u64 = cache.entries().unwrap().iter().map(|entry| entry.bytes).sum();
    assert!(kept > bytes && kept <= 3 * bytes, "{kept} of {bytes} each");
    cache.clear().unwrap();
    assert!(own.iter().all(|path| path.exists()));
}

#[test]
fn a_limit_is_a_setting_of_the_same_cache() {
    let folder = tempfile::tempdir().unwrap();
    let platform = cpus(1);
    let cache = CompilationCache::at(folder.path());
    platform.set_cache(cache.clone());
    compile(&platform).unwrap();
    let bytes = cache.entries().unwrap()[0].bytes;

    // The platform's clone has the limit, and the other has the programs in memory.
    let limited = cache.clone().with_limit(2 * bytes);
    for size in 10..14 {
        platform.compile(doubled, (Spec::f32([("n", size)]),)).unwrap();
    }
    assert!(cache.entries().unwrap().len() <= 2);
    platform.set_cache(limited);
    check(&compile(&platform).unwrap());
    assert_eq!(platform.cache_stats(), stats(1, 0, 5, 0));
}

#[cfg(unix)]
#[test]
fn a_folder_of_others_is_not_used() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    let platform = cpus(1);
    let try_in = |name: &str| {
        let cache = CompilationCache::at(folder.path().join(name));
        platform.set_cache(cache.clone());
        let told = warnings(|| {
            for _ in 0..2 {
                check(&compile(&platform).unwrap());
            }
        });
        assert_eq!(told, 1, "{name}");
        // The second time it is found in memory.
        assert_eq!(cache.stats(), stats(1, 0, 1, 0), "{name}");
        let explained = cache.explain_miss().unwrap();
        let expected =
            format!("programs are not kept in `{}`: ", cache.folder().unwrap().display());
        assert!(explained.contains(&expected), "{explained}");
        cache
    };
    let open = folder.path().join("open");
    fs::create_dir(&open).unwrap();
    fs::set_permissions(&open, fs::Permissions::from_mode(0o777)).unwrap();
    let error = try_in("open").entries().unwrap_err().to_string();
    assert_eq!(error, "others can write to it (mode 777)");
    let error = try_in("open/inner").entries().unwrap_err().to_string();
    assert!(error.contains("others can write to `"), "{error}");
    assert_eq!(fs::read_dir(open.join("inner")).unwrap().count(), 0);

    fs::create_dir(folder.path().join("own")).unwrap();
    symlink(folder.path().join("own"), folder.path().join("link")).unwrap();
    assert_eq!(try_in("link").entries().unwrap_err().to_string(), "it is a link");
    fs::write(folder.path().join("file"), "").unwrap();
    assert!(try_in("file").entries().is_err());
    assert!(try_in("file/inner").entries().is_ok_and(|entries| entries.is_empty()));

    let foreign = folder.path().join("foreign");
    fs::create_dir(&foreign).unwrap();
    // Only root may give a folder away.
    if std::os::unix::fs::chown(&foreign, Some(54_321), None).is_ok() {
        let error = try_in("foreign").entries().unwrap_err().to_string();
        assert_eq!(error, "it belongs to user 54321");
    }

    // An entry that is a link, or that others can write to.
    let cache = CompilationCache::at(folder.path().join("own"));
    platform.set_cache(cache.clone());
    compile(&platform).unwrap();
    let path = cache.entries().unwrap()[0].path.clone();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
    let cache = CompilationCache::at(folder.path().join("own"));
    platform.set_cache(cache.clone());
    check(&compile(&platform).unwrap());
    assert_eq!(cache.stats(), stats(0, 0, 1, 1));
    fs::rename(&path, folder.path().join("elsewhere")).unwrap();
    symlink(folder.path().join("elsewhere"), &path).unwrap();
    let cache = CompilationCache::at(folder.path().join("own"));
    platform.set_cache(cache.clone());
    check(&compile(&platform).unwrap());
    assert_eq!(cache.stats(), stats(0, 0, 1, 1));
}
