//! Texts from templates.
//!
//! | in a template | in the text |
//! |---|---|
//! | `[a\|b\|c]` | one of these templates |
//! | `{word}` | the word of the scene with this name, or a template or a random word of a list |
//! | `{a:one two}` | these words with an indefinite article |
//! | `<h:template>` | a line of speech by the hero; `<f:..>` by the friend |

use super::{
    characters::{Character, capitalized, with_article},
    draw::pick,
    things::{FOODS, THINGS},
    words::{GAMES, OUTDOORS, TIMES, WEATHER, WINGED},
};
use fastrand::Rng;
use std::collections::BTreeMap;

/// The words that a story has decided on, by the names that templates use.
pub struct Scene<'a> {
    pub random: &'a mut Rng,
    words: BTreeMap<String, String>,
}

/// One to three sentences about the hero and the place.
const OPENING: &str = "[{start} {who} [named|called] {h.name}. {h.He} lived {place}.\
    |{start} {who} [named|called] {h.name} who lived {place}.\
    |{Place} there lived {who} [named|called] {h.name}.\
    |{h.name} was {who}. {h.He} lived {place}.\
    |Once upon a time, {place}, there lived {who} [named|called] {h.name}.]";
const START: &str = "[Once upon a time, there was|Once upon a time there was|Once there was\
    |Long ago, there was|There once was|One day, long ago, there was]";
const MORE: &str = " {h.name} loved to play {GAMES}.| Every {TIMES} {h.he} walked to {OUTDOORS}.\
    | {h.name} had [many friends|a warm smile|a big laugh|a kind heart].\
    | {h.He} liked {FOODS} more than anything.|||";
const MORE_OF_HOME: &str =
    "| {h.His} {h.home} was [warm|small but cosy|dry and soft|the best in the land].";
/// The words that open the day of the story, and a new paragraph.
const DAY: &str = "\n\n[One {WEATHER} {TIMES},|One day,|One {WEATHER} day,|Early one {TIMES},\
    |Then one day,]";
/// The last line or two, a paragraph of their own.
const CLOSING: &str = "{h.name} went home with a smile and slept well that night.\
    |From that day on, {h.name} was never [sad|lonely|afraid] for long.\
    |{h.name} was so happy that {h.he} laughed out loud.\
    |That night {h.name} dreamed of {OUTDOORS} and smiled in {h.his} sleep.\
    |{h.name} had learned that {lesson}.|And so {h.name} learned that {lesson}.";
const CLOSING_OF_FRIENDS: &str = "|{h.name} and {f.name} were friends for ever after.\
    |From that day on, {h.name} and {f.name} played together every {TIMES}.\
    |{h.name} and {f.name} went home together, laughing all the way.\
    |And whenever {f.name} needed help, {h.name} was there.";
/// The friend comes along and asks.
const MEETS: &str = "[Just then, {friend} came by.|Soon {friend} came along the path.\
    |Along came {friend}.|After a while, {friend} stopped beside {h.him}.] \
    <f:[What is the matter?|Why are you so sad?|Can I help you?|What happened?]>";
const FRIEND: &str = "[{a:f.kind} named {f.name}|{h.his} friend {f.name} the {f.kind}]";

impl<'a> Scene<'a> {
    /// A scene with a hero.
    pub fn new(random: &'a mut Rng, hero: &Character, place: &str) -> Scene<'a> {
        let mut scene = Scene { random, words: BTreeMap::new() };
        scene.character("h", hero);
        scene.set("place", place);
        scene.set("Place", capitalized(place));
        scene
    }

    /// Decides on a word.
    pub fn set(&mut self, name: &str, word: impl Into<String>) {
        self.words.insert(name.to_owned(), word.into());
    }

    /// Decides on a word of a list.
    pub fn draw(&mut self, name: &str, list: &[&str]) {
        let word = *pick(self.random, list);
        self.set(name, word);
    }

    /// The words about a character.
    pub fn character(&mut self, role: &str, character: &Character) {
        let [he, him, his] = character.gender.pronouns();
        let Character { name, nature, kind, home, .. } = character;
        for (field, word) in [
            ("name", *name),
            ("trait", *nature),
            ("kind", *kind),
            ("home", *home),
            ("he", he),
            ("him", him),
            ("his", his),
            ("He", capitalized(he).as_str()),
            ("His", capitalized(his).as_str()),
        ] {
            self.set(&format!("{role}.{field}"), word);
        }
    }

    /// The text of a template.
    pub fn text(&mut self, template: &str) -> String {
        let mut text = String::new();
        let mut rest = template;
        while let Some(at) = rest.find(['[', '{', '<']) {
            text.push_str(&rest[..at]);
            let (inner, after) = enclosed(&rest[at..]);
            text.push_str(&match rest.as_bytes()[at] {
                b'[' => self.one_of(inner),
                b'{' => self.word(inner),
                _ => self.speech(inner),
            });
            rest = after;
        }
        text + rest
    }

    fn one_of(&mut self, templates: &str) -> String {
        let templates = alternatives(templates);
        let template = *pick(self.random, &templates);
        self.text(template)
    }

    fn word(&mut self, name: &str) -> String {
        if let Some(names) = name.strip_prefix("a:") {
            let words: Vec<String> = names.split(' ').map(|name| self.word(name)).collect();
            return with_article(&words.join(" "));
        }
        if let Some(word) = self.words.get(name) {
            return word.clone();
        }
        let list = match name {
            "opening" => {
                let home = if self.words["h.home"].is_empty() { "" } else { MORE_OF_HOME };
                return self.text(&format!("{OPENING}[{MORE}{home}]"));
            }
            "closing" => {
                let friends = self.words.contains_key("f.name");
                let friends = if friends { CLOSING_OF_FRIENDS } else { "" };
                return self.text(&format!("\n\n[{CLOSING}{friends}][|| The end.]"));
            }
            "start" => return self.text(START),
            "who" => return self.word("a:h.trait h.kind"),
            "day" => return self.text(DAY),
            "meets" => return self.text(MEETS),
            "friend" => return self.text(FRIEND),
            "GAMES" => GAMES,
            "TIMES" => TIMES,
            "WEATHER" => WEATHER,
            "OUTDOORS" => OUTDOORS,
            "FOODS" => FOODS,
            "THINGS" => THINGS,
            "WINGED" => WINGED,
            _ => panic!("no scene has the word {name:?}"),
        };
        (*pick(self.random, list)).to_owned()
    }

    /// A line of speech, by the role before the colon.
    fn speech(&mut self, inner: &str) -> String {
        let (role, template) = inner.split_once(':').expect("a line has a speaker");
        let (line, who) = (self.text(template), self.word(&format!("{role}.name")));
        match line.as_bytes().last() {
            Some(b'!') => {
                let says = pick(self.random, &["cried", "said", "shouted"]);
                format!("\"{line}\" {says} {who}.")
            }
            Some(b'?') => format!("\"{line}\" asked {who}."),
            _ => format!("\"{},\" said {who}.", line.trim_end_matches('.')),
        }
    }
}

/// The text between the first character, which opens a bracket, and the one that closes it; and
/// the rest.
fn enclosed(text: &str) -> (&str, &str) {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '[' | '{' | '<' => depth += 1,
            ']' | '}' | '>' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return (&text[1..at], &text[at + 1..]);
        }
    }
    panic!("a bracket is not closed: {text:?}")
}

/// The parts between the bars that are in no bracket.
fn alternatives(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0);
    for (at, c) in text.char_indices() {
        match c {
            '[' | '{' | '<' => depth += 1,
            ']' | '}' | '>' => depth -= 1,
            '|' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}
