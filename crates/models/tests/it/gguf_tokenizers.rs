//! Tokens of texts by the tokenizers in GGUF files, compared with llama.cpp's.

use crate::fixture::path;
use hloom_io::gguf::{Gguf, Value};
use hloom_models::text::{Tokenizer, gguf_end_tokens};
use serde::Deserialize;
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// Lines of text, and the results of llama.cpp by file or pre-tokenizer.
#[derive(Deserialize)]
struct Expected {
    lines: Vec<String>,
    files: BTreeMap<String, FileTokens>,
}

#[derive(Clone, Deserialize)]
struct FileTokens {
    tokens: Vec<Vec<i64>>,
    ends: Vec<u32>,
    /// The tokens of the last line, with those that the model expects around a text.
    special: Option<Vec<i64>>,
}

/// The number of lines of a file that a failure shows.
const SHOWN: usize = 3;

/// Published vocabularies for which random lines have other tokens than llama.cpp's, for the reasons
/// that `hloom_models::text` lists, and the number of those among 10,049 lines.
const DIFFERENT: [(&str, usize); 12] = [
    ("aquila", 2),
    ("command-r", 1),
    ("deepseek-coder", 55),
    ("deepseek-llm", 55),
    ("falcon", 193),
    ("gpt-2", 1),
    ("llama-bpe", 3),
    ("phi-3", 16),
    ("qwen2", 1),
    ("qwen35", 1),
    ("refact", 1),
    ("starcoder", 1),
];

fn metadata(file: &Path) -> BTreeMap<String, Value> {
    Gguf::open(file).unwrap_or_else(|error| panic!("{error}")).metadata().clone()
}

/// The lines whose tokens differ, and the end tokens if they do.
fn differences(
    name: &str,
    metadata: &BTreeMap<String, Value>,
    lines: &[String],
    expected: &FileTokens,
    special: bool,
    allowed: usize,
) -> Vec<String> {
    let file = PathBuf::from(name);
    let tokenizer = match Tokenizer::from_gguf(metadata, &file) {
        Ok(tokenizer) => tokenizer,
        Err(error) => return vec![error.to_string()],
    };
    let (mut shown, mut count) = (Vec::new(), 0);
    let mut compare = |line: &str, special: bool, expected: &[i64]| {
        let found = tokenizer.encode(line, special);
        let found = found.map(|all| all.into_iter().map(i64::from).collect::<Vec<_>>());
        if found.as_deref().ok() != Some(expected) {
            count += 1;
            if shown.len() < SHOWN {
                shown.push(format!("{name}: {line:?}: {found:?}, not {expected:?}"));
            }
        }
    };
    for (line, expected) in lines.iter().zip(&expected.tokens) {
        compare(line, special, expected);
    }
    if let (Some(line), Some(expected)) = (lines.last(), &expected.special) {
        compare(line, true, expected);
    }
    if count <= allowed {
        shown.clear();
    } else {
        shown.push(format!("{name}: {count} of {} lines differ", lines.len()));
    }
    let mut ends = gguf_end_tokens(metadata, &file).unwrap_or_default();
    ends.sort_unstable();
    if ends != expected.ends {
        shown.push(format!("{name}: end tokens {ends:?}, not {:?}", expected.ends));
    }
    shown
}

#[test]
fn tokens_are_those_of_llama_cpp() {
    let folder = path("gguf_tokenizers");
    let expected = fs::read(folder.join("expected.json")).unwrap();
    let expected: Expected = serde_json::from_slice(&expected).unwrap();
    let mut failures = Vec::new();
    for (name, tokens) in &expected.files {
        let is_pieces = name.starts_with("pieces");
        let file = if is_pieces { "pieces.gguf" } else { "byte_pairs.gguf" };
        let mut metadata = metadata(&folder.join(file));
        // llama.cpp merges the written name of a byte to that byte.
        let is_byte = |line: &String| is_pieces && line.contains("<0x");
        let known = expected.lines.iter().zip(&tokens.tokens).filter(|(line, _)| !is_byte(line));
        let (lines, all): (Vec<_>, Vec<_>) =
            known.map(|(line, all)| (line.clone(), all.clone())).unzip();
        let tokens = FileTokens { tokens: all, ..tokens.clone() };
        if is_pieces && name != "pieces" {
            metadata.insert("tokenizer.ggml.add_space_prefix".into(), Value::Bool(false));
        }
        if !is_pieces {
            metadata.insert("tokenizer.ggml.pre".into(), Value::String(name.clone()));
        }
        failures.extend(differences(name, &metadata, &lines, &tokens, false, 0));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Vocabularies of published models, and the tokens that `tests/oracle/gguf_tokenizers.py compare`
/// wrote next to them. Those whose model is not read are refused by name.
#[test]
#[ignore = "needs the folder that tests/oracle/gguf_tokenizers.py writes: HLOOM_TEST_GGUF_VOCABS"]
fn tokens_of_published_vocabularies_are_those_of_llama_cpp() {
    let folder =
        std::env::var_os("HLOOM_TEST_GGUF_VOCABS").expect("HLOOM_TEST_GGUF_VOCABS names a folder");
    let folder = PathBuf::from(folder);
    let lines = fs::read(folder.join("lines.json")).unwrap();
    let lines: Vec<String> = serde_json::from_slice(&lines).unwrap();
    let (mut failures, mut compared) = (Vec::new(), 0);
    for file in fs::read_dir(&folder).unwrap() {
        let file = file.unwrap().path();
        if file.extension().is_none_or(|extension| extension != "gguf") {
            continue;
        }
        let metadata = metadata(&file);
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let model = metadata.get("tokenizer.ggml.model").and_then(Value::as_str);
        if !matches!(model, Some("gpt2" | "llama" | "gemma4")) {
            let error = Tokenizer::from_gguf(&metadata, &file).err().expect("another model");
            assert!(error.to_string().contains("tokenizer.ggml.model"), "{error}");
            continue;
        }
        let expected = fs::read(file.with_extension("json")).unwrap();
        let expected: FileTokens = serde_json::from_slice(&expected).unwrap();
        let stem = name.trim_start_matches("ggml-vocab-").trim_end_matches(".gguf");
        let allowed = DIFFERENT.iter().find(|(known, _)| *known == stem).map_or(0, |row| row.1);
        failures.extend(differences(&name, &metadata, &lines, &expected, true, allowed));
        compared += 1;
    }
    assert!(compared > 0, "there are vocabularies");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
