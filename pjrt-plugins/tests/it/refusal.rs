//! Refused packages: the messages, and that nothing is left of the install.

use std::fs;

use crate::fixture::{LIBRARY, Member, World, failure, installed, library};

/// Checks that `world` has no trace of an install.
#[track_caller]
fn assert_clean(world: &World) {
    assert_eq!(world.left_over(), [""; 0]);
    world.assert_nothing_outside();
}

#[test]
fn an_unknown_name_lists_the_known_ones() {
    let world = World::new();
    for command in ["install", "path"] {
        let text = failure(&world.command(&[command, "vulkan"]).output().unwrap());
        assert!(text.contains("no plugin is called `vulkan`"), "{text}");
        for manifest in pjrt_plugins::list() {
            assert!(text.contains(&manifest.name), "{text}");
        }
    }
    assert_clean(&world);
}

#[test]
fn a_wrong_hash_is_refused_by_pip_and_nothing_is_left() {
    let world = World::new();
    let wheel = world.wheel("demo_plugin", &[Member::File(LIBRARY, library(10))]);
    let mut package = world.package("demo_plugin", &wheel);
    let (wrong, right) = ("0".repeat(64), pjrt_plugins::wheel::sha256(&wheel).unwrap());
    for arch in ["x86_64", "aarch64"] {
        package["wheels"][arch]["sha256"] = wrong.clone().into();
    }
    let text = failure(&world.install(&world.write(&world.manifest(&package))));
    assert!(text.contains(&format!("its sha256 is {right}")), "{text}");
    assert!(text.contains(&format!("the manifest expects {wrong}")), "{text}");
    assert_clean(&world);
}

#[test]
fn a_wrong_file_is_refused_even_when_pip_let_it_through() {
    let world = World::new();
    let manifest = world.demo(&[Member::File(LIBRARY, library(10))]);
    let python = world.fake_python(
        "case \"$*\" in *--version*) exit 0;; esac\nwhile [ $# -gt 0 ]; do [ \"$1\" = --dest ] && \
         echo forged > \"$2/demo_plugin-1.0-py3-none-any.whl\"; shift; done",
    );
    let mut command = world.install_command(&manifest);
    let text = failure(&command.env("HLOOM_PYTHON", python).output().unwrap());
    assert!(text.contains("demo_plugin 1.0 was refused: its sha256 is"), "{text}");
    assert_clean(&world);
}

#[test]
fn archives_that_climb_out_are_refused_and_write_nothing() {
    let cases: [(&str, Member); 7] = [
        ("climbs out", Member::File("../../../../escaped", b"x".to_vec())),
        ("climbs out", Member::File("demo_plugin/../../escaped", b"x".to_vec())),
        ("climbs out", Member::File("./escaped", b"x".to_vec())),
        ("absolute name", Member::File("/tmp/hloom-escaped", b"x".to_vec())),
        ("backslash", Member::File("..\\escaped", b"x".to_vec())),
        ("is a link", Member::Link("demo_plugin/link", "/etc")),
        ("is a link", Member::Link("demo_plugin/link", "demo.so")),
    ];
    for (reason, member) in cases {
        let world = World::new();
        let name = match &member {
            Member::File(name, _) | Member::Program(name, _) | Member::Link(name, _) => *name,
        };
        let manifest = world.demo(&[Member::File(LIBRARY, library(10)), member]);
        let text = failure(&world.install(&manifest));
        assert!(text.contains(&format!("member `{name}`")), "{text}");
        assert!(text.contains(reason), "{text}");
        assert_clean(&world);
        assert!(!std::path::Path::new("/tmp/hloom-escaped").exists());
    }
}

#[test]
fn a_member_below_a_link_cannot_be_smuggled_in() {
    let world = World::new();
    let manifest = world.demo(&[
        Member::File(LIBRARY, library(10)),
        Member::File("out/escaped", b"x".to_vec()),
        Member::Link("out", "../../../../elsewhere"),
    ]);
    assert!(failure(&world.install(&manifest)).contains("is a link"));
    assert_clean(&world);
}

#[test]
fn a_package_that_would_replace_a_file_of_another_is_refused() {
    let world = World::new();
    let plugin = world.wheel("demo_plugin", &[Member::File(LIBRARY, library(10))]);
    let other = world.wheel("demo_other", &[Member::File(LIBRARY, library(20))]);
    let mut manifest = world.manifest(&world.package("demo_plugin", &plugin));
    manifest["companions"]["compile"] = serde_json::json!([world.package("demo_other", &other)]);
    let text = failure(&world.install(&world.write(&manifest)));
    assert!(text.contains("would replace a file of another package"), "{text}");
    assert_clean(&world);
}

#[test]
fn what_is_no_archive_or_a_damaged_one_is_refused() {
    let world = World::new();
    let whole = world.wheel("demo_plugin", &[Member::File(LIBRARY, library(50_000))]);
    let bytes = fs::read(&whole).unwrap();
    // Flips a byte in the middle of the library's content, so that only the member's checksum
    // detects it.
    let mut flipped = bytes.clone();
    flipped[bytes.len() / 2] ^= 1;
    for content in [b"no archive".to_vec(), Vec::new(), bytes[..40_000].to_vec(), flipped] {
        fs::write(&whole, content).unwrap();
        let manifest = world.write(&world.manifest(&world.package("demo_plugin", &whole)));
        let python = world.fake_python(&format!(
            "case \"$*\" in *--version*) exit 0;; esac\nwhile [ $# -gt 0 ]; do [ \"$1\" = --dest \
             ] && cp '{}' \"$2\"; shift; done",
            whole.display()
        ));
        let mut command = world.install_command(&manifest);
        let text = failure(&command.env("HLOOM_PYTHON", python).output().unwrap());
        assert!(text.contains("cannot be read"), "{text}");
        assert_clean(&world);
    }
}

#[test]
fn a_package_without_the_library_is_refused() {
    let world = World::new();
    let manifest = world.demo(&[Member::File("demo_plugin/other.so", library(10))]);
    let text = failure(&world.install(&manifest));
    assert!(text.contains("its package holds no file `demo_plugin/demo.so`"), "{text}");
    assert_clean(&world);
}

#[test]
fn a_package_that_no_index_has_names_the_alternatives_and_keeps_pips_words() {
    let world = World::new();
    let wheel = world.wheel("demo_plugin", &[Member::File(LIBRARY, library(10))]);
    let mut manifest = world.manifest(&world.package("demo_plugin", &wheel));
    fs::remove_file(wheel).unwrap();
    let text = failure(&world.install(&world.write(&manifest)));
    assert!(text.contains("pip found no demo_plugin 1.0"), "{text}");
    assert!(text.contains("a manifest of your own"), "{text}");
    assert!(text.contains("No matching distribution found"), "{text}");
    manifest["platform"] = "cpu".into();
    let text = failure(&world.install(&world.write(&manifest)));
    assert!(text.contains("other plugins for its platform are cpu"), "{text}");
    assert_clean(&world);
}

#[test]
fn a_machine_without_a_wheel_is_told_which_there_are() {
    let world = World::new();
    let wheel = world.wheel("demo_plugin", &[Member::File(LIBRARY, library(10))]);
    let mut package = world.package("demo_plugin", &wheel);
    let entry = package["wheels"]["x86_64"].clone();
    package["wheels"] = serde_json::json!({ "s390x": entry });
    let text = failure(&world.install(&world.write(&world.manifest(&package))));
    assert!(text.contains("demo_plugin has no wheel for linux"), "{text}");
    assert!(text.contains("only for linux s390x"), "{text}");
    assert!(!world.plugins().exists());
}

#[test]
fn a_missing_python_or_pip_says_what_to_install() {
    let world = World::new();
    let manifest = world.demo(&[Member::File(LIBRARY, library(10))]);
    let without_pip = world.fake_python("echo 'No module named pip' >&2; exit 1");
    for (python, answer) in
        [("/no/such/python".into(), "No such file"), (without_pip, "No module named pip")]
    {
        let mut command = world.install_command(&manifest);
        let text = failure(&command.env("HLOOM_PYTHON", &python).output().unwrap());
        assert!(text.contains("apt-get install python3-pip"), "{text}");
        assert!(text.contains(answer), "{text}");
        assert!(text.contains(python.to_str().unwrap()), "{text}");
    }
    assert!(!world.plugins().exists());
    installed(&world.install(&manifest));
}

#[test]
fn a_bad_manifest_is_named_with_what_is_wrong() {
    let world = World::new();
    let path = world.path("manifest.json");
    let text = failure(&world.install(&path));
    assert!(text.contains("cannot read") && text.contains("manifest.json"), "{text}");
    for (content, reason) in [("", "EOF"), ("{}", "missing field"), ("[1]", "invalid")] {
        fs::write(&path, content).unwrap();
        let text = failure(&world.install(&path));
        assert!(text.contains("manifest.json"), "{text}");
        assert!(text.contains(reason), "{text}");
    }
}

#[test]
fn a_cache_that_cannot_be_written_is_an_error_with_its_path() {
    let world = World::new();
    let manifest = world.demo(&[Member::File(LIBRARY, library(10))]);
    fs::write(world.path("cache/hloom"), "a file where a folder has to be").unwrap();
    let text = failure(&world.install(&manifest));
    assert!(text.contains("cannot create") && text.contains("cache/hloom/plugins"), "{text}");
}
