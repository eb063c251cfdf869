//! A text that a model reads and continues.

use super::{
    Generator,
    buckets::{self, TextPart},
    generator::Inner,
    programs::{Cursor, Decode, PromptPiece},
};
use crate::{Error, Result};
use hloom_graph::Key;
use hloom_nn::{KvCache, SamplerState};
use hloom_runtime::Buffer;
use std::time::{Duration, Instant};

/// A text in progress: the tokens that a model has processed, and the cache of their keys and
/// values.
pub struct Session {
    generator: Generator,
    /// The tokens whose keys and values are in the cache.
    tokens: Vec<u32>,
    cache: Option<Cache>,
    key: Option<Key<Buffer>>,
}

/// The number of tokens of an answer for which the cache initially has room.
const FIRST_ROOM: usize = 128;

struct Cache {
    kv: KvCache<Buffer>,
    positions: usize,
}

/// The tokens of an answer, each as soon as it is generated; the next one is then already in
/// flight.
///
/// A token that ends the text is returned, and nothing after it. Dropping an answer ends it. Logits
/// that are not finite end it with [`Error::NotFinite`].
pub struct Answer<'a> {
    session: &'a mut Session,
    /// The token that the host has not read yet.
    unseen: Option<Head>,
    /// The token that the host has read before the program for the next one was compiled.
    seen: Option<(u32, Head)>,
    remaining: usize,
    /// The number of tokens returned.
    made: usize,
    started: Instant,
    timing: Timing,
}

/// The inputs of the next step of a text.
struct Head {
    cursor: Cursor<Buffer>,
    state: SamplerState<Buffer>,
}

/// The timing of an answer, without compiling.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Timing {
    /// The number of tokens of the text that were processed.
    pub prefill_tokens: usize,
    /// The time from the first call until the first new token was ready.
    pub prefill: Duration,
    /// The number of tokens generated after the first.
    pub decode_tokens: usize,
    /// The time from the first new token until the last.
    pub decode: Duration,
}

impl Session {
    pub(super) fn new(generator: Generator) -> Session {
        Session { generator, tokens: Vec::new(), cache: None, key: None }
    }

    /// Continues a text of tokens by at most `limit` new ones. A prefix that was already processed
    /// in this session is not computed again.
    ///
    /// # Errors
    /// The text is empty, has a token outside of the vocabulary, or leaves no room in the context;
    /// a program does not compile or run. After an error the session starts again.
    pub fn generate(&mut self, text: &[u32], limit: usize) -> Result<Answer<'_>> {
        self.check(text, 1)?;
        let mut started = Instant::now();
        let mut timing = Timing::default();
        let unseen = match limit {
            0 => None,
            _ => Some(self.prefill(text, limit, &mut started, &mut timing)?),
        };
        Ok(Answer { session: self, unseen, seen: None, remaining: limit, made: 0, started, timing })
    }

    /// The logits after every token of a text, `[text.len(), vocab_size]` in row-major order.
    ///
    /// # Errors
    /// As [`generate`](Self::generate).
    pub fn logits(&mut self, text: &[u32]) -> Result<Vec<f32>> {
        self.check(text, 0)?;
        self.tokens.clear();
        let inner = self.generator.0.clone();
        let mut logits = Vec::new();
        let mut cache = self.cache_for(text.len())?;
        let vocab = inner.config.vocab_size;
        for part in buckets::parts(&inner.programs.pieces, 0, text.len(), cache.positions) {
            let TextPart { count, again, size, .. } = part;
            let score = inner.programs.score(size, cache.positions, &|| inner.loaded())?;
            let piece = inner.piece(text, part)?;
            let scored = score.call_padded([count, cache.positions], (cache.kv, &piece))?;
            logits.extend(&scored.logits.to_vec::<f32>()?[again * vocab..count * vocab]);
            cache.kv = scored.cache;
            self.tokens.extend(&text[part.start + again..part.start + count]);
        }
        self.cache = Some(cache);
        Ok(logits)
    }

    /// The tokens that have been processed and generated so far.
    pub fn tokens(&self) -> &[u32] {
        &self.tokens
    }

    fn check(&self, text: &[u32], more: usize) -> Result<()> {
        let inner = &self.generator.0;
        let vocab = inner.config.vocab_size;
        if text.is_empty() {
            return Err(Error::Request("the prompt has no tokens; at least one is needed".into()));
        }
        if let Some(at) = text.iter().position(|&token| token as usize >= vocab) {
            let token = text[at];
            let message = format!(
                "token {token} at position {at} is outside of the vocabulary, 0 to {}",
                vocab - 1
            );
            return Err(Error::Request(message));
        }
        if text.len() + more > inner.context {
            let message = format!(
                "the prompt has {} tokens, which leaves no room for an answer in a context of {}; \
                 shorten it, or make the context longer",
                text.len(),
                inner.context
            );
            return Err(Error::Request(message));
        }
        Ok(())
    }

    /// Processes the new part of the text and samples the first token after it.
    fn prefill(
        &mut self,
        text: &[u32],
        limit: usize,
        started: &mut Instant,
        timing: &mut Timing,
    ) -> Result<Head> {
        let inner = self.generator.0.clone();
        let _entered = tracing::info_span!("prefill", tokens = text.len()).entered();
        // A long answer grows its cache later: the cost of each step depends on the cache size.
        let wanted = text.len().saturating_add(limit.min(FIRST_ROOM)).min(inner.context);
        let mut cache = self.cache_for(wanted)?;
        if limit > 1 {
            self.generator.compile_decode(cache.positions);
        }
        // The last token is always processed: its logits are needed.
        let known =
            self.tokens.iter().zip(&text[..text.len() - 1]).take_while(|(a, b)| a == b).count();
        self.tokens.truncate(known);
        let mut head = None;
        let mut state = self.state(text)?;
        let parts = buckets::parts(&inner.programs.pieces, known, text.len(), cache.positions);
        let load = || inner.loaded();
        let programs: Result<Vec<_>> = parts
            .iter()
            .map(|part| inner.programs.prefill(part.size, cache.positions, &load))
            .collect();
        *started = Instant::now();
        timing.prefill_tokens = text.len() - known;
        for (program, part) in programs?.into_iter().zip(parts) {
            let piece = inner.piece(text, part)?;
            let lengths = [part.count, cache.positions];
            let step = program.call_padded(lengths, (cache.kv, &piece, &state))?;
            cache.kv = step.cache;
            self.tokens.extend(&text[part.start + part.again..part.start + part.count]);
            // Only the last piece's token counts, with the sampler state from before the first
            // piece.
            if self.tokens.len() == text.len() {
                state = step.state;
                head = Some(step.cursor);
            }
        }
        self.cache = Some(cache);
        let cursor = head.expect("the last token of the text is always read");
        Ok(Head { cursor, state })
    }

    /// The cache, with room for this many positions. It is taken out of the session, and stored
    /// again once a call has returned it: after a failure the session starts again.
    fn cache_for(&mut self, positions: usize) -> Result<Cache> {
        let inner = &self.generator.0;
        let size = inner.cache_size(positions);
        match self.cache.take() {
            Some(cache) if cache.positions >= size => Ok(cache),
            Some(cache) if !self.tokens.is_empty() => {
                let grow = inner.programs.grow(cache.positions, size)?;
                Ok(Cache { kv: grow.call((&cache.kv,))?, positions: size })
            }
            _ => {
                self.tokens.clear();
                Ok(Cache {
                    kv: Buffer::zeros_tree(inner.programs.place(), inner.programs.kv.cache(size))?,
                    positions: size,
                })
            }
        }
    }

    /// Whether the next token can be generated without waiting for the compiler.
    fn decode_is_compiled(&self) -> bool {
        let inner = &self.generator.0;
        let positions = self.cache.as_ref().map_or(0, |cache| cache.positions);
        inner.programs.decode.is_ready(inner.cache_size(self.tokens.len() + 1).max(positions))
    }

    /// The sampler's state before the first token after `text`.
    fn state(&mut self, text: &[u32]) -> Result<SamplerState<Buffer>> {
        let inner = &self.generator.0;
        let place = inner.programs.place();
        let key = match self.key.take() {
            Some(key) => key,
            None => Key(Buffer::from_slice(place, &Key::words(inner.seed), [2])?),
        };
        let recent = match inner.sampling.recent() {
            0 => None,
            count => {
                // A text that is too short repeats its first token, which is still penalized only
                // once.
                let missing = count.saturating_sub(text.len());
                let known = &text[text.len() - (count - missing)..];
                let recent = std::iter::repeat_n(&text[0], missing).chain(known);
                let recent: Vec<i32> = recent.map(|&token| token as i32).collect();
                Some(Buffer::from_slice(place, &recent, [("recent", count)])?)
            }
        };
        Ok(SamplerState { key, recent })
    }
}

impl Inner {
    /// The size of a cache for this many positions, at most the context.
    fn cache_size(&self, positions: usize) -> usize {
        self.programs.caches.bucket_of(positions).unwrap_or(self.context)
    }

    fn piece(&self, text: &[u32], part: TextPart) -> Result<PromptPiece<Buffer>> {
        let TextPart { start, count, size, .. } = part;
        let place = self.programs.place();
        let mut tokens: Vec<i32> =
            text[start..start + count].iter().map(|&token| token as i32).collect();
        tokens.resize(size, 0);
        let scalar = |value: usize| Buffer::scalar(place, value as i32);
        Ok(PromptPiece {
            tokens: Buffer::from_slice(place, &tokens, [("seq", size)])?,
            start: scalar(start)?,
            length: scalar(text.len())?,
        })
    }
}

impl Generator {
    /// Starts to compile the program for the second token, while the first is being made.
    fn compile_decode(&self, positions: usize) {
        let inner = self.0.clone();
        // A failure occurs again, and is reported, in the call that needs the program.
        self.1.begin(move || drop(inner.programs.decode(positions, &|| inner.loaded())));
    }
}

impl Answer<'_> {
    /// The timing so far.
    pub fn timing(&self) -> Timing {
        self.timing
    }

    /// The program for the token after those in the cache, and the cache with room for it.
    fn program(&mut self) -> Result<(Decode, Cache)> {
        let session = &mut *self.session;
        let cache = session.cache_for(session.tokens.len() + 1)?;
        let inner = &session.generator.0;
        // Longer answers need a longer cache; its program is compiled while there is still room.
        let longer = inner.cache_size(cache.positions + 1);
        let nearly_full = session.tokens.len() == cache.positions / 4 * 3;
        if nearly_full && self.remaining > cache.positions / 4 && longer > cache.positions {
            session.generator.compile_decode(longer);
        }
        Ok((inner.programs.decode(cache.positions, &|| inner.loaded())?, cache))
    }

    /// Queues the step that makes the token after `head`.
    fn dispatch(&mut self, (program, cache): (Decode, Cache), head: &Head) -> Result<()> {
        let step = program.call_padded(cache.positions, (cache.kv, &head.cursor, &head.state))?;
        self.session.cache = Some(Cache { kv: step.cache, positions: cache.positions });
        self.unseen = Some(Head { cursor: step.cursor, state: step.state });
        Ok(())
    }

    fn advance(&mut self) -> Result<Option<u32>> {
        if let Some((token, head)) = self.seen.take() {
            let program = self.program()?;
            self.started = Instant::now();
            self.dispatch(program, &head)?;
            self.session.tokens.push(token);
        }
        let Some(head) = self.unseen.take() else {
            return Ok(None);
        };
        self.remaining -= 1;
        let more =
            self.remaining > 0 && self.session.tokens.len() < self.session.generator.0.context;
        // The first token waits neither for the second nor for the compilation of its program; nor
        // does a token that is already available, because a platform may run a program before the
        // call returns.
        let waits = self.timing.prefill.is_zero() || head.cursor.token.try_ready()?;
        let now = more && !waits && self.session.decode_is_compiled();
        if now {
            let program = self.program()?;
            self.dispatch(program, &head)?;
        }
        let token = head.cursor.token.item::<i32>()?;
        // The sampler's result for logits without a largest one is negative.
        let token = u32::try_from(token).map_err(|_| {
            let (position, made) = (self.session.tokens.len(), self.made);
            Error::NotFinite(format!(
                "the largest logit for token {made} of the answer, at position {position} of the \
                 text,"
            ))
        })?;
        self.made += 1;
        self.clock();
        if now {
            self.session.tokens.push(token);
        }
        let ends = self.session.generator.0.eos_tokens.contains(&token);
        match (ends, more, now) {
            (false, true, true) => {}
            (false, true, false) => self.seen = Some((token, head)),
            // The state that the next answer starts with.
            _ => self.session.key = Some(self.unseen.take().unwrap_or(head).state.key),
        }
        Ok(Some(token))
    }

    /// Updates the timing for a new token.
    fn clock(&mut self) {
        let now = Instant::now();
        let passed = now - self.started;
        self.started = now;
        if self.timing.prefill.is_zero() {
            self.timing.prefill = passed;
        } else {
            self.timing.decode += passed;
            self.timing.decode_tokens += 1;
        }
    }
}

impl Iterator for Answer<'_> {
    type Item = Result<u32>;

    fn next(&mut self) -> Option<Result<u32>> {
        let token = self.advance();
        if token.is_err() {
            // The cache may hold an incomplete step.
            self.session.cache = None;
            self.session.tokens.clear();
            (self.unseen, self.seen) = (None, None);
        }
        token.transpose()
    }
}

impl Drop for Answer<'_> {
    fn drop(&mut self) {
        let seen = self.seen.take().map(|(_, head)| head);
        if let Some(head) = self.unseen.take().or(seen) {
            self.session.key = Some(head.state.key);
        }
    }
}
