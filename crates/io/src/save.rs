//! Saving trees of buffers, and loading into them.

use crate::{Checkpoint, Error, Loader, Result, Writer};
use hloom_graph::{BriefShapes, Spec, Tree};
use hloom_runtime::{Buffer, Placement};
use std::{collections::BTreeMap, path::Path};

/// Writes the buffers of a tree to a safetensors file, under the paths of their leaves. The file
/// appears under its name when it is complete, as with [`Writer::save`].
///
/// # Errors
/// A buffer cannot be read, its element type is not one of the format, or the file cannot be
/// written.
pub fn save<T: Tree<Leaf = Buffer>>(path: impl AsRef<Path>, tree: &T) -> Result<()> {
    let path = path.as_ref();
    let mut shapes = Vec::new();
    tree.visit(&mut |_, buffer| shapes.push(buffer.shape()));
    let _entered = tracing::info_span!(
        "save",
        path = %path.display(),
        tensors = shapes.len(),
        bytes = shapes.iter().map(|shape| shape.byte_size()).sum::<usize>(),
        shapes = %BriefShapes(shapes.iter().copied()),
    )
    .entered();
    let mut writer = Writer::new();
    let mut failed: Option<Error> = None;
    tree.visit(&mut |path, buffer| {
        if failed.is_some() {
            return;
        }
        let added = buffer.to_bytes().map_err(Error::from).and_then(|bytes| {
            writer.tensor(&path.to_string(), buffer.shape(), bytes)?;
            Ok(())
        });
        failed = added.err();
    });
    failed.map_or_else(|| writer.save(path), Err)
}

impl Checkpoint {
    /// Replaces the buffers of a tree by those of this checkpoint: see [`Loader::load_into`].
    ///
    /// # Errors
    /// As [`Loader::load_into`].
    pub fn load_into<'a, T>(&self, to: impl Into<Placement<'a>>, tree: &mut T) -> Result<()>
    where
        T: Tree<Leaf = Buffer>,
    {
        self.root().loader().load_into(to, tree)
    }
}

impl Loader<'_> {
    /// Replaces the buffers of a tree by tensors of the same paths, shapes and element types.
    /// Floats of another type are converted. Over a mesh they are replicated.
    ///
    /// # Errors
    /// As [`Loader::load`]; the tree is then unchanged.
    pub fn load_into<'p, T>(&self, to: impl Into<Placement<'p>>, tree: &mut T) -> Result<()>
    where
        T: Tree<Leaf = Buffer>,
    {
        let mut specs: BTreeMap<String, Spec> = BTreeMap::new();
        tree.visit(&mut |path, buffer| {
            specs.insert(path.to_string(), buffer.into());
        });
        let mut loaded = self.load(to, &specs)?;
        tree.visit_mut(&mut |path, buffer| {
            if let Some(new) = loaded.remove(&path.to_string()) {
                *buffer = new;
            }
        });
        Ok(())
    }
}
