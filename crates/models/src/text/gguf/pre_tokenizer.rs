//! The ways in which texts are split into words before their pairs are merged, by the names that
//! files give them.
//!
//! Several patterns split one after another, each the pieces of the one before it. Matches and the
//! texts between them are words.

use super::metadata::{Metadata, quoted};
use crate::Result;

const KEY: &str = "tokenizer.ggml.pre";

/// A way to split texts, and what else its name decides.
pub(super) struct PreTokenizer {
    /// Names, of which the first is shown.
    names: &'static [&'static str],
    pub patterns: &'static [&'static str],
    /// The treatment of words.
    pub words: Words,
    /// Whether texts start with the start token where the file does not say so.
    pub starts: bool,
}

/// The treatment of words.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Words {
    /// Their bytes are written as characters, and pairs of these are merged.
    Merged,
    /// As `Merged`, but a word that is a token is that token.
    Whole,
    /// Spaces are written as `▁`, pairs of characters are merged, and what the vocabulary lacks is
    /// split into bytes.
    Characters,
}

macro_rules! contractions {
    () => {
        "(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])"
    };
}

/// The end of many patterns: marks after a space, line breaks, other white space.
macro_rules! spaces {
    () => {
        r"\s*[\r\n]+|\s+(?!\S)|\s+"
    };
}

/// Words with at most one mark before them, and numbers of a given length.
macro_rules! words {
    ($number:literal) => {
        concat!(
            contractions!(),
            r"|[^\r\n\p{L}\p{N}]?\p{L}+|",
            $number,
            r"| ?[^\s\p{L}\p{N}]+[\r\n]*|",
            spaces!()
        )
    };
}

/// Words that an upper-case letter of ASCII ends; `$upper` and `$lower` are classes of letters.
macro_rules! cased {
    ($upper:literal, $lower:literal, $contractions:expr, $number:literal) => {
        concat!(
            r"[^\r\n\p{L}\p{N}]?",
            $upper,
            "*",
            $lower,
            "+",
            $contractions,
            r"|[^\r\n\p{L}\p{N}]?",
            $upper,
            "+",
            $lower,
            "*",
            $contractions,
            "|",
            $number,
            r"| ?[^\s\p{L}\p{N}]+[\r\n/]*|",
            spaces!()
        )
    };
}

/// Words with their accents, without regard to case.
macro_rules! accented {
    ($number:literal) => {
        concat!(
            r"[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+",
            contractions!(),
            "?|",
            $number,
            r"| ?[^\s\p{L}\p{N}]+[\r\n/]*|",
            spaces!()
        )
    };
}

/// Words after a mark of ASCII, words with their accents, and runs of marks.
macro_rules! marks {
    ($end:expr) => {
        concat!(
            r##"[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+"##,
            r"|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+",
            $end
        )
    };
}

/// Letters with upper and lower case, of the scripts that have it.
macro_rules! letters {
    () => {
        concat!(
            "A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿǄ-ʓʕ-ʯͰ-ͳͶͷͻ-ͽͿΆΈ-ΊΌΎ-ΡΣ-ϵϷ-ҁҊ-ԯԱ-ՖႠ-ჅᎠ-Ᏽᏸ-ᏽᲐ-ᲺᲽ-Ჿᴀ-ᴫ",
            "ᵫ-ᵷᵹ-ᶚḀ-ἕἘ-Ἕἠ-ὅὈ-Ὅὐ-ὗὙὛὝὟ-ώᾀ-ᾴᾶ-ᾼιῂ-ῄῆ-ῌῐ-ΐῖ-Ίῠ-Ῥῲ-ῴῶ-ῼℂℇℊ-ℓℕℙ-ℝℤΩℨK-ℭ",
            "ℯ-ℴℹℼ-ℿⅅ-ⅉⅎↃↄⰀ-ⱻⱾ-ⳤⳫ-ⳮⳲⳳꙀ-ꙭꚀ-ꚛꜢ-ꝯꝱ-ꞇꞋ-ꞎꭰ-ꮿﬀ-ﬆﬓ-ﬗＡ-Ｚａ-ｚ𐐀-𐑏𐒰-𐓓𐓘-𐓻𐲀-𐲲𐳀-𐳲",
            "𑢠-𑣟𞤀-𞥃"
        )
    };
}

const GPT2: &str = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)";
const WORDS_1: &str = words!(r"\p{N}");
const WORDS_3: &str = words!(r"\p{N}{1,3}");
const LINES: &str = r"[^\n]+|[\n]+";
const SENTENCES: &str = r" ?[^(\s|.,!?\x{2026}\x{3002}\x{ff0c}\x{3001}\x{964}\x{6d4}\x{60c})]+";
const CHINESE_JAPANESE: &str = r"[\x{4e00}-\x{9fa5}\x{3040}-\x{309f}\x{30a0}-\x{30ff}]+";
/// Chinese, Korean and many others. White space is not a letter of any.
const EASTERN: &str = r"(?:(?!\s)[\x{800}-\x{9fa5}\x{ac00}-\x{d7ff}])+";
/// Digits in groups of three from the right; the first group takes along what comes before it.
const GROUPS: &str = r"\P{N}*\p{N}{1,3}(?=(?:\p{N}{3})*(?!\p{N}))";
const CASED: &str =
    cased!(r"[\p{L}&&[^a-z]]", r"[\p{L}&&[^A-Z]]", concat!(contractions!(), "?"), r"\p{N}{1,3}");

const KNOWN: &[PreTokenizer] = &[
    merged(&["default"], &[r"[\p{P}\$\+<=>\^~\|]+", GPT2, r"\p{N}+", "[0-9][0-9][0-9]"]),
    starting(
        &[
            "llama-bpe",
            "llama3",
            "llama-v3",
            "falcon3",
            "falcon-h1",
            "pixtral",
            "midm-2.0",
            "lfm2",
            "jina-v5-nano",
        ],
        &[WORDS_3],
    ),
    merged(&["dbrx", "smaug-bpe", "chatglm-bpe"], &[WORDS_3]),
    whole(&["glm4", "glm5"], &[WORDS_3]),
    merged(
        &["jais-2"],
        &[concat!(
            contractions!(),
            r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+",
            r"|\s{512}(?!\S)|\s{256}(?!\S)|\s{128}(?!\S)|\s{64}(?!\S)|\s{32}(?!\S)|\s{16}(?!\S)",
            r"|\s{8}(?!\S)|\s{4}(?!\S)|\s{1,2}(?!\S)|\s{1}"
        )],
    ),
    merged(
        &["deepseek-llm"],
        &[
            r"[\r\n]",
            concat!(r"\s?[", letters!(), "]+"),
            r"\s?[!-/:-~\x{ff01}-\x{ff0f}\x{ff1a}-\x{ff5e}\x{2018}-\x{201f}\x{3001}-\x{3002}]+",
            r"\s+$",
            EASTERN,
            r"\p{N}+",
        ],
    ),
    merged(&["deepseek-coder"], &[r"[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", EASTERN, r"\p{N}"]),
    merged(
        &["deepseek-v3", "hunyuan-dense", "joyai-llm", "hy_v4"],
        &[r"\p{N}{1,3}", CHINESE_JAPANESE, marks!(concat!(r"[\r\n]*|", spaces!()))],
    ),
    merged(
        &["spark2_5"],
        &[r"\p{N}{1,3}", CHINESE_JAPANESE, marks!(r"|[\r\n]|\s+(?!\S)|\s+"), r"\p{N}"],
    ),
    whole(
        &["youtu"],
        &[
            concat!(
                r"[\x{ac00}-\x{d7a3}\x{3131}-\x{318e}]+",
                r"|[\x{ff01}\x{2026}\x{201c}\x{201d}\x{2018}\x{2019}\x{2014}\x{ff1a}\x{ff1b}",
                r"\x{ff0c}\x{3001}-\x{303f}\x{fe30}-\x{fe4f}]+",
                r"|[\x{3105}-\x{312f}]+|[\x{4e00}-\x{9fa5}\x{3040}-\x{309f}\x{30a0}-\x{30ff}]+"
            ),
            accented!(r"\p{N}"),
        ],
    ),
    merged(&["falcon"], &[r"[\p{P}\$\+<=>\^~\|`]+", GPT2, "[0-9][0-9][0-9]"]),
    merged(
        &[
            "starcoder",
            "refact",
            "command-r",
            "smollm",
            "codeshell",
            "exaone",
            "minerva-7b",
            "mellum2",
        ],
        &[r"\p{N}", GPT2],
    ),
    merged(
        &[
            "gpt-2",
            "phi-2",
            "jina-es",
            "jina-de",
            "gigachat",
            "jina-v2-es",
            "jina-v2-de",
            "a.x-4.0",
            "mellum",
            "modern-bert",
            "jina-v1-en",
            "jina-v2-code",
            "roberta-bpe",
            "mpt",
            "olmo",
            "jais",
            "trillion",
            "granite-docling",
            "exaone4",
        ],
        &[GPT2],
    ),
    merged(
        &[
            "qwen2",
            "deepseek-r1-qwen",
            "kormo",
            "f2llmv2",
            "stablelm2",
            "hunyuan",
            "solar-open",
            "megrez",
            "grok-2",
        ],
        &[WORDS_1],
    ),
    merged(
        &["qwen35"],
        &[concat!(
            contractions!(),
            r"|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|",
            spaces!()
        )],
    ),
    merged(&["poro-chat", "bloom", "gpt3-finnish"], &[SENTENCES]),
    merged(&["viking"], &[SENTENCES, r"\p{N}"]),
    PreTokenizer {
        names: &["tekken"],
        patterns: &[cased!(r"[\p{L}&&[^a-z]]", r"[\p{L}&&[^A-Z]]", "", r"\p{N}")],
        words: Words::Whole,
        starts: true,
    },
    PreTokenizer {
        names: &["chameleon"],
        patterns: &[
            "<sentinel:[0-9]+>",
            "(IMGIMG)((A|B|C|D|E|F|G|H|I){1,4})Z",
            r"([\t\n]|    |  )",
            r"\p{N}",
            r"[\p{P}!-/:-@\[-`{-~]",
            GPT2,
        ],
        words: Words::Merged,
        starts: true,
    },
    merged(&["gpt-4o", "llama4", "kanana2", "talkie", "minimax-m2"], &[CASED]),
    whole(
        &["granite-embed-multi-97m"],
        &[cased!(
            r"[[\p{L}\p{M}]&&[^a-z]]",
            r"[[\p{L}\p{M}]&&[^A-Z]]",
            concat!(contractions!(), "?"),
            r"\p{N}{1,3}"
        )],
    ),
    merged(&["tiny_aya", "cohere2moe"], &[GROUPS, accented!(r"\p{N}{1,3}")]),
    merged(&["superbpe"], &[r"\p{N}+", "(?=([0-9]{3})+(?![0-9]))"]),
    merged(
        &["bailingmoe", "bailingmoe2", "llada-moe"],
        &[concat!(
            "'(?:[sSdDmMtT]|[lL][lL]|[vV][eE]|[rR][eE])",
            r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*",
            r"|\s*[\r\n]|\s+(?!\S)|\s+"
        )],
    ),
    merged(
        &["seed-coder"],
        &[concat!(
            contractions!(),
            r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}\r\n]+|",
            spaces!()
        )],
    ),
    merged(
        &["ufakzeka"],
        &[concat!(r"[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|", spaces!())],
    ),
    merged(
        &["afmoe"],
        &[
            GROUPS,
            concat!(
                r"[\x{4e00}-\x{9fff}\x{3400}-\x{4dbf}\x{8c48}-\x{faff}\x{3040}-\x{309f}",
                r"\x{30a0}-\x{30ff}\x{ff65}-\x{ff9f}\x{2f00}-\x{2fdf}\x{e40}-\x{e7f}",
                r"\x{e80}-\x{eff}\x{1780}-\x{17ff}\x{1000}-\x{109f}\x{aa60}-\x{aa7f}",
                r"\x{a9e0}-\x{a9ff}\x{ac00}-\x{d7af}\x{1100}-\x{11ff}]+"
            ),
            marks!(concat!(r"[\r\n]*|", spaces!())),
        ],
    ),
    merged(&["laguna"], &[LINES, WORDS_1]),
    whole(&["minicpm5"], &[r"\p{N}{1,3}", words!(r"\p{N}+")]),
    PreTokenizer {
        names: &["gemma4", "granite-embed-multi-311m"],
        patterns: &[LINES],
        words: Words::Characters,
        starts: true,
    },
    PreTokenizer {
        names: &["sarvam-moe"],
        patterns: &[LINES],
        words: Words::Characters,
        starts: false,
    },
];

const fn merged(names: &'static [&'static str], patterns: &'static [&'static str]) -> PreTokenizer {
    PreTokenizer { names, patterns, words: Words::Merged, starts: false }
}

const fn whole(names: &'static [&'static str], patterns: &'static [&'static str]) -> PreTokenizer {
    PreTokenizer { names, patterns, words: Words::Whole, starts: false }
}

const fn starting(
    names: &'static [&'static str],
    patterns: &'static [&'static str],
) -> PreTokenizer {
    PreTokenizer { names, patterns, words: Words::Whole, starts: true }
}

/// The way to split texts that a file names.
///
/// # Errors
/// The name is not known.
pub(super) fn read(metadata: Metadata) -> Result<&'static PreTokenizer> {
    let name = match metadata.text(KEY)? {
        None | Some("") => "default",
        Some(name) => name,
    };
    named(name).ok_or_else(|| {
        let names: Vec<&str> = KNOWN.iter().flat_map(|known| known.names).copied().collect();
        metadata.error(format!("`{KEY}` is {}; expected one of {}", quoted(name), names.join(", ")))
    })
}

/// The way to split texts with this name.
pub(super) fn named(name: &str) -> Option<&'static PreTokenizer> {
    KNOWN.iter().find(|known| known.names.contains(&name))
}
