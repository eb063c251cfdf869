//! The model with its tokenizer and template: from a conversation to streamed text.

use crate::{Failure, Result, args::Args, interrupt};
use hloom_models::{
    llama::{Generator, Session, Stats, Timing},
    text::{ChatTemplate, Message, StopText, Tokenizer},
};
use std::time::{Duration, Instant};

/// A model that generates answers.
pub struct Talker {
    pub generator: Generator,
    pub session: Session,
    pub platform: hloom::Platform,
    tokenizer: Option<Tokenizer>,
    template: Option<ChatTemplate>,
    stops: Vec<String>,
}

/// A generated answer.
pub struct Spoken {
    /// The new tokens, including one that ends the text.
    pub tokens: Vec<u32>,
    /// The text of the tokens, up to a stop text.
    pub text: String,
    /// The time of the first token.
    pub first: Option<Duration>,
    /// The times of the parts.
    pub timing: Timing,
}

impl Talker {
    /// Opens the model selected on the command line.
    pub fn open(args: &Args) -> Result<Talker> {
        args.check()?;
        let model = args.model()?;
        let platform = args.platform()?;
        let generation = model.generation()?;
        let generator = Generator::open(&platform, &model, args.options(&generation)?)?;
        let needs_text = !args.bench && args.prompt_ids.is_none();
        let tokenizer =
            if needs_text || model.has_tokenizer() { Some(model.tokenizer()?) } else { None };
        if let Some(tokenizer) = &tokenizer {
            tokenizer.check_vocabulary(generator.config().vocab_size)?;
        }
        let template = match (&args.chat_template, args.no_chat_template || !needs_text) {
            (_, true) => None,
            (Some(file), false) => Some(model.chat_template_from(file)?),
            (None, false) => model.chat_template()?,
        };
        if template.is_none() && args.system.is_some() {
            let message = "--system needs a chat template, which this model does not have; pass \
                           one with --chat-template";
            return Err(Failure::Usage(message.into()));
        }
        Ok(Talker {
            session: generator.session(),
            generator,
            platform,
            tokenizer,
            template,
            stops: args.stop.clone(),
        })
    }

    /// Whether a template separates turns.
    pub fn has_template(&self) -> bool {
        self.template.is_some()
    }

    /// The tokens of a conversation, to which the assistant's answer is appended. Without a
    /// template, the tokens of the concatenated texts of its turns.
    pub fn encode(&self, conversation: &[Message]) -> Result<Vec<u32>> {
        let Some(tokenizer) = &self.tokenizer else {
            return Err(Failure::Usage(
                "this model has no tokenizer; pass token ids with --prompt-ids".into(),
            ));
        };
        match &self.template {
            Some(template) => Ok(tokenizer.encode(&template.render(conversation, true)?, false)?),
            None => {
                let text: String = conversation.iter().map(|turn| turn.content.as_str()).collect();
                Ok(tokenizer.encode(&text, true)?)
            }
        }
    }

    /// Answers the tokens, and streams the text if the model has a tokenizer.
    pub fn answer(&mut self, prompt: &[u32], limit: usize, started: Instant) -> Result<Spoken> {
        let answering = interrupt::answering();
        let mut stop = StopText::new(self.stops.iter().cloned());
        let mut stream = self.tokenizer.as_ref().map(Tokenizer::stream);
        let mut spoken = Spoken {
            tokens: Vec::new(),
            text: String::new(),
            first: None,
            timing: Timing::default(),
        };
        let mut answer = self.session.generate(prompt, limit)?;
        for token in answer.by_ref() {
            let token = token?;
            spoken.first.get_or_insert_with(|| started.elapsed());
            spoken.tokens.push(token);
            let piece = match &mut stream {
                Some(stream) => stream.push(token)?.unwrap_or_default(),
                None => String::new(),
            };
            let (shown, ended) = stop.push(&piece);
            print!("{shown}");
            spoken.text.push_str(&shown);
            if ended || answering.interrupted() {
                break;
            }
        }
        spoken.timing = answer.timing();
        let rest = stop.finish();
        print!("{rest}");
        spoken.text.push_str(&rest);
        Ok(spoken)
    }

    /// The cost of loading so far.
    pub fn stats(&self) -> Stats {
        self.generator.stats()
    }
}
