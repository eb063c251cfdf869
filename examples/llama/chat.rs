//! One answer, or a conversation.

use crate::{
    Failure, Result,
    args::{Args, StatsFormat},
    report,
    talker::Talker,
};
use hloom_models::text::Message;
use std::{
    io::{self, BufRead, IsTerminal, Write},
    path::Path,
    time::Instant,
};

/// Answers the prompt of the command line.
pub fn one_shot(args: &Args, talker: &mut Talker, started: Instant) -> Result<()> {
    let prompt = match (&args.prompt_ids, &args.prompt) {
        (Some(ids), _) => ids.clone(),
        (None, text) => {
            let mut conversation = opening(args);
            conversation.push(Message::new("user", text.clone().unwrap_or_default()));
            talker.encode(&conversation)?
        }
    };
    if let Some(file) = &args.logits_out {
        let logits = talker.session.logits(&prompt)?;
        write_logits(file, &logits, prompt.len(), talker.generator.config().vocab_size)?;
    }
    if args.prompt.is_some() && !talker.has_template() {
        // The answer continues the prompt.
        print!("{}", args.prompt.as_deref().unwrap_or_default());
    }
    let spoken = talker.answer(&prompt, args.max_new_tokens, started)?;
    if !spoken.text.is_empty() {
        println!();
    }
    if args.prompt_ids.is_some() && args.stats != StatsFormat::Json {
        let ids: Vec<String> = spoken.tokens.iter().map(u32::to_string).collect();
        println!("{}", ids.join(","));
    }
    report::one_shot(args, talker, &spoken, prompt.len())
}

/// Converses until the input ends.
pub fn interactive(args: &Args, talker: &mut Talker) -> Result<()> {
    let terminal = io::stdin().is_terminal();
    if terminal {
        eprintln!("{}; end with Ctrl-D, an answer with Ctrl-C", talker.platform);
    }
    let mut conversation = opening(args);
    let mut lines = io::stdin().lock().lines();
    loop {
        if terminal {
            eprint!("> ");
            // Ignores the error: a prompt that cannot be shown should not end the program.
            let _ = io::stderr().flush();
        }
        let Some(line) = lines.next() else { break };
        let line = line.map_err(|error| Failure::Other(format!("standard input: {error}")))?;
        if line.trim().is_empty() {
            continue;
        }
        conversation.push(Message::new("user", line));
        let prompt = talker.encode(&conversation)?;
        match talker.answer(&prompt, args.max_new_tokens, Instant::now()) {
            Ok(spoken) => {
                println!();
                report::turn(args, &spoken);
                conversation.push(Message::new("assistant", spoken.text));
            }
            // The error may be, for example, that the conversation is too long: the next question
            // may still be answered.
            Err(Failure::Model(error @ hloom_models::Error::Request(_))) if terminal => {
                eprintln!("error: {error}\n  beginning a new conversation");
                conversation = opening(args);
            }
            Err(failure) => return Err(failure),
        }
    }
    report::conversation(args, talker)
}

/// The first messages of the conversation.
fn opening(args: &Args) -> Vec<Message> {
    let system = args.system.iter();
    system.map(|text| Message::new("system", text.clone())).collect()
}

fn write_logits(file: &Path, logits: &[f32], tokens: usize, vocabulary: usize) -> Result<()> {
    let failed = |error: &dyn std::fmt::Display| Failure::Other(format!("--logits-out: {error}"));
    let shape = hloom::Shape::new(hloom::DType::F32, [tokens, vocabulary])
        .map_err(|error| failed(&error))?;
    let bytes: Vec<u8> = logits.iter().flat_map(|logit| logit.to_le_bytes()).collect();
    let mut writer = hloom::io::Writer::new();
    writer.tensor("logits", shape, bytes).map_err(|error| failed(&error))?;
    writer.save(file).map_err(|error| failed(&error))
}
