//! The kernel as machine code: from the bundle, or compiled here by CUDA's own compiler.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// The source of the kernel.
const SOURCE: &str = include_str!("../../kernels/scale.cu");

/// The file of the kernel.
///
/// # Errors
/// The bundle has none, and there is no `nvcc`, or it does not work here.
pub fn cubin(bundle: &Path) -> Result<PathBuf, String> {
    let bundled = bundle.join("kernels/scale.cubin");
    if bundled.exists() {
        return Ok(bundled);
    }
    let folder = std::env::temp_dir().join(format!("hloom-gpu-kernel-{}", std::process::id()));
    let failed = |error| format!("{}: {error}", folder.display());
    fs::create_dir_all(&folder).map_err(failed)?;
    let (source, compiled) = (folder.join("scale.cu"), folder.join("scale.cubin"));
    fs::write(&source, SOURCE).map_err(failed)?;
    let nvcc = ["nvcc", "/usr/local/cuda/bin/nvcc"].into_iter().find_map(|nvcc| {
        // Compute capability 9.0 is that of H100 and H200.
        let mut command = Command::new(nvcc);
        command.args(["-cubin", "-arch=sm_90", "-o"]).arg(&compiled).arg(&source);
        command.output().ok()
    });
    let nvcc = nvcc.ok_or("there is no nvcc")?;
    if nvcc.status.success() {
        Ok(compiled)
    } else {
        Err(format!("nvcc: {}", String::from_utf8_lossy(&nvcc.stderr)))
    }
}
