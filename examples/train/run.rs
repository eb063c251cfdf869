//! The training loop: resumes where the last one stopped, bit for bit.

use crate::{
    Result,
    args::Args,
    model::{Evaluate, Model, TrainState},
    rows::{Order, Rows},
    sample,
};
use hloom::{
    Buffer, Checkpoint,
    optim::Schedule,
    train::{
        Bar, Batches, Format, Log, LogTable, Mean, Plot, Position, Rate, Smoothed, resume_run,
        save_run,
    },
};
use hloom_models::{
    ModelFolder,
    llama::{Config, Llama},
    text::Tokenizer,
};
use serde::{Deserialize, Serialize};
use std::{
    fs,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

/// Settings that a run depends on: it resumes only with the same settings.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Settings {
    pub steps: u64,
    pub batch: u64,
    pub context: u64,
    pub rate: f64,
    pub seed: u64,
}

#[derive(Serialize, Deserialize)]
struct Progress {
    settings: Settings,
    step: u64,
    position: Position,
}

const COLUMNS: [&str; 3] = ["loss", "norm", "rate"];

/// Trains until the last step, or until `stopped` is set.
pub fn train(args: &Args, stopped: &AtomicBool) -> Result<()> {
    let settings = args.settings();
    let folder = ModelFolder::open(&args.model)?;
    let model = open(args, &folder)?;
    fs::create_dir_all(&args.out)?;
    let file = args.out.join("run.safetensors");
    let resumed = resume_run(&file, &model.mesh, &model.state())?;
    let (mut state, mut progress): (TrainState<Buffer>, Progress) = match resumed {
        Some((_, Progress { settings: other, .. })) if other != settings => {
            let file = file.display();
            return Err(format!("`{file}` is of a run with {other:?}, not {settings:?}").into());
        }
        Some(resumed) => resumed,
        None => {
            let progress = Progress { settings, step: 0, position: Position::default() };
            (model.initial(settings.seed)?, progress)
        }
    };

    // From 0 to the highest rate in 3 % of the steps, then down to a fiftieth of it.
    let warmup = settings.steps.div_ceil(33);
    let schedule =
        Schedule::warmup_cosine(settings.rate, warmup, settings.steps, 0.02 * settings.rate);
    let step = model.step(schedule.clone())?;
    let held_out = HeldOut::new(args, &folder, &model)?;
    let count = (settings.steps * settings.batch) as usize;
    let rows = rows(args, &folder, &model, Order::SinglesFirst(count), 0)?;
    let mut loader =
        Batches::new(count, model.batch)
            .load(progress.position, 1, 4, move |indices| rows.batch(indices))?;
    let csv = args.out.join("loss.csv");
    let mut log = Log::resume(&csv, Format::Csv, &COLUMNS, progress.step)?;

    let bar = Bar::new(settings.steps, progress.step);
    let (mut rate, mut smoothed) = (Rate::start(), Smoothed::new(0.95));
    let end = args.until.unwrap_or(settings.steps).min(settings.steps);
    while progress.step < end && !stopped.load(Ordering::SeqCst) {
        let batch = loader.next().ok_or("a loader never ends")?;
        let tokens = model.upload(&batch)?;
        let outcome;
        (state, outcome) = step.call((state, &tokens))?;
        let loss = f64::from(outcome.loss.item::<f32>()?);
        let norm = f64::from(outcome.norm.item::<f32>()?);
        log.row(progress.step, &[loss, norm, schedule.on_host(progress.step)])?;
        progress.step += 1;
        progress.position = loader.position();
        rate.add(batch.tokens.len() as u64);
        bar.step(progress.step, smoothed.add(loss), rate.per_second(), "tokens");
        if progress.step.is_multiple_of(args.every) && progress.step < end {
            save_run(&file, &state, &progress)?;
            report(args, &folder, &model, &held_out, &state.0, progress.step, &bar)?;
        }
    }
    save_run(&file, &state, &progress)?;
    report(args, &folder, &model, &held_out, &state.0, progress.step, &bar)?;
    drop(bar);
    println!("{}", Plot::new(70, 15).line(&LogTable::read(&csv, Format::Csv)?.column("loss")));
    if progress.step < settings.steps {
        println!("stopped after step {}; run again to resume", progress.step)
    } else {
        println!("the model is in {}", args.out.join("model").display())
    }
    Ok(())
}

/// Prints the held-out losses of a model's own weights.
pub fn evaluate(args: &Args) -> Result<()> {
    let folder = ModelFolder::open(&args.model)?;
    let model = open(args, &folder)?;
    let weights = Checkpoint::open(folder.path())?;
    let params = weights.root().loader().load(&model.mesh, &model.state().0)?;
    println!("{}", HeldOut::new(args, &folder, &model)?.losses(&model, &params)?);
    Ok(())
}

fn open(args: &Args, folder: &ModelFolder) -> Result<Model> {
    let config = Config::read(folder.config())?;
    if args.context as usize > config.max_positions {
        return Err(format!("the model has {} positions at most", config.max_positions).into());
    }
    let (batch, context) = (args.batch as usize, args.context as usize);
    Ok(Model { config, mesh: args.mesh()?, batch, context })
}

/// Rows of a kind; those of another `part` have no text in common.
fn rows(args: &Args, folder: &ModelFolder, model: &Model, order: Order, part: u64) -> Result<Rows> {
    let seed = args.seed.wrapping_mul(3).wrapping_add(part);
    Rows::new(Tokenizer::open(folder)?, model.config.vocab_size, model.context, order, seed)
}

/// Texts that are not trained on: single turns, and whole conversations.
struct HeldOut {
    program: Evaluate,
    kinds: [(&'static str, Arc<Rows>); 2],
    batches: u64,
}

impl HeldOut {
    fn new(args: &Args, folder: &ModelFolder, model: &Model) -> Result<HeldOut> {
        let kind = |order, part| rows(args, folder, model, order, part).map(Arc::new);
        Ok(HeldOut {
            program: model.evaluate()?,
            kinds: [
                ("single turns", kind(Order::Singles, 1)?),
                ("conversations", kind(Order::Documents, 2)?),
            ],
            batches: args.held_out,
        })
    }

    /// The mean loss of each kind, as a line.
    fn losses(&self, model: &Model, params: &Llama<Buffer>) -> Result<String> {
        let mut parts = Vec::new();
        for (name, rows) in &self.kinds {
            let mut mean = Mean::default();
            let all = Batches::new(model.batch * self.batches.max(1) as usize, model.batch);
            for batch in 0..self.batches {
                let tokens = rows.batch(&all.indices(Position { epoch: 0, batch }));
                let (sum, count) = self.program.call((params, &model.upload(&tokens)?))?;
                let count = f64::from(count.item::<f32>()?);
                mean.add(f64::from(sum.item::<f32>()?) / count, count);
            }
            if let Some(loss) = mean.value() {
                parts.push(format!("{loss:.4} ({name})"));
            }
        }
        Ok(format!("held-out loss {}", parts.join(", ")))
    }
}

/// Writes the model, and prints its held-out losses and a sample.
fn report(
    args: &Args,
    folder: &ModelFolder,
    model: &Model,
    held_out: &HeldOut,
    params: &Llama<Buffer>,
    step: u64,
    bar: &Bar,
) -> Result<()> {
    let out = args.out.join("model");
    save_model(folder, &out, params)?;
    if args.held_out > 0 {
        bar.line(&format!("step {step}: {}", held_out.losses(model, params)?));
    }
    if !args.no_samples {
        bar.line(&sample::story(model.mesh.platform(), &out, args.seed)?);
    }
    Ok(())
}

/// Writes a folder that `--example llama -- --model` runs.
fn save_model(from: &ModelFolder, to: &Path, params: &Llama<Buffer>) -> Result<()> {
    fs::create_dir_all(to)?;
    for file in ["config.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json"]
    {
        let source = from.path().join(file);
        if source.is_file() {
            fs::copy(source, to.join(file))?;
        }
    }
    Ok(hloom::io::save(to.join("model.safetensors"), params)?)
}
