//! The files next to `tokenizer.json`: fields that change the tokens of texts have to agree with
//! it, others are without effect.

use crate::fixture::path;
use hloom_models::{
    ModelFolder,
    bert::Embedder,
    text::{ChatTemplate, Tokenizer},
};
use hloom_test_support::CPU_BY_TEST as CPU;
use serde_json::{Value, json};
use std::{fs, path::Path};
use tempfile::TempDir;

/// A folder with a tokenizer of words and these parts of it, and other files.
fn folder(parts: &Value, files: &[(&str, Value)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut tokenizer = json!({
        "version": "1.0", "truncation": null, "padding": null, "normalizer": null,
        "pre_tokenizer": {"type": "WhitespaceSplit"}, "post_processor": null, "decoder": null,
        "added_tokens": [
            {"id": 3, "content": "<s>", "single_word": false, "lstrip": false, "rstrip": false,
             "normalized": false, "special": true}],
        "model": {"type": "WordLevel", "unk_token": "?",
                  "vocab": {"?": 0, "a": 1, "b": 2, "<s>": 3, "</s>": 4}},
    });
    for (name, part) in parts.as_object().unwrap() {
        tokenizer[name] = part.clone();
    }
    write(folder.path(), "config.json", "{}");
    write(folder.path(), "tokenizer.json", &tokenizer.to_string());
    for (name, value) in files {
        write(folder.path(), name, &value.to_string());
    }
    folder
}

fn write(folder: &Path, name: &str, text: &str) {
    fs::write(folder.join(name), text).unwrap();
}

fn open(parts: &Value, config: &Value) -> Result<Tokenizer, String> {
    let folder = folder(parts, &[("tokenizer_config.json", config.clone())]);
    opened(folder.path())
}

fn opened(folder: &Path) -> Result<Tokenizer, String> {
    Tokenizer::open(&ModelFolder::open(folder).unwrap()).map_err(|error| error.to_string())
}

fn bert(lowercase: bool, strip_accents: Option<bool>) -> Value {
    json!({"normalizer": {"type": "BertNormalizer", "clean_text": true,
        "handle_chinese_chars": true, "strip_accents": strip_accents, "lowercase": lowercase}})
}

fn prefixed(is_prefixed: bool) -> Value {
    json!({"pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": is_prefixed,
        "trim_offsets": true, "use_regex": true}})
}

fn begun() -> Value {
    json!({"post_processor": {"type": "TemplateProcessing",
        "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}},
                   {"Sequence": {"id": "A", "type_id": 0}}],
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
        "special_tokens": {"<s>": {"id": "<s>", "ids": [3], "tokens": ["<s>"]}}}})
}

fn metaspace(scheme: &str) -> Value {
    json!({"pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": scheme,
        "split": true}})
}

#[test]
fn fields_that_disagree_with_the_tokenizer_are_refused() {
    let plain = json!({});
    for (parts, config, part) in [
        (
            &bert(true, None),
            json!({"do_lower_case": false}),
            "`do_lower_case` is false; it is true",
        ),
        (
            &bert(false, None),
            json!({"do_lower_case": true}),
            "`do_lower_case` is true; it is false",
        ),
        (&bert(true, None), json!({"strip_accents": false}), "`strip_accents` is false"),
        (&bert(false, Some(true)), json!({"strip_accents": false}), "`strip_accents` is false"),
        (&bert(true, None), json!({"tokenize_chinese_chars": false}), "`tokenize_chinese_chars`"),
        (&prefixed(false), json!({"add_prefix_space": true}), "`add_prefix_space` is true"),
        (&prefixed(true), json!({"add_prefix_space": false}), "`add_prefix_space` is false"),
        (&metaspace("never"), json!({"add_prefix_space": true}), "`add_prefix_space` is true"),
        (&metaspace("first"), json!({"add_prefix_space": false}), "`add_prefix_space` is false"),
        (&plain, json!({"split_special_tokens": true}), "`split_special_tokens` is true"),
        (&plain, json!({"fix_mistral_regex": true}), "`fix_mistral_regex` is true"),
        (&plain, json!({"truncation_side": "middle"}), "expected `left` or `right`"),
        (
            &plain,
            json!({"added_tokens_decoder": {"3": {"content": "<s>"}, "9": {"content": "<new>"}}}),
            "it adds tokens that are not in `tokenizer.json`, by which texts are encoded: \
             \"<new>\" as 9",
        ),
        (
            &plain,
            json!({"added_tokens_decoder": {"4": {"content": "<s>"}}}),
            "\"<s>\" as 4, which is 3 there",
        ),
        (&plain, json!({"added_tokens_decoder": {"x": {}}}), "expected tokens with a `content`"),
        (&bert(true, None), json!({"do_lower_case": "yes"}), "`do_lower_case` is \"yes\""),
        (&plain, json!([1]), "an object with the model's fields is expected"),
    ] {
        let error = open(parts, &config).err().unwrap_or_else(|| panic!("{config} is accepted"));
        assert!(error.contains("tokenizer_config.json: ") && error.contains(part), "{error}");
    }
    let added = [("added_tokens.json", json!({"<s>": 3, "<new>": 5}))];
    let error = opened(folder(&plain, &added).path()).err().expect("it is refused");
    assert!(error.contains("added_tokens.json: ") && error.contains("\"<new>\" as 5"), "{error}");
}

/// Configurations as the classes of `transformers` write them.
#[test]
fn fields_that_agree_or_have_no_effect_are_accepted() {
    for (parts, config) in [
        (
            bert(true, None),
            json!({"do_lower_case": true, "strip_accents": null, "tokenize_chinese_chars": true,
            "do_basic_tokenize": true, "never_split": null, "model_max_length": 512,
            "tokenizer_class": "BertTokenizer", "cls_token": "[CLS]", "mask_token": "[MASK]"}),
        ),
        (bert(false, Some(false)), json!({"do_lower_case": false, "strip_accents": false})),
        (json!({}), json!({"do_lower_case": true, "keep_accents": false})),
        (
            prefixed(false),
            json!({"add_prefix_space": false, "errors": "replace", "trim_offsets": true,
            "tokenizer_class": "RobertaTokenizer"}),
        ),
        (
            begun(),
            json!({"add_bos_token": true, "add_eos_token": false, "bos_token": "<s>",
            "eos_token": "</s>", "legacy": false, "sp_model_kwargs": {}, "padding_side": "left",
            "added_tokens_decoder": {"3": {"content": "<s>", "special": true}},
            "additional_special_tokens": [], "clean_up_tokenization_spaces": true,
            "spaces_between_special_tokens": false, "use_default_system_prompt": false,
            "model_max_length": 1e30, "tokenizer_class": "LlamaTokenizer"}),
        ),
        // The `tokenizer.json` adds the tokens at both ends.
        (begun(), json!({"bos_token": "<s>", "add_bos_token": false})),
        (json!({}), json!({"eos_token": "</s>", "add_eos_token": true})),
        (json!({}), json!({"bos_token": null, "split_special_tokens": false})),
        (metaspace("first"), json!({"add_prefix_space": true})),
        (json!({}), json!({"some_new_field": 7, "extra_special_tokens": {"image": "<image>"}})),
    ] {
        let error = open(&parts, &config).err();
        assert_eq!(error, None, "{config}");
    }
    let added = [("added_tokens.json", json!({"<s>": 3}))];
    assert!(opened(folder(&json!({}), &added).path()).is_ok());
}

#[test]
fn texts_are_truncated_at_the_side_that_is_named() {
    for (side, expected) in [("left", [2, 1]), ("right", [1, 2])] {
        let mut tokenizer = open(&json!({}), &json!({"truncation_side": side})).unwrap();
        tokenizer.truncate(2).unwrap();
        assert_eq!(tokenizer.encode("a b b a", false).unwrap(), expected);
    }
}

#[test]
fn the_limit_of_a_tokenizer_is_that_of_an_encoder_without_one_of_its_own() {
    for (limit, own, expected) in [
        (json!(6), None, Some(6)),
        (json!(1e30), None, None),
        (json!(6), Some(5), Some(5)),
        (json!(null), None, None),
    ] {
        let folder = tempfile::tempdir().unwrap();
        for file in ["config.json", "model.safetensors"] {
            fs::copy(path("bert/full_length").join(file), folder.path().join(file)).unwrap();
        }
        let config = json!({"model_max_length": limit}).to_string();
        write(folder.path(), "tokenizer_config.json", &config);
        if let Some(own) = own {
            let config = json!({"max_seq_length": own}).to_string();
            write(folder.path(), "sentence_bert_config.json", &config);
        }
        let embedder = Embedder::open(&CPU, &ModelFolder::open(folder.path()).unwrap()).unwrap();
        assert_eq!(embedder.head().max_tokens, expected, "{limit}");
    }
}

#[test]
fn templates_and_configurations_of_other_kinds_are_named() {
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n";
    let page = "<!DOCTYPE html><html><body>Not found</body></html>";
    for (text, kind) in [(pointer, "a pointer of Git LFS"), (page, "an HTML page")] {
        for (file, start) in [
            ("tokenizer_config.json", "not JSON, but "),
            ("chat_template.jinja", "not a template, but "),
        ] {
            let folder = folder(&json!({}), &[]);
            write(folder.path(), file, text);
            let model = ModelFolder::open(folder.path()).unwrap();
            let error = ChatTemplate::open(&model).expect_err("it is refused").to_string();
            assert!(error.contains(file) && error.contains(&format!("{start}{kind}")), "{error}");
            let file = folder.path().join(file);
            let error = ChatTemplate::from_file(&file, &model).expect_err("it is refused");
            assert!(error.to_string().contains(kind), "{error}");
        }
    }
    let error = ChatTemplate::parse_config("[1]", Path::new("tokenizer_config.json"));
    let error = error.expect_err("it is refused").to_string();
    assert!(error.contains("an object with the tokenizer's fields is expected"), "{error}");
}
