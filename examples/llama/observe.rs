//! Logs, as `HLOOM_LOG` asks for them, and traces.

use crate::{Failure, Result, args::Args};
use std::fs::File;
use tracing_subscriber::{EnvFilter, Layer, layer::SubscriberExt, util::SubscriberInitExt};

/// Starts logging and tracing; the trace is written when the guard is dropped.
pub fn start(args: &Args) -> Result<Option<tracing_chrome::FlushGuard>> {
    let logs = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_filter(EnvFilter::from_env("HLOOM_LOG"));
    let (trace, guard) = match &args.trace {
        Some(path) => {
            let file =
                File::create(path).map_err(|error| Failure::Usage(format!("--trace: {}: {error}", path.display())))?;
            let (layer, guard) = tracing_chrome::ChromeLayerBuilder::new()
                .writer(file)
                .include_args(true)
                .build();
            (Some(layer.with_filter(EnvFilter::new("trace"))), Some(guard))
        }
        None => (None, None),
    };
    tracing_subscriber::registry().with(logs).with(trace).init();
    Ok(guard)
}
