"""Tiny random Whisper models with references from `transformers` in float64.

Writes `tests/fixtures/whisper/<case>/`: `config.json`, `preprocessor_config.json`, perhaps
`generation_config.json`, weights, `audio.wav` (16 bit, mono, 16 kHz), `expected.json` (for each window the
`prompt` and the greedy `tokens` after it) and `expected.safetensors`: for the first window `features` `[mel, frame]`,
`hidden` `[position, hidden]` of the encoder, `tokens` (int64) and the `logits` `[token, vocabulary]` after each of
them; all computed in float64, the features rounded to float32.
"""

import json
import shutil
import wave
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file
from transformers import WhisperConfig, WhisperFeatureExtractor, WhisperForConditionalGeneration
from transformers.audio_utils import spectrogram, window_function
from transformers.models.whisper.modeling_whisper import sinusoids

from checkpoint import float64, generator, modeling_modules, random_weights, save_weights, write_json

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "whisper"
RATE = 16_000

BASE = {
    "activation_dropout": 0.0,
    "activation_function": "gelu",
    "apply_spec_augment": False,
    "architectures": ["WhisperForConditionalGeneration"],
    "attention_dropout": 0.0,
    "begin_suppress_tokens": [3, 60],
    "bos_token_id": 60,
    "classifier_proj_size": 256,
    "d_model": 24,
    "decoder_attention_heads": 3,
    "decoder_ffn_dim": 40,
    "decoder_layerdrop": 0.0,
    "decoder_layers": 2,
    "decoder_start_token_id": 61,
    "dropout": 0.0,
    "encoder_attention_heads": 4,
    "encoder_ffn_dim": 36,
    "encoder_layerdrop": 0.0,
    "encoder_layers": 2,
    "eos_token_id": 60,
    "forced_decoder_ids": [[1, 62], [2, 65], [3, 67]],
    "init_std": 0.02,
    "is_encoder_decoder": True,
    "mask_time_prob": 0.05,
    "max_length": 24,
    "max_source_positions": 50,
    "max_target_positions": 24,
    "median_filter_width": 7,
    "model_type": "whisper",
    "num_hidden_layers": 2,
    "num_mel_bins": 80,
    "pad_token_id": 60,
    "scale_embedding": False,
    "suppress_tokens": [1, 2, 7],
    "torch_dtype": "float32",
    "use_cache": True,
    "use_weighted_layer_sum": False,
    "vocab_size": 70,
}
# As published multilingual models have it: the language is found by the model.
MULTILINGUAL = {
    "begin_suppress_tokens": [3, 60],
    "bos_token_id": 60,
    "decoder_start_token_id": 61,
    "eos_token_id": 60,
    "forced_decoder_ids": [[1, None], [2, 65]],
    "is_multilingual": True,
    "lang_to_id": {"<|de|>": 62, "<|en|>": 63, "<|fr|>": 64},
    "max_initial_timestamp_index": 50,
    "max_length": 24,
    "no_timestamps_token_id": 67,
    "pad_token_id": 60,
    "return_timestamps": False,
    "suppress_tokens": [1, 2, 7, 62, 63, 64, 65, 66, 67, 68, 69],
    "task_to_id": {"transcribe": 65, "translate": 66},
}
CASES = {
    "multilingual": dict(config={}, generation=MULTILINGUAL, seconds=1.25),
    # Older checkpoints: generation settings among those of the model. Names without a prefix, as a headless model has.
    "older": dict(config={"num_mel_bins": 128, "d_model": 16, "encoder_attention_heads": 2, "decoder_attention_heads": 2,
                          "decoder_layers": 1, "activation_function": "relu", "encoder_ffn_dim": 30},
                  seconds=0.7, bare=True, dtype="float16", seed="older/26"),  # an answer that ends
}


def sound(name, seconds):
    """Gliding tones, pulses and noise, as 16-bit integers."""
    rng = generator(f"{name}/sound")
    t = np.arange(int(seconds * RATE)) / RATE
    wave = 0.3 * np.sin(2 * np.pi * (220 * t + 300 * t * t)) + 0.15 * np.sin(2 * np.pi * 1900 * t) * (np.sin(9 * t) > 0)
    wave = wave + 0.1 * np.sin(2 * np.pi * (3000 + 900 * np.sin(5 * t)) * t) + 0.02 * rng.standard_normal(t.size)
    return np.round(np.clip(wave, -1, 1) * 32767).astype("<i2")


def write_wav(path, samples):
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(samples.tobytes())


def features(extractor, samples):
    """The features of one window in float64, checked against the library's own in float32."""
    padded = np.zeros(extractor.n_samples)
    padded[: samples.size] = samples
    log = spectrogram(padded, window_function(extractor.n_fft, "hann"), frame_length=extractor.n_fft,
                      hop_length=extractor.hop_length, power=2.0, mel_filters=extractor.mel_filters, log_mel="log10",
                      dtype=np.float64)[:, :-1]
    log = (np.maximum(log, log.max() - 8.0) + 4.0) / 4.0
    own = extractor(samples.astype(np.float32), sampling_rate=RATE, return_tensors="np").input_features[0]
    assert log.shape == own.shape and np.abs(log - own).max() < 1e-4, np.abs(log - own).max()
    return torch.from_numpy(log)


def greedy(model, mel, language):
    """The prompt of a window and the tokens after it; rounding must decide none of them."""
    made = model.generate(mel[None], do_sample=False, num_beams=1, return_dict_in_generate=True, output_scores=True,
                          return_segments=False, language=language)
    ids, scores = made["sequences"][0].tolist(), made["scores"]
    prompt, tokens = ids[: len(ids) - len(scores)], ids[len(ids) - len(scores) :]
    for score, token in zip(scores, tokens):
        best = score[0].topk(2)
        assert best.indices[0] == token
        assert best.values[0] - best.values[1] > 0.005 * score[score.isfinite()].abs().max(), best
    assert len(set(tokens)) > 3, tokens
    return prompt, tokens


def make(name, case):
    folder = FIXTURES / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    config = BASE | case["config"] | {"torch_dtype": case.get("dtype", "float32")}
    if "generation" in case:
        for field in ("begin_suppress_tokens", "forced_decoder_ids", "suppress_tokens", "max_length"):
            config.pop(field)
        write_json(folder / "generation_config.json", case["generation"])
    write_json(folder / "config.json", config)
    extractor = WhisperFeatureExtractor(feature_size=config["num_mel_bins"], chunk_length=1)
    fields = json.loads(extractor.to_json_string())
    fields.pop("mel_filters", None)
    write_json(folder / "preprocessor_config.json", dict(sorted(fields.items())))
    with torch.device("meta"):
        empty = WhisperForConditionalGeneration(WhisperConfig.from_pretrained(folder))
    shapes = {n: tuple(t.shape) for n, t in empty.state_dict().items() if n != "proj_out.weight"}
    dtype = getattr(torch, config["torch_dtype"])
    weights = random_weights(shapes, generator(case.get("seed", name)), dtype)
    positions = sinusoids(config["max_source_positions"], config["d_model"])
    weights["model.encoder.embed_positions.weight"] = positions.to(dtype)
    # Positions that matter: otherwise a random model repeats one token.
    weights["model.decoder.embed_positions.weight"] *= 5
    if case.get("bare"):
        weights = {n.removeprefix("model."): w for n, w in weights.items()}
    save_weights(folder, weights)

    samples = sound(name, case["seconds"])
    write_wav(folder / "audio.wav", samples)
    parts = [samples[i : i + extractor.n_samples] / 32768 for i in range(0, samples.size, extractor.n_samples)]
    windows = []
    with float64(*modeling_modules("whisper")), torch.no_grad():
        model, loaded = WhisperForConditionalGeneration.from_pretrained(
            folder, dtype=torch.float64, output_loading_info=True, attn_implementation="eager")
        assert not loaded["missing_keys"] or case.get("bare"), loaded
        model = model.eval()
        if "generation" not in case:
            for field in ("begin_suppress_tokens", "forced_decoder_ids", "suppress_tokens", "max_length"):
                setattr(model.generation_config, field, config[field])
        for part in parts:
            mel = features(extractor, part)
            # The language of the first window is that of all.
            language = None
            if windows and "generation" in case:
                tokens = {token: name for name, token in case["generation"]["lang_to_id"].items()}
                language = tokens[windows[0]["prompt"][1]]
            prompt, tokens = greedy(model, mel, language)
            windows.append({"prompt": prompt, "tokens": tokens})
            print(name, windows[-1], flush=True)
            if len(windows) == 1:
                text = torch.tensor([prompt + tokens])
                out = model(mel[None], decoder_input_ids=text)
                assert out.logits.dtype == torch.float64
                expected = {"features": mel, "hidden": out.encoder_last_hidden_state[0], "tokens": text[0],
                            "logits": out.logits[0]}
    expected["features"] = expected["features"].to(torch.float32)
    save_file({n: t.contiguous() for n, t in expected.items()}, folder / "expected.safetensors")
    write_json(folder / "expected.json", windows)


def main():
    torch.set_num_threads(1)
    for name, case in CASES.items():
        make(name, case)


if __name__ == "__main__":
    main()
