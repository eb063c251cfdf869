//! The CUDA plugin of the machine with the GPU, which is older than the one that Hloom installs: a
//! program compiled ahead of time loads in the plugin that compiled it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use pjrt_plugins::{Companions, Installer, Manifest, Package, Wheel};

use crate::Result;

/// The plugin's library: the file in `HLOOM_PLUGIN_CUDA`, else the pinned package, which is
/// installed if it is missing.
///
/// # Errors
/// The installer's.
pub fn library() -> Result<PathBuf> {
    let chosen = std::env::var_os("HLOOM_PLUGIN_CUDA").filter(|path| !path.is_empty());
    if let Some(path) = chosen {
        return Ok(path.into());
    }
    let text = |error: pjrt_plugins::Error| error.to_string();
    // Apart from the plugins that programs find by name.
    let folder = pjrt_plugins::cache_root().map_err(text)?.join("gpu-bundle");
    let installer = Installer::in_folder(folder);
    Ok(installer.ensure(&manifest()?, Companions::Compile).map_err(text)?.library)
}

/// The built-in manifest with the plugin of jax 0.11.2; only the plugin's file decides whether a
/// program loads, so the compilers next to it are the newer ones.
fn manifest() -> Result<Manifest> {
    let mut manifest = pjrt_plugins::manifest("cuda13").map_err(|error| error.to_string())?;
    let wheel = Wheel {
        tag: "py3-none-manylinux_2_27_x86_64".into(),
        sha256: "e5ff589d43064913bb74027682d89639c7ea48f9f81c2bae6fc75117e913f93e".into(),
        bytes: 134_162_640,
    };
    manifest.plugin = Package {
        package: "jax-cuda13-pjrt".into(),
        version: "0.11.2".into(),
        provides: None,
        wheels: BTreeMap::from([("x86_64".to_owned(), wheel)]),
    };
    Ok(manifest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_another_version_of_the_package_that_hloom_installs() {
        let (old, new) = (manifest().unwrap(), pjrt_plugins::manifest("cuda13").unwrap());
        assert_eq!(old.plugin.package, new.plugin.package);
        assert_ne!(old.plugin.version, new.plugin.version);
        // The checks of a manifest that is read.
        let json = serde_json::to_string(&old).unwrap();
        assert_eq!(Manifest::from_json(&json, "a test").unwrap(), old);
    }
}
