"""Characters: a name, a kind and the pronouns that stay with them through a story."""

from dataclasses import dataclass

import words

PRONOUNS = {"m": ("he", "him", "his"), "f": ("she", "her", "her")}


@dataclass(frozen=True)
class Character:
    """Somebody in a story."""

    name: str
    trait: str
    kind: str
    home: str  # "" for people
    he: str
    him: str
    his: str

    @property
    def He(self):
        return self.he.capitalize()

    @property
    def His(self):
        return self.his.capitalize()


def a(noun):
    """The noun phrase with its indefinite article."""
    # "uncle" and "umbrella" take "an", "unicorn" and "useful" do not.
    vowel = noun[0] in "aeiou" and not noun.startswith(("uni", "use"))
    return ("an " if vowel else "a ") + noun


def person(rng, gender=None):
    """A named person of a trade or age."""
    kinds = [k for k in words.PEOPLE if gender is None or k[1] in (None, gender)]
    # Most people in the stories are children.
    kind, fixed = rng.choice(kinds[:2] if rng.random() < 0.6 else kinds) if gender is None else rng.choice(kinds)
    gender = gender or fixed or rng.choice("mf")
    return _character(rng, gender, kind, "")


def animal(rng, gender=None):
    """A named animal."""
    kind, home, _ = rng.choice(words.ANIMALS)
    gender = gender or rng.choice("mf")
    return _character(rng, gender, kind, home)


def winged(rng, gender):
    """A named bird, for what only wings can reach."""
    return _character(rng, gender, rng.choice(words.WINGED), "")


def hero(rng):
    """The one the story is about."""
    return person(rng) if rng.random() < 0.45 else animal(rng)


def friend_of(rng, hero, make=None):
    """A second character of another kind, and of the other pronoun, so that no "he" is in doubt."""
    gender = "f" if hero.he == "he" else "m"
    while True:
        make_one = make or (person if rng.random() < 0.35 else animal)
        friend = make_one(rng, gender)
        if friend.kind != hero.kind:
            return friend


def _character(rng, gender, kind, home):
    name = rng.choice(words.BOY_NAMES if gender == "m" else words.GIRL_NAMES)
    return Character(name, rng.choice(words.TRAITS), kind, home, *PRONOUNS[gender])
