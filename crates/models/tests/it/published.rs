//! Folders in the styles of published models: their files next to the weights are read, or refused
//! by the name of the field.

use crate::fixture::{distance, path, platform};
use hloom_graph::DType;
use hloom_io::Checkpoint;
use hloom_models::{
    ModelFolder,
    bert::{Embedder, Pooling, Segment},
    llama::{Config, Dtype, Generator, Llama, Options},
    lora::{AdapterFolder, Lora},
    text::Tokenizer,
    whisper::Audio,
};
use hloom_runtime::Buffer;
use hloom_test_support::CPU_BY_TEST as CPU;
use serde_json::{Value, json};
use std::{fs, path::Path};
use tempfile::TempDir;

/// Files of a folder, where the fields of a `config.json` are added to those of the model.
type Files = Vec<(&'static str, Value)>;

/// A copy of a model with other files.
fn folder(case: &str, files: &Files) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for file in ["config.json", "model.safetensors"] {
        fs::copy(path(case).join(file), folder.path().join(file)).unwrap();
    }
    for (name, value) in files {
        let file = folder.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        let mut written = value.clone();
        if *name == "config.json" {
            written = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
            for (field, value) in value.as_object().unwrap() {
                written[field] = value.clone();
            }
        }
        fs::write(file, written.to_string()).unwrap();
    }
    folder
}

/// `modules.json` with these modules.
fn modules(names: &[&str]) -> Value {
    let module = |(at, name): (usize, &&str)| {
        let path = if at == 0 { String::new() } else { format!("{at}_{name}") };
        json!({"idx": at, "name": at.to_string(), "path": path,
               "type": format!("sentence_transformers.models.{name}")})
    };
    names.iter().enumerate().map(module).collect()
}

/// A pooling's configuration with this way of pooling.
fn pooling(chosen: &str) -> Value {
    let ways = ["cls_token", "mean_tokens", "max_tokens", "mean_sqrt_len_tokens", "lasttoken"];
    let mut fields = json!({"word_embedding_dimension": null, "include_prompt": true,
                            "pooling_mode_weightedmean_tokens": false});
    for way in ways {
        fields[format!("pooling_mode_{way}")] = json!(way == chosen);
    }
    fields
}

const POOLING: &str = "1_Pooling/config.json";

fn open_encoder(files: &Files) -> Result<Embedder, String> {
    let folder = folder("bert/full_length", files);
    Embedder::open(&platform(), &ModelFolder::open(folder.path()).unwrap())
        .map_err(|error| error.to_string())
}

#[test]
fn texts_are_pooled_as_the_folder_describes() {
    let expected = Checkpoint::open(path("bert/full_length").join("expected.safetensors")).unwrap();
    let all = |name: &str| expected.get(name).unwrap();
    let (batch, length) =
        (all("input_ids").shape().sizes()[0], all("input_ids").shape().sizes()[1]);
    let ids = all("input_ids").to_vec::<i64>().unwrap();
    let mask = all("attention_mask").to_vec::<i64>().unwrap();
    let types = all("token_type_ids").to_vec::<i64>().unwrap();
    let hidden = all("hidden").to_vec::<f64>().unwrap();
    let size = hidden.len() / (batch * length);
    let texts: Vec<Segment> = (0..batch)
        .map(|text| {
            let kept = mask[text * length..][..length].iter().sum::<i64>() as usize;
            let part = |all: &[i64]| -> Vec<u32> {
                all[text * length..][..kept].iter().map(|&x| x as u32).collect()
            };
            Segment { tokens: part(&ids), types: part(&types) }
        })
        .collect();
    for (name, way) in [
        ("cls_token", Pooling::Cls),
        ("mean_tokens", Pooling::Mean),
        ("max_tokens", Pooling::Max),
        ("mean_sqrt_len_tokens", Pooling::MeanSqrtLen),
        ("lasttoken", Pooling::LastToken),
    ] {
        for normalize in [false, true] {
            let mut names = vec!["Transformer", "Pooling"];
            names.extend(normalize.then_some("Normalize"));
            let files = vec![("modules.json", modules(&names)), (POOLING, pooling(name))];
            let embedder = open_encoder(&files).unwrap();
            assert_eq!((embedder.head().pooling, embedder.head().normalize), (way, normalize));
            let encoded = embedder.encode(&texts).unwrap();
            for (text, encoded) in encoded.iter().enumerate() {
                let kept = texts[text].tokens.len();
                let at = |token: usize, i: usize| hidden[(text * length + token) * size + i];
                let column = |i: usize| (0..kept).map(move |token| at(token, i));
                let pooled = (0..size).map(|i| match way {
                    Pooling::Cls => at(0, i),
                    Pooling::LastToken => at(kept - 1, i),
                    Pooling::Mean => column(i).sum::<f64>() / kept as f64,
                    Pooling::MeanSqrtLen => column(i).sum::<f64>() / (kept as f64).sqrt(),
                    Pooling::Max => column(i).fold(f64::NEG_INFINITY, f64::max),
                });
                let mut pooled: Vec<f64> = pooled.collect();
                let norm = pooled.iter().map(|x| x * x).sum::<f64>().sqrt();
                pooled.iter_mut().for_each(|x| *x /= if normalize { norm } else { 1.0 });
                let off = distance(&encoded.embedding, &pooled);
                assert!(off < 1e-5, "{name}, normalized: {normalize}, text {text}: {off:.1e}");
            }
        }
    }
}

#[test]
fn the_files_of_sentence_transformers_that_are_not_understood_are_refused() {
    let plain = || modules(&["Transformer", "Pooling", "Normalize"]);
    for (files, part) in [
        (
            vec![("modules.json", modules(&["Transformer", "Pooling", "Dense"]))],
            "module 2 is `sentence_transformers.models.Dense`",
        ),
        (vec![("modules.json", modules(&["Transformer"]))], "it has no module Pooling"),
        (vec![("modules.json", json!({"a": 1}))], "not a list of modules"),
        (vec![("modules.json", json!("<html>"))], "not a list of modules"),
        (
            vec![(
                "modules.json",
                json!([{"type": "Transformer"},
                                         {"type": "Pooling", "path": "../elsewhere"}]),
            )],
            "leads out of the folder",
        ),
        (vec![("modules.json", plain()), (POOLING, pooling("none"))], "exactly one way"),
        (
            vec![(POOLING, json!({"pooling_mode_weightedmean_tokens": true}))],
            "`pooling_mode_weightedmean_tokens` (true)",
        ),
        (
            vec![(POOLING, json!({"word_embedding_dimension": 3}))],
            "`word_embedding_dimension` is 3",
        ),
        (vec![(POOLING, json!({"pooling_mode": "attention"}))], "`pooling_mode` is \"attention\""),
        (
            vec![("sentence_bert_config.json", json!({"do_lower_case": true}))],
            "`do_lower_case` is true",
        ),
        (
            vec![("config_sentence_transformers.json", json!({"default_prompt_name": "query"}))],
            "`default_prompt_name` is \"query\"",
        ),
    ] {
        let error = open_encoder(&files).unwrap_err();
        assert!(error.contains(part), "{error}, expected {part}");
    }
    let limited = vec![("sentence_bert_config.json", json!({"max_seq_length": 6}))];
    let embedder = open_encoder(&limited).unwrap();
    assert_eq!(embedder.max_tokens(), 6);
    embedder.embed_tokens(&[vec![1; 6]]).unwrap();
    let error = embedder.embed_tokens(&[vec![1; 7]]).unwrap_err().to_string();
    assert!(error.contains("7 tokens; the model takes 6 (`max_seq_length`"), "{error}");
}

/// A folder with adapters of a model, and other fields in its configuration.
fn adapter(fields: &Value) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let config = Config::read(path("llama/grouped").join("config.json")).unwrap();
    let lora = Lora { rank: 2, alpha: 4.0 };
    let specs = lora.specs(&Llama::new(&config, DType::F32), &["*.q_proj"]);
    let adapters =
        Buffer::tree(&*CPU, specs, |_, spec| vec![0.5f32; spec.shape().element_count()]).unwrap();
    AdapterFolder::save(folder.path(), lora, &adapters, "a/base").unwrap();
    let file = folder.path().join("adapter_config.json");
    let mut written: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    for (name, value) in fields.as_object().unwrap() {
        written[name] = value.clone();
    }
    fs::write(file, written.to_string()).unwrap();
    folder
}

#[test]
fn adapters_that_are_more_than_a_product_are_refused() {
    for (fields, part) in [
        (json!({"init_lora_weights": "pissa"}), "`init_lora_weights` is \"pissa\"; it changes"),
        (json!({"init_lora_weights": "pissa_niter_16"}), "`init_lora_weights`"),
        (json!({"init_lora_weights": "olora"}), "`init_lora_weights`"),
        (json!({"init_lora_weights": "loftq"}), "`init_lora_weights`"),
        (json!({"init_lora_weights": "corda"}), "`init_lora_weights`"),
        (json!({"alora_invocation_tokens": [1, 2]}), "`alora_invocation_tokens` ([1,2])"),
        (json!({"layer_replication": [[0, 2], [1, 2]]}), "`layer_replication`"),
        (json!({"trainable_token_indices": [3]}), "`trainable_token_indices`"),
        (json!({"target_parameters": ["experts.gate"]}), "`target_parameters`"),
        (json!({"modules_to_save": ["lm_head"]}), "`modules_to_save`"),
        (json!({"lora_bias": true}), "`lora_bias` (true)"),
        (json!({"use_dora": true}), "`use_dora` (true)"),
        (json!({"use_rslora": true}), "`use_rslora` (true)"),
        (json!({"use_qalora": true}), "`use_qalora` (true)"),
        (json!({"fan_in_fan_out": true}), "`fan_in_fan_out` (true)"),
        (json!({"rank_pattern": {"q_proj": 4}}), "`rank_pattern`"),
        (json!({"alpha_pattern": {"q_proj": 4}}), "`alpha_pattern`"),
        (json!({"arrow_config": {"top_k": 2}}), "`arrow_config`"),
        (json!({"a_later_field": 1}), "`a_later_field` (1)"),
        (json!({"bias": "all"}), "`bias` is \"all\""),
        (json!({"peft_type": "LOHA"}), "`peft_type` is \"LOHA\""),
        (json!({"r": 0}), "`r` is 0"),
    ] {
        let error = AdapterFolder::open(adapter(&fields).path()).unwrap_err().to_string();
        assert!(error.contains(part), "{error}, expected {part}");
    }
}

#[test]
fn generation_settings_that_change_tokens_are_refused() {
    let read = |fields: Value| {
        let files = vec![("generation_config.json", fields)];
        let folder = folder("llama/grouped", &files);
        let read = ModelFolder::open(folder.path()).unwrap().generation();
        read.map(|_| ()).map_err(|error| error.to_string())
    };
    for (name, value) in [
        ("num_beams", json!(4)),
        ("no_repeat_ngram_size", json!(3)),
        ("penalty_alpha", json!(0.6)),
        ("typical_p", json!(0.9)),
        ("guidance_scale", json!(1.5)),
        ("suppress_tokens", json!([1])),
        ("forced_bos_token_id", json!(0)),
        ("bad_words_ids", json!([[3]])),
        ("stop_strings", json!(["\n"])),
        ("min_new_tokens", json!(5)),
        ("token_healing", json!(true)),
    ] {
        let error = read(json!({ name: value })).unwrap_err();
        let part = format!("`{name}` is {value}; it changes which tokens are chosen");
        assert!(error.contains(&part), "{error}");
        // In a model's own configuration older files have them.
        let files = vec![("config.json", json!({ name: value }))];
        let folder = folder("llama/grouped", &files);
        let error = Config::read(folder.path().join("config.json")).unwrap_err().to_string();
        assert!(error.contains(name), "{error}");
    }
    let neutral = json!({"num_beams": 1, "typical_p": 1.0, "penalty_alpha": null, "max_length": 4096,
                         "suppress_tokens": [], "cache_implementation": "static", "a_later_field": 3});
    assert_eq!(read(neutral), Ok(()));
}

/// Fields of encoders as BGE, E5, MiniLM, GTE and others publish them.
fn encoders() -> Vec<(&'static str, Files)> {
    let named = |names: &[&str]| ("modules.json", modules(names));
    let full = ["Transformer", "Pooling", "Normalize"];
    let limit = |tokens: usize| {
        ("sentence_bert_config.json", json!({"max_seq_length": tokens, "do_lower_case": false}))
    };
    let prompts = |fields: Value| ("config_sentence_transformers.json", fields);
    let version = json!({"sentence_transformers": "2.2.2", "transformers": "4.28.1",
                         "pytorch": "1.13.0+cu117"});
    vec![
        ("plain BERT", vec![]),
        (
            "BGE",
            vec![
                named(&full),
                (POOLING, pooling("cls_token")),
                limit(512),
                prompts(json!({"__version__": version})),
            ],
        ),
        ("E5", vec![named(&full), (POOLING, pooling("mean_tokens")), limit(512)]),
        ("MiniLM", vec![named(&full), (POOLING, pooling("mean_tokens")), limit(256)]),
        ("GTE without Normalize", vec![named(&full[..2]), (POOLING, pooling("mean_tokens"))]),
        ("max pooling", vec![named(&full[..2]), (POOLING, pooling("max_tokens"))]),
        (
            "Arctic",
            vec![
                named(&full),
                (POOLING, pooling("cls_token")),
                prompts(
                    json!({"prompts": {"query": "Represent this: "}, "default_prompt_name": null,
                           "similarity_fn_name": "cosine", "model_type": "SentenceTransformer"}),
                ),
            ],
        ),
        (
            "older pooling",
            vec![
                named(&full[..2]),
                (
                    POOLING,
                    json!({"pooling_mode_cls_token": false, "pooling_mode_mean_tokens": true}),
                ),
            ],
        ),
        ("newer pooling", vec![named(&full), (POOLING, json!({"pooling_mode": "cls"}))]),
        (
            "old fields of BERT",
            vec![(
                "config.json",
                json!({
            "directionality": "bidi", "pooler_fc_size": 768, "pooler_num_attention_heads": 12,
            "pooler_num_fc_layers": 3, "pooler_size_per_head": 128,
            "pooler_type": "first_token_transform", "output_past": true}),
            )],
        ),
        (
            "classifier",
            vec![(
                "config.json",
                json!({
            "id2label": {"0": "no"}, "label2id": {"no": 0}, "problem_type": null,
            "classifier_dropout": null, "finetuning_task": "mnli", "language": "english"}),
            )],
        ),
        ("pooling without modules", vec![(POOLING, pooling("cls_token"))]),
    ]
}

/// Fields of decoders as their authors and the tools of fine-tuning publish them.
fn decoders() -> Vec<(&'static str, Files)> {
    let config = |fields: Value| vec![("config.json", fields)];
    let generation = |fields: Value| vec![("generation_config.json", fields)];
    vec![
        (
            "Llama 2",
            config(json!({"pretraining_tp": 1, "_name_or_path": "meta/llama",
            "transformers_version": "4.31.0.dev0", "torch_dtype": "float16"})),
        ),
        ("Llama 1", config(json!({"max_sequence_length": 2048, "pad_token_id": 0}))),
        ("TinyLlama", config(json!({"attention_bias": false, "rope_scaling": null}))),
        ("finetuned", config(json!({"finetuned": true}))),
        ("unsloth", config(json!({"unsloth_fixed": true, "unsloth_version": "2024.9"}))),
        ("axolotl", config(json!({"use_cache": false, "attention_dropout": 0.0}))),
        ("with a tokenizer's", config(json!({"model_max_length": 4096, "tokenizer_class": "X"}))),
        (
            "summaries",
            config(json!({"summary_type": "cls_index", "summary_use_proj": true,
            "summary_activation": null, "summary_first_dropout": 0.1})),
        ),
        (
            "old defaults",
            config(json!({"num_beams": 1, "max_length": 20, "top_k": 50,
            "temperature": 1.0, "length_penalty": 1.0, "typical_p": 1.0, "do_sample": false,
            "repetition_penalty": 1.0, "bad_words_ids": null, "num_return_sequences": 1,
            "diversity_penalty": 0.0, "min_length": 0, "no_repeat_ngram_size": 0})),
        ),
        ("flash attention", config(json!({"use_flash_attn": true, "embd_pdrop": 0.0}))),
        (
            "Llama 3 settings",
            generation(json!({"bos_token_id": 1, "do_sample": true,
            "eos_token_id": [2, 3], "temperature": 0.6, "max_length": 4096, "top_p": 0.9,
            "transformers_version": "4.42.3"})),
        ),
        (
            "Qwen settings",
            generation(json!({"do_sample": true, "pad_token_id": 1,
            "repetition_penalty": 1.05, "temperature": 0.7, "top_p": 0.8, "top_k": 20})),
        ),
        ("Llama 2 settings", generation(json!({"_from_model_config": true, "max_length": 2048}))),
        (
            "sampling everywhere",
            generation(json!({"min_p": 0.05, "use_cache": true,
            "cache_implementation": "hybrid", "renormalize_logits": true})),
        ),
        (
            "beams of one",
            generation(json!({"num_beams": 1, "num_beam_groups": 1, "typical_p": 1.0,
            "early_stopping": false, "length_penalty": 1.0, "guidance_scale": null})),
        ),
        (
            "YaRN of other engines",
            config(json!({"rope_scaling": {"type": "yarn", "factor": 2.0,
            "original_max_position_embeddings": 32, "attn_factor": 1.0, "finetuned": true}})),
        ),
    ]
}

/// Fields of adapters as the versions of PEFT, Unsloth and others publish them.
fn adapters() -> Vec<(&'static str, Value)> {
    vec![
        ("PEFT 0.3", json!({"enable_lora": null})),
        (
            "PEFT 0.6",
            json!({"auto_mapping": null, "revision": null, "layers_pattern": null,
            "layers_to_transform": null, "init_lora_weights": true, "rank_pattern": {}}),
        ),
        (
            "PEFT 0.10",
            json!({"loftq_config": {}, "megatron_config": null, "use_dora": false,
            "megatron_core": "megatron.core", "layer_replication": null, "use_rslora": false}),
        ),
        ("PEFT 0.14", json!({"eva_config": null, "exclude_modules": null, "lora_bias": false})),
        (
            "PEFT 0.17",
            json!({"corda_config": null, "trainable_token_indices": null,
            "qalora_group_size": 16, "use_qalora": false, "target_parameters": null}),
        ),
        (
            "PEFT 0.18",
            json!({"alora_invocation_tokens": null, "arrow_config": null,
            "ensure_weight_tying": false, "peft_version": "0.18.0"}),
        ),
        (
            "Unsloth",
            json!({"auto_mapping": {"base_model_class": "LlamaForCausalLM",
            "parent_library": "transformers.models.llama", "unsloth_fixed": true}}),
        ),
        ("gaussian", json!({"init_lora_weights": "gaussian"})),
        ("not drawn", json!({"init_lora_weights": false})),
        ("EVA", json!({"init_lora_weights": "eva", "eva_config": {"rho": 2.0}})),
        ("some layers", json!({"layers_to_transform": [0], "layers_pattern": "layers"})),
        (
            "all linear",
            json!({"target_modules": "all-linear", "lora_dropout": 0.05,
            "runtime_config": {"ephemeral_gpu_offload": false}, "task_type": null}),
        ),
    ]
}

#[test]
fn forty_folders_of_published_styles_load() {
    let (encoders, decoders, adapters) = (encoders(), decoders(), adapters());
    assert_eq!(encoders.len() + decoders.len() + adapters.len(), 40);
    let mut failures = Vec::new();
    for (style, files) in &encoders {
        failures.extend(open_encoder(files).err().map(|error| format!("{style}: {error}")));
    }
    let open = |folder: &Path, adapter: Option<AdapterFolder>| {
        let options = Options { dtype: Dtype::As(DType::F32), adapter, ..Options::default() };
        let folder = ModelFolder::open(folder)?;
        folder.generation()?;
        Generator::open(&platform(), &folder, options).map(drop)
    };
    for (style, files) in &decoders {
        let folder = folder("llama/grouped", files);
        failures.extend(open(folder.path(), None).err().map(|error| format!("{style}: {error}")));
    }
    for (style, fields) in &adapters {
        let opened = AdapterFolder::open(adapter(fields).path())
            .and_then(|adapter| open(&path("llama/grouped"), Some(adapter)));
        failures.extend(opened.err().map(|error| format!("{style}: {error}")));
    }
    assert!(failures.is_empty(), "{} of 40\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn files_of_other_kinds_are_named() {
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n";
    let page = "<!DOCTYPE html><html><body>Not found</body></html>";
    for (text, kind) in [(pointer, "a pointer of Git LFS"), (page, "an HTML page")] {
        let message = Config::parse(text, Path::new("config.json")).unwrap_err().to_string();
        assert!(message.contains(&format!("not JSON, but {kind}")), "{message}");
        let read = Tokenizer::from_bytes(text.as_bytes(), Path::new("tokenizer.json"));
        let message = read.err().expect("it is none").to_string();
        assert!(message.contains(&format!("not a tokenizer, but {kind}")), "{message}");
        let folder = folder("bert/full_length", &Vec::new());
        fs::write(folder.path().join("modules.json"), text).unwrap();
        let model = ModelFolder::open(folder.path()).unwrap();
        let message = Embedder::open(&platform(), &model).expect_err("it is none").to_string();
        assert!(message.contains("modules.json: not a list of modules"), "{message}");
        assert!(message.contains(&format!("`path`, but {kind}")), "{message}");
        let audio = Audio::read(text.as_bytes(), Path::new("a.wav"));
        let message = audio.expect_err("it is none").to_string();
        assert!(message.contains(&format!("not a WAV file, but {kind}")), "{message}");
    }
}
