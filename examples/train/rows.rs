//! Rows of tokens for training, in an order that makes learning fast.
//!
//! A row with one story has two names, so that guessing between them is often right, and copying a
//! name from earlier text pays early in training. A row with several stories has more names to
//! confuse. So rows with one story come first, and full rows of documents after them.

use crate::{
    Result,
    story::{BOY_NAMES, GIRL_NAMES, Passage, SPECIAL, document, single},
};
use fastrand::Rng;
use hloom_models::text::Tokenizer;

/// Makes rows of one length. Row `i` depends only on the seed and `i`.
pub struct Rows {
    tokenizer: Tokenizer,
    /// Tokens in a row.
    length: usize,
    /// The number of rows of the whole training, or the kind of all rows.
    order: Order,
    /// The weight of each token in the loss.
    weights: Vec<f32>,
    seed: u64,
}

/// The rows that have one story.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// The first half of this many rows.
    SinglesFirst(usize),
    /// All rows.
    Singles,
    /// No rows.
    Documents,
}

/// A batch: rows, concatenated.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Batch {
    pub tokens: Vec<i32>,
    /// The token after each one.
    pub targets: Vec<i32>,
    /// The weights of the targets: 0 where nothing is learned.
    pub weights: Vec<f32>,
}

/// The weight of words that must agree with earlier text.
const AGREEING_WEIGHT: f32 = 3.0;
const PRONOUNS: [&str; 9] = ["he", "she", "him", "her", "his", "He", "She", "His", "Her"];

impl Rows {
    pub fn new(
        tokenizer: Tokenizer,
        vocab_size: usize,
        length: usize,
        order: Order,
        seed: u64,
    ) -> Result<Rows> {
        tokenizer.check_vocabulary(vocab_size)?;
        for token in SPECIAL {
            if tokenizer.token(token).is_none() {
                return Err(format!("the tokenizer lacks the token {token}").into());
            }
        }
        let mut weights = vec![1.0; vocab_size];
        for word in BOY_NAMES.iter().chain(GIRL_NAMES).chain(&PRONOUNS) {
            // A space before the word is `Ġ` in byte-level vocabularies.
            for token in [word.to_string(), format!("Ġ{word}")] {
                if let Some(id) = tokenizer.token(&token) {
                    weights[id as usize] = AGREEING_WEIGHT;
                }
            }
        }
        Ok(Rows { tokenizer, length, order, weights, seed })
    }

    /// The rows with these indices.
    pub fn batch(&self, indices: &[usize]) -> Batch {
        let mut batch = Batch::default();
        for &index in indices {
            let row = self.row(index);
            let (mut tokens, mut learned): (Vec<i32>, Vec<bool>) = row.into_iter().unzip();
            // Fills the rest of a short row with the first special token, which is not learned.
            tokens.resize(self.length + 1, 0);
            learned.resize(self.length + 1, false);
            batch.tokens.extend(&tokens[..self.length]);
            batch.targets.extend(&tokens[1..]);
            batch.weights.extend(tokens[1..].iter().zip(&learned[1..]).map(
                |(&token, &learned)| {
                    if learned { self.weights[token as usize] } else { 0.0 }
                },
            ));
        }
        batch
    }

    /// Tokens, and whether they are learned.
    fn row(&self, index: usize) -> Vec<(i32, bool)> {
        // The generator mixes the bits of its seed.
        let mut random = Rng::with_seed(self.seed.rotate_left(32) ^ index as u64);
        let is_single = match self.order {
            Order::SinglesFirst(count) => index < count / 2,
            Order::Singles => true,
            Order::Documents => false,
        };
        let mut row = Vec::new();
        if is_single {
            self.push(&single(&mut random), &mut row)
        } else {
            while row.len() <= self.length {
                self.push(&document(&mut random), &mut row);
            }
        }
        row
    }

    fn push(&self, parts: &[Passage], row: &mut Vec<(i32, bool)>) {
        for (text, is_learned) in parts {
            // All bytes are in the vocabulary.
            let tokens = self.tokenizer.encode(text, false).expect("any text can be encoded");
            row.extend(tokens.into_iter().map(|token| (token as i32, *is_learned)));
        }
    }
}
