"""What the model is trained on: bare stories, and conversations that ask for one."""

import string

import plots
import words
from characters import a

BOS, EOS, USER, ASSISTANT = "<|begin|>", "<|end|>", "<|user|>", "<|assistant|>"
SPECIAL = [BOS, EOS, USER, ASSISTANT]

# The turns as `train.py` writes them and as the tokenizer's chat template renders them.
CHAT_TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}"
    "{% if message['role'] == 'user' %}{{ '<|user|>' + message['content'] | trim + eos_token }}"
    "{% elif message['role'] == 'assistant' %}{{ '<|assistant|>' + message['content'] | trim + eos_token }}"
    "{% else %}{{ raise_exception('the story model knows the roles user and assistant, not ' + message['role']) }}"
    "{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}"
)

SMALL_TALK = [
    (["Hello", "Hello!", "Hi", "Hi!", "Hi there!", "Good morning!", "Good evening!", "hey"],
     "Hello! Would you like to hear a story?"),
    (["Thank you!", "Thanks!", "That was lovely.", "Good story!", "I liked it.", "thank you", "Nice!"],
     "I am glad that you liked it. Would you like to hear another story?"),
    (["Who are you?", "What are you?", "What can you do?", "What is your name?", "Help"],
     "I am a very small storyteller. Ask me for a story about somebody or something."),
    (["Goodbye!", "Bye", "Good night!", "No, thank you.", "No"], "Good night, and sweet dreams!"),
]
AGREE = ["Yes", "Yes, please.", "Yes please!", "yes", "Sure.", "OK", "Of course!", "Please do."]
MORE = ["Another one, please.", "Tell me another story.", "Again!", "One more!", "More", "Another"]
# Questions that a storyteller cannot answer; the reply says so and tells a story.
STRAY = ["What is the weather like in {}?", "How far is it to {}?", "Write a program in {}.", "What is {}?",
         "Explain {} to me.", "Translate {} into French.", "Why is {} so big?", "{}", "{}?", "How do I cook {}?"]


def request(rng, s):
    """A request that the story `s` answers, in one of many wordings."""
    h = s.hero
    about = [a(h.kind), a(f"{h.trait} {h.kind}"), f"{a(h.kind)} named {h.name}", h.name,
             f"{h.name} the {h.kind}", s.subject, f"{a(h.kind)} and {s.subject}"]
    if s.thing:
        about += [a(s.thing), f"{a(h.kind)} and {a(s.thing)}", f"{h.name} and {a(s.thing)}"]
    what = rng.choice(about)
    ask = rng.choice(["Tell me a story about {}.", "Tell me a story about {}", "tell me a story about {}",
                      "Please tell me a story about {}.", "Write a story about {}.", "Write a short story about {}.",
                      "A story about {}, please.", "I would like a story about {}.", "Can you tell me a story about {}?",
                      "Story about {}", "{}", "What about {}?"])
    return ask.format(what)


def beginning(rng, s):
    """The first words of the story `s`."""
    all_words = s.text.split()
    return " ".join(all_words[: rng.choice([4, 4, 4, 4, 5, 6, 8, 10, 14])])


def gibberish(rng):
    """A word nobody has taught the model."""
    return "".join(rng.choice(string.ascii_letters + string.digits) for _ in range(rng.randint(2, 9)))


def turn(rng, first):
    """What the user says and what the storyteller answers."""
    s = plots.story(rng)
    draw = rng.random()
    if draw < 0.45:
        return request(rng, s), s.text
    if draw < 0.60:
        return beginning(rng, s), s.text
    if draw < 0.75:
        ask = ["Tell me a story.", "Tell me a story", "A story, please.", "Write a story.", "story", "Once upon a time"]
        return rng.choice(ask if first else MORE), s.text
    if draw < 0.85:
        asked, answer = rng.choice(SMALL_TALK)
        return rng.choice(asked), answer
    if draw < 0.93:
        thing = rng.choice([gibberish(rng), rng.choice(words.THINGS), rng.choice(words.FOODS), f"{rng.randint(0, 999)} + {rng.randint(0, 99)}"])
        return rng.choice(STRAY).format(thing), f"I only know little stories. Here is one for you. {s.text}"
    return rng.choice(AGREE), s.text


def bare(rng):
    """A story with nothing before it."""
    return [(BOS, False), (plots.story(rng).text + EOS, True)]


def conversation(rng, turns):
    """Turns one after another."""
    parts = [(BOS, False)]
    for i in range(turns):
        asked, answer = turn(rng, i == 0)
        parts += [(USER + asked + EOS + ASSISTANT, False), (answer + EOS, True)]
    return parts


def single(rng):
    """A bare story or one turn, as parts with a mark on what is learnt."""
    return bare(rng) if rng.random() < 0.5 else conversation(rng, 1)


def document(rng):
    """A bare story or a conversation of up to three turns, in the same form."""
    return bare(rng) if rng.random() < 0.4 else conversation(rng, rng.choice([1, 1, 2, 3]))
