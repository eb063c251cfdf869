//! A buffer over a mesh is gone on every device once it is donated.

use hloom_graph::{Spec, Tensor};
use hloom_runtime::{Buffer, Donated, Mesh, Result};

fn steps(mesh: &Mesh, cache: Buffer) -> Result<()> {
    let spec = Spec::f32([8]).shard(0, "x");
    let step = mesh.compile(|cache: Tensor| (cache + 1.0).reuse(cache), (Donated(spec),))?;
    for _ in 0..2 {
        step.call((cache,))?;
    }
    Ok(())
}

fn main() {}
