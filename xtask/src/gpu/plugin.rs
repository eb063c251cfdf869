//! The CUDA plugin of the machine with the GPU, which is older than the one that Hloom installs: a
//! program compiled ahead of time loads in the plugin that compiled it.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use pjrt_plugins::{Companions, Installer, Manifest, Package, Wheel};

use crate::Result;

/// The version of cuDNN of the machine with the GPU.
pub const CUDNN: &str = "9.19";

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
    Ok(installer()?.ensure(&manifest()?, Companions::Compile).map_err(text)?.library)
}

/// The pinned plugin's library, if it is installed.
pub fn installed() -> Option<PathBuf> {
    Some(installer().ok()?.installed(&manifest().ok()?)?.library)
}

/// The folder of Python packages that a plugin's library is in, `SITE/jax_plugins/NAME/LIBRARY`.
pub fn site(library: &Path) -> Option<&Path> {
    library.ancestors().nth(3)
}

/// The `nvcc` next to a plugin, if it has the headers that it includes.
pub fn nvcc(library: &Path) -> Option<PathBuf> {
    let cuda = site(library)?.join("nvidia/cu13");
    let nvcc = cuda.join("bin/nvcc");
    let has = |file: &str| cuda.join("include").join(file).exists();
    (nvcc.exists() && has("cuda_runtime.h") && has("crt/host_config.h")).then_some(nvcc)
}

fn installer() -> Result<Installer> {
    // Apart from the plugins that programs find by name.
    Ok(Installer::in_folder(pjrt_plugins::cache_root().map_err(text)?.join("gpu-bundle")))
}

/// The built-in manifest with the plugin of jax 0.11.2, and with the headers of `nvcc`; only the
/// plugin's file decides whether a program loads, so the compilers next to it are the newer ones.
fn manifest() -> Result<Manifest> {
    let mut manifest = pjrt_plugins::manifest("cuda13").map_err(text)?;
    manifest.plugin = package(
        "jax-cuda13-pjrt",
        "0.11.2",
        "py3-none-manylinux_2_27_x86_64",
        "e5ff589d43064913bb74027682d89639c7ea48f9f81c2bae6fc75117e913f93e",
        134_162_640,
    );
    let run = manifest.companions.run.iter();
    let headers = run.filter(|package| package.package == "nvidia-cuda-runtime").cloned();
    manifest.companions.compile.extend(headers);
    manifest.companions.compile.push(package(
        "nvidia-cuda-crt",
        "13.5.37",
        "py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64",
        "e898b7f73d3035fa89915a3f7bf3b54a73e90249746111aed295822c4729bb29",
        166_163,
    ));
    Ok(manifest)
}

/// A package with a wheel for this one processor.
fn package(name: &str, version: &str, tag: &str, sha256: &str, bytes: u64) -> Package {
    let wheel = Wheel { tag: tag.into(), sha256: sha256.into(), bytes };
    Package {
        package: name.into(),
        version: version.into(),
        provides: None,
        wheels: BTreeMap::from([("x86_64".to_owned(), wheel)]),
    }
}

fn text(error: pjrt_plugins::Error) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_another_version_of_the_package_that_hloom_installs() {
        let (old, new) = (manifest().unwrap(), pjrt_plugins::manifest("cuda13").unwrap());
        assert_eq!(old.plugin.package, new.plugin.package);
        assert_ne!(old.plugin.version, new.plugin.version);
        let names = |manifest: &Manifest| -> Vec<String> {
            manifest.companions.compile.iter().map(|package| package.package.clone()).collect()
        };
        let headers = ["nvidia-cuda-runtime".to_owned(), "nvidia-cuda-crt".to_owned()];
        assert_eq!(names(&old), [names(&new), headers.into()].concat());
        // The checks of a manifest that is read.
        let json = serde_json::to_string(&old).unwrap();
        assert_eq!(Manifest::from_json(&json, "a test").unwrap(), old);
    }
}
