//! More plots: the hero does something for others, or learns something.

use super::{
    characters::{Character, Friend, Gender},
    draw::pick,
    grammar::Scene,
    plots::{PlotTemplates, friend},
    things::{FOODS, GIFTS, SKILLS, SPOTS, THINGS},
    words::FAMILY,
};

/// The hero shares food with a stranger, who later helps in return.
pub fn kindness(scene: &mut Scene<'_>, hero: &Character) -> PlotTemplates {
    const MANY: [&str; 6] = ["berries", "cookies", "pancakes", "nuts", "plums", "carrots"];
    friend(scene, hero, Friend::Anybody);
    let food = *pick(scene.random, FOODS);
    let many = MANY.contains(&food);
    scene.set("food", food);
    scene.set("little", if many { "a few" } else { "a little" });
    scene.set("it", if many { "them" } else { "it" });
    scene.set("lesson", "kindness always comes back");
    let text = "{opening}{day} {h.he} packed some {food} and walked to {OUTDOORS}. \
        On the way {h.he} met an old {f.kind} named {f.name}. <f:I am so hungry!> \
        {h.name} had only {little} {food}, but {h.he} gave {f.him} half of {it}. \
        [{f.name} ate every crumb and thanked {h.him}.|\"I will not forget this,\" said {f.name}.] \
        The next day \
        [{h.name} fell into a deep hole and could not get out. {who came} \
        {f.name} let down a long rope and pulled {h.him} up\
        |{h.name} got lost in the fog. {who came} \
        {f.name} heard {h.him} call and led {h.him} home\
        |the bridge broke while {h.name} was on it. {who came} \
        {f.name} caught {h.him} and held on tight\
        |{h.name} was caught in the rain, far from home. {who came} \
        {f.name} made {h.him} a dry place by the fire]. \
        [\"You helped me, and now I help you,\" said {f.name}.\
        |Then {f.name} gave {h.him} {a:THINGS} to remember the day.]{closing}";
    let came = scene.text("{h.He} called for help. Who came running? It was {f.name}!");
    scene.set("who came", came);
    ("kindness and some {food}", "", text)
}

/// Rain spoils a plan; a new plan is better.
pub fn rain(scene: &mut Scene<'_>, hero: &Character) -> PlotTemplates {
    friend(scene, hero, Friend::Anybody);
    scene.draw("food", FOODS);
    scene.set("shelter", if hero.home.is_empty() { "house" } else { hero.home });
    scene.set("lesson", "a rainy day can be a good day too");
    let text = "{opening}{day} {h.name} and {h.his} friend {f.name} the {f.kind} wanted to have a \
        picnic near {OUTDOORS}. \
        They packed {food} and a big blanket. But then dark clouds came, and it began to rain. \
        <f:[Now everything is wet!|Our day is ruined!]> {h.name} thought for a moment. \
        <h:[I have an idea!|Then we will have our picnic inside!]> \
        [They ran to {h.his} {shelter} and spread the blanket on the floor.\
        |They hung the blanket between two trees and made a tent.] \
        They ate the {food}, told stories and listened to the rain. \
        [When the rain stopped, there was a rainbow in the sky.\
        |When the sun came back, they jumped in every puddle.\
        |It was the best picnic they had ever had.]{closing}";
    ("a rainy day", "", text)
}

/// A birthday, no money, and a present made by hand.
pub fn present(scene: &mut Scene<'_>, _: &Character) -> PlotTemplates {
    let &(kin, gender) = pick(scene.random, FAMILY);
    let &(gift, stuff) = pick(scene.random, GIFTS);
    scene.set("kin", kin);
    let she = if gender == Gender::Female { ["she", "her"] } else { ["he", "him"] };
    scene.set("she", she[0]);
    scene.set("her", she[1]);
    scene.set("gift", gift);
    scene.set("thing", gift.strip_prefix("a ").unwrap_or(gift));
    scene.set("stuff", stuff);
    scene.set("lesson", "the best presents come from the heart");
    let text = "{opening}{day} it was the birthday of {h.his} {kin}. \
        {h.name} wanted to give {her} something special, but {h.he} had no money. \
        {h.He} went to the market and looked at all the things, but everything cost too much. \
        <h:[What can I do?|I cannot buy anything.]> \
        Then {h.name} had an idea. {h.He} would make {gift}! All that it took was {stuff}. \
        [{h.He} worked all day long.|It was hard, and {h.he} had to start again twice.\
        |{h.He} worked quietly so that nobody would know.] \
        When it was done, {h.name} gave the {thing} to {h.his} {kin}. \
        [\"This is the best present of all,\" said {h.his} {kin}, and {she} hugged {h.him}.\
        |\"Did you make this yourself?\" asked {h.his} {kin}. \
        {h.name} nodded, and {h.his} {kin} smiled from ear to ear.]{closing}";
    ("a birthday and {gift}", "thing", text)
}

/// Something hard, failed at first, done in the end.
pub fn learning(scene: &mut Scene<'_>, hero: &Character) -> PlotTemplates {
    friend(scene, hero, Friend::Anybody);
    let &(skill, done) = pick(scene.random, SKILLS);
    scene.set("skill", skill);
    scene.set("done", done);
    scene.set("lesson", "hard things become easy when you do not give up");
    let text = "{opening} More than anything, {h.name} wanted to learn to {skill}.\
        {day} {h.he} tried for the first time, but it went all wrong. \
        [The others laughed, and {h.name} ran away.\
        |{h.name} tried again, and it went wrong again.\
        |\"I will never learn it,\" said {h.name}.] \
        {meets} <h:I cannot {skill}.> \
        <f:[I could not do it at first either.|Nobody can do it the first time.\
        |Try a little every day.]> \
        So {h.name} practised every {TIMES}, and {f.name} [helped|watched|cheered]. \
        [One week went by, and then another.|Slowly it became easier.\
        |Sometimes it went well, and sometimes it did not.] \
        And one day {h.name} {done}! <h:I did it!>{closing}";
    ("learning to {skill}", "", text)
}

/// The hero eats what is another's, hides it, then tells the truth.
pub fn honesty(scene: &mut Scene<'_>, hero: &Character) -> PlotTemplates {
    const MEALS: [(&str, &str); 7] = [
        ("cake", "plate"),
        ("pie", "plate"),
        ("loaf of bread", "plate"),
        ("jar of honey", "jar"),
        ("bowl of soup", "bowl"),
        ("plate of cookies", "plate"),
        ("bowl of berries", "bowl"),
    ];
    friend(scene, hero, Friend::Anybody);
    let &(food, dish) = pick(scene.random, &MEALS);
    scene.set("food", food);
    scene.set("dish", dish);
    scene.draw("spot", SPOTS);
    scene.set("lesson", "the truth makes the heart light");
    let text = "{opening}{day} {h.name} saw a big {food} on the table of {h.his} friend {f.name} \
        the {f.kind}. It smelled so good that {h.name} ate it all. \
        {h.He} hid the empty {dish} {spot}. \
        When {f.name} came home, {f.he} looked everywhere. <f:Where is my {food}?> \
        [{h.name} said nothing, but {h.his} tummy hurt.\
        |\"I do not know,\" said {h.name}, but {h.his} face turned red.] \
        All night {h.he} could not sleep. In the morning {h.he} went back. \
        <h:I ate it, and I am sorry.> \
        [\"Thank you for telling me the truth,\" said {f.name}.\
        |{f.name} was cross at first, but then {f.he} smiled. \
        \"It was brave of you to tell me,\" {f.he} said.] \
        Together they made a new one, and this time they shared it.{closing}";
    ("telling the truth", "", text)
}

/// Somebody new is shy; a small gift begins a friendship.
pub fn new_neighbour(scene: &mut Scene<'_>, hero: &Character) -> PlotTemplates {
    friend(scene, hero, Friend::Anybody);
    scene.draw("thing", THINGS);
    scene.set("lesson", "a friend is worth waiting for");
    let text = "{opening}{day} {a:f.kind} named {f.name} moved in next door. \
        {f.He} was shy and did not come out to play. \
        <h:I wonder if I did something wrong.> \
        {h.name} knocked on the door, but nobody answered. \
        The next day {h.he} left some {FOODS} at the door, \
        and the day after that {h.he} left {a:thing}. \
        On the third day the door opened a little. <f:Did you bring me the {thing}?> \
        <h:[Yes, it is for you.|Yes, I hoped that you would like it.]> \
        {f.name} smiled for the first time. <f:Would you like to come in?> \
        They played {GAMES} until it was dark.{closing}";
    ("a new neighbour and {a:thing}", "thing", text)
}
