//! Speech to text by a Whisper model: the text of a WAV file, window by window.
//!
//! ```text
//! cargo run --release --example whisper -- openai/whisper-tiny speech.wav
//! cargo run --release --example whisper -- whisper-small rede.wav --language de --translate
//! ```

#[macro_use]
#[path = "../common/stdout.rs"]
mod stdout;
#[path = "../common/compiling.rs"]
mod compiling;

use clap::Parser;
use hloom::Platform;
use hloom_models::{
    hub,
    text::Tokenizer,
    whisper::{Audio, Options, Request, Task, Transcriber},
};
use std::{path::PathBuf, process::ExitCode, time::Instant};

/// Prints the words spoken in a WAV file; its tokens, if the model's folder has no tokenizer.json.
#[derive(Parser)]
#[command(name = "whisper")]
struct Args {
    /// A folder as Hugging Face distributes it, or a model's name on the hub
    #[arg(value_name = "FOLDER|NAME")]
    model: String,
    /// A WAV file; rates other than the model's are resampled, channels averaged
    #[arg(value_name = "AUDIO.wav")]
    audio: PathBuf,
    /// The spoken language, such as `en`; without it the model detects it
    #[arg(long, value_name = "CODE")]
    language: Option<String>,
    /// Translates to English
    #[arg(long)]
    translate: bool,
    /// The most tokens of each window
    #[arg(long, value_name = "N")]
    max_tokens: Option<usize>,
    /// Prints tokens, not text
    #[arg(long)]
    tokens: bool,
    /// Where the model runs: cpu, cuda, tpu, another plugin's name, or auto
    #[arg(long, value_name = "NAME", default_value = "auto")]
    platform: String,
}

type Result<T, E = Box<dyn std::error::Error>> = std::result::Result<T, E>;

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

fn run(args: &Args) -> Result<()> {
    let audio = Audio::open(&args.audio)?;
    let folder = hub::open(&args.model)?;
    let platform = match args.platform.as_str() {
        "auto" => Platform::auto()?,
        name => Platform::named(name)?,
    };
    let options = Options { progress: true, ..Options::default() };
    let transcriber = Transcriber::open(&platform, &folder, options)?;
    let tokenizer = if folder.tokenizer().exists() && !args.tokens {
        Some(Tokenizer::open(&folder)?)
    } else {
        None
    };
    if let Some(tokenizer) = &tokenizer {
        tokenizer.check_vocabulary(transcriber.config().vocab_size)?;
    }
    let request = Request {
        language: args.language.clone(),
        task: args.translate.then_some(Task::Translate),
        max_tokens: args.max_tokens,
    };
    let begun = Instant::now();
    for segment in transcriber.transcribe(&audio, &request)? {
        let segment = segment?;
        let text = match &tokenizer {
            Some(tokenizer) => tokenizer.decode(&segment.tokens)?,
            None => format!("{:?} {:?}", segment.prompt, segment.tokens),
        };
        println!("{:8.2} to {:8.2} s: {}", segment.start, segment.end, text.trim());
    }
    let taken = begun.elapsed().as_secs_f64();
    eprintln!("{:.1} s of audio in {taken:.1} s, compiling included", audio.seconds());
    Ok(())
}
