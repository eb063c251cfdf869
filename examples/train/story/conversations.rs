//! The training texts: bare stories, and conversations that ask for one.

use super::{
    characters::with_article,
    draw::{happens, pick},
    plots::{Story, story},
    things::{FOODS, THINGS},
};
use fastrand::Rng;

/// A part of a text, and whether it is learned: requests are not.
pub type Passage = (String, bool);

const BOS: &str = "<|begin|>";
const EOS: &str = "<|end|>";
const USER: &str = "<|user|>";
const ASSISTANT: &str = "<|assistant|>";
/// The tokens that a tokenizer of these texts has.
pub const SPECIAL: [&str; 4] = [BOS, EOS, USER, ASSISTANT];

const SMALL_TALK: [(&[&str], &str); 4] = [
    (
        &["Hello", "Hello!", "Hi", "Hi!", "Hi there!", "Good morning!", "Good evening!", "hey"],
        "Hello! Would you like to hear a story?",
    ),
    (
        &[
            "Thank you!",
            "Thanks!",
            "That was lovely.",
            "Good story!",
            "I liked it.",
            "thank you",
            "Nice!",
        ],
        "I am glad that you liked it. Would you like to hear another story?",
    ),
    (
        &["Who are you?", "What are you?", "What can you do?", "What is your name?", "Help"],
        "I am a very small storyteller. Ask me for a story about somebody or something.",
    ),
    (&["Goodbye!", "Bye", "Good night!", "No, thank you.", "No"], "Good night, and sweet dreams!"),
];
const AGREE: [&str; 8] =
    ["Yes", "Yes, please.", "Yes please!", "yes", "Sure.", "OK", "Of course!", "Please do."];
const FIRST: [&str; 6] = [
    "Tell me a story.",
    "Tell me a story",
    "A story, please.",
    "Write a story.",
    "story",
    "Once upon a time",
];
const MORE: [&str; 6] =
    ["Another one, please.", "Tell me another story.", "Again!", "One more!", "More", "Another"];
/// Questions that a storyteller cannot answer; the reply says so and tells a story.
const STRAY: [&str; 10] = [
    "What is the weather like in {}?",
    "How far is it to {}?",
    "Write a program in {}.",
    "What is {}?",
    "Explain {} to me.",
    "Translate {} into French.",
    "Why is {} so big?",
    "{}",
    "{}?",
    "How do I cook {}?",
];
const ASK: [&str; 12] = [
    "Tell me a story about {}.",
    "Tell me a story about {}",
    "tell me a story about {}",
    "Please tell me a story about {}.",
    "Write a story about {}.",
    "Write a short story about {}.",
    "A story about {}, please.",
    "I would like a story about {}.",
    "Can you tell me a story about {}?",
    "Story about {}",
    "{}",
    "What about {}?",
];

/// A bare story or one turn.
pub fn single(random: &mut Rng) -> Vec<Passage> {
    if happens(random, 0.5) { bare(random) } else { conversation(random, 1) }
}

/// A bare story or a conversation of up to three turns.
pub fn document(random: &mut Rng) -> Vec<Passage> {
    if happens(random, 0.4) {
        return bare(random);
    }
    let turns = *pick(random, &[1, 1, 2, 3]);
    conversation(random, turns)
}

/// A story with nothing before it.
fn bare(random: &mut Rng) -> Vec<Passage> {
    vec![(BOS.to_owned(), false), (story(random).text + EOS, true)]
}

/// Turns one after another, as the tokenizer's chat template renders them.
fn conversation(random: &mut Rng, turns: usize) -> Vec<Passage> {
    let mut parts = vec![(BOS.to_owned(), false)];
    for index in 0..turns {
        let (asked, answer) = turn(random, index == 0);
        parts.push((format!("{USER}{asked}{EOS}{ASSISTANT}"), false));
        parts.push((answer + EOS, true));
    }
    parts
}

/// The user's question and the storyteller's answer.
fn turn(random: &mut Rng, is_first: bool) -> (String, String) {
    let told = story(random);
    match random.f64() {
        draw if draw < 0.45 => (request(random, &told), told.text),
        draw if draw < 0.60 => (beginning(random, &told), told.text),
        draw if draw < 0.75 => {
            let asked = *pick(random, if is_first { &FIRST } else { &MORE });
            (asked.to_owned(), told.text)
        }
        draw if draw < 0.85 => {
            let &(asked, answer) = pick(random, &SMALL_TALK);
            ((*pick(random, asked)).to_owned(), answer.to_owned())
        }
        draw if draw < 0.93 => {
            let what = match random.u8(..4) {
                0 => gibberish(random),
                1 => (*pick(random, THINGS)).to_owned(),
                2 => (*pick(random, FOODS)).to_owned(),
                _ => format!("{} + {}", random.u32(..1000), random.u32(..100)),
            };
            let answer = format!("I only know little stories. Here is one for you. {}", told.text);
            (pick(random, &STRAY).replace("{}", &what), answer)
        }
        _ => ((*pick(random, &AGREE)).to_owned(), told.text),
    }
}

/// A request that a story answers, in one of many wordings.
fn request(random: &mut Rng, story: &Story) -> String {
    let hero = &story.hero;
    let kind = with_article(hero.kind);
    let mut about = vec![
        with_article(&format!("{} {}", hero.nature, hero.kind)),
        format!("{kind} named {}", hero.name),
        hero.name.to_owned(),
        format!("{} the {}", hero.name, hero.kind),
        story.subject.clone(),
        format!("{kind} and {}", story.subject),
    ];
    if !story.thing.is_empty() {
        let thing = with_article(&story.thing);
        about.push(format!("{kind} and {thing}"));
        about.push(format!("{} and {thing}", hero.name));
        about.push(thing);
    }
    about.push(kind);
    let about = pick(random, &about);
    pick(random, &ASK).replace("{}", about)
}

/// The first words of a story.
fn beginning(random: &mut Rng, story: &Story) -> String {
    let count = *pick(random, &[4, 4, 4, 4, 5, 6, 8, 10, 14]);
    story.text.split_whitespace().take(count).collect::<Vec<_>>().join(" ")
}

/// A word that nobody has taught the model.
fn gibberish(random: &mut Rng) -> String {
    (0..random.usize(2..=9)).map(|_| random.alphanumeric()).collect()
}
