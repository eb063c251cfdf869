//! Semantic similarity of sentences: the cosine similarities of their embeddings by a BERT such as
//! MiniLM.
//!
//! ```text
//! cargo run --release --example embed -- --model sentence-transformers/all-MiniLM-L6-v2 \
//!     "A cat sleeps." "The kitten naps."
//! ```

#[macro_use]
#[path = "../common/stdout.rs"]
mod stdout;
#[path = "../common/compiling.rs"]
mod compiling;

use clap::Parser;
use hloom::Platform;
use hloom_models::{bert::Embedder, hub, text::Tokenizer};
use std::process::ExitCode;

/// Prints the cosine similarities of sentences.
#[derive(Parser)]
#[command(name = "embed")]
struct Args {
    /// A folder as Hugging Face distributes it, or a model's name on the hub
    #[arg(
        long,
        value_name = "FOLDER|NAME",
        default_value = "sentence-transformers/all-MiniLM-L6-v2"
    )]
    model: String,
    /// Where the model runs: cpu, cuda, tpu, another plugin's name, or auto
    #[arg(long, value_name = "NAME", default_value = "auto")]
    platform: String,
    /// Prints the embeddings, one JSON list per line, instead of the table
    #[arg(long)]
    json: bool,
    /// The sentences
    #[arg(required = true)]
    sentences: Vec<String>,
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
    let folder = hub::open(&args.model)?;
    let platform = match args.platform.as_str() {
        "auto" => Platform::auto()?,
        name => Platform::named(name)?,
    };
    let embedder = Embedder::open(&platform, &folder)?;
    let mut tokenizer = Tokenizer::open(&folder)?;
    tokenizer.check_vocabulary(embedder.config().vocab_size)?;
    tokenizer.truncate(embedder.max_tokens())?;
    let mut texts = Vec::new();
    for sentence in &args.sentences {
        texts.push(tokenizer.encode(sentence, true)?);
    }
    let embeddings = embedder.embed_tokens(&texts)?;
    if args.json {
        for embedding in &embeddings {
            println!("{}", serde_json::to_string(embedding)?);
        }
        return Ok(());
    }
    print_table(&args.sentences, &embeddings);
    Ok(())
}

fn print_table(sentences: &[String], embeddings: &[Vec<f32>]) {
    for (i, (sentence, a)) in sentences.iter().zip(embeddings).enumerate() {
        let similarities =
            embeddings.iter().map(|b| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>());
        let row: Vec<String> = similarities.map(|similarity| format!("{similarity:6.3}")).collect();
        println!("{:>3} {}  {sentence}", i + 1, row.join(" "));
    }
}
