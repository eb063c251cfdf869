//! Characters: a name, a kind and the pronouns that stay with them through a story.

use super::{
    draw::{happens, pick},
    words::{ANIMALS, BOY_NAMES, GIRL_NAMES, PEOPLE, TRAITS, WINGED},
};
use fastrand::Rng;

/// The gender of a character, which its pronouns follow from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Gender {
    Male,
    Female,
}

use Gender::{Female, Male};

/// Somebody in a story.
#[derive(Clone, Debug)]
pub struct Character {
    pub gender: Gender,
    pub name: &'static str,
    /// An adjective.
    pub nature: &'static str,
    pub kind: &'static str,
    /// The home; empty for people and birds.
    pub home: &'static str,
}

/// The characters that a friend may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Friend {
    Anybody,
    /// A bird, for places that only wings can reach.
    Bird,
}

impl Gender {
    /// The pronouns `he`, `him` and `his`.
    pub fn pronouns(self) -> [&'static str; 3] {
        match self {
            Male => ["he", "him", "his"],
            Female => ["she", "her", "her"],
        }
    }

    fn other(self) -> Gender {
        match self {
            Male => Female,
            Female => Male,
        }
    }

    fn any(random: &mut Rng) -> Gender {
        *pick(random, &[Male, Female])
    }
}

impl Character {
    /// The character that a story is about.
    pub fn hero(random: &mut Rng) -> Character {
        if happens(random, 0.45) {
            Character::person(random, None)
        } else {
            Character::animal(random, None)
        }
    }

    /// A second character of another kind, and with other pronouns, so that no "he" is in doubt.
    pub fn friend_of(&self, random: &mut Rng, friend: Friend) -> Character {
        let gender = self.gender.other();
        loop {
            let made = match friend {
                Friend::Bird => {
                    let kind = *pick(random, WINGED);
                    Character::new(random, gender, kind, "")
                }
                Friend::Anybody if happens(random, 0.35) => Character::person(random, Some(gender)),
                Friend::Anybody => Character::animal(random, Some(gender)),
            };
            if made.kind != self.kind {
                return made;
            }
        }
    }

    /// A person of a trade or age.
    fn person(random: &mut Rng, gender: Option<Gender>) -> Character {
        let is_possible = |(_, fixed): &(&str, Option<Gender>)| match (gender, fixed) {
            (Some(gender), Some(fixed)) => gender == *fixed,
            _ => true,
        };
        let kinds: Vec<_> = PEOPLE.iter().copied().filter(is_possible).collect();
        // Most people in the stories are children.
        let children = gender.is_none() && happens(random, 0.6);
        let kinds = if children { &kinds[..2] } else { &kinds[..] };
        let &(kind, fixed) = pick(random, kinds);
        let gender = gender.or(fixed).unwrap_or_else(|| Gender::any(random));
        Character::new(random, gender, kind, "")
    }

    fn animal(random: &mut Rng, gender: Option<Gender>) -> Character {
        let &(kind, home, _) = pick(random, ANIMALS);
        let gender = gender.unwrap_or_else(|| Gender::any(random));
        Character::new(random, gender, kind, home)
    }

    fn new(random: &mut Rng, gender: Gender, kind: &'static str, home: &'static str) -> Character {
        let names = match gender {
            Male => BOY_NAMES,
            Female => GIRL_NAMES,
        };
        let (name, nature) = (*pick(random, names), *pick(random, TRAITS));
        Character { gender, name, nature, kind, home }
    }
}

/// A noun phrase with its indefinite article.
pub fn with_article(noun: &str) -> String {
    // "uncle" and "umbrella" take "an", "unicorn" and "useful" do not.
    let vowel = noun.starts_with(['a', 'e', 'i', 'o', 'u'])
        && !noun.starts_with("uni")
        && !noun.starts_with("use");
    format!("{} {noun}", if vowel { "an" } else { "a" })
}

/// A text with a capital letter.
pub fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}
