//! The characters and places of stories.

use super::characters::Gender::{self, Female, Male};

/// Names of boys, men and male animals.
pub const BOY_NAMES: &[&str] = &[
    "Tom", "Ben", "Max", "Leo", "Sam", "Finn", "Jack", "Oscar", "Theo", "Noah", "Milo", "Hugo",
    "Felix", "Arlo", "Toby", "Eli", "Owen", "Rufus", "Otto", "Jasper", "Bruno", "Pip", "Gus",
    "Ned", "Kai", "Ravi", "Omar", "Luca", "Emil", "Ivan",
];

/// Names of girls, women and female animals.
pub const GIRL_NAMES: &[&str] = &[
    "Mia", "Lily", "Anna", "Sue", "Zoe", "Emma", "Ruby", "Nora", "Ella", "Clara", "Ivy", "Lucy",
    "Rosie", "Maya", "Hazel", "Daisy", "Willa", "June", "Tess", "Greta", "Poppy", "Wren", "Fern",
    "Mabel", "Dot", "Asha", "Lina", "Yuki", "Sara", "Vera",
];

/// People, and the gender that some of them have. The first two are children.
pub const PEOPLE: &[(&str, Option<Gender>)] = &[
    ("boy", Some(Male)),
    ("girl", Some(Female)),
    ("prince", Some(Male)),
    ("princess", Some(Female)),
    ("baker", None),
    ("sailor", None),
    ("farmer", None),
    ("painter", None),
    ("gardener", None),
    ("wizard", Some(Male)),
    ("witch", Some(Female)),
    ("king", Some(Male)),
    ("queen", Some(Female)),
    ("knight", None),
    ("robot", None),
];

/// Animals, their homes, and the names of their young.
pub const ANIMALS: &[(&str, &str, &str)] = &[
    ("fox", "den", "cub"),
    ("rabbit", "burrow", "bunny"),
    ("bear", "cave", "cub"),
    ("mouse", "hole", "pup"),
    ("hedgehog", "nest", "hoglet"),
    ("squirrel", "hollow tree", "kitten"),
    ("owl", "hollow tree", "owlet"),
    ("duck", "nest", "duckling"),
    ("frog", "pond", "tadpole"),
    ("cat", "basket", "kitten"),
    ("dog", "kennel", "puppy"),
    ("badger", "den", "cub"),
    ("otter", "den", "pup"),
    ("beaver", "lodge", "kit"),
    ("deer", "thicket", "fawn"),
    ("goat", "barn", "kid"),
    ("lamb", "barn", "lamb"),
    ("pony", "stable", "foal"),
    ("pig", "barn", "piglet"),
    ("hen", "coop", "chick"),
    ("goose", "nest", "gosling"),
    ("wolf", "den", "cub"),
    ("turtle", "pond", "hatchling"),
    ("penguin", "nest", "chick"),
    ("elephant", "grove", "calf"),
    ("lion", "den", "cub"),
    ("tiger", "cave", "cub"),
    ("monkey", "tall tree", "baby"),
    ("dragon", "cave", "hatchling"),
    ("mole", "burrow", "pup"),
];

/// Birds.
pub const WINGED: &[&str] =
    &["robin", "crow", "sparrow", "magpie", "swallow", "blue jay", "pigeon", "woodpecker"];

/// Traits of a character.
pub const TRAITS: &[&str] = &[
    "little", "small", "young", "kind", "brave", "shy", "clever", "curious", "cheerful", "quiet",
    "gentle", "busy", "sleepy", "happy", "merry", "tiny",
];

/// Places where a character lives.
pub const PLACES: &[&str] = &[
    "in a small village by the sea",
    "in a little house on a hill",
    "in a cottage near the forest",
    "in a quiet valley",
    "in a town with a tall clock tower",
    "on a farm at the end of a long road",
    "in a village at the foot of a mountain",
    "in a tiny house beside a river",
    "in an old mill by a stream",
    "in the middle of a deep green forest",
    "in a lighthouse on a rocky shore",
    "on an island with white sand",
    "in a castle with seven towers",
    "in a warm land far away",
    "in a garden behind a stone wall",
];

/// Places where a character goes.
pub const OUTDOORS: &[&str] = &[
    "the forest",
    "the meadow",
    "the park",
    "the beach",
    "the river",
    "the old bridge",
    "the garden",
    "the hill",
    "the lake",
    "the orchard",
    "the market",
    "the village square",
];

/// Relatives.
pub const FAMILY: &[(&str, Gender)] = &[
    ("mother", Female),
    ("father", Male),
    ("grandmother", Female),
    ("grandfather", Male),
    ("sister", Female),
    ("brother", Male),
    ("aunt", Female),
    ("uncle", Male),
];

/// Games.
pub const GAMES: &[&str] =
    &["hide and seek", "tag", "catch", "leapfrog", "marbles", "pirates", "follow the leader"];

/// Kinds of days.
pub const WEATHER: &[&str] =
    &["sunny", "windy", "bright", "cool", "warm", "misty", "fine", "snowy"];

/// Times of a day.
pub const TIMES: &[&str] = &["morning", "afternoon", "evening"];
