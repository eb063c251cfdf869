//! Sentence embeddings.

use super::{Bert, Config, Head};
use crate::{Error, ModelFolder, Result, config_fields::check_layers};
use hloom_graph::{DType, Spec, Tensor, Tree};
use hloom_io::{Checkpoint, Unused, View};
use hloom_runtime::{BucketedExe, Buckets, Buffer, Platform};
use std::{fmt, path::PathBuf};

/// A BERT on a platform that maps texts to vectors, whose dot products measure the similarity of
/// their meanings.
pub struct Embedder {
    platform: Platform,
    config: Config,
    head: Head,
    config_path: PathBuf,
    /// The program, for any batch size and any length.
    program: BucketedExe<(Inputs<Spec>,), Outputs, 2>,
}

/// The tokens of a text, or of a pair of concatenated texts.
#[derive(Clone, Debug, Default)]
pub struct Segment {
    /// The tokens, special ones included.
    pub tokens: Vec<u32>,
    /// The text that each token belongs to, 0 or 1; empty when all belong to one.
    pub types: Vec<u32>,
}

/// The outputs of a model for one text.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Encoded {
    /// The vectors of the tokens, concatenated.
    pub hidden: Vec<f32>,
    /// The vector of the text: their mean, normalized to length 1, unless the files of the model
    /// describe another one.
    pub embedding: Vec<f32>,
}

#[derive(Tree, Clone)]
struct Inputs<T = Tensor> {
    tokens: T,
    segments: T,
    /// 1 for a token, 0 for padding.
    kept: T,
}

#[derive(Tree, Clone)]
struct Outputs<T = Tensor> {
    hidden: T,
    embedding: T,
}

fn encode(weights: Bert, inputs: Inputs, texts: Tensor, head: Head) -> Outputs {
    let kept = inputs.kept.ne(0);
    // Padding rows keep all tokens, since a mean needs at least one.
    let kept = kept | Tensor::arange(DType::I32, "batch", kept.size("batch")).ge(texts);
    let hidden = weights.forward(inputs.tokens, inputs.segments, kept);
    Outputs { hidden, embedding: Bert::pool_by(hidden, kept, head) }
}

/// The smallest length that has a program of its own.
const MIN_LENGTH: usize = 8;
/// The maximum number of texts of one call.
const MAX_TEXTS: usize = 1 << 16;

impl Embedder {
    /// Opens a model and loads its weights, in `f32`.
    ///
    /// # Errors
    /// The configuration is not supported, or the checkpoint does not match it.
    pub fn open(platform: &Platform, folder: &ModelFolder) -> Result<Embedder> {
        let config = Config::read(folder.config())?;
        let head = Head::read(folder, config.hidden_size)?;
        let checkpoint = Checkpoint::open(folder.path())?;
        let tensors = checkpoint.names().count();
        check_layers(&folder.config(), "num_hidden_layers", config.layers, tensors)?;
        let encoder = encoder(&checkpoint);
        let specs = Bert::spec_with(&encoder, &config).map_err(hloom_io::Error::from)?;
        let specs = specs.map(&mut |_, spec: Spec| spec.with_dtype(DType::F32));
        // Checkpoints also hold the heads of the training task.
        let loader = encoder.loader().unused(Unused::Allowed);
        let weights: Bert<Buffer> = loader.load(platform, &specs)?;
        let longest = config.max_positions;
        let buckets = Buckets::pow2("batch", 1..=MAX_TEXTS)
            .and(Buckets::pow2("seq", MIN_LENGTH.min(longest)..=longest));
        let spec = || Spec::i32([("batch", 1), ("seq", 1)]);
        let inputs = Inputs { tokens: spec(), segments: spec(), kept: spec() };
        let encode = move |weights: Bert, inputs: Inputs, [texts, _]: [Tensor; 2]| {
            encode(weights, inputs, texts, head)
        };
        let program = platform.compiler().compile_buckets(encode, (specs, inputs), buckets)?;
        Ok(Embedder {
            platform: platform.clone(),
            config,
            head,
            config_path: folder.config(),
            program: program.bind(&weights)?,
        })
    }

    /// The model's shape.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The pooling of token vectors to the vector of a text, and its normalization.
    pub fn head(&self) -> Head {
        self.head
    }

    /// The maximum number of tokens of a text, special ones included: the limit to truncate texts
    /// to.
    pub fn max_tokens(&self) -> usize {
        let positions = self.config.max_positions;
        self.head.max_tokens.map_or(positions, |limit| limit.min(positions))
    }

    /// Returns one vector per text, by default of length 1, for tokens that include the special ones that the
    /// model expects.
    ///
    /// # Errors
    /// As [`encode`](Self::encode).
    pub fn embed_tokens(&self, texts: &[Vec<u32>]) -> Result<Vec<Vec<f32>>> {
        let segments: Vec<Segment> = texts
            .iter()
            .map(|tokens| Segment { tokens: tokens.clone(), types: Vec::new() })
            .collect();
        Ok(self.encode(&segments)?.into_iter().map(|encoded| encoded.embedding).collect())
    }

    /// All outputs of the model for each text.
    ///
    /// # Errors
    /// A text has no tokens, has more tokens than the model has positions, or has tokens or types
    /// that the model does not have; a program does not compile or run, or an embedding is not
    /// finite.
    pub fn encode(&self, texts: &[Segment]) -> Result<Vec<Encoded>> {
        let Some(longest) = texts.iter().map(|text| text.tokens.len()).max() else {
            return Ok(Vec::new());
        };
        for text in texts {
            self.check(text)?;
        }
        if texts.len() > MAX_TEXTS {
            let message = format!("{} texts; at most {MAX_TEXTS} at once", texts.len());
            return Err(Error::Request(message));
        }
        let mut columns = [const { Vec::new() }; 3];
        for text in texts {
            let pad = longest - text.tokens.len();
            let types =
                text.types.iter().copied().chain(std::iter::repeat(0)).take(text.tokens.len());
            push(&mut columns[0], text.tokens.iter().copied(), pad);
            push(&mut columns[1], types, pad);
            push(&mut columns[2], text.tokens.iter().map(|_| 1), pad);
        }
        let dims = [("batch", texts.len()), ("seq", longest)];
        let buffer = |values: &[i32]| Buffer::from_slice(&self.platform, values, dims);
        let outputs = self.program.call((&Inputs {
            tokens: buffer(&columns[0])?,
            segments: buffer(&columns[1])?,
            kept: buffer(&columns[2])?,
        },))?;
        let size = self.config.hidden_size;
        let (hidden, embeddings) =
            (outputs.hidden.to_vec::<f32>()?, outputs.embedding.to_vec::<f32>()?);
        let rows =
            hidden.chunks_exact(longest * size).zip(embeddings.chunks_exact(size)).zip(texts);
        let encoded = |((hidden, embedding), text): ((&[f32], &[f32]), &Segment)| Encoded {
            hidden: hidden[..text.tokens.len() * size].to_vec(),
            embedding: embedding.to_vec(),
        };
        let encoded: Vec<Encoded> = rows.map(encoded).collect();
        match encoded.iter().position(|text| !text.embedding.iter().all(|x| x.is_finite())) {
            Some(at) => Err(Error::NotFinite(format!("the embedding of text {at}"))),
            None => Ok(encoded),
        }
    }

    fn check(&self, text: &Segment) -> Result<()> {
        let Config { vocab_size, max_positions, segment_types, .. } = self.config;
        if text.tokens.is_empty() {
            return Err(Error::Request("a text without tokens has no embedding".into()));
        }
        let (found, most) = (text.tokens.len(), self.max_tokens());
        if found > max_positions {
            let message =
                format!("a text has {found} tokens; the model has {max_positions} positions");
            return Err(Error::Request(message));
        }
        if found > most {
            let message = format!(
                "a text has {found} tokens; the model takes {most} (`max_seq_length` of \
                 sentence_bert_config.json), to which `Tokenizer::truncate` truncates"
            );
            return Err(Error::Request(message));
        }
        if let Some(token) = text.tokens.iter().find(|&&token| token as usize >= vocab_size) {
            let path = self.config_path.display();
            return Err(Error::Request(format!(
                "token {token} is outside of the vocabulary of {vocab_size} ({path})"
            )));
        }
        match text.types.iter().find(|&&kind| kind as usize >= segment_types) {
            Some(kind) => Err(Error::Request(format!(
                "segment type {kind} is not known; there are {segment_types}"
            ))),
            None => Ok(()),
        }
    }
}

fn push(column: &mut Vec<i32>, values: impl IntoIterator<Item = u32>, pad: usize) {
    column.extend(values.into_iter().map(|value| value as i32));
    column.resize(column.len() + pad, 0);
}

/// The encoder in a checkpoint: the whole checkpoint, or its part under `bert.` in a larger model.
fn encoder(checkpoint: &Checkpoint) -> View {
    if checkpoint.names().any(|name| name.starts_with("bert.")) {
        checkpoint.at("bert")
    } else {
        checkpoint.root()
    }
}

impl fmt::Debug for Embedder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Embedder({} layers, {} elements)", self.config.layers, self.config.hidden_size)
    }
}
