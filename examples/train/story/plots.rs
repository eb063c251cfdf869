//! The plots: an opening that names the hero, a problem, what was tried, how it was solved, and a
//! closing line.

use super::{
    characters::{Character, Friend},
    draw::pick,
    grammar::Scene,
    lessons::{honesty, kindness, learning, new_neighbour, present, rain},
    things::{BREAKABLE, FEARS, FLYING, HIGH, LOOKS, SPOTS, THINGS},
    words::{ANIMALS, OUTDOORS, PLACES},
};
use fastrand::Rng;

/// A story and what it is about, from which a request for it can be written.
pub struct Story {
    pub text: String,
    pub hero: Character,
    /// A noun phrase.
    pub subject: String,
    /// A noun without article; empty in some stories.
    pub thing: String,
}

/// The result of a plot: the subject of the story, as a template; the word of the scene with its
/// thing, or none; and the template of its text.
pub type PlotTemplates = (&'static str, &'static str, &'static str);
/// A plot decides on the words of a scene.
type Plot = fn(&mut Scene<'_>, &Character) -> PlotTemplates;

/// Some plots have more variants, and are more frequent.
const PLOTS: [Plot; 15] = [
    lost,
    lost,
    blown_away,
    blown_away,
    broken,
    afraid,
    lost_baby,
    sharing,
    sharing,
    kindness,
    rain,
    present,
    learning,
    honesty,
    new_neighbour,
];

/// A story with a random plot.
pub fn story(random: &mut Rng) -> Story {
    let plot = pick(random, &PLOTS);
    let hero = Character::hero(random);
    let place = pick(random, PLACES);
    let mut scene = Scene::new(random, &hero, place);
    let (subject, thing, template) = plot(&mut scene, &hero);
    let (subject, text) = (scene.text(subject), scene.text(template));
    let thing = if thing.is_empty() { String::new() } else { scene.text(&format!("{{{thing}}}")) };
    // Sentences that are left out leave their spaces.
    let text = text.replace("  ", " ").replace(" \n\n", "\n\n");
    Story { text, hero, subject, thing }
}

/// Adds a friend of the hero.
pub fn friend(scene: &mut Scene<'_>, hero: &Character, friend: Friend) {
    let friend = hero.friend_of(scene.random, friend);
    scene.character("f", &friend);
}

/// Something is lost; two spots are empty; a friend finds it in the third.
fn lost(scene: &mut Scene<'_>, hero: &Character) -> PlotTemplates {
    friend(scene, hero, Friend::Anybody);
    scene.draw("look", LOOKS);
    scene.draw("thing", THINGS);
    let mut spots = SPOTS.to_vec();
    scene.random.shuffle(&mut spots);
    for (name, spot) in ["first", "second", "third"].iter().zip(spots) {
        scene.set(name, spot);
    }
    scene.set("lesson", "a friend can see what you have missed");
    let text = "{opening} [{h.He} had {a:look thing} that {h.he} took everywhere.\
        |{h.His} [mother|grandmother|father] had given {h.him} {a:look thing}.\
        |The thing {h.he} loved most was {h.his} {look} {thing}.]\
        {day} [the {thing} was gone|{h.he} could not find the {thing}]! \
        {h.name} looked {first}, but it was not there. \
        {h.He} looked {second}, but it was not there either. \
        [{h.name} sat down and began to cry.|{h.name} felt very sad.\
        |A tear ran down {h.his} cheek.] \
        {meets} <h:[I have lost my {thing}.|My {thing} is gone!]> \
        <f:[Let us look together.|Do not worry, we will find it.|Two can look better than one.]> \
        They looked and looked. At last {f.name} peeked {third}. There was the {look} {thing}! \
        <h:[Thank you!|You found it!|Hooray!]>{closing}";
    ("a lost {thing}", "thing", text)
}

/// The wind takes a thing to a high place; a bird brings it down.
fn blown_away(scene: &mut Scene<'_>, hero: &Character) -> PlotTemplates {
    friend(scene, hero, Friend::Bird);
    scene.draw("look", LOOKS);
    scene.draw("thing", FLYING);
    scene.draw("high", HIGH);
    scene.set("lesson", "even a small friend can do great things");
    let text = "{opening}{day} {h.name} took {h.his} {look} {thing} to {OUTDOORS}. \
        [Suddenly a strong wind blew the {thing} away.|Whoosh! The wind took the {thing} with it.] \
        It flew up and up and landed on {high}. \
        [{h.name} jumped as high as {h.he} could, but it was too far up.\
        |{h.name} tried to climb, but {h.he} slipped down again.\
        |{h.name} threw a stick at it, but the stick only fell back down.\
        |{h.name} waited for the wind to bring it back, but the wind had gone.] \
        {meets} <h:My {thing} is on {high}, and I cannot reach it.> \
        <f:[I have wings, so I can get it.|That is easy for me!|Wait here and watch me.]> \
        {f.name} flew up, took the {thing} in {f.his} beak and brought it down. \
        <h:[Thank you!|You are so kind!]> \
        [{h.name} gave {f.him} some {FOODS}.|{h.He} shared {h.his} {FOODS} with {f.him}.|]\
        {closing}";
    ("{a:thing} that blew away", "thing", text)
}

/// A thing breaks; the first try does not hold; somebody knows what mends it.
fn broken(scene: &mut Scene<'_>, hero: &Character) -> PlotTemplates {
    friend(scene, hero, Friend::Anybody);
    let &(thing, mend, how) = pick(scene.random, BREAKABLE);
    scene.set("thing", thing);
    scene.set("mend", mend);
    scene.set("how", how);
    scene.set("lesson", "most broken things can be mended with time and care");
    let text = "{opening} {h.He} had {a:thing} and used it every day.\
        {day} {h.name} saw that {how}. \"Oh no, my {thing} is broken,\" said {h.name}. \
        [{h.He} tried to mend it with mud, but the mud did not hold.\
        |{h.He} tried to tie it with grass, but the grass broke.\
        |{h.He} pushed and pulled, but that only made it worse.] \
        So {h.he} went to see {f.name}, {a:f.trait f.kind} who could mend anything. \
        <f:All we need is {mend}.> \
        [They worked together until the sun went down.\
        |{f.name} showed {h.him} what to do, and {h.name} did it.\
        |{h.name} held the {thing} still while {f.name} worked.] \
        [Soon the {thing} was as good as new.\
        |When they were done, the {thing} was better than before.]{closing}";
    ("a broken {thing}", "thing", text)
}

/// The hero is afraid of something; a thing and a kind word help.
fn afraid(scene: &mut Scene<'_>, hero: &Character) -> PlotTemplates {
    friend(scene, hero, Friend::Anybody);
    let &(fear, place, comfort, truth) = pick(scene.random, FEARS);
    scene.set("fear", fear);
    scene.set("met", place);
    scene.set("comfort", comfort);
    scene.set("lesson", truth);
    let text = "{opening} But {h.name} was afraid of {fear}.{day} {h.he} had to go to {OUTDOORS}. \
        {met}. {h.name} [stood still and shook|wanted to run home|closed {h.his} eyes tight]. \
        {meets} <h:I am afraid of {fear}.> \
        {f.name} did not laugh. {f.He} gave {h.him} {comfort}. <f:Remember, {lesson}.> \
        [{h.name} took a deep breath and went on, one step at a time.\
        |{h.name} held on to it and counted to ten.] \
        [Nothing bad happened at all.|Little by little, {h.his} heart grew calm.\
        |And it was not so bad after all.]{closing}";
    ("being afraid of {fear}", "", text)
}

/// The hero finds somebody's young and brings it home.
fn lost_baby(scene: &mut Scene<'_>, hero: &Character) -> PlotTemplates {
    // Their young have names of their own, that no other animal's young have.
    const KNOWN: [&str; 11] =
        ["rabbit", "hedgehog", "owl", "duck", "cat", "dog", "deer", "lamb", "pony", "pig", "goose"];
    let (kind, home, young) = loop {
        let &(kind, home, young) = pick(scene.random, ANIMALS);
        if kind != hero.kind && kind != "lamb" {
            break (kind, home, young);
        }
    };
    scene.set(
        "young",
        match kind {
            "monkey" => "baby monkey".to_owned(),
            kind if KNOWN.contains(&kind) => young.to_owned(),
            kind => format!("{kind} {young}"),
        },
    );
    scene.set("kind", kind);
    scene.set("home", home);
    scene.draw("out", OUTDOORS);
    scene.set("lesson", "it feels good to help somebody small");
    let text = "{opening}{day} {h.name} was walking near {out} when {h.he} heard a tiny cry. \
        It was a little {young}, all alone. <h:Where is your mother?> \
        \"I do not know,\" said the {young}. \"I chased a butterfly, and now I am lost.\" \
        [{h.name} asked a {WINGED}, but the bird had seen nothing.\
        |They called and called, but nobody answered.\
        |They walked all around {out}, but they found nobody.] \
        [Then {h.name} saw footprints in the mud, and they followed them.\
        |Then {h.name} heard somebody calling far away.\
        |Then {h.name} remembered a {home} that {h.he} had once seen.] \
        Soon they came to a {home}, and there stood a big {kind}. \
        \"My baby!\" she cried, and she hugged the {young}. \
        \"Thank you, {h.name},\" said the mother. \"You are always welcome here.\"{closing}";
    ("a lost {young}", "", text)
}

/// Two want the same thing; they learn to take turns.
fn sharing(scene: &mut Scene<'_>, hero: &Character) -> PlotTemplates {
    friend(scene, hero, Friend::Anybody);
    scene.draw("look", LOOKS);
    scene.draw("thing", THINGS);
    scene.set("lesson", "a thing is worth more when you share it");
    let text = "{opening} {h.His} best friend was {f.name} the {f.kind}.\
        {day} they found {a:look thing} near {OUTDOORS}. \
        <h:It is mine!> <f:No, I saw it first!> \
        [They pulled and pulled until they both fell down.\
        |They shouted until they were both red in the face.\
        |{h.name} ran away with it, and {f.name} sat down and cried.] \
        Then {h.name} [stopped|felt sorry|looked at {f.him}]. \
        <h:[We can share it.|Let us take turns.|You can have it first.]> \
        [So {h.name} had the {thing} in the morning and {f.name} had it in the afternoon.\
        |So they took turns with the {thing}, and it was much more fun.]{closing}";
    ("sharing {a:thing}", "thing", text)
}
