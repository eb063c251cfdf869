//! Any text as the manifest of a plugin: what is read leads to no folder but its own, and to no
//! other option of pip.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pjrt_plugins::{Companions, Manifest};
use std::path::{Component, Path};

fuzz_target!(|text: &str| {
    match Manifest::from_json(text, "fuzz") {
        Ok(manifest) => {
            for part in std::iter::once(&manifest.name).chain(&manifest.aliases) {
                assert_eq!(Path::new("root").join(part).parent(), Some(Path::new("root")));
                assert!(!part.contains(['.', '\0']));
            }
            let library = Path::new(&manifest.library);
            assert!(library.components().all(|part| matches!(part, Component::Normal(_))));
            for package in manifest.packages(Companions::Run) {
                let requirement = format!("{}=={}", package.package, package.version);
                assert!(
                    !requirement.starts_with('-') && !requirement.contains(char::is_whitespace)
                );
                for wheel in package.wheels.values() {
                    assert_eq!(wheel.sha256.len(), 64);
                }
            }
            let text = serde_json::to_string(&manifest).expect("a manifest is JSON");
            assert_eq!(Manifest::from_json(&text, "fuzz").expect("it was read before"), manifest);
        }
        Err(error) => assert!(error.to_string().starts_with("manifest fuzz: ")),
    }
});
