//! Checkpoints of a run: its buffers and its progress, in one file.

use hloom_graph::{Spec, Tree};
use hloom_io::{Access, Checkpoint, Writer};
use hloom_runtime::{Buffer, Placement};
use serde::{
    Deserialize, Serialize,
    de::{DeserializeOwned, IgnoredAny},
};
use std::{fs, io, path::Path};

/// The entry of the header with the progress and the version of the format, with a checksum next to
/// it.
const RUN: &str = "hloom.run";
/// The entry of files of the first version, which have only the progress and no checksum. It has a
/// name of its own: a damaged entry of the current version is then never read as one of the first.
const PROGRESS: &str = "hloom.progress";
/// The version of the format that is written.
const VERSION: u32 = 2;

/// The contents of the entry [`RUN`].
#[derive(Serialize, Deserialize)]
struct Run<P> {
    version: u32,
    progress: P,
}

/// The buffers of a tree of specs `T`, and the progress `P`, of a run.
pub type Resumed<T, P> = (<T as Tree>::With<Buffer>, P);

/// The error of [`save_run`] and [`resume_run`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The file could not be read or written, or its tensors are not those of the tree.
    #[error(transparent)]
    File(#[from] hloom_io::Error),
    /// The progress has another type than requested, or cannot be written as JSON.
    #[error("`{path}`: the progress of the run: {source}")]
    Progress {
        /// The file.
        path: String,
        /// The error of the JSON.
        r#source: serde_json::Error,
    },
    /// A file of a run that lacks the checksum of such files.
    #[error("`{path}` has no checksum: it is damaged")]
    NoChecksum {
        /// The file.
        path: String,
    },
    /// A file of a later version.
    #[error("`{path}` has version {found} of the format of runs, expected at most {expected}")]
    Version {
        /// The file.
        path: String,
        /// Its version.
        found: u32,
        /// The last version that is read.
        expected: u32,
    },
    /// A file without progress, such as one of a published model.
    #[error("`{path}` has no progress of a run: it was not written by `save_run`")]
    NoRun {
        /// The file.
        path: String,
    },
}

/// Writes the buffers of a run, such as parameters, the optimizer's state and a random key, and its
/// progress, such as the step and the loader's [`Position`](crate::Position), to one safetensors
/// file.
///
/// The file appears under its name when it is complete and stored; until then the previous one
/// stays. Whenever a run is killed, the file has a consistent state of the run, and the next call
/// removes unfinished files of the killed process. The file has a checksum.
///
/// # Errors
/// A buffer cannot be read, or the file cannot be written.
pub fn save_run<T: Tree<Leaf = Buffer>>(
    path: impl AsRef<Path>,
    tree: &T,
    progress: &impl Serialize,
) -> Result<(), CheckpointError> {
    let path = path.as_ref();
    let run = Run { version: VERSION, progress };
    let run = serde_json::to_string(&run).map_err(|source| wrong(path, source))?;
    let mut writer = Writer::new();
    writer.metadata(RUN, &run).checksum();
    let mut added: hloom_io::Result<()> = Ok(());
    tree.visit(&mut |path, buffer| {
        if added.is_ok() {
            added = buffer.to_bytes().map_err(hloom_io::Error::from).and_then(|bytes| {
                writer.tensor(&path.to_string(), buffer.shape(), bytes).map(|_| ())
            });
        }
    });
    added?;
    Ok(writer.save(path)?)
}

/// Reads the file that [`save_run`] wrote: the buffers of a tree with these specs, and the
/// progress. `None` if there is no such file, as before the first checkpoint of a run.
///
/// All of the file is compared with its checksum. Files of the first version of the format, which
/// have no entry `hloom.run` and no checksum, are read without that check.
///
/// # Errors
/// The file is not a checkpoint of a run, was damaged, or is of a later version; or its tensors or
/// its progress do not match the requested types.
pub fn resume_run<'a, T, P>(
    path: impl AsRef<Path>,
    to: impl Into<Placement<'a>>,
    specs: &T,
) -> Result<Option<Resumed<T, P>>, CheckpointError>
where
    T: Tree<Leaf = Spec> + Clone,
    P: DeserializeOwned,
{
    let path = path.as_ref();
    if fs::metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
        return Ok(None);
    }
    // The buffers are donated to the next step, which must not depend on the file.
    let file = Checkpoint::open_with(path, Access::Read)?;
    let progress = match (file.metadata().get(RUN), file.metadata().get(PROGRESS)) {
        (Some(run), _) => {
            if !file.verify()? {
                return Err(CheckpointError::NoChecksum { path: path.display().to_string() });
            }
            current(path, run)?
        }
        (None, Some(progress)) => {
            serde_json::from_str(progress).map_err(|source| wrong(path, source))?
        }
        (None, None) => {
            return Err(CheckpointError::NoRun { path: path.display().to_string() });
        }
    };
    let tree = file.root().loader().load(to, specs)?;
    Ok(Some((tree, progress)))
}

/// The progress in the entry [`RUN`].
fn current<P: DeserializeOwned>(path: &Path, run: &str) -> Result<P, CheckpointError> {
    let failed = |source| wrong(path, source);
    let Run::<IgnoredAny> { version, .. } = serde_json::from_str(run).map_err(failed)?;
    if version > VERSION {
        let path = path.display().to_string();
        return Err(CheckpointError::Version { path, found: version, expected: VERSION });
    }
    let Run { progress, .. } = serde_json::from_str(run).map_err(failed)?;
    Ok(progress)
}

fn wrong(path: &Path, source: serde_json::Error) -> CheckpointError {
    CheckpointError::Progress { path: path.display().to_string(), source }
}
