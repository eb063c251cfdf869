//! Fine-tunes a model of the Llama family on a text by low-rank adapters (LoRA).
//!
//! ```sh
//! cargo run --release --example finetune
//! cargo run --release --example llama -- --adapter target/adapter --no-chat-template \
//!     --prompt Ahoy
//! cargo run --release --example finetune -- --model HuggingFaceTB/SmolLM2-135M --texts FILE
//! ```
//! The model's own weights are constants. The adapters are written in PEFT's format.

#[macro_use]
#[path = "../common/stdout.rs"]
mod stdout;

#[path = "../common/compiling.rs"]
mod compiling;

use clap::Parser;
use hloom::{
    optim::{AdamState, AdamW, Optimizer, Schedule, clip_by_global_norm},
    prelude::*,
    train::{Bar, Batches, Position, Smoothed},
    value_and_grad,
};
use hloom_models::{
    ModelFolder, hub,
    llama::{Config, Llama},
    lora::{AdapterFolder, Adapters, Lora},
    text::Tokenizer,
};
use hloom_nn::Rope;
use std::{error::Error, fs, path::PathBuf, process::ExitCode, time::Instant};

/// Fine-tunes a model of the Llama family by low-rank adapters.
#[derive(Parser)]
#[command(name = "finetune")]
struct Args {
    /// A folder as Hugging Face distributes it, or a model's name on the hub
    #[arg(long, value_name = "FOLDER|NAME", default_value = STORY)]
    model: String,
    /// A file of texts with empty lines between them
    #[arg(long, value_name = "FILE", default_value = TALES)]
    texts: PathBuf,
    /// The folder for the adapters
    #[arg(long, value_name = "FOLDER", default_value = "target/adapter")]
    out: PathBuf,
    /// The layers with adapters, as patterns of their paths
    #[arg(long, value_name = "PATTERN,..", value_delimiter = ',', default_value = "*_proj")]
    layers: Vec<String>,
    /// The inner size of the adapters
    #[arg(long, default_value_t = 8)]
    rank: usize,
    /// The scale of the adapters, times their rank
    #[arg(long, default_value_t = 16.0)]
    alpha: f64,
    /// Steps
    #[arg(long, value_name = "COUNT", default_value_t = 60)]
    steps: u64,
    /// Rows in a batch
    #[arg(long, value_name = "COUNT", default_value_t = 4)]
    batch: usize,
    /// Tokens in a row
    #[arg(long, value_name = "COUNT", default_value_t = 64)]
    context: usize,
    /// The highest learning rate
    #[arg(long, default_value_t = 1e-2)]
    rate: f64,
    /// The seed of first values and of the order of rows
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

const STORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/llama/story");
const TALES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/finetune/tales.txt");

/// State that a step updates: adapters and the optimizer's state.
type TrainState<T = Tensor> = (Adapters<T>, AdamState<Adapters<T>>);

/// State that no step changes.
#[derive(Tree, Clone)]
struct Frozen<T = Tensor> {
    weights: Llama<T>,
    rope: Rope<T>,
}

fn main() -> ExitCode {
    compiling::start_with_logs();
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    if args.rank == 0 || args.context == 0 || args.batch == 0 {
        return Err("--rank, --context and --batch are at least 1".into());
    }
    let folder = hub::open(&args.model)?;
    let rows = rows(args, &folder)?;
    let config = Config::read(folder.config())?;
    let platform = Platform::auto()?;

    let specs = Llama::new(&config, DType::F32);
    let lora = Lora { rank: args.rank, alpha: args.alpha };
    let patterns: Vec<&str> = args.layers.iter().map(String::as_str).collect();
    let adapters = lora.specs(&specs, &patterns);
    if adapters.is_empty() {
        return Err(format!("no layer has a path like {}", args.layers.join(" or ")).into());
    }
    let state: TrainState<Spec> = (adapters.clone(), AdamW::new().state_spec(&adapters));
    let schedule = Schedule::warmup_cosine(args.rate, args.steps / 10, args.steps, 0.0);
    let step =
        move |frozen: Frozen, (adapters, state): TrainState, tokens: Tensor, next: Tensor| {
            let (loss, gradients) = value_and_grad(adapters.clone(), |adapters| {
                let model = lora.merge(frozen.weights, &adapters);
                model.next_token_loss(tokens, next, &frozen.rope).mean(..)
            });
            let (gradients, _) = clip_by_global_norm(gradients, 1.0);
            (AdamW::new().weight_decay(0.0).update(adapters, gradients, state, &schedule), loss)
        };
    let tokens = Spec::i32([("batch", args.batch), ("seq", args.context)]);
    let frozen = Frozen { weights: specs.clone(), rope: config.rope_spec(args.context) };
    let step = platform.compile(step, (frozen, Donated(state), tokens.clone(), tokens.clone()))?;
    let weights = Checkpoint::open(folder.path())?;
    let frozen = Frozen {
        weights: weights.root().loader().load(&platform, &specs)?,
        rope: config.rope_buffers(&platform, args.context)?,
    };
    let step = step.bind(&frozen)?;

    let init = {
        let adapters = adapters.clone();
        move |key: Key| {
            let adapters = lora.initial(key, &adapters);
            let state = AdamW::new().init(&adapters);
            (adapters, state)
        }
    };
    let key = Key(Buffer::from_slice(&platform, &Key::words(args.seed), [2])?);
    let mut state: TrainState<Buffer> = platform.compile(init, (Key::spec(),))?.call((&key,))?;
    let (count, start) = (adapters.count(), Instant::now());
    println!("{count} adapter tensors, {} rows of {} tokens", rows.len(), args.context);

    let batches = Batches::new(rows.len(), args.batch).shuffled(args.seed);
    let (mut position, mut smoothed) = (Position::default(), Smoothed::new(0.8));
    let bar = Bar::new(args.steps, 0);
    for done in 1..=args.steps {
        let chosen = batches.indices(position);
        let part = |from: usize| -> hloom::Result<Buffer> {
            let row = |&index: &usize| rows[index][from..from + args.context].iter().copied();
            let values: Vec<i32> = chosen.iter().flat_map(row).collect();
            Buffer::from_slice(&platform, &values, tokens.shape().axes())
        };
        let loss;
        (state, loss) = step.call((state, &part(0)?, &part(1)?))?;
        let loss = f64::from(loss.item::<f32>()?);
        if done == 1 || done == args.steps {
            println!("step {done}: loss {loss:.4}");
        }
        let seen = done as f64 * (args.batch * args.context) as f64;
        bar.step(done, smoothed.add(loss), seen / start.elapsed().as_secs_f64(), "tokens");
        position = batches.next(position);
    }
    drop(bar);
    AdapterFolder::save(&args.out, lora, &state.0, &args.model)?;
    println!("the adapters are in {}", args.out.display());
    Ok(())
}

/// The tokens of all texts, cut into rows with one token more than a step reads. Rows overlap by
/// half, and the texts are repeated until they fill a batch.
fn rows(args: &Args, folder: &ModelFolder) -> Result<Vec<Vec<i32>>, Box<dyn Error>> {
    let tokenizer = Tokenizer::open(folder)?;
    let mut end = folder.generation()?.eos_tokens();
    end.truncate(1);
    let text = fs::read_to_string(&args.texts)
        .map_err(|error| format!("{}: {error}", args.texts.display()))?;
    let mut tokens = Vec::new();
    for text in text.split("\n\n").map(str::trim).filter(|text| !text.is_empty()) {
        let text = tokenizer.encode(text, true)?;
        tokens.extend(text.into_iter().chain(end.iter().copied()).map(|token| token as i32));
    }
    if tokens.is_empty() {
        return Err(format!("{} has no text", args.texts.display()).into());
    }
    let (length, stride) = (args.context + 1, args.context.div_ceil(2));
    let rows = tokens.len().div_ceil(stride).max(args.batch);
    let at = |start: usize| (start..start + length).map(|i| tokens[i % tokens.len()]).collect();
    Ok((0..rows).map(|row| at(row * stride)).collect())
}
