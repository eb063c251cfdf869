//! Loading a tree's tensors into buffers.
//!
//! On the CPU a tensor whose mapped bytes are aligned becomes a buffer without a copy, and the
//! buffer keeps the file mapped. All others are converted or copied once, by all cores, into memory
//! that the buffer takes over; the mapped pages are released piece by piece. A device with its own
//! memory receives copies of the mapped bytes, or of converted bytes in batches of limited size.
//! Files that are read instead of mapped are converted or copied.

use crate::{
    ALIGNMENT, Checkpoint, LoadPlan, PlannedTensor, Result, TensorView, Unused, View,
    host_bytes::HostBytes, load_sharded,
};
use hloom_graph::{BriefShapes, Spec, Tree};
use hloom_runtime::{Buffer, Placement, Platform};
use rayon::prelude::*;
use std::{
    collections::VecDeque,
    sync::atomic::{AtomicU64, Ordering},
};

/// The progress of a load.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Progress {
    /// Bytes of the files loaded so far.
    pub loaded: u64,
    /// Bytes of the files to be loaded in total.
    pub total: u64,
}

/// Loads trees from a part of a checkpoint; made by [`View::loader`].
pub struct Loader<'a> {
    view: View,
    unused: Unused,
    progress: Option<Box<dyn Fn(Progress) + Sync + 'a>>,
}

/// The number of bytes that are converted before the buffers are copied to a device.
const BATCH: usize = 256 << 20;

impl Checkpoint {
    /// Loads the tensors of `tree` into buffers: [`View::load`] of the root.
    ///
    /// # Errors
    /// As [`View::load`].
    pub fn load<'a, A>(&self, to: impl Into<Placement<'a>>, tree: &A) -> Result<A::With<Buffer>>
    where
        A: Tree<Leaf = Spec> + Clone,
    {
        self.root().load(to, tree)
    }
}

impl View {
    /// Loads the tensors of `tree` into buffers. A leaf's spec defines how it is loaded: its sizes
    /// must be those of the file, floats of another type are converted (to 16 bits or more), and
    /// its axis names become the buffer's. Over a mesh it also defines how the tensor is split:
    /// each device receives its part, and only that is read from the file.
    ///
    /// # Errors
    /// All tensors that are missing, unused or of another shape, together; a tensor that cannot be
    /// split as specified; a file that was truncated or cannot be read; or the platform's own
    /// error.
    pub fn load<'a, A>(&self, to: impl Into<Placement<'a>>, tree: &A) -> Result<A::With<Buffer>>
    where
        A: Tree<Leaf = Spec> + Clone,
    {
        self.loader().load(to, tree)
    }

    /// Loads with options.
    ///
    /// ```no_run
    /// # use hloom_io::Checkpoint;
    /// # use hloom_graph::{Spec, Tree};
    /// # fn example(platform: &hloom_runtime::Platform) -> hloom_io::Result<()> {
    /// let weights = Checkpoint::open("model.safetensors")?;
    /// let layers: Vec<Spec> = Vec::spec(&weights.at("layers"))?;
    /// let loader = weights.at("layers").loader().ignore(["*.num_batches_tracked"]).bar();
    /// let buffers = loader.load(platform, &layers)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn loader<'a>(&self) -> Loader<'a> {
        Loader { view: self.clone(), unused: Unused::default(), progress: None }
    }
}

impl From<&View> for Loader<'_> {
    fn from(view: &View) -> Self {
        view.loader()
    }
}

impl From<&Checkpoint> for Loader<'_> {
    fn from(checkpoint: &Checkpoint) -> Self {
        checkpoint.root().loader()
    }
}

impl<'a> Loader<'a> {
    /// The part of the checkpoint that it loads from.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// Whether tensors that the tree has no leaf for are an error, as they are by default.
    pub fn unused(mut self, unused: Unused) -> Loader<'a> {
        self.unused = unused;
        self
    }

    /// Accepts unused tensors whose full names match a pattern, in which `*` matches any text:
    /// `*.num_batches_tracked`. Further patterns add to these.
    pub fn ignore<const N: usize>(mut self, patterns: [&str; N]) -> Loader<'a> {
        let patterns = patterns.into_iter().map(str::to_owned);
        match &mut self.unused {
            Unused::Allowed => {}
            Unused::Refused => self.unused = Unused::RefusedExcept(patterns.collect()),
            Unused::RefusedExcept(known) => known.extend(patterns),
        }
        self
    }

    /// Calls `progress` whenever bytes were loaded, from any thread.
    pub fn progress(mut self, progress: impl Fn(Progress) + Sync + 'a) -> Loader<'a> {
        self.progress = Some(Box::new(progress));
        self
    }

    /// Shows a bar with the bytes loaded on the standard error stream, if that is a terminal.
    pub fn bar(self) -> Loader<'a> {
        let style = indicatif::ProgressStyle::with_template(
            "{msg} {bar:40} {bytes}/{total_bytes} {bytes_per_sec}",
        )
        .expect("the template is a fixed text of known keys");
        let bar = indicatif::ProgressBar::new(0).with_style(style).with_message("loading");
        self.progress(move |progress| {
            bar.set_length(progress.total);
            bar.set_position(progress.loaded);
            if progress.loaded == progress.total {
                bar.finish_and_clear();
            }
        })
    }

    /// Loads the tensors of `tree`.
    ///
    /// # Errors
    /// All tensors that are missing, of another shape or unused, together; a tensor that cannot be
    /// split as specified; or the platform's own error.
    pub fn load<'p, A>(&self, to: impl Into<Placement<'p>>, tree: &A) -> Result<A::With<Buffer>>
    where
        A: Tree<Leaf = Spec> + Clone,
    {
        let plan = LoadPlan::new(&self.view, tree, &self.unused)?;
        let total = plan.byte_size();
        let shapes = BriefShapes(plan.tensors.iter().map(PlannedTensor::shape));
        let tensors = plan.tensors.len();
        let span = tracing::info_span!("load", tensors, bytes = total, %shapes);
        let _entered = span.enter();
        let loaded = AtomicU64::new(0);
        let done = |bytes: usize| {
            let loaded = loaded.fetch_add(bytes as u64, Ordering::Relaxed) + bytes as u64;
            if let Some(progress) = &self.progress {
                progress(Progress { loaded, total });
            }
        };
        let mut buffers = match to.into() {
            Placement::Platform(platform) => load_all(platform, &plan.tensors, &done)?,
            Placement::Mesh(mesh) => {
                let each =
                    plan.tensors.iter().map(|tensor| load_sharded::load(mesh, tensor, &done));
                each.collect::<Result<_>>()?
            }
            Placement::NamedSharding(sharding) => {
                let each = plan.tensors.iter().map(|tensor| {
                    let whole =
                        load_all(sharding.mesh().platform(), std::slice::from_ref(tensor), &done)?;
                    Ok(whole[0].to(sharding)?)
                });
                each.collect::<Result<_>>()?
            }
        };
        let next = |_: &hloom_graph::Path<'_>, _| {
            buffers.pop_front().expect("a tensor was planned for each leaf")
        };
        Ok(tree.clone().map(&mut { next }))
    }
}

/// A tensor's mapped bytes, which stay mapped as long as this lives.
struct Mapped(TensorView);

impl AsRef<[u8]> for Mapped {
    fn as_ref(&self) -> &[u8] {
        self.0.mapping().expect("only tensors of mapped files are used where they are")
    }
}

/// The bytes of a tensor as its buffer takes them.
enum Prepared<'a> {
    /// Mapped bytes, used in place.
    Mapped(&'a TensorView),
    /// Converted bytes, in memory of their own.
    Converted(HostBytes),
}

fn load_all(
    platform: &Platform,
    tensors: &[PlannedTensor],
    done: &(dyn Fn(usize) + Sync),
) -> Result<VecDeque<Buffer>> {
    // The CPU uses memory of the host without a copy, if it is aligned; any other device reads it
    // once, aligned or not.
    let on_host = platform.client().uses_host_memory();
    let alignment = if on_host { ALIGNMENT } else { 1 };
    let mut buffers: VecDeque<Buffer> = VecDeque::with_capacity(tensors.len());
    let mut in_place = 0;
    let ready = tensors.par_iter().map(|tensor| Ok((tensor, tensor.ready(alignment)?)));
    let tensors: Vec<(&PlannedTensor, Option<&TensorView>)> = ready.collect::<Result<_>>()?;
    // Tensors that the CPU uses without a copy take no memory of the batch.
    let taken = |&(tensor, ready): &(&PlannedTensor, Option<_>)| {
        if on_host && ready.is_some() { 0 } else { tensor.shape().byte_size() }
    };
    for batch in batches(&tensors, taken) {
        let first = buffers.len();
        let prepared = batch.par_iter().map(|&(tensor, ready)| {
            if let Some(source) = ready {
                return Ok(Prepared::Mapped(source));
            }
            let mut bytes = HostBytes::zeroed(tensor.shape().byte_size(), tensor.name())?;
            tensor.write_into(bytes.as_mut(), done)?;
            Ok(Prepared::Converted(bytes))
        });
        let prepared: Vec<Prepared<'_>> = prepared.collect::<Result<_>>()?;
        for ((tensor, _), prepared) in batch.iter().zip(prepared) {
            let shape = tensor.shape();
            let buffer = match prepared {
                Prepared::Converted(bytes) => Buffer::from_owner(platform, shape, bytes)?,
                Prepared::Mapped(source) => {
                    let buffer = Buffer::from_owner(platform, shape, Mapped(source.clone()))?;
                    in_place += source.range().len();
                    done(source.range().len());
                    buffer
                }
            };
            buffers.push_back(buffer);
        }
        if !on_host {
            // Frees the host memory of this batch before more is filled.
            for buffer in buffers.range(first..) {
                buffer.ready()?;
            }
        }
    }
    tracing::debug!(in_place, "bytes used where they are mapped");
    Ok(buffers)
}

/// Groups consecutive tensors into batches of about [`BATCH`] bytes.
fn batches<T>(tensors: &[T], taken: impl Fn(&T) -> usize) -> impl Iterator<Item = &[T]> {
    let mut rest = tensors;
    std::iter::from_fn(move || {
        let mut bytes = 0;
        let fits = |tensor: &&T| {
            let before = bytes;
            bytes += taken(tensor);
            before == 0 || bytes <= BATCH
        };
        let count = rest.iter().take_while(fits).count();
        let (batch, others) = rest.split_at(count);
        rest = others;
        (count > 0).then_some(batch)
    })
}
