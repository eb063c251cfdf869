"""Chat templates over eight conversations, rendered by jinja2 with the settings of `transformers`.

    python templates.py                      # our own templates
    python templates.py --published FOLDER   # also the published ones, from `fetch_templates.py`

Reads `tests/fixtures/templates/own/*.jinja` and writes, under `tests/fixtures/templates`, `conversations.jsonl`
(the arguments of `apply_chat_template`), `own.json` (for each template a list of texts, or `{"error": message}`)
and `published.json`: by the SHA-256 of a template its name and, for each conversation, the SHA-256 of the text, or
`"error"`. The templates themselves are not ours to publish.

The environment is the one that `transformers.utils.chat_template_utils` compiles templates in; the clock is fixed.
"""

import argparse
import hashlib
import json
from datetime import datetime
from pathlib import Path

import jinja2.ext
from jinja2 import nodes
from jinja2.exceptions import TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "templates"
NOW = datetime(2026, 3, 5, 14, 7, 9)
TOKENS = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>"}

WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Current weather of a city – “now”.",
        "parameters": {
            "type": "object",
            "properties": {
                "city": {"type": "string", "description": "The city, e.g. Zürich <CH>"},
                "unit": {"type": "string", "enum": ["celsius", "fahrenheit"], "default": "celsius"},
                "days": {"type": "array", "items": {"type": "integer"}, "description": "Which days"},
                "at": {"type": ["number", "null"], "default": 1.5, "description": "Hour"},
            },
            "required": ["city"],
        },
        "return": {"type": "object", "description": "The weather"},
    },
}
PING = {"type": "function", "function": {"name": "ping", "description": "Answers.", "parameters": {"type": "object", "properties": {}}}}


def call(name, arguments, number="call00001"):
    return {"id": number, "type": "function", "function": {"name": name, "arguments": arguments}}


def turn(role, content, **more):
    return {"role": role, "content": content, **more}


QUESTION = turn("user", "What is the capital of France?")
CONVERSATIONS = [
    {"messages": [QUESTION], "add_generation_prompt": True},
    {"messages": [turn("system", " You are a pirate. Answer briefly.\n"), QUESTION, turn("assistant", "It is Paris."),
                  turn("user", "And of Italy?")], "add_generation_prompt": True},
    {"messages": [turn("system", "Use tools."), turn("user", "Weather in Bern?")], "tools": [WEATHER, PING],
     "add_generation_prompt": True},
    {"messages": [turn("user", "Weather in Bern?"),
                  turn("assistant", "", tool_calls=[call("get_weather", {"city": "Bern", "days": [1, 2], "at": None, "warm": True})]),
                  turn("tool", "{\"sky\": \"clear\", \"degrees\": 21.5}", name="get_weather", tool_call_id="call00001"),
                  turn("assistant", "Clear, 21.5°."), turn("user", "Thanks!")],
     "tools": [WEATHER], "add_generation_prompt": True},
    {"messages": [turn("user", "Who won?")], "documents": [{"title": "Race", "text": "Anna won."}, {"title": "Naïve", "text": "“Ben” lost."}],
     "add_generation_prompt": True},
    {"messages": [turn("user", "  Grüße, 世界 🌍 – “quotes” & <b>'tags'</b> {{ no }} \\n \"\\\"\u00a0\n\n"),
                  turn("assistant", "\n kept?\t "), turn("user", "naïve \u200b café")], "add_generation_prompt": True},
    {"messages": [turn("system", [{"type": "text", "text": "Be kind."}]),
                  turn("user", [{"type": "text", "text": "First part. "}, {"type": "text", "text": "Second: é"}]),
                  turn("assistant", [{"type": "text", "text": "Both read."}]),
                  turn("user", [{"type": "text", "text": "Good."}])], "add_generation_prompt": True},
    {"messages": [QUESTION, turn("assistant", "<think>\nEasy.\n</think>\n\nIt is Paris.", reasoning_content="Easy: <Paris>."),
                  turn("user", "Of Spain?"),
                  turn("assistant", None, tool_calls=[call("ping", "{}"), call("get_weather", "{\"city\": \"Madrid\"}", "call00002")]),
                  turn("tool", "pong", name="ping", tool_call_id="call00001"),
                  turn("tool", "hot", name="get_weather", tool_call_id="call00002"),
                  turn("assistant", "It is Madrid.", reasoning_content="")],
     "tools": [WEATHER, PING], "add_generation_prompt": False, "enable_thinking": False},
]


class Generation(jinja2.ext.Extension):
    """`{% generation %}`, which marks what the model wrote and prints its body."""

    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return nodes.CallBlock(self.call_method("_mark"), [], [], body).set_lineno(line)

    @jinja2.pass_eval_context
    def _mark(self, context, caller):
        return caller()


def environment():
    def raise_exception(message):
        raise TemplateError(message)

    def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
        return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)

    made = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[Generation, jinja2.ext.loopcontrols])
    made.filters["tojson"] = tojson
    made.globals["raise_exception"] = raise_exception
    made.globals["strftime_now"] = lambda form: NOW.strftime(form)
    return made


def outputs(source):
    """The text of each conversation, or `{"error": message}`."""
    found = []
    for conversation in CONVERSATIONS:
        # A template cannot change what the next conversation is rendered from.
        values = json.loads(json.dumps({"tools": None, "documents": None, **TOKENS, **conversation}))
        try:
            found.append(environment().from_string(source).render(**values))
        except Exception as error:
            found.append({"error": str(error)})
    return found


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


def write(name, value):
    (FIXTURES / name).write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n")


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--published", type=Path)
    arguments.add_argument("--texts", type=Path, help="a folder for the texts of the published templates")
    arguments = arguments.parse_args()
    lines = [json.dumps(conversation, ensure_ascii=False) + "\n" for conversation in CONVERSATIONS]
    (FIXTURES / "conversations.jsonl").write_text("".join(lines))
    own = {}
    for path in sorted((FIXTURES / "own").glob("*.jinja")):
        own[path.name] = outputs(path.read_bytes().decode())
    write("own.json", own)
    print(len(own), "templates of our own,", sum(isinstance(o, dict) for all in own.values() for o in all), "errors")
    if arguments.published:
        published = {}
        for path in sorted(arguments.published.glob("*.jinja")):
            source = path.read_bytes().decode()
            found = outputs(source)
            if arguments.texts:
                (arguments.texts / f"{path.stem}.json").write_text(json.dumps(found, ensure_ascii=False, indent=1))
            hashes = ["error" if isinstance(o, dict) else sha256(o) for o in found]
            published[sha256(source)] = {"name": path.name, "texts": hashes}
        write("published.json", published)
        print(len(published), "published templates")


if __name__ == "__main__":
    main()
