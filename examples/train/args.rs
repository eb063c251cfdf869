//! Command-line arguments.

use crate::{Result, run::Settings};
use clap::Parser;
use hloom::{CompilationCache, Mesh, Platform};
use std::{env, path::PathBuf};

/// Trains a small storyteller from nothing but a grammar that makes its texts.
#[derive(Parser)]
#[command(name = "train")]
pub struct Args {
    /// Steps of the whole training
    #[arg(long, value_name = "COUNT", default_value_t = 2600, value_parser = at_least_1)]
    pub steps: u64,
    /// Rows in a batch
    #[arg(long, value_name = "COUNT", default_value_t = 8, value_parser = at_least_1)]
    pub batch: u64,
    /// Tokens in a row
    #[arg(long, value_name = "COUNT", default_value_t = 256, value_parser = at_least_1)]
    pub context: u64,
    /// The highest learning rate of the layers' matrices
    #[arg(long, default_value_t = 0.02)]
    pub rate: f64,
    /// The seed of texts and first weights
    #[arg(long, default_value_t = 20)]
    pub seed: u64,
    /// The folder of the run: checkpoint, log, and the model for `--example llama -- --model`
    #[arg(long, value_name = "FOLDER", default_value = "target/story")]
    pub out: PathBuf,
    /// Devices that share each batch
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = at_least_1)]
    pub devices: u64,
    /// Where the model runs: cpu, cuda, tpu, another plugin's name, or auto
    #[arg(long, value_name = "NAME", default_value = "auto")]
    pub platform: String,
    /// Steps between two samples, held-out losses and checkpoints
    #[arg(long, value_name = "STEPS", default_value_t = 100, value_parser = at_least_1)]
    pub every: u64,
    /// Stops after this step as Ctrl-C does; the same command without it resumes
    #[arg(long, value_name = "STEP")]
    pub until: Option<u64>,
    /// Prints no samples
    #[arg(long)]
    pub no_samples: bool,
    /// Batches of each kind of held-out texts
    #[arg(long, value_name = "COUNT", default_value_t = 4)]
    pub held_out: u64,
    /// A folder with the configuration and the tokenizer of the model
    #[arg(long, value_name = "FOLDER", default_value = STORY)]
    pub model: PathBuf,
    /// Prints the held-out losses of the weights in `--model`, and trains nothing
    #[arg(long)]
    pub evaluate: bool,
}

const STORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/llama/story");

fn at_least_1(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(0) => Err("must be at least 1".to_owned()),
        Ok(count) if count <= 1 << 24 => Ok(count),
        Ok(_) => Err(format!("must be at most {}", 1 << 24)),
        Err(error) => Err(error.to_string()),
    }
}

impl Args {
    /// The devices, as a mesh with the axis `data`.
    pub fn mesh(&self) -> Result<Mesh> {
        if !self.batch.is_multiple_of(self.devices) {
            let (batch, devices) = (self.batch, self.devices);
            return Err(format!("{batch} rows cannot be divided among {devices} devices").into());
        }
        let devices = self.devices as usize;
        let platform = match self.platform.as_str() {
            "auto" => Platform::auto()?,
            name => Platform::named(name)?,
        };
        // One processor acts as the requested number of devices.
        let more = platform.name() == "cpu" && devices > platform.device_count();
        let platform = if more { Platform::cpus(devices)? } else { platform };
        if env::var_os("HLOOM_CACHE").is_none() {
            platform.set_cache(CompilationCache::of_user());
        }
        Ok(Mesh::new(&platform, [("data", devices)])?)
    }

    /// The settings that a run depends on.
    pub fn settings(&self) -> Settings {
        let Args { steps, batch, context, rate, seed, .. } = *self;
        Settings { steps, batch, context, rate, seed }
    }
}
