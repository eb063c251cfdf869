//! Configurations with absurd numbers: each is rejected with the name and the value of its field,
//! before anything is allocated for it.

use crate::fixture::{changed, path, platform};
use hloom_models::{
    ModelFolder, bert,
    llama::{self, Generator, MAX_CONTEXT, Options},
};
use hloom_nn::Sampling;
use serde_json::json;
use std::{fs, path::Path};

fn open_llama(folder: &Path) -> hloom_models::Result<Generator> {
    Generator::open(&platform(), &ModelFolder::open(folder)?, Options::default())
}

fn open_bert(folder: &Path) -> hloom_models::Result<bert::Embedder> {
    bert::Embedder::open(&platform(), &ModelFolder::open(folder)?)
}

#[test]
fn absurd_numbers_of_llama_are_refused_by_name() {
    let cases = [
        (
            "num_hidden_layers",
            json!(1e10 as u64),
            "`num_hidden_layers` is 10000000000; it must be at most 1073741824",
        ),
        ("num_hidden_layers", json!(1e18 as u64), "`num_hidden_layers` is 1000000000000000000"),
        (
            "num_hidden_layers",
            json!(1_000_000),
            "`num_hidden_layers` is 1000000; it must be at most 65536",
        ),
        ("num_hidden_layers", json!(60_000), "`num_hidden_layers` is 60000; the checkpoint has "),
        ("num_hidden_layers", json!(-1), "`num_hidden_layers` is -1; expected a whole number"),
        (
            "head_dim",
            json!(1u64 << 62),
            "4 heads of 4611686018427387904 elements are more than the 1073741824",
        ),
        (
            "num_attention_heads",
            json!(u64::MAX),
            "`num_attention_heads` is 18446744073709551615; it must be at most",
        ),
        ("num_key_value_heads", json!(u64::MAX), "cannot be divided among 18446744073709551615"),
        (
            "vocab_size",
            json!(u64::MAX),
            "`vocab_size` is 18446744073709551615; it must be at most 1073741824",
        ),
        ("vocab_size", json!(1 << 30), "model.embed_tokens.weight"),
        ("hidden_size", json!(1u64 << 40), "`hidden_size` is 1099511627776; it must be at most"),
        ("intermediate_size", json!(1u64 << 63), "`intermediate_size` is 9223372036854775808"),
        (
            "max_position_embeddings",
            json!(1e18 as u64),
            "`max_position_embeddings` is 1000000000000000000",
        ),
        (
            "max_position_embeddings",
            json!(0),
            "`max_position_embeddings` is 0; it must be at least 1",
        ),
        ("rms_norm_eps", json!(-1e-5), "`rms_norm_eps` is -0.00001; it must be between 0 and 1"),
        ("rms_norm_eps", json!(1e300), "`rms_norm_eps` is 1e+300; it must be between 0 and 1"),
        ("rms_norm_eps", json!("NaN"), "`rms_norm_eps` is \"NaN\"; expected a number"),
        ("rope_theta", json!(0), "`rope_theta` is 0; it must be above 1"),
        ("rope_theta", json!(-10_000.0), "`rope_theta` is -10000; it must be above 1"),
        ("rope_theta", json!(1e300), "it must be above 1 and at most 1e18"),
        (
            "rope_scaling",
            json!({"type": "linear", "factor": 0}),
            "`rope_scaling.factor` is 0; it must be positive",
        ),
        (
            "rope_scaling",
            json!({"type": "linear", "factor": 1e-300}),
            "`rope_scaling.factor` is 1e-300; it must be between 1e-9 and 1e9",
        ),
        (
            "rope_scaling",
            json!({"type": "yarn", "factor": 2.0, "beta_fast": -1.0}),
            "`rope_scaling.beta_fast` is -1.0; it must be positive",
        ),
        (
            "rope_scaling",
            json!({"type": "yarn", "factor": 2.0, "original_max_position_embeddings": 0}),
            "`rope_scaling.original_max_position_embeddings` is 0; it must be at least 1",
        ),
        (
            "eos_token_id",
            json!("</s>"),
            "`eos_token_id` is \"</s>\"; expected a token id (a whole number below 2^32) or a \
             list of token ids",
        ),
        ("eos_token_id", json!([1, -2]), "`eos_token_id` is [1,-2]; expected a token id"),
        ("eos_token_id", json!(1u64 << 32), "`eos_token_id` is 4294967296; expected a token id"),
        ("eos_token_id", json!(vec![7; 5000]), "at most 1024 tokens end a text"),
    ];
    for (field, value, expected) in cases {
        let message = open_llama(changed("llama", "grouped", field, &value).path())
            .map(drop)
            .unwrap_err()
            .to_string();
        assert!(message.contains(expected), "{field}: {message}");
        assert!(expected.starts_with("model.") || message.contains("config.json: "), "{message}");
        assert!(message.len() < 600, "{message}");
    }
    // Numbers beyond `f64` are not valid JSON.
    let folder = changed("llama", "grouped", "rope_theta", &json!("here"));
    let config = folder.path().join("config.json");
    let text = fs::read_to_string(&config).unwrap().replace("\"here\"", "1e999");
    fs::write(&config, text).unwrap();
    assert!(llama::Config::read(&config).unwrap_err().to_string().contains("number out of range"));
}

#[test]
fn absurd_mixtures_of_experts_are_refused_by_name() {
    let huge = 1u64 << 40;
    let cases = [
        (
            "mixtral",
            "num_local_experts",
            json!(0),
            "`num_local_experts` is 0; it must be at least 1",
        ),
        ("mixtral", "num_local_experts", json!(null), "`num_local_experts` is missing"),
        ("mixtral", "num_local_experts", json!(-3), "`num_local_experts` is -3; expected a whole"),
        ("mixtral", "num_local_experts", json!(huge), "it must be at most 1073741824"),
        (
            "mixtral",
            "num_local_experts",
            json!(1 << 30),
            "block_sparse_moe.gate.weight: expected f32[out=1073741824, in=16], found f32[5, 16]",
        ),
        ("mixtral", "num_local_experts", json!(6), "experts.5.w1.weight: missing; there is `0`, "),
        ("mixtral", "num_local_experts", json!(4), "experts.4.w1.weight: not used by the tree"),
        ("mixtral", "num_experts", json!(4), "`num_local_experts` is 5, but `num_experts` is 4"),
        ("mixtral", "num_experts_per_tok", json!(0), "`num_experts_per_tok` is 0; it must be at"),
        (
            "mixtral",
            "num_experts_per_tok",
            json!(6),
            "`num_experts_per_tok` is 6; there are only 5",
        ),
        ("mixtral", "num_experts_per_tok", json!(null), "`num_experts_per_tok` is missing"),
        (
            "mixtral",
            "intermediate_size",
            json!(21),
            "experts.0.w1.weight: expected f32[out=21, in=16], found f32[20, 16]",
        ),
        ("qwen3_moe", "num_experts", json!(0), "`num_experts` is 0; it must be at least 1"),
        ("qwen3_moe", "num_experts", json!(null), "`num_experts` is missing"),
        ("qwen3_moe", "moe_intermediate_size", json!(0), "`moe_intermediate_size` is 0; it must"),
        ("qwen3_moe", "moe_intermediate_size", json!(null), "`moe_intermediate_size` is missing"),
        ("qwen3_moe", "moe_intermediate_size", json!(1 << 30), "mlp.experts.6.gate_proj.weight: "),
        ("qwen3_moe", "decoder_sparse_step", json!(0), "`decoder_sparse_step` is 0; it must be at"),
        ("qwen3_moe", "decoder_sparse_step", json!(3), "model.layers.0.mlp.gate_proj.weight: miss"),
        (
            "qwen3_moe",
            "mlp_only_layers",
            json!([0, 2]),
            "`mlp_only_layers` is [0,2]; the layers are 0 to 1",
        ),
        (
            "qwen3_moe",
            "mlp_only_layers",
            json!("all"),
            "`mlp_only_layers` is \"all\"; expected a li",
        ),
        ("qwen3_moe", "mlp_only_layers", json!([1]), "model.layers.1.mlp.gate_proj.weight: miss"),
        ("qwen3_moe", "norm_topk_prob", json!(2), "`norm_topk_prob` is 2; expected true or false"),
        ("qwen3_moe", "use_sliding_window", json!(true), "supports only false"),
        (
            "qwen2_moe",
            "shared_expert_intermediate_size",
            json!(0),
            "`shared_expert_intermediate_size` is 0; it must be at least 1",
        ),
        (
            "qwen2_moe",
            "shared_expert_intermediate_size",
            json!(5),
            "mlp.shared_expert.gate_proj.weight: expected f32[out=5, in=16], found f32[22, 16]",
        ),
        ("qwen2_moe", "qkv_bias", json!(false), "self_attn.q_proj.bias: not used"),
        // Fields of mixtures do not pass unnoticed in other models.
        ("grouped", "num_local_experts", json!(8), "not understood: `num_local_experts` (8)"),
    ];
    for (case, field, value, expected) in cases {
        let message = open_llama(changed("llama", case, field, &value).path())
            .map(drop)
            .unwrap_err()
            .to_string();
        assert!(message.contains(expected), "{case} with {field} {value}: {message}");
        assert!(message.len() < 4000, "{message}");
    }
}

#[test]
fn absurd_numbers_of_bert_are_refused_by_name() {
    let cases = [
        (
            "num_hidden_layers",
            json!(1e18 as u64),
            "`num_hidden_layers` is 1000000000000000000; it must be at most",
        ),
        ("num_hidden_layers", json!(60_000), "`num_hidden_layers` is 60000; the checkpoint has "),
        (
            "hidden_size",
            json!(u64::MAX),
            "`hidden_size` is 18446744073709551615; it must be at most",
        ),
        (
            "intermediate_size",
            json!(u64::MAX),
            "`intermediate_size` is 18446744073709551615; it must be at most",
        ),
        ("vocab_size", json!(u64::MAX), "`vocab_size` is 18446744073709551615; it must be at most"),
        (
            "max_position_embeddings",
            json!(u64::MAX),
            "`max_position_embeddings` is 18446744073709551615; it must be at most",
        ),
        ("type_vocab_size", json!(0), "`type_vocab_size` is 0; it must be at least 1"),
        ("layer_norm_eps", json!(-1e-12), "`layer_norm_eps` is -1e-12; it must be between 0 and 1"),
    ];
    for (field, value, expected) in cases {
        let message = open_bert(changed("bert", "relu", field, &value).path())
            .map(drop)
            .unwrap_err()
            .to_string();
        assert!(message.contains(expected), "{field}: {message}");
    }
}

#[test]
fn absurd_numbers_of_generation_configs_are_refused_by_name() {
    let folder = changed("llama", "grouped", "vocab_size", &json!(61));
    for (field, value, expected) in [
        ("temperature", json!(-1), "`temperature` is -1; it must be between 0 and 10000"),
        ("top_p", json!(1.5), "`top_p` is 1.5; it must be between 0 and 1"),
        ("min_p", json!(-0.1), "`min_p` is -0.1; it must be between 0 and 1"),
        ("top_k", json!(-3), "`top_k` is -3; expected a whole number"),
        (
            "repetition_penalty",
            json!(0),
            "`repetition_penalty` is 0; it must be between 0.0001 and 10000",
        ),
        ("eos_token_id", json!({"a": 1}), "`eos_token_id` is {\"a\":1}; expected a token id"),
        ("do_sample", json!("yes"), "`do_sample` is \"yes\"; expected true or false"),
    ] {
        fs::write(
            folder.path().join("generation_config.json"),
            json!({ field: value }).to_string(),
        )
        .unwrap();
        let message =
            ModelFolder::open(folder.path()).unwrap().generation().unwrap_err().to_string();
        assert!(
            message.contains("generation_config.json: ") && message.contains(expected),
            "{message}"
        );
    }
    fs::write(folder.path().join("generation_config.json"), "[]").unwrap();
    assert!(ModelFolder::open(folder.path()).unwrap().generation().is_err());
}

#[test]
fn options_without_a_bound_are_refused() {
    let folder = ModelFolder::open(path("llama/grouped")).unwrap();
    let open =
        |options| Generator::open(&platform(), &folder, options).map(drop).unwrap_err().to_string();
    for context in [0, MAX_CONTEXT + 1, usize::MAX] {
        let options = Options { context: Some(context), ..Options::default() };
        assert!(open(options).starts_with(&format!(
            "a context of {context} positions is not possible; it must be from 1 to"
        )));
    }
    for devices in [1_000_000_000_000_000_000, usize::MAX] {
        let options = Options { devices, ..Options::default() };
        assert!(
            open(options)
                .starts_with(&format!("{devices} devices are asked for, and the platform has "))
        );
    }
    let sampling =
        Sampling { repeat_last_n: usize::MAX, repeat_penalty: 1.1, ..Sampling::default() };
    let message = open(Options { sampling, ..Options::default() });
    assert!(
        message.starts_with("repeat_last_n is ") && message.ends_with("it must be at most 1048576"),
        "{message}"
    );
}
