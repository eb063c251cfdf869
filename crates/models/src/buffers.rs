//! Trees of buffers.

use crate::Result;
use hloom_graph::{Spec, Tree};
use hloom_runtime::Buffer;

/// A tree of buffers in the structure of a tree of specs, from the buffers that `make` returns for
/// each path.
pub(crate) fn build<A: Tree<Leaf = Spec>>(
    tree: A,
    mut make: impl FnMut(&str, &Spec) -> Result<Buffer>,
) -> Result<A::With<Buffer>> {
    let mut buffers = Vec::new();
    let mut failed = None;
    tree.visit(&mut |path, spec| {
        if failed.is_none() {
            match make(&path.to_string(), spec) {
                Ok(buffer) => buffers.push(buffer),
                Err(error) => failed = Some(error),
            }
        }
    });
    if let Some(error) = failed {
        return Err(error);
    }
    let mut buffers = buffers.into_iter();
    Ok(tree.map(&mut |_, _| buffers.next().expect("one buffer was made per leaf")))
}
