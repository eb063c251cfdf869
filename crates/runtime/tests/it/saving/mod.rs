//! Saved executables and the cache of compiled programs.

mod ahead;
mod cache;
mod damage;
#[cfg(target_os = "linux")]
mod disks;
mod kill;
mod round_trip;
mod saved_program;
mod warnings;

use hloom_graph::{Spec, Tensor};
use hloom_runtime::{Buffer, Compiler, Exe, Platform, Result};

type Doubled = Exe<(Spec,), Tensor>;

fn spec() -> (Spec,) {
    (Spec::f32([("n", 3)]),)
}

fn doubled(x: Tensor) -> Tensor {
    x * 2.0 + 1.0
}

fn compile(platform: &Platform) -> Result<Doubled> {
    platform.compile(doubled, spec())
}

/// Checks what a loaded program computes.
#[track_caller]
fn check(exe: &Doubled) {
    let x = Buffer::from_slice(exe.any().platform(), &[1f32, -2.0, 0.5], [("n", 3)]).unwrap();
    assert_eq!(exe.call((&x,)).unwrap().to_vec::<f32>().unwrap(), [3.0, -3.0, 2.0]);
}

/// Loads what a test saved.
#[expect(unsafe_code, reason = "tests load their own programs")]
fn load(compiler: Compiler<'_>, bytes: &[u8]) -> Result<Doubled> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("program.hloom");
    std::fs::write(&path, bytes).unwrap();
    // SAFETY: the bytes are of a program that this test saved, or changed so that they are refused.
    unsafe { compiler.load(path, doubled, spec()) }
}
