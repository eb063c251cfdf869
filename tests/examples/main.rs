//! The examples as programs.
//!
//! Apart from `it`: a nested cargo builds them, which nothing else has to wait for, and this program
//! links neither the facade nor MLIR.

mod commands;
mod training;

use std::{path::PathBuf, sync::LazyLock};

/// The folder of the examples that are run here, built when they are not up to date.
static EXAMPLES: LazyLock<PathBuf> = LazyLock::new(|| {
    hloom_test_support::examples(
        env!("CARGO"),
        env!("CARGO_MANIFEST_DIR"),
        &["finetune", "lazy", "llama", "shape_error", "train"],
    )
});
