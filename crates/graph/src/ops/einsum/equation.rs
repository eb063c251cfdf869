//! Equations in the notation of NumPy's `einsum`.

use crate::{Shape, trace::Rule};

/// The labels on both sides of an equation.
pub(super) struct Equation<'a> {
    text: &'a str,
    terms: Vec<Term<'a>>,
    result: Option<Term<'a>>,
    /// Whether labels are words, which name the axes of the result.
    pub has_words: bool,
}

/// The labels of one operand or of the result, in order.
struct Term<'a> {
    text: &'a str,
    labels: Vec<&'a str>,
    /// The number of labels before `...`.
    ellipsis: Option<usize>,
}

/// An equation applied to shapes: labels are indices into `sizes`.
#[derive(Debug, Default)]
pub(super) struct Fitted {
    /// The labels of each operand's axes.
    pub operands: Vec<Vec<usize>>,
    /// The labels of the result's axes, each once.
    pub result: Vec<usize>,
    /// The size of each label.
    pub sizes: Vec<usize>,
    /// The text of each label; empty for axes of `...`.
    pub texts: Vec<String>,
}

/// The maximum number of labels: a set of labels is a `u64`.
const MAX_LABELS: usize = 64;

impl<'a> Equation<'a> {
    pub(super) fn parse(text: &'a str) -> Rule<Equation<'a>> {
        let (left, right) = match text.split_once("->") {
            Some((left, right)) => (left, Some(right.trim())),
            None => (text, None),
        };
        let terms: Vec<&str> = left.split(',').map(str::trim).collect();
        let has_words = terms.iter().copied().chain(right).any(|term| {
            term.replace("...", " ... ").split_whitespace().filter(|&label| label != "...").count()
                > 1
        });
        let parse = |term| {
            Term::parse(term, has_words).map_err(|why| format!("`{text}`: {}", why.0).into())
        };
        Ok(Equation {
            text,
            terms: terms.into_iter().map(parse).collect::<Rule<_>>()?,
            result: right.map(parse).transpose()?,
            has_words,
        })
    }

    /// The equation for operands of these shapes.
    pub(super) fn fit(&self, shapes: &[Shape]) -> Rule<Fitted> {
        let text = self.text;
        if shapes.len() != self.terms.len() {
            return Err(format!(
                "`{text}` has {} operands, and {} are given",
                self.terms.len(),
                shapes.len()
            )
            .into());
        }
        let mut fitted = Fitted::default();
        let broadcast = self.broadcast(shapes)?;
        for &size in &broadcast {
            fitted.sizes.push(size);
            fitted.texts.push(String::new());
        }
        for (i, (term, shape)) in self.terms.iter().zip(shapes).enumerate() {
            let hidden = shape.rank() - term.labels.len();
            let mut axes = Vec::new();
            let before = term.ellipsis.unwrap_or(term.labels.len());
            for (axis, &size) in shape.sizes().iter().enumerate() {
                axes.push(if (before..before + hidden).contains(&axis) {
                    broadcast.len() - hidden + (axis - before)
                } else {
                    let label = term.labels[if axis < before { axis } else { axis - hidden }];
                    fitted.label(label, size).map_err(|other| {
                        format!(
                            "`{text}`: `{label}` has size {size} in operand {i}, {shape}, and size \
                             {other} before it"
                        )
                    })?
                });
            }
            // The axes of a diagonal must have equal sizes.
            let sizes = shape.sizes();
            let other = (0..axes.len()).find_map(|second| {
                let first = axes.iter().position(|label| *label == axes[second])?;
                (sizes[first] != sizes[second]).then_some((first, second))
            });
            if let Some((first, second)) = other {
                let label = &fitted.texts[axes[second]];
                return Err(format!(
                    "`{text}`: `{label}` has sizes {} and {} in operand {i}, {shape}",
                    sizes[first], sizes[second]
                )
                .into());
            }
            fitted.operands.push(axes);
        }
        if fitted.sizes.len() > MAX_LABELS {
            return Err(format!("`{text}` has more than {MAX_LABELS} different axes").into());
        }
        fitted.result = self.result_labels(&fitted, broadcast.len())?;
        Ok(fitted)
    }

    /// The sizes of the axes of `...`, which stretch from 1 as in elementwise ops.
    fn broadcast(&self, shapes: &[Shape]) -> Rule<Vec<usize>> {
        let mut all: Vec<usize> = Vec::new();
        for (i, (term, shape)) in self.terms.iter().zip(shapes).enumerate() {
            let named = term.labels.len();
            let fits =
                if term.ellipsis.is_some() { shape.rank() >= named } else { shape.rank() == named };
            if !fits {
                let count = if term.ellipsis.is_some() { "at least " } else { "" };
                return Err(format!(
                    "`{}`: `{}` has {count}{named} axes, and operand {i} is {shape}",
                    self.text, term.text
                )
                .into());
            }
            let Some(before) = term.ellipsis else { continue };
            let hidden = &shape.sizes()[before..shape.rank() - (named - before)];
            if hidden.len() > all.len() {
                all.splice(0..0, vec![1; hidden.len() - all.len()]);
            }
            let first = all.len() - hidden.len();
            for (known, &size) in all[first..].iter_mut().zip(hidden) {
                match (*known, size) {
                    (1, size) => *known = size,
                    (known, size) if size == 1 || size == known => {}
                    (known, size) => {
                        return Err(format!(
                            "`{}`: axes of `...` have sizes {known} and {size}",
                            self.text
                        )
                        .into());
                    }
                }
            }
        }
        Ok(all)
    }

    /// The labels of the result; without `->` the axes of `...`, then the labels that appear once,
    /// in alphabetical order.
    fn result_labels(&self, fitted: &Fitted, broadcast: usize) -> Rule<Vec<usize>> {
        let Some(term) = &self.result else {
            let uses =
                |label: usize| fitted.operands.iter().flatten().filter(|&&l| l == label).count();
            let mut once: Vec<usize> =
                (broadcast..fitted.sizes.len()).filter(|&label| uses(label) == 1).collect();
            once.sort_by(|&a, &b| fitted.texts[a].cmp(&fitted.texts[b]));
            return Ok((0..broadcast).chain(once).collect());
        };
        let mut labels = Vec::new();
        for &label in &term.labels {
            let Some(found) = fitted.texts.iter().position(|text| text == label) else {
                return Err(
                    format!("`{}`: `{label}` of the result is in no operand", self.text).into()
                );
            };
            if labels.contains(&found) {
                return Err(format!("`{}`: `{label}` is twice in the result", self.text).into());
            }
            labels.push(found);
        }
        match term.ellipsis {
            Some(at) => drop(labels.splice(at..at, 0..broadcast)),
            None if broadcast > 0 => {
                return Err(format!(
                    "`{}`: the result has no `...`, whose axes operands have",
                    self.text
                )
                .into());
            }
            None => {}
        }
        Ok(labels)
    }
}

impl<'a> Term<'a> {
    fn parse(text: &'a str, has_words: bool) -> Rule<Term<'a>> {
        let (before, after) = match text.split_once("...") {
            Some((before, after)) => (before, Some(after)),
            None => (text, None),
        };
        let mut labels = split(before, has_words)?;
        let ellipsis = after.is_some().then_some(labels.len());
        labels.extend(split(after.unwrap_or_default(), has_words)?);
        Ok(Term { text, labels, ellipsis })
    }
}

/// The labels of a text without `...`.
fn split(text: &str, has_words: bool) -> Rule<Vec<&str>> {
    let words = text.split_whitespace();
    let labels: Vec<&str> =
        if has_words { words.collect() } else { words.flat_map(letters).collect() };
    let is_label = |label: &&str| label.chars().all(|c| c.is_alphanumeric() || c == '_');
    match labels.iter().find(|label| !is_label(label)) {
        Some(label) => Err(format!("`{label}` is not a label; labels are letters or words").into()),
        None => Ok(labels),
    }
}

/// The characters, each as a string.
fn letters(word: &str) -> impl Iterator<Item = &str> {
    word.char_indices().map(|(at, letter)| &word[at..at + letter.len_utf8()])
}

impl Fitted {
    /// The index of a label, which is added if it is new.
    ///
    /// # Errors
    /// The size of the label so far, if it differs and neither size is 1.
    fn label(&mut self, text: &str, size: usize) -> Result<usize, usize> {
        match self.texts.iter().position(|known| known == text) {
            Some(label) if size == 1 || self.sizes[label] == size => Ok(label),
            Some(label) if self.sizes[label] == 1 => {
                self.sizes[label] = size;
                Ok(label)
            }
            Some(label) => Err(self.sizes[label]),
            None => {
                self.texts.push(text.into());
                self.sizes.push(size);
                Ok(self.sizes.len() - 1)
            }
        }
    }
}
