//! The manifests that come with this crate.

use std::sync::LazyLock;

use crate::{Error, Manifest, Result};

static MANIFESTS: LazyLock<Vec<Manifest>> = LazyLock::new(|| {
    let all = [
        include_str!("../manifests/cpu.json"),
        include_str!("../manifests/cpu_aarch64.json"),
        include_str!("../manifests/cpu81.json"),
        include_str!("../manifests/cpu115.json"),
        include_str!("../manifests/cuda13.json"),
        include_str!("../manifests/cuda12.json"),
        include_str!("../manifests/tpu.json"),
        include_str!("../manifests/rocm.json"),
        include_str!("../manifests/rocm10.json"),
        include_str!("../manifests/oneapi.json"),
        include_str!("../manifests/mps.json"),
        include_str!("../manifests/wincuda13.json"),
    ]
    .into_iter()
    .map(|text| {
        Manifest::from_json(text, "built in").expect("built-in manifests are checked by a test")
    });
    one_of_each_name(all)
});

/// The first manifest with a wheel for this machine of those that share a name; else the first.
fn one_of_each_name(all: impl Iterator<Item = Manifest>) -> Vec<Manifest> {
    let is_for_this_machine = |manifest: &Manifest| manifest.plugin.wheel(&manifest.name).is_ok();
    let mut kept: Vec<Manifest> = Vec::new();
    for manifest in all {
        match kept.iter_mut().find(|other| other.name == manifest.name) {
            None => kept.push(manifest),
            Some(other) if !is_for_this_machine(other) && is_for_this_machine(&manifest) => {
                *other = manifest
            }
            Some(_) => {}
        }
    }
    kept
}

/// The manifests that come with this crate.
pub fn list() -> &'static [Manifest] {
    &MANIFESTS
}

/// The manifest that has `name` as its name or as an alias.
///
/// # Errors
/// [`Error::UnknownPlugin`], which lists the known names.
pub fn manifest(name: &str) -> Result<Manifest> {
    list()
        .iter()
        .find(|manifest| {
            manifest.name == name || manifest.aliases.iter().any(|alias| alias == name)
        })
        .cloned()
        .ok_or_else(|| Error::UnknownPlugin {
            name: name.to_owned(),
            known: list()
                .iter()
                .map(|manifest| match manifest.aliases.as_slice() {
                    [] => manifest.name.clone(),
                    aliases => format!("{} ({})", manifest.name, aliases.join(", ")),
                })
                .collect::<Vec<_>>()
                .join(", "),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_manifests_that_share_a_name_the_one_for_this_machine_is_kept() {
        let manifest = |name: &str, package: &str, target: &str| {
            let wheel =
                serde_json::json!({ "tag": "py3-none-any", "sha256": "0".repeat(64), "bytes": 1 });
            let json = serde_json::json!({
                "name": name, "description": "", "library": "l",
                "plugin": { "package": package, "version": "1", "wheels": { target: wheel } },
            });
            Manifest::from_json(&json.to_string(), "a test").unwrap()
        };
        let here = match std::env::consts::OS {
            "linux" => std::env::consts::ARCH.to_owned(),
            os => format!("{os}-{}", std::env::consts::ARCH),
        };
        let packages = |all: Vec<Manifest>| -> Vec<String> {
            let kept = one_of_each_name(all.into_iter());
            kept.into_iter().map(|manifest| manifest.plugin.package).collect()
        };
        let [other, second, third] = [("a", "z80"), ("b", &*here), ("c", &*here)]
            .map(|(p, target)| manifest("x", p, target));
        assert_eq!(packages(vec![other.clone(), second.clone(), third]), ["b"]);
        assert_eq!(packages(vec![second, other.clone()]), ["b"]);
        assert_eq!(
            packages(vec![other.clone(), manifest("x", "d", "z80"), manifest("y", "e", "z80")]),
            ["a", "e"]
        );
    }

    #[test]
    fn an_unknown_name_lists_the_known_ones() {
        let message = manifest("vulkan").unwrap_err().to_string();
        assert_eq!(
            message,
            "no plugin is called `vulkan`: known are cpu (host, cpu106), cpu81, cpu115, cuda13 \
             (cuda, gpu), cuda12, tpu, rocm (rocm7), rocm10, oneapi (intel), mps (metal), \
             wincuda13"
        );
    }

    #[test]
    fn an_alias_means_its_plugin() {
        assert_eq!(manifest("gpu").unwrap().name, "cuda13");
    }
}
