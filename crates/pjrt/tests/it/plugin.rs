//! Finding, loading and registering plugins (G1 to G4, G18).

use crate::{ADD, client, client_with, compile, in_child, plugin, plugin_path};
use hloom_pjrt::{Error, ExecuteOptions, NamedValue, Plugin, PluginProblem, PluginSource, quiet};
use std::{ffi::OsStr, path::Path};

/// G2: a plugin is loaded once, by name, alias, path or link, from several threads.
#[test]
fn a_file_is_loaded_once_whatever_names_it() {
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join("pjrt_c_api_linked_plugin.so");
    std::os::unix::fs::symlink(plugin_path(), &link).unwrap();
    let hard = folder.path().join("hard.so");
    let first = plugin();
    assert_eq!(Plugin::load(&link).unwrap(), first);
    assert_eq!(Plugin::load(first.name()).unwrap(), first, "by the name of a loaded plugin");
    assert_eq!(Plugin::load("host").unwrap(), first, "by an alias");
    // Not all file systems link across devices.
    if std::fs::hard_link(plugin_path(), &hard).is_ok() {
        assert_eq!(Plugin::load(&hard).unwrap(), first);
    }
    let threads: Vec<_> = (0..4).map(|_| std::thread::spawn(plugin)).collect();
    assert!(threads.into_iter().all(|t| t.join().unwrap() == first));
}

/// G20: a plugin and a client are printed with what distinguishes them.
#[test]
fn plugins_and_clients_are_printed() {
    let (_, minor) = plugin().version();
    let file = plugin_path().canonicalize().unwrap();
    let shown = plugin().to_string();
    assert_eq!(shown, format!("cpu (PJRT API 0.{minor}, {})", file.display()));
    for (count, devices) in [(1, "1 device"), (3, "3 devices")] {
        assert_eq!(
            client_with(count).to_string(),
            format!("client of plugin {shown}: platform cpu, {devices}")
        );
    }
}

/// G4: the name, path, version and attributes of a plugin.
#[test]
fn a_plugin_says_what_it_is() {
    let plugin = plugin();
    let (major, minor) = plugin.version();
    assert!(major == 0 && minor >= 54, "{major}.{minor}");
    assert_eq!(plugin.path().unwrap(), plugin_path().canonicalize().unwrap());
    let current =
        plugin.stablehlo_current_version().expect("an XLA plugin says its StableHLO version");
    let minimum = plugin.stablehlo_minimum_version().expect("and the oldest");
    assert!(current > minimum, "{current:?} {minimum:?}");
    assert!(matches!(plugin.attributes()["stablehlo_current_version"], NamedValue::Int64List(_)));
    assert!(plugin.attributes().contains_key("xla_version"));
    assert!(plugin.api().functions().any(|name| name == "PJRT_LoadedExecutable_Execute"));
    assert!(format!("{plugin:?}").contains("cpu"));
}

#[test]
fn what_is_no_plugin_is_refused() {
    let missing = Plugin::load("/nowhere/pjrt_c_api_x_plugin.so").unwrap_err();
    assert!(missing.to_string().contains("/nowhere/pjrt_c_api_x_plugin.so"), "{missing}");
    assert!(matches!(missing, Error::Plugin { problem: PluginProblem::Missing, .. }));
    let folder = tempfile::tempdir().unwrap();
    let directory = Plugin::load(folder.path()).unwrap_err();
    assert!(matches!(directory, Error::Plugin { problem: PluginProblem::NotAFile, .. }));
    let text = folder.path().join("text.so");
    std::fs::write(&text, "no library").unwrap();
    let text = Plugin::load(&text).unwrap_err();
    assert!(matches!(text, Error::Plugin { problem: PluginProblem::NotALibrary(_), .. }), "{text}");
    let program = Plugin::load(std::env::current_exe().unwrap()).unwrap_err();
    let problem = matches!(
        program,
        Error::Plugin { problem: PluginProblem::NoSymbol | PluginProblem::NotALibrary(_), .. }
    );
    assert!(problem, "{program}");
}

#[test]
fn an_unknown_name_lists_where_it_was_looked_for() {
    let error = Plugin::load("no_such_plugin").unwrap_err().to_string();
    assert!(error.contains("no_such_plugin"), "{error}");
    assert!(error.contains("HLOOM_PLUGIN_NO_SUCH_PLUGIN: not set"), "{error}");
    assert!(error.contains("hloom/plugins"), "{error}");
}

/// G1: plugins are found by each way there is, with the reason where one cannot be used.
#[test]
fn plugins_are_found_where_the_environment_says() {
    let folder = tempfile::tempdir().unwrap();
    let library = folder.path().join("libs");
    std::fs::create_dir(&library).unwrap();
    std::os::unix::fs::symlink(plugin_path(), library.join("pjrt_c_api_cpu_plugin.so")).unwrap();
    std::fs::write(library.join("pjrt-plugin-broken.so"), "text").unwrap();
    std::fs::write(library.join("libunrelated.so"), "text").unwrap();
    let empty = folder.path().join("empty");
    std::fs::create_dir(&empty).unwrap();
    let path = std::env::join_paths([&empty, &library]).unwrap();
    in_child(
        "plugin::child_library_path",
        &[
            ("PJRT_PLUGIN_LIBRARY_PATH", &path),
            ("HLOOM_PLUGIN_CPU", OsStr::new("")),
            ("PJRT_PLUGIN_BAD", OsStr::new("/nowhere.so")),
            ("XDG_CACHE_HOME", empty.as_os_str()),
        ],
    );

    let cache = folder.path().join("cache/hloom/plugins");
    let older = cache.join("cpu-0.0.9/xla_plugins/xla_cpu_pjrt");
    let newer = cache.join("cpu-0.0.10/xla_plugins/xla_cpu_pjrt");
    let foreign = cache.join("cpu-9.0.0/xla_plugins/xla_cpu_pjrt");
    let open = cache.join("cpu-8.0.0/xla_plugins/xla_cpu_pjrt");
    for version in [&older, &newer, &foreign, &open] {
        std::fs::create_dir_all(version).unwrap();
        std::os::unix::fs::symlink(plugin_path(), version.join("xla_cpu_pjrt.so")).unwrap();
        let bytes = plugin_path().metadata().unwrap().len();
        let marker = format!(
            r#"{{"library": "xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so", "library_bytes": {bytes}}}"#
        );
        // A folder without a marker is a half-finished or a foreign one.
        if version != &foreign {
            std::fs::write(version.ancestors().nth(2).unwrap().join("installed.json"), marker)
                .unwrap();
        }
    }
    let own = std::process::Command::new("chmod").args(["-R", "go-w"]).arg(&cache).status();
    assert!(own.unwrap().success(), "whatever the user's mask is");
    let writable = std::os::unix::fs::PermissionsExt::from_mode(0o777);
    std::fs::set_permissions(cache.join("cpu-8.0.0"), writable).unwrap();
    in_child(
        "plugin::child_cache",
        &[
            ("PJRT_PLUGIN_LIBRARY_PATH", OsStr::new("")),
            ("HLOOM_PLUGIN_CPU", OsStr::new("")),
            ("XDG_CACHE_HOME", folder.path().join("cache").as_os_str()),
        ],
    );

    let environment = folder.path().join("venv");
    let site = environment.join("lib/python3.11/site-packages/xla_plugins/xla_cpu_pjrt");
    std::fs::create_dir_all(&site).unwrap();
    std::os::unix::fs::symlink(plugin_path(), site.join("xla_cpu_pjrt.so")).unwrap();
    in_child(
        "plugin::child_python",
        &[
            ("PJRT_PLUGIN_LIBRARY_PATH", OsStr::new("")),
            ("HLOOM_PLUGIN_CPU", OsStr::new("")),
            ("XDG_CACHE_HOME", empty.as_os_str()),
            ("VIRTUAL_ENV", environment.as_os_str()),
        ],
    );
    in_child("plugin::child_variable", &[("HLOOM_PLUGIN_MINE", plugin_path().as_os_str())]);

    let first = folder.path().join("system");
    std::fs::create_dir(&first).unwrap();
    std::os::unix::fs::symlink(plugin_path(), first.join("pjrt_c_api_system_plugin.so")).unwrap();
    let path = std::env::join_paths([&empty, &first, &library, &first]).unwrap();
    in_child(
        "plugin::child_system",
        &[
            ("PJRT_PLUGIN_LIBRARY_PATH", OsStr::new("")),
            ("HLOOM_PLUGIN_CPU", OsStr::new("")),
            ("XDG_CACHE_HOME", empty.as_os_str()),
            ("LD_LIBRARY_PATH", &path),
        ],
    );
}

#[test]
#[ignore = "run by `plugins_are_found_where_the_environment_says`, in the environment that it sets"]
fn child_library_path() {
    let all = Plugin::available();
    let found = |name: &str| {
        all.iter().find(|c| c.name == name).unwrap_or_else(|| panic!("{name}: {all:?}"))
    };
    let cpu = found("cpu");
    assert_eq!((cpu.source.clone(), cpu.problem.clone()), (PluginSource::LibraryPath, None));
    assert!(matches!(found("broken").problem, Some(PluginProblem::NotALibrary(_))));
    let bad = found("bad");
    assert_eq!(bad.source, PluginSource::Variable("PJRT_PLUGIN_BAD".into()));
    assert_eq!(bad.problem, Some(PluginProblem::Missing));
    assert!(!all.iter().any(|c| c.name.contains("unrelated")));
    let error = Plugin::load("bad").unwrap_err();
    assert!(
        matches!(&error, Error::Setting { variable, .. } if variable == "PJRT_PLUGIN_BAD"),
        "an explicit file has no replacement: {error}"
    );
    assert_eq!(Plugin::load("cpu").unwrap().name(), "cpu");
    let all = Plugin::available();
    assert_eq!(all[0].source, PluginSource::Loaded);
    let on_disk =
        all.iter().find(|c| c.name == "cpu" && c.source == PluginSource::LibraryPath).unwrap();
    assert!(on_disk.shadowed);
}

#[test]
fn a_wrong_setting_is_seen_even_where_a_plugin_would_be_found() {
    let folder = tempfile::tempdir().unwrap();
    let library = folder.path().join("mine.so");
    std::os::unix::fs::symlink(plugin_path(), &library).unwrap();
    let text = folder.path().join("text.so");
    std::fs::write(&text, "text").unwrap();
    let (nowhere, file) = (folder.path().join("nowhere"), folder.path().join("nowhere.so"));
    let run = |test: &str, entries: &[&std::path::Path], cuda: &std::path::Path| {
        let path = std::env::join_paths(entries).unwrap();
        in_child(
            test,
            &[
                ("PJRT_PLUGIN_LIBRARY_PATH", &path),
                ("HLOOM_PLUGIN_CPU", plugin_path().as_os_str()),
                ("HLOOM_PLUGIN_CUDA", cuda.as_os_str()),
            ],
        );
    };
    run("plugin::child_wrong_entry", &[folder.path(), &library, &nowhere], library.as_path());
    run("plugin::child_wrong_entry", &[folder.path(), &text], library.as_path());
    run("plugin::child_wrong_variable", &[folder.path(), &library], &file);
}

#[test]
#[ignore = "run by `a_wrong_setting_is_seen_even_where_a_plugin_would_be_found`, in the \
            environment that it sets"]
fn child_wrong_entry() {
    let all = Plugin::available();
    let wrong: Vec<_> = all
        .iter()
        .filter(|c| c.source == PluginSource::LibraryPath && c.problem.is_some())
        .collect();
    let [wrong] = wrong.as_slice() else { panic!("one entry is wrong: {all:?}") };
    for error in [Plugin::load("cpu").unwrap_err(), Plugin::check_settings().unwrap_err()] {
        let text = error.to_string();
        assert!(text.contains("PJRT_PLUGIN_LIBRARY_PATH"), "{text}");
        assert!(text.contains(wrong.path.to_str().unwrap()), "{text}");
    }
    assert_eq!(Plugin::load(plugin_path()).unwrap().name(), "cpu", "a path is a path");
}

#[test]
#[ignore = "run by `a_wrong_setting_is_seen_even_where_a_plugin_would_be_found`, in the \
            environment that it sets"]
fn child_wrong_variable() {
    let error = Plugin::check_settings().unwrap_err().to_string();
    assert!(error.contains("HLOOM_PLUGIN_CUDA") && error.contains("nowhere.so"), "{error}");
    assert!(matches!(Plugin::load("cuda"), Err(Error::Setting { .. })));
    assert_eq!(
        Plugin::load("mine")
            .unwrap()
            .client_builder()
            .option("cpu_device_count", 1i64)
            .build()
            .unwrap()
            .devices()
            .len(),
        1
    );
    Plugin::load("cpu").expect("settings of other plugins are none of its business");
}

#[test]
#[ignore = "run by `plugins_are_found_where_the_environment_says`, in the environment that it sets"]
fn child_cache() {
    let all = Plugin::available();
    let cached: Vec<_> = all.iter().filter(|c| c.source == PluginSource::Cache).collect();
    assert_eq!(cached.len(), 3, "without the folder that has no marker: {all:?}");
    let problem = cached[0].problem.clone().expect("anyone can write to it");
    assert!(
        matches!(
            &problem,
            PluginProblem::Untrusted { path, mode: 0o777, .. } if path.ends_with("cpu-8.0.0")
        ),
        "{problem}"
    );
    let refused = Plugin::load(&cached[0].path).unwrap_err().to_string();
    assert!(
        refused.contains("cpu-8.0.0 belongs to user ") && refused.contains("chmod go-w"),
        "{refused}"
    );
    assert!(
        cached[1].path.to_str().unwrap().contains("cpu-0.0.10"),
        "the newest first: {cached:?}"
    );
    assert!(!cached[1].shadowed && cached[2].shadowed);
    let missing = Plugin::load("no_such_plugin").unwrap_err().to_string();
    let ignored = missing.lines().find(|line| line.contains("cpu-9.0.0")).expect("it is listed");
    assert!(ignored.ends_with("ignored, its `installed.json` names no whole library"), "{ignored}");
    let plugin = Plugin::load("cpu").unwrap();
    assert_eq!(plugin.path().unwrap(), cached[1].path.canonicalize().unwrap());
}

#[test]
#[ignore = "run by `plugins_are_found_where_the_environment_says`, in the environment that it sets"]
fn child_python() {
    let plugin = Plugin::load("cpu").unwrap();
    let all = Plugin::available();
    assert!(all.iter().any(|c| c.source == PluginSource::PythonPackage), "{all:?}");
    assert_eq!(plugin.name(), "cpu");
}

#[test]
#[ignore = "run by `plugins_are_found_where_the_environment_says`, in the environment that it sets"]
fn child_variable() {
    assert_eq!(Plugin::load("mine").unwrap().name(), "mine");
    assert_eq!(Plugin::load("Mine").unwrap().name(), "mine", "names are not case-sensitive");
}

#[test]
#[ignore = "run by `plugins_are_found_where_the_environment_says`, in the environment that it sets"]
fn child_system() {
    let all = Plugin::available();
    let system: Vec<_> = all.iter().filter(|c| c.source == PluginSource::System).collect();
    let names: Vec<_> = system.iter().map(|c| c.name.as_str()).collect();
    assert!(names.starts_with(&["system", "broken", "cpu"]), "the order of the folders: {names:?}");
    assert_eq!(names.iter().filter(|name| **name == "system").count(), 1, "each folder once");
    assert_eq!(system[0].problem, None);
    assert!(matches!(system[1].problem, Some(PluginProblem::NotALibrary(_))));
    let file = system[0].path.canonicalize().unwrap();
    assert_eq!(Plugin::load("system").unwrap().path().unwrap(), file);
}

/// G3: a function table that is there already is registered under a name.
#[test]
fn a_table_of_the_program_itself_is_registered() {
    in_child("plugin::child_register", &[]);
}

#[test]
#[ignore = "initializes a plugin twice: run by `a_table_of_the_program_itself_is_registered` in a \
            process of its own"]
fn child_register() {
    // SAFETY: null, and the table of a plugin that is never unloaded.
    unsafe {
        let null = Plugin::register("null", std::ptr::null()).unwrap_err();
        assert!(matches!(null, Error::Plugin { problem: PluginProblem::NullApi, .. }), "{null}");
        let table = plugin().api().as_ptr();
        let mine = Plugin::register("linked_in", table).unwrap();
        assert!(mine.to_string().ends_with(", registered)"), "{mine}");
        assert_eq!(mine.path(), None);
        assert_eq!(Plugin::register("linked_in", table).unwrap(), mine);
        assert_eq!(Plugin::load("linked_in").unwrap(), mine);
        assert_eq!(mine.client().unwrap().platform_name(), "cpu");
        let taken = Plugin::register("cpu", table);
        assert!(taken.is_ok() || matches!(taken, Err(Error::PluginExists { .. })));
        let other = Box::leak(Box::new([0usize; 4]));
        let taken = Plugin::register("linked_in", other.as_ptr().cast()).unwrap_err();
        assert!(matches!(taken, Error::PluginExists { .. }), "{taken}");
    }
}

/// G22: a program is linked with the packaged plugin dynamically, and registers its entry point.
#[cfg(target_os = "linux")]
#[test]
fn a_packaged_plugin_is_linked_dynamically() {
    let folder = tempfile::tempdir().unwrap();
    // The name by which a plugin that has one is looked for at run time.
    let link = folder.path().join("libpjrt_c_api_cpu_plugin.so");
    std::os::unix::fs::symlink(plugin_path(), &link).unwrap();
    // A library takes the place of the program, since this test's executable is linked already.
    let program = folder.path().join("libprogram.so");
    let source = folder.path().join("program.c");
    let code = "const void *GetPjrtApi(void);\nconst void *entry(void) { return GetPjrtApi(); }\n";
    std::fs::write(&source, code).unwrap();
    let compiled = std::process::Command::new("cc")
        .args(["-shared", "-fPIC", "-Wl,--no-undefined", "-o"])
        .args([&program, &source, &link])
        .arg(format!("-Wl,-rpath,{}", folder.path().display()))
        .output()
        .unwrap();
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    in_child(
        "plugin::child_linked",
        &[
            ("HLOOM_TEST_PROGRAM", program.as_os_str()),
            ("HLOOM_PLUGIN_CPU", plugin_path().as_os_str()),
        ],
    );
}

#[test]
#[ignore = "run by `a_packaged_plugin_is_linked_dynamically`, with the program that it links"]
fn child_linked() {
    let program = std::env::var_os("HLOOM_TEST_PROGRAM").unwrap();
    // SAFETY: it has no initializers but the plugin's.
    let program = unsafe { libloading::Library::new(program) }.unwrap();
    let program = std::mem::ManuallyDrop::new(program);
    type GetApi = unsafe extern "C" fn() -> *const hloom_pjrt::sys::PJRT_Api;
    // SAFETY: a function of this type, which calls the plugin's entry point.
    let plugin = unsafe {
        let entry = program.get::<GetApi>(b"entry").unwrap();
        Plugin::register_linked("linked", *entry).unwrap()
    };
    assert_eq!(plugin.path(), None);
    let client = plugin.client_builder().option("cpu_device_count", 1i64).build().unwrap();
    let executable = compile(&client, ADD);
    let a = client.buffer(&[1.0f32, 2.0], &[2]).unwrap();
    let results = executable.execute(&[&a, &a], &ExecuteOptions::new()).unwrap();
    assert_eq!(results[0].to_vec::<f32>().unwrap(), [2.0, 4.0]);
    // The loader has that file already: it is not initialized again.
    assert_eq!(Plugin::load(std::env::var_os("HLOOM_PLUGIN_CPU").unwrap()).unwrap(), plugin);
}

/// G18: what the plugin writes is held back on request.
#[test]
fn noise_is_held_back() {
    let noisy = in_child("plugin::child_noise", &[("HLOOM_TEST_QUIET", OsStr::new("0"))]);
    assert!(noisy.contains("cpu_device_count"), "the plugin is no longer noisy:\n{noisy}");
    let text = in_child("plugin::child_noise", &[("HLOOM_TEST_QUIET", OsStr::new("1"))]);
    assert!(!text.contains("cpu_device_count"), "{text}");
    assert!(text.contains("before") && text.contains("after"), "the stream is restored:\n{text}");
    let level = in_child(
        "plugin::child_noise",
        &[("HLOOM_TEST_QUIET", OsStr::new("0")), ("TF_CPP_MIN_LOG_LEVEL", OsStr::new("2"))],
    );
    assert!(!level.contains("cpu_device_count"), "{level}");
}

#[test]
#[ignore = "run by `noise_is_held_back`, which looks at its output"]
fn child_noise() {
    let plugin = plugin();
    eprintln!("before");
    let client = match std::env::var("HLOOM_TEST_QUIET").as_deref() {
        Ok("1") => plugin.quiet(client),
        _ => client(),
    };
    eprintln!("after");
    assert_eq!(client.devices().len(), 1);
    let panicked = std::panic::catch_unwind(|| quiet(|| panic!("inside")));
    assert!(panicked.is_err());
    // One within another.
    assert_eq!(quiet(|| quiet(|| 7)), 7);
    eprintln!("still there");
}

#[test]
fn names_with_separators_are_paths() {
    let error = Plugin::load(Path::new("./cpu")).unwrap_err();
    assert!(matches!(error, Error::Plugin { problem: PluginProblem::Missing, .. }), "{error}");
}
