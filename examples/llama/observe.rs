//! Logs, configured by `HLOOM_LOG`, and traces.

use crate::{Failure, Result, args::Args, compiling};
use std::{
    fs::File,
    io::{self, Write},
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};
use tracing_chrome::{ChromeLayerBuilder, FlushGuard};
use tracing_subscriber::{EnvFilter, Layer, layer::SubscriberExt, util::SubscriberInitExt};

/// A running trace.
pub struct Trace {
    guard: FlushGuard,
    path: PathBuf,
    failed: Failed,
}

/// The first error of a writer.
type Failed = Arc<Mutex<Option<io::Error>>>;

/// A file that stores its first error and accepts all later writes: otherwise the thread that
/// writes a trace would panic.
struct Patient {
    file: File,
    failed: Failed,
}

/// Starts logging and tracing.
pub fn start(args: &Args) -> Result<Option<Trace>> {
    let logs = tracing_subscriber::fmt::layer()
        .with_writer(io::stderr)
        .with_filter(EnvFilter::from_env("HLOOM_LOG"));
    let (layer, trace) = match &args.trace {
        Some(path) => {
            let file = File::create(path)
                .map_err(|error| Failure::Usage(format!("--trace: {}: {error}", path.display())))?;
            let failed = Failed::default();
            let writer = Patient { file, failed: failed.clone() };
            let (layer, guard) =
                ChromeLayerBuilder::new().writer(writer).include_args(true).build();
            let path = path.clone();
            let layer = layer.with_filter(EnvFilter::new("trace"));
            (Some(layer), Some(Trace { guard, path, failed }))
        }
        None => (None, None),
    };
    tracing_subscriber::registry().with(logs).with(layer).with(compiling::layer()).init();
    Ok(trace)
}

impl Trace {
    /// Writes the rest of the trace.
    ///
    /// # Errors
    /// A part of the trace could not be written.
    pub fn finish(self) -> Result<()> {
        drop(self.guard);
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        match failed.take() {
            Some(error) => {
                let message =
                    format!("--trace: {}: {error}; the trace is not complete", self.path.display());
                Err(Failure::Other(message))
            }
            None => Ok(()),
        }
    }
}

impl Patient {
    fn keep<R>(&self, result: io::Result<R>, instead: R) -> io::Result<R> {
        let error = match result {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => error,
            other => return other,
        };
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        Ok(instead)
    }
}

impl Write for Patient {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes);
        self.keep(written, bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.file.flush();
        self.keep(flushed, ())
    }
}
