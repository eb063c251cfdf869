//! The text of an audio, window by window.

use super::{
    Transcriber,
    programs::{Cursor, Step},
};
use crate::{Error, Result};
use hloom_nn::KvCache;
use hloom_runtime::Buffer;
use std::{borrow::Cow, fmt};

/// The text of an audio: one [`Segment`] per window, each computed when it is requested. An error
/// ends the transcript.
pub struct Transcript<'a> {
    transcriber: &'a Transcriber,
    /// The samples at the model's rate.
    samples: Cow<'a, [f32]>,
    /// The first sample of the next window.
    at: usize,
    /// The tokens that begin the text; `None` for a language that is not known yet.
    prompt: Vec<Option<u32>>,
    limit: usize,
    /// The cache of the previous window, reused for its memory.
    cache: Option<KvCache<Buffer>>,
}

/// The text of a window.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Segment {
    /// The beginning of the window in seconds.
    pub start: f64,
    /// The end of the window, or of the audio if that is earlier, in seconds.
    pub end: f64,
    /// The tokens that began the text.
    pub prompt: Vec<u32>,
    /// The tokens of the text, including the token that ends it, if there is one.
    pub tokens: Vec<u32>,
}

impl<'a> Transcript<'a> {
    pub(super) fn new(
        transcriber: &'a Transcriber,
        samples: Cow<'a, [f32]>,
        prompt: Vec<Option<u32>>,
        limit: usize,
    ) -> Transcript<'a> {
        Transcript { transcriber, samples, at: 0, prompt, limit, cache: None }
    }

    fn segment(&mut self) -> Result<Segment> {
        let rest = &self.samples[self.at..];
        let (window, rate) = {
            let log_mel = self.transcriber.log_mel();
            (log_mel.samples().min(rest.len()), f64::from(log_mel.rate))
        };
        let cross = self.transcriber.heard(&rest[..window])?.cross;
        let prompt = self.prompt(&cross)?;
        let tokens = self.tokens(&cross, &prompt)?;
        let seconds = |sample: usize| sample as f64 / rate;
        let (start, end) = (seconds(self.at), seconds(self.at + window));
        self.at += window;
        Ok(Segment { start, end, prompt, tokens })
    }

    /// The tokens that begin the text. If no language is given, the most probable language token
    /// after the first token, in the first window, is used.
    fn prompt(&mut self, cross: &KvCache<Buffer>) -> Result<Vec<u32>> {
        if let (Some(start), Some(None)) = (self.prompt[0], self.prompt.get(1)) {
            let Step { cache, cursor } =
                self.prefill(cross, &[start], &self.transcriber.languages)?;
            self.cache = Some(cache);
            self.prompt[1] = Some(self.token(&cursor, 0)?);
        }
        Ok(self.prompt.iter().copied().flatten().collect())
    }

    /// The text after the tokens that begin it.
    fn tokens(&mut self, cross: &KvCache<Buffer>, prompt: &[u32]) -> Result<Vec<u32>> {
        let transcriber = self.transcriber;
        let mut tokens = Vec::new();
        if self.limit == 0 {
            return Ok(tokens);
        }
        let mut step = self.prefill(cross, prompt, &transcriber.first)?;
        loop {
            let Step { cache, cursor } = step;
            if tokens.len() + 1 == self.limit {
                tokens.push(self.token(&cursor, tokens.len())?);
                self.cache = Some(cache);
                return Ok(tokens);
            }
            // The next step is queued before the host reads the token of this one.
            let decode = transcriber.programs.decode()?;
            let next = decode.call((cache, cross, &cursor, &transcriber.later))?;
            let token = self.token(&cursor, tokens.len())?;
            tokens.push(token);
            if transcriber.decoding().eos_tokens.contains(&token) {
                self.cache = Some(next.cache);
                return Ok(tokens);
            }
            step = next;
        }
    }

    /// Processes the tokens that begin a text, and generates the next one among the allowed tokens.
    fn prefill(
        &mut self,
        cross: &KvCache<Buffer>,
        prompt: &[u32],
        allowed: &Buffer,
    ) -> Result<Step<Buffer>> {
        let programs = &self.transcriber.programs;
        let cache = match self.cache.take() {
            Some(cache) => cache,
            None => Buffer::zeros_tree(&programs.platform, programs.sizes.cache())?,
        };
        let prefill = programs.prefill(prompt.len())?;
        Ok(prefill.call((cache, cross, &self.transcriber.tokens(prompt)?, allowed))?)
    }

    fn token(&self, cursor: &Cursor<Buffer>, made: usize) -> Result<u32> {
        u32::try_from(cursor.token.item::<i32>()?).map_err(|_| {
            let start = self.at as f64 / f64::from(self.transcriber.log_mel().rate);
            Error::NotFinite(format!(
                "the largest logit for token {made} of the window at {start:.2} s"
            ))
        })
    }
}

impl Iterator for Transcript<'_> {
    type Item = Result<Segment>;

    fn next(&mut self) -> Option<Result<Segment>> {
        if self.at == self.samples.len() {
            return None;
        }
        let segment = self.segment();
        if segment.is_err() {
            self.at = self.samples.len();
        }
        Some(segment)
    }
}

impl fmt::Debug for Transcript<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Transcript({} of {} samples)", self.at, self.samples.len())
    }
}
