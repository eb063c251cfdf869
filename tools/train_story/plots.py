"""The plots. Each takes a random source and returns a `Story`: an opening that names the hero,
a problem, what was tried, how it was solved, and a closing line."""

from dataclasses import dataclass

import words
from characters import Character, a, animal, friend_of, hero, winged


@dataclass(frozen=True)
class Story:
    """A story and what it is about, from which a request for it can be written."""

    text: str
    hero: Character
    subject: str  # a noun phrase: "a lost ring", "learning to swim"
    thing: str  # a noun without article, or ""


def opening(rng, h):
    """One to three sentences: who the hero is and where."""
    place = rng.choice(words.PLACES)
    named = rng.choice(["named", "called"])
    start = rng.choice(["Once upon a time, there was", "Once upon a time there was", "Once there was",
                        "Long ago, there was", "There once was", "One day, long ago, there was"])
    who = a(f"{h.trait} {h.kind}")
    first = rng.choice([
        f"{start} {who} {named} {h.name}. {h.He} lived {place}.",
        f"{start} {who} {named} {h.name} who lived {place}.",
        f"{place[0].upper() + place[1:]} there lived {who} {named} {h.name}.",
        f"{h.name} was {who}. {h.He} lived {place}.",
        f"Once upon a time, {place}, there lived {who} {named} {h.name}.",
    ])
    more = [
        f" {h.name} loved to play {rng.choice(words.GAMES)}.",
        f" Every {rng.choice(words.TIMES)} {h.he} walked to {rng.choice(words.OUTDOORS)}.",
        f" {h.name} had {rng.choice(['many friends', 'a warm smile', 'a big laugh', 'a kind heart'])}.",
        f" {h.He} liked {rng.choice(words.FOODS)} more than anything.",
        "", "", "",
    ]
    if h.home:
        more.append(f" {h.His} {h.home} was {rng.choice(['warm', 'small but cosy', 'dry and soft', 'the best in the land'])}.")
    return first + rng.choice(more)


def day(rng):
    """The words that open the day of the story, and a new paragraph."""
    return "\n\n" + rng.choice([
        f"One {rng.choice(words.WEATHER)} {rng.choice(words.TIMES)},", "One day,",
        f"One {rng.choice(words.WEATHER)} day,", f"Early one {rng.choice(words.TIMES)},", "Then one day,",
    ])


def closing(rng, h, f=None, lesson=None):
    """The last line or two, a paragraph of their own."""
    ends = [
        f"{h.name} went home with a smile and slept well that night.",
        f"From that day on, {h.name} was never {rng.choice(['sad', 'lonely', 'afraid'])} for long.",
        f"{h.name} was so happy that {h.he} laughed out loud.",
        f"That night {h.name} dreamed of {rng.choice(words.OUTDOORS)} and smiled in {h.his} sleep.",
    ]
    if f:
        ends += [
            f"{h.name} and {f.name} were friends for ever after.",
            f"From that day on, {h.name} and {f.name} played together every {rng.choice(words.TIMES)}.",
            f"{h.name} and {f.name} went home together, laughing all the way.",
            f"And whenever {f.name} needed help, {h.name} was there.",
        ]
    if lesson:
        ends += [f"{h.name} had learned that {lesson}.", f"And so {h.name} learned that {lesson}."]
    return "\n\n" + rng.choice(ends) + rng.choice(["", "", " The end."])


def says(rng, who, line):
    """A line of speech. `line` ends in its own mark."""
    if line[-1] == "!":
        return f'"{line}" {rng.choice(["cried", "said", "shouted"])} {who}.'
    if line[-1] == "?":
        return f'"{line}" asked {who}.'
    return f'"{line[:-1]}," said {who}.'


def meets(rng, h, f):
    """The friend comes along and asks."""
    ask = rng.choice(["What is the matter?", "Why are you so sad?", "Can I help you?", "What happened?"])
    who = rng.choice([f"{a(f.kind)} named {f.name}", f"{h.his} friend {f.name} the {f.kind}"])
    come = rng.choice([f"Just then, {who} came by.", f"Soon {who} came along the path.",
                       f"Along came {who}.", f"After a while, {who} stopped beside {h.him}."])
    return f"{come} {says(rng, f.name, ask)}"


def join(*parts):
    """The parts as running text; a part that opens a paragraph says so itself."""
    return " ".join(p for p in parts if p).replace(" \n\n", "\n\n")


def lost(rng):
    """Something is lost; two spots are empty; a friend finds it in the third."""
    h = hero(rng)
    f = friend_of(rng, h)
    look, thing = rng.choice(words.LOOKS), rng.choice(words.THINGS)
    s1, s2, s3 = rng.sample(words.SPOTS, 3)
    own = rng.choice([
        f"{h.He} had {a(look + ' ' + thing)} that {h.he} took everywhere.",
        f"{h.His} {rng.choice(['mother', 'grandmother', 'father'])} had given {h.him} {a(look + ' ' + thing)}.",
        f"The thing {h.he} loved most was {h.his} {look} {thing}."])
    gone = rng.choice([f"the {thing} was gone", f"{h.he} could not find the {thing}"])
    sad = rng.choice([f"{h.name} sat down and began to cry.", f"{h.name} felt very sad.",
                      f"A tear ran down {h.his} cheek."])
    text = join(
        opening(rng, h), own, f"{day(rng)} {gone}!",
        f"{h.name} looked {s1}, but it was not there. {h.He} looked {s2}, but it was not there either. {sad}",
        meets(rng, h, f), says(rng, h.name, rng.choice([f"I have lost my {thing}.", f"My {thing} is gone!"])),
        says(rng, f.name, rng.choice(["Let us look together.", "Do not worry, we will find it.", "Two can look better than one."])),
        f"They looked and looked. At last {f.name} peeked {s3}. There was the {look} {thing}!",
        says(rng, h.name, rng.choice(["Thank you!", "You found it!", "Hooray!"])),
        closing(rng, h, f, "a friend can see what you have missed"))
    return Story(text, h, f"a lost {thing}", thing)


def blown_away(rng):
    """The wind takes a thing to a high place; a bird brings it down."""
    h = hero(rng)
    f = friend_of(rng, h, winged)
    look, thing, high = rng.choice(words.LOOKS), rng.choice(words.FLYING), rng.choice(words.HIGH)
    out = rng.choice(words.OUTDOORS)
    tried = rng.choice([
        f"{h.name} jumped as high as {h.he} could, but it was too far up.",
        f"{h.name} tried to climb, but {h.he} slipped down again.",
        f"{h.name} threw a stick at it, but the stick only fell back down.",
        f"{h.name} waited for the wind to bring it back, but the wind had gone."])
    text = join(
        opening(rng, h), f"{day(rng)} {h.name} took {h.his} {look} {thing} to {out}.",
        rng.choice([f"Suddenly a strong wind blew the {thing} away.", f"Whoosh! The wind took the {thing} with it."]),
        f"It flew up and up and landed on {high}. {tried}",
        meets(rng, h, f), says(rng, h.name, f"My {thing} is on {high}, and I cannot reach it."),
        says(rng, f.name, rng.choice(["I have wings, so I can get it.", "That is easy for me!", "Wait here and watch me."])),
        f"{f.name} flew up, took the {thing} in {f.his} beak and brought it down.",
        says(rng, h.name, rng.choice(["Thank you!", "You are so kind!"])),
        rng.choice([f"{h.name} gave {f.him} some {rng.choice(words.FOODS)}.", f"{h.He} shared {h.his} {rng.choice(words.FOODS)} with {f.him}.", ""]),
        closing(rng, h, f, "even a small friend can do great things"))
    return Story(text, h, f"{a(thing)} that blew away", thing)


def broken(rng):
    """A thing breaks; the first try does not hold; somebody knows what mends it."""
    h = hero(rng)
    f = friend_of(rng, h)
    thing, mend, how = rng.choice(words.BREAKABLE)
    text = join(
        opening(rng, h), f"{h.He} had {a(thing)} and used it every day.",
        f"{day(rng)} {h.name} saw that {how}.", f'"Oh no, my {thing} is broken," said {h.name}.',
        rng.choice([f"{h.He} tried to mend it with mud, but the mud did not hold.",
                    f"{h.He} tried to tie it with grass, but the grass broke.",
                    f"{h.He} pushed and pulled, but that only made it worse."]),
        f"So {h.he} went to see {f.name}, {a(f.trait + ' ' + f.kind)} who could mend anything.",
        says(rng, f.name, f"All we need is {mend}."),
        rng.choice(["They worked together until the sun went down.", f"{f.name} showed {h.him} what to do, and {h.name} did it.",
                    f"{h.name} held the {thing} still while {f.name} worked."]),
        rng.choice([f"Soon the {thing} was as good as new.", f"When they were done, the {thing} was better than before."]),
        closing(rng, h, f, "most broken things can be mended with time and care"))
    return Story(text, h, f"a broken {thing}", thing)


def afraid(rng):
    """The hero is afraid of something; a thing and a kind word help."""
    h = hero(rng)
    f = friend_of(rng, h)
    fear, scene, comfort, truth = rng.choice(words.FEARS)
    text = join(
        opening(rng, h), f"But {h.name} was afraid of {fear}.", f"{day(rng)} {h.he} had to go to {rng.choice(words.OUTDOORS)}.",
        f"{scene}. {h.name} {rng.choice(['stood still and shook', 'wanted to run home', 'closed ' + h.his + ' eyes tight'])}.",
        meets(rng, h, f), says(rng, h.name, f"I am afraid of {fear}."),
        f"{f.name} did not laugh. {f.He} gave {h.him} {comfort}. " + says(rng, f.name, f"Remember, {truth}."),
        rng.choice([f"{h.name} took a deep breath and went on, one step at a time.", f"{h.name} held on to it and counted to ten."]),
        rng.choice(["Nothing bad happened at all.", f"Little by little, {h.his} heart grew calm.", "And it was not so bad after all."]),
        closing(rng, h, f, truth))
    return Story(text, h, f"being afraid of {fear}", "")


def lost_baby(rng):
    """The hero finds somebody's young and brings it home."""
    h = hero(rng)
    while True:
        kind, home, young = rng.choice(words.ANIMALS)
        if kind not in (h.kind, "lamb"):
            break
    if kind == "monkey":
        young = "baby monkey"
    elif kind not in ("rabbit", "hedgehog", "owl", "duck", "cat", "dog", "deer", "lamb", "pony", "pig", "goose"):
        young = f"{kind} {young}"
    mother = friend_of(rng, h, lambda r, g: animal(r, "f")).name
    out = rng.choice(words.OUTDOORS)
    text = join(
        opening(rng, h), f"{day(rng)} {h.name} was walking near {out} when {h.he} heard a tiny cry.",
        f"It was {a('little ' + young)}, all alone.", says(rng, h.name, "Where is your mother?"),
        f'"I do not know," said the {young}. "I chased a butterfly, and now I am lost."',
        rng.choice([f"{h.name} asked a {rng.choice(words.WINGED)}, but the bird had seen nothing.",
                    "They called and called, but nobody answered.",
                    f"They walked all around {out}, but they found nobody."]),
        rng.choice([f"Then {h.name} saw footprints in the mud, and they followed them.",
                    f"Then {h.name} heard somebody calling far away.",
                    f"Then {h.name} remembered a {home} that {h.he} had once seen."]),
        f"Soon they came to a {home}, and there stood a big {kind}. " + f'"My baby!" she cried, and she hugged the {young}.',
        f'"Thank you, {h.name}," said the mother. "You are always welcome here."',
        closing(rng, h, None, "it feels good to help somebody small"))
    return Story(text, h, f"a lost {young}", "")


def sharing(rng):
    """Two want the same thing; they learn to take turns."""
    h = hero(rng)
    f = friend_of(rng, h)
    look, thing = rng.choice(words.LOOKS), rng.choice(words.THINGS)
    text = join(
        opening(rng, h), f"{h.His} best friend was {f.name} the {f.kind}.",
        f"{day(rng)} they found {a(look + ' ' + thing)} near {rng.choice(words.OUTDOORS)}.",
        says(rng, h.name, "It is mine!"), says(rng, f.name, "No, I saw it first!"),
        rng.choice([f"They pulled and pulled until they both fell down.", "They shouted until they were both red in the face.",
                    f"{h.name} ran away with it, and {f.name} sat down and cried."]),
        f"Then {h.name} {rng.choice(['stopped', 'felt sorry', 'looked at ' + f.him])}. "
        + says(rng, h.name, rng.choice(["We can share it.", "Let us take turns.", "You can have it first."])),
        rng.choice([f"So {h.name} had the {thing} in the morning and {f.name} had it in the afternoon.",
                    f"So they took turns with the {thing}, and it was much more fun."]),
        closing(rng, h, f, "a thing is worth more when you share it"))
    return Story(text, h, f"sharing {a(thing)}", thing)


def kindness(rng):
    """The hero shares food with a stranger, who later helps in return."""
    h = hero(rng)
    f = friend_of(rng, h)
    food = rng.choice(words.FOODS)
    thing = rng.choice(words.THINGS)
    out = rng.choice(words.OUTDOORS)
    trouble, rescue = rng.choice([
        (f"{h.name} fell into a deep hole and could not get out", f"{f.name} let down a long rope and pulled {h.him} up"),
        (f"{h.name} got lost in the fog", f"{f.name} heard {h.him} call and led {h.him} home"),
        (f"the bridge broke while {h.name} was on it", f"{f.name} caught {h.him} and held on tight"),
        (f"{h.name} was caught in the rain, far from home", f"{f.name} made {h.him} a dry place by the fire"),
    ])
    text = join(
        opening(rng, h), f"{day(rng)} {h.he} packed some {food} and walked to {out}.",
        f"On the way {h.he} met an old {f.kind} named {f.name}.", says(rng, f.name, "I am so hungry!"),
        f"{h.name} had only a little {food}, but {h.he} gave {f.him} half of it." if food not in ("berries", "cookies", "pancakes", "nuts", "plums", "carrots")
        else f"{h.name} had only a few {food}, but {h.he} gave {f.him} half of them.",
        rng.choice([f"{f.name} ate every crumb and thanked {h.him}.", f'"I will not forget this," said {f.name}.']),
        f"The next day {trouble}. {h.He} called for help. Who came running? It was {f.name}! {rescue}.",
        rng.choice([f'"You helped me, and now I help you," said {f.name}.', f"Then {f.name} gave {h.him} {a(thing)} to remember the day."]),
        closing(rng, h, f, "kindness always comes back"))
    return Story(text, h, f"kindness and some {food}", "")


def rain(rng):
    """Rain spoils a plan; a new plan is better."""
    h = hero(rng)
    f = friend_of(rng, h)
    out, food = rng.choice(words.OUTDOORS), rng.choice(words.FOODS)
    text = join(
        opening(rng, h), f"{day(rng)} {h.name} and {h.his} friend {f.name} the {f.kind} wanted to have a picnic near {out}.",
        f"They packed {food} and a big blanket. But then dark clouds came, and it began to rain.",
        says(rng, f.name, rng.choice(["Now everything is wet!", "Our day is ruined!"])),
        f"{h.name} thought for a moment. " + says(rng, h.name, rng.choice(["I have an idea!", "Then we will have our picnic inside!"])),
        rng.choice([f"They ran to {h.his} {h.home or 'house'} and spread the blanket on the floor.",
                    f"They hung the blanket between two trees and made a tent."]),
        f"They ate the {food}, told stories and listened to the rain.",
        rng.choice(["When the rain stopped, there was a rainbow in the sky.", "When the sun came back, they jumped in every puddle.",
                    "It was the best picnic they had ever had."]),
        closing(rng, h, f, "a rainy day can be a good day too"))
    return Story(text, h, "a rainy day", "")


def present(rng):
    """A birthday, no money, and a present made by hand."""
    h = hero(rng)
    kin, g = rng.choice(words.FAMILY)
    gift, stuff = rng.choice(words.GIFTS)
    she, her = ("she", "her") if g == "f" else ("he", "him")
    text = join(
        opening(rng, h), f"{day(rng)} it was the birthday of {h.his} {kin}. {h.name} wanted to give {her} something special, but {h.he} had no money.",
        f"{h.He} went to the market and looked at all the things, but everything cost too much.",
        says(rng, h.name, rng.choice(["What can I do?", "I cannot buy anything."])),
        f"Then {h.name} had an idea. {h.He} would make {gift}! All that it took was {stuff}.",
        rng.choice([f"{h.He} worked all day long.", f"It was hard, and {h.he} had to start again twice.", f"{h.He} worked quietly so that nobody would know."]),
        f"When it was done, {h.name} gave {gift.replace('a ', 'the ', 1)} to {h.his} {kin}. "
        + rng.choice([f'"This is the best present of all," said {h.his} {kin}, and {she} hugged {h.him}.',
                      f'"Did you make this yourself?" asked {h.his} {kin}. {h.name} nodded, and {h.his} {kin} smiled from ear to ear.']),
        closing(rng, h, None, "the best presents come from the heart"))
    return Story(text, h, f"a birthday and {gift}", gift.removeprefix("a "))


def learning(rng):
    """Something hard, failed at first, done in the end."""
    h = hero(rng)
    f = friend_of(rng, h)
    skill, done = rng.choice(words.SKILLS)
    text = join(
        opening(rng, h), f"More than anything, {h.name} wanted to learn to {skill}.",
        f"{day(rng)} {h.he} tried for the first time, but it went all wrong.",
        rng.choice([f"The others laughed, and {h.name} ran away.", f"{h.name} tried again, and it went wrong again.", f'"I will never learn it," said {h.name}.']),
        meets(rng, h, f), says(rng, h.name, f"I cannot {skill}."),
        says(rng, f.name, rng.choice(["I could not do it at first either.", "Nobody can do it the first time.", "Try a little every day."])),
        f"So {h.name} practised every {rng.choice(words.TIMES)}, and {f.name} {rng.choice(['helped', 'watched', 'cheered'])}.",
        rng.choice(["One week went by, and then another.", "Slowly it became easier.", "Sometimes it went well, and sometimes it did not."]),
        f"And one day {h.name} {done}! " + says(rng, h.name, "I did it!"),
        closing(rng, h, f, "hard things become easy when you do not give up"))
    return Story(text, h, f"learning to {skill}", "")


def honesty(rng):
    """The hero breaks or eats what is another's, hides it, then tells the truth."""
    h = hero(rng)
    f = friend_of(rng, h)
    food = rng.choice(["cake", "pie", "loaf of bread", "jar of honey", "bowl of soup", "plate of cookies", "bowl of berries"])
    out = rng.choice(words.SPOTS)
    text = join(
        opening(rng, h), f"{day(rng)} {h.name} saw a big {food} on the table of {h.his} friend {f.name} the {f.kind}. It smelled so good that {h.name} ate it all.",
        f"{h.He} hid the empty {'plate' if food in ('cake', 'pie', 'loaf of bread', 'plate of cookies') else 'jar' if food.startswith('jar') else 'bowl'} {out}.",
        f"When {f.name} came home, {f.he} looked everywhere. " + says(rng, f.name, f"Where is my {food}?"),
        rng.choice([f"{h.name} said nothing, but {h.his} tummy hurt.", f'"I do not know," said {h.name}, but {h.his} face turned red.']),
        f"All night {h.he} could not sleep. In the morning {h.he} went back. " + says(rng, h.name, "I ate it, and I am sorry."),
        rng.choice([f'"Thank you for telling me the truth," said {f.name}.', f'{f.name} was cross at first, but then {f.he} smiled. "It was brave of you to tell me," {f.he} said.']),
        "Together they made a new one, and this time they shared it.",
        closing(rng, h, f, "the truth makes the heart light"))
    return Story(text, h, "telling the truth", "")


def new_neighbour(rng):
    """Somebody new is shy; a small gift begins a friendship."""
    h = hero(rng)
    f = friend_of(rng, h)
    thing, food = rng.choice(words.THINGS), rng.choice(words.FOODS)
    text = join(
        opening(rng, h), f"{day(rng)} {a(f.kind)} named {f.name} moved in next door. {f.He} was shy and did not come out to play.",
        says(rng, h.name, "I wonder if I did something wrong."),
        f"{h.name} knocked on the door, but nobody answered. The next day {h.he} left some {food} at the door, and the day after that {h.he} left {a(thing)}.",
        "On the third day the door opened a little. " + says(rng, f.name, f"Did you bring me the {thing}?"),
        says(rng, h.name, rng.choice(["Yes, it is for you.", "Yes, I hoped that you would like it."])),
        f"{f.name} smiled for the first time. {says(rng, f.name, 'Would you like to come in?')} They played {rng.choice(words.GAMES)} until it was dark.",
        closing(rng, h, f, "a friend is worth waiting for"))
    return Story(text, h, f"a new neighbour and {a(thing)}", thing)


PLOTS = [lost, lost, blown_away, blown_away, broken, afraid, lost_baby, sharing, sharing, kindness, rain, present,
         learning, honesty, new_neighbour]


def story(rng):
    """A story with a plot picked at random."""
    return rng.choice(PLOTS)(rng)
