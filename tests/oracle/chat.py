"""Chat templates and their expected text, by the Jinja of `transformers`.

The templates are written here from the documented prompt formats of Llama 3, Llama 3.1, Mistral, Qwen 2.5,
Qwen 3 and SmolLM2, with the Jinja features that templates on the hub use. Writes
`tests/fixtures/chat/<name>/`: `tokenizer_config.json`, `messages.json` (cases with `messages` and
`add_generation_prompt`) and `expected.json` (for each case the text, or `{"error": message}`).
"""

import shutil
from pathlib import Path

from jinja2.exceptions import TemplateError
from tokenizers import AddedToken, Tokenizer, models
from transformers import PreTrainedTokenizerFast

from checkpoint import write_json

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "chat"

LLAMA3 = """\
{%- for message in messages %}
    {%- set header = '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n' %}
    {%- set content = header + message['content'] | trim + '<|eot_id|>' %}
    {%- if loop.index0 == 0 %}
        {%- set content = bos_token + content %}
    {%- endif %}
    {{- content }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}
{%- endif %}"""

LLAMA31 = """\
{{- bos_token }}
{%- if not date_string is defined %}
    {%- set date_string = "26 Jul 2024" %}
{%- endif %}
{#- The system block is always there: it carries the dates. #}
{%- if messages[0]['role'] == 'system' %}
    {%- set instructions = messages[0]['content'] | trim %}
    {%- set rest = messages[1:] %}
{%- else %}
    {%- set instructions = "" %}
    {%- set rest = messages %}
{%- endif %}
{{- "<|start_header_id|>system<|end_header_id|>\\n\\n" }}
{%- if tools is defined and tools is not none %}
    {{- "Environment: ipython\\n" }}
{%- endif %}
{{- "Cutting Knowledge Date: December 2023\\n" }}
{{- "Today Date: " + date_string + "\\n\\n" }}
{{- instructions }}
{{- "<|eot_id|>" }}
{%- for message in rest %}
    {%- if message.role in ['user', 'assistant'] %}
        {{- '<|start_header_id|>' ~ message.role ~ '<|end_header_id|>\\n\\n' ~ (message.content | trim) ~ '<|eot_id|>' }}
    {%- else %}
        {{- raise_exception("Unsupported role: " ~ message.role) }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}
{%- endif %}"""

MISTRAL = """\
{%- if messages[0]["role"] == "system" %}
    {%- set system_message = messages[0]["content"] %}
    {%- set turns = messages[1:] %}
{%- else %}
    {%- set turns = messages %}
{%- endif %}
{{- bos_token }}
{%- for message in turns %}
    {%- if (message["role"] == "user") != (loop.index0 % 2 == 0) %}
        {{- raise_exception("Conversation roles must alternate user/assistant/user/assistant/...") }}
    {%- endif %}
    {%- if message["role"] == "user" %}
        {%- if loop.last and system_message is defined %}
            {{- "[INST] " + system_message + "\\n\\n" + message["content"] + "[/INST]" }}
        {%- else %}
            {{- "[INST] " + message["content"] + "[/INST]" }}
        {%- endif %}
    {%- elif message["role"] == "assistant" %}
        {{- " " + message["content"] | trim + eos_token }}
    {%- else %}
        {{- raise_exception("Only user, assistant and system roles are supported") }}
    {%- endif %}
{%- endfor %}"""

# The default system line is used where the conversation has none.
QWEN25 = """\
{%- macro turn(role, content) %}
    {{- '<|im_start|>' ~ role ~ '\\n' ~ content ~ '<|im_end|>\\n' }}
{%- endmacro %}
{%- if not messages or messages[0].role != 'system' %}
    {{- turn('system', 'You are a helpful assistant.') }}
{%- endif %}
{%- for m in messages if m.role in ('system', 'user') or (m.role == 'assistant' and not m.tool_calls) %}
    {{- turn(m.role, m.content) }}
{%- endfor %}
{{- '<|im_start|>assistant\\n' if add_generation_prompt else '' }}"""

# Thoughts are kept only in answers to the last question.
QWEN3 = """\
{%- set state = namespace(question=-1) %}
{%- for m in messages[::-1] %}
    {%- if state.question < 0 and m['role'] == 'user' and m['content'] is string and not m['content'].startswith('<tool_response>') %}
        {%- set state.question = loop.revindex0 %}
    {%- endif %}
{%- endfor %}
{%- for m in messages %}
    {%- set parts = m['content'].split('</think>') %}
    {%- if m['role'] == 'assistant' %}
        {%- set answer = parts[-1].lstrip('\\n') %}
        {%- set thought = (parts[0].split('<think>') | last).strip('\\n') if parts | length > 1 else '' %}
        {{- '<|im_start|>assistant\\n' }}
        {%- if loop.index0 > state.question and (thought or loop.last) %}
            {{- '<think>\\n' ~ thought ~ '\\n</think>\\n\\n' }}
        {%- endif %}
        {{- (answer if parts | length > 1 else m['content']) ~ '<|im_end|>\\n' }}
    {%- elif m['role'] in ['system', 'user'] %}
        {{- '<|im_start|>%s\\n%s<|im_end|>\\n' | format(m['role'], m['content']) }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
    {%- if enable_thinking is defined and not enable_thinking %}
        {{- '<think>\\n\\n</think>\\n\\n' }}
    {%- endif %}
{%- endif %}"""

# On one line and without whitespace control; line ends are written out within the strings.
SMOLLM2 = (
    "{% set who = 'You are a helpful AI assistant named SmolLM, trained by Hugging Face' %}"
    "{% set given = messages | selectattr('role', 'equalto', 'system') | list %}"
    "{% if given | length == 0 %}<|im_start|>system\n{{ who }}<|im_end|>\n{% endif %}"
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>{{ '\n' }}{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant{{ '\n' }}{% endif %}"
)

# Lines of their own for every tag: right only with trim_blocks and lstrip_blocks, as the hub's renderer sets them.
BLOCKS = """\
{% for message in messages %}
    {% if message.role == 'user' %}
### Question
{{ message.content | upper if loop.first else message.content }}
    {% elif message.role == 'assistant' %}
### Answer
{{ message.content }}{{ eos_token }}
    {% else %}
        {% continue %}
    {% endif %}
{% endfor %}
{% if add_generation_prompt %}
### Answer
{% endif %}
{{ messages | map(attribute='role') | join(', ') }} {{ {'turns': messages | length, 'é': [1, true, none]} | tojson }}
{{ strftime_now('%d %b %Y') | length }}
"""


def added(text):
    """A special token in the long form that many folders have."""
    return {"__type": "AddedToken", "content": text, "lstrip": False, "normalized": False, "rstrip": False, "single_word": False}


TEMPLATES = {
    "llama3": {"bos_token": "<|begin_of_text|>", "eos_token": "<|eot_id|>", "chat_template": LLAMA3},
    "llama3.1": {"bos_token": "<|begin_of_text|>", "eos_token": "<|eot_id|>", "chat_template": LLAMA31},
    "mistral": {"bos_token": added("<s>"), "eos_token": added("</s>"), "unk_token": added("<unk>"), "chat_template": MISTRAL},
    "qwen2.5": {"bos_token": None, "eos_token": "<|im_end|>", "chat_template": QWEN25},
    "qwen3": {"bos_token": None, "eos_token": "<|im_end|>", "chat_template": QWEN3},
    "smollm2": {"bos_token": "<|im_start|>", "eos_token": "<|im_end|>", "chat_template": SMOLLM2},
    # Several templates by name: the one called "default" is used.
    "named": {"bos_token": "<s>", "eos_token": "</s>", "chat_template": [
        {"name": "tool_use", "template": "not this one"}, {"name": "default", "template": LLAMA3}]},
    "blocks": {"bos_token": "<s>", "eos_token": "</s>", "chat_template": BLOCKS},
}

USER = {"role": "user", "content": "What is the capital of France?"}
ANSWER = {"role": "assistant", "content": "It is Paris."}
SYSTEM = {"role": "system", "content": "You are a pirate. Answer briefly."}
AGAIN = {"role": "user", "content": "And of Italy?"}
CASES = [
    ("user", [USER], True),
    ("system", [SYSTEM, USER], True),
    ("history", [USER, ANSWER, AGAIN], True),
    ("system_history", [SYSTEM, USER, ANSWER, AGAIN], True),
    ("answered", [USER, ANSWER], False),
    ("no_generation_prompt", [SYSTEM, USER], False),
    ("whitespace", [{"role": "user", "content": "  two spaces, a line\n\nand a tab\t \n"}, {"role": "assistant", "content": "\n kept?  "}, AGAIN], True),
    ("unicode", [{"role": "user", "content": "Grüße, 世界 🌍 – “quotes” & <b>'tags'</b> {{ not jinja }} \\n \"\\\""}], True),
    ("empty", [{"role": "user", "content": ""}], True),
    ("thoughts", [USER, {"role": "assistant", "content": "<think>\nEasy.\n</think>\n\nIt is Paris."}, AGAIN,
                  {"role": "assistant", "content": "<think>\nAlso easy.\n</think>\n\nIt is Rome."}], False),
    ("answer_first", [ANSWER, USER], True),
    ("two_users", [USER, AGAIN], True),
    ("unknown_role", [USER, {"role": "critic", "content": "Hm."}], True),
]


def tokenizer(config):
    """A tokenizer with only a template and special tokens."""
    special = {k: AddedToken(v["content"], special=True) if isinstance(v, dict) else v
               for k, v in config.items() if k.endswith("_token") and v is not None}
    template = config["chat_template"]
    if isinstance(template, list):
        template = {t["name"]: t["template"] for t in template}
    return PreTrainedTokenizerFast(tokenizer_object=Tokenizer(models.WordLevel({"<unk>": 0}, unk_token="<unk>")),
                                   chat_template=template, **special)


def main():
    for name, config in TEMPLATES.items():
        folder = FIXTURES / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        renderer, expected = tokenizer(config), {}
        for case, messages, prompt in CASES:
            try:
                expected[case] = renderer.apply_chat_template(messages, tokenize=False, add_generation_prompt=prompt)
            except TemplateError as error:
                expected[case] = {"error": str(error)}
        write_json(folder / "tokenizer_config.json", config)
        write_json(folder / "messages.json", [{"name": c, "messages": m, "add_generation_prompt": p} for c, m, p in CASES])
        write_json(folder / "expected.json", expected)
        print(name, sum(isinstance(e, dict) for e in expected.values()), "errors of", len(expected))


if __name__ == "__main__":
    main()
