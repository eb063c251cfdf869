//! The model on the device, and measurements of it.

use super::{
    model::{Bound, Cache, Case, Cursor, DecodeArguments, PrefillArguments, Step, decode, prefill},
    weights,
};
use crate::Result;
use hloom::{
    nn::KvCache,
    prelude::*,
    runtime::{CudaDecodeKernel, Kernels},
};
use std::time::{Duration, Instant};

/// The two programs, compiled.
pub struct Programs {
    prefill: Exe<PrefillArguments, Step>,
    decode: Exe<DecodeArguments, Step>,
    /// The time that each took, in the order of the fields.
    pub times: [Duration; 2],
}

/// The programs with their weights and the cache.
pub struct Runner {
    platform: Platform,
    bound: Bound<Buffer>,
    prefill: Exe<(Cache, Spec, Spec), Step>,
    decode: Exe<(Cache, Cursor<Spec>), Step>,
    tokens: Buffer,
    start: Buffer,
    /// It is consumed by each call, and replaced by its result.
    cache: Option<KvCache<Buffer>>,
    /// The token after the prompt.
    first: Option<Cursor<Buffer>>,
    steps: usize,
    /// The tokens of each prompt.
    prompt: usize,
    /// The axes of values for each text.
    texts: Vec<(&'static str, usize)>,
}

/// How the tokens of a measurement get to the host.
#[derive(Clone, Copy)]
pub enum Reading {
    /// The host waits once, for the last step.
    AtTheEnd,
    /// The host reads each token before it queues the next step.
    EachStep,
}

impl Programs {
    /// Compiles both programs, with options of XLA separated by spaces, such as
    /// `xla_gpu_autotune_level=2`.
    ///
    /// # Errors
    /// An option is not of this form, or the plugin's error.
    pub fn compile(platform: &Platform, case: &Case, options: &str) -> Result<Programs> {
        let mut compiler = platform.compiler();
        for option in options.split_whitespace() {
            let (name, value) =
                option.split_once('=').ok_or_else(|| format!("`{option}` is not NAME=VALUE"))?;
            compiler = match (name, value) {
                ("kernels", "decode") => {
                    compiler.kernels(Kernels::default().with(CudaDecodeKernel))
                }
                _ => compiler.xla_option(name, value),
            };
        }
        let started = Instant::now();
        let named = |name: &str| compiler.clone().name(name);
        let prefill = named("prefill").compile(prefill, case.prefill_arguments())?;
        let first = started.elapsed();
        let decode = named("decode").compile(decode, case.decode_arguments())?;
        Ok(Programs { prefill, decode, times: [first, started.elapsed() - first] })
    }

    /// Makes the weights and binds them.
    ///
    /// # Errors
    /// A program fails, or the plugin is out of memory.
    pub fn bind(&self, platform: &Platform, case: &Case) -> Result<Runner> {
        let weights = weights::random(platform, &case.bound().weights)?;
        let rope = case.config.rope_buffers(platform, case.positions)?;
        let bound = Bound { weights, rope };
        Ok(Runner {
            platform: platform.clone(),
            prefill: self.prefill.bind(&bound)?,
            decode: self.decode.bind(&bound)?,
            bound,
            tokens: Buffer::from_slice(platform, &case.prompt_tokens(), case.prompt_axes())?,
            start: Buffer::scalar(platform, 0i32)?,
            cache: Some(Buffer::zeros_tree(platform, case.cache())?),
            first: None,
            steps: case.steps,
            prompt: case.prompt,
            texts: case.texts(),
        })
    }
}

impl Runner {
    /// Replaces the programs, which use the same weights and the same cache.
    ///
    /// # Errors
    /// The programs are those of another case.
    pub fn replace(&mut self, programs: &Programs) -> Result {
        self.prefill = programs.prefill.bind(&self.bound)?;
        self.decode = programs.decode.bind(&self.bound)?;
        Ok(())
    }

    fn take_cache(&mut self) -> Result<KvCache<Buffer>> {
        Ok(self.cache.take().ok_or("an earlier call failed, and the cache is lost")?)
    }

    /// Seconds until the token after the prompt is known.
    ///
    /// # Errors
    /// The call fails.
    pub fn prefill(&mut self) -> Result<f64> {
        let cache = self.take_cache()?;
        let started = Instant::now();
        let step = self.prefill.call((cache, &self.tokens, &self.start))?;
        step.cursor.token.to_vec::<i32>()?;
        let passed = started.elapsed().as_secs_f64();
        self.cache = Some(step.cache);
        self.first = Some(step.cursor);
        Ok(passed)
    }

    /// The logits of the token after the prompt.
    ///
    /// # Errors
    /// The call fails.
    pub fn logits(&mut self) -> Result<Vec<f32>> {
        let cache = self.take_cache()?;
        let step = self.prefill.call((cache, &self.tokens, &self.start))?;
        self.cache = Some(step.cache);
        self.first = Some(step.cursor);
        Ok(step.logits.to_vec()?)
    }

    /// The logits of the token after the prompt again, by a step of decode that processes the
    /// prompt's last token once more.
    ///
    /// # Errors
    /// A call fails.
    pub fn logits_of_last_token(&mut self) -> Result<Vec<f32>> {
        let cache = self.take_cache()?;
        let tokens = self.tokens.to_vec::<i32>()?;
        let last: Vec<i32> =
            tokens.chunks(self.prompt).filter_map(|text| text.last().copied()).collect();
        let token = Buffer::from_slice(&self.platform, &last, self.texts.clone())?;
        let position = Buffer::scalar(&self.platform, self.prompt as i32 - 1)?;
        let cursor = Cursor { token, position };
        let step = self.decode.call((cache, &cursor))?;
        self.cache = Some(step.cache);
        Ok(step.logits.to_vec()?)
    }

    /// Seconds for the steps after the prompt.
    ///
    /// # Errors
    /// A call fails, or there was no prefill.
    pub fn decode(&mut self, reading: Reading) -> Result<f64> {
        let mut cache = self.take_cache()?;
        let first = self.first.as_ref().ok_or("decode comes after prefill")?;
        let mut last = None;
        let started = Instant::now();
        for _ in 0..self.steps {
            let step = self.decode.call((cache, last.as_ref().unwrap_or(first)))?;
            if let Reading::EachStep = reading {
                step.cursor.token.to_vec::<i32>()?;
            }
            cache = step.cache;
            last = Some(step.cursor);
        }
        if let Some(last) = last {
            last.token.ready()?;
        }
        let passed = started.elapsed().as_secs_f64();
        self.cache = Some(cache);
        Ok(passed)
    }

    /// The tokens of the steps after the prompt, and the logits of the last one.
    ///
    /// # Errors
    /// As for [`decode`](Self::decode).
    pub fn tokens(&mut self) -> Result<(Vec<Vec<i32>>, Vec<f32>)> {
        let mut cache = self.take_cache()?;
        let first = self.first.as_ref().ok_or("decode comes after prefill")?;
        let mut tokens = vec![first.token.to_vec::<i32>()?];
        let (mut last, mut logits) = (None, Vec::new());
        for _ in 0..self.steps {
            let step = self.decode.call((cache, last.as_ref().unwrap_or(first)))?;
            tokens.push(step.cursor.token.to_vec::<i32>()?);
            cache = step.cache;
            last = Some(step.cursor);
            logits = step.logits.to_vec()?;
        }
        self.cache = Some(cache);
        Ok((tokens, logits))
    }
}
