//! WAV files and configurations of strangers: each is refused by its own message, without a panic.

use crate::fixture::{changed, path, platform};
use hloom_models::{
    ModelFolder,
    whisper::{Audio, Options, Transcriber},
};
use serde_json::json;
use std::{fs, path::Path};

/// A WAV file: its format, channels, rate, bits and data.
fn wav(format: u16, channels: u16, rate: u32, bits: u16, data: &[u8]) -> Vec<u8> {
    let align = channels * bits.div_ceil(8);
    let mut file = b"RIFF".to_vec();
    file.extend((36 + data.len() as u32).to_le_bytes());
    file.extend(b"WAVEfmt \x10\0\0\0");
    file.extend(format.to_le_bytes());
    file.extend(channels.to_le_bytes());
    file.extend(rate.to_le_bytes());
    file.extend(rate.wrapping_mul(align.into()).to_le_bytes());
    file.extend(align.to_le_bytes());
    file.extend(bits.to_le_bytes());
    file.extend(b"data");
    file.extend((data.len() as u32).to_le_bytes());
    file.extend(data);
    file
}

fn read(bytes: &[u8]) -> Result<Audio, String> {
    let audio = Audio::read(bytes, Path::new("a.wav")).map_err(|error| error.to_string());
    audio.map_err(|message| message.strip_prefix("a.wav: ").expect("it names the file").to_owned())
}

fn refused(bytes: &[u8]) -> String {
    read(bytes).map(drop).unwrap_err()
}

#[test]
fn every_sample_format_is_read() {
    for (format, bits, data) in [
        (1, 8, vec![128, 192, 0, 255]),
        (1, 16, [0i16, 16384, -32768, 32512].map(i16::to_le_bytes).concat()),
        (1, 24, vec![0, 0, 0, 0, 0, 64, 0, 0, 128, 0, 0, 127]),
        (1, 32, [0i32, 1 << 30, i32::MIN, 127 << 24].map(i32::to_le_bytes).concat()),
        (3, 32, [0f32, 0.5, -1.0, 127.0 / 128.0].map(f32::to_le_bytes).concat()),
    ] {
        let audio = read(&wav(format, 1, 8_000, bits, &data)).unwrap();
        assert_eq!(audio.samples(), [0.0, 0.5, -1.0, 127.0 / 128.0], "{bits} bits");
        assert_eq!((audio.rate(), audio.seconds()), (8_000, 0.0005));
        // The mean of the channels.
        let stereo = read(&wav(format, 2, 44_100, bits, &data)).unwrap();
        assert_eq!(stereo.samples(), [0.25, -1.0 / 256.0]);
        let four = read(&wav(format, 4, 44_100, bits, &data)).unwrap();
        assert_eq!(four.samples(), [63.0 / 512.0]);
    }
}

#[test]
fn files_that_are_not_audio_are_refused_by_their_defect() {
    let good = wav(1, 2, 16_000, 16, &[0; 64]);
    assert_eq!(refused(&[]), "the file ends within its header; a WAV file is expected");
    assert_eq!(refused(&good[..30]), "the file ends within its header; a WAV file is expected");
    assert_eq!(refused(&good[..50]), "the file ends after 1 of 16 samples per channel");
    assert_eq!(refused(b"fLaC0123456789abcdef"), "not a WAV file, but audio in FLAC");
    let other = b"\x01\x02\x03\x04\x05\x06\x07\x08 0123456789";
    assert_eq!(refused(other), "no WAV file that can be read: no RIFF tag found");
    assert_eq!(refused(&wav(1, 1, 16_000, 16, &[])), "there are no samples");
    assert_eq!(
        refused(&wav(1, 0, 16_000, 16, &[])),
        "no WAV file that can be read: file contains zero channels"
    );
    let formats = "integers of 8, 16, 24 or 32 bits, or floats of 32 bits, are expected";
    // mu-law.
    assert_eq!(refused(&wav(7, 1, 16_000, 8, &[0; 4])), formats);
    assert!(refused(&wav(1, 1, 16_000, 12, &[0; 4])).starts_with("no WAV file that can be read: "));
    assert!(refused(&wav(1, 1, 16_000, 40, &[0; 10])).contains(formats));
    assert!(refused(&wav(3, 1, 16_000, 64, &[0; 8])).starts_with("no WAV file that can be read: "));
    for rate in [0, 999, 384_001, u32::MAX] {
        let expected = format!("{rate} samples per second; from 1000 to 384000 are expected");
        let message = refused(&wav(1, 1, rate, 8, &[0; 4]));
        // The bytes of a second of the largest rates do not fit their field.
        assert!(message == expected || message.contains("inconsistent fmt chunk"), "{message}");
    }
    let data = [0.5f32, f32::NAN].map(f32::to_le_bytes).concat();
    assert_eq!(refused(&wav(3, 1, 16_000, 32, &data)), "sample 1 is NaN");
    // A header that promises more than a file can have allocates nothing.
    let mut large = good.clone();
    large[40..44].copy_from_slice(&0xffff_fff0u32.to_le_bytes());
    assert_eq!(refused(&large), "the file ends after 16 of 1073741820 samples per channel");
}

#[test]
fn any_change_of_a_byte_and_any_cut_is_an_audio_or_an_error() {
    let good = wav(1, 2, 16_000, 16, &[0; 8]);
    for at in 0..good.len() {
        let _ = read(&good[..at]);
        for value in [0, 1, 2, 0x7f, 0x80, 0xfe, 0xff] {
            let mut bytes = good.clone();
            bytes[at] = value;
            let _ = read(&bytes);
        }
    }
}

#[test]
fn files_and_samples_that_do_not_exist_are_errors() {
    let missing = Audio::open("/nowhere/a.wav").unwrap_err().to_string();
    assert!(missing.starts_with("/nowhere/a.wav: No such file"), "{missing}");
    let message = |samples: Vec<f32>, rate| Audio::new(samples, rate).unwrap_err().to_string();
    assert_eq!(message(Vec::new(), 16_000), "an audio without samples has no text");
    assert_eq!(message(vec![0.0, f32::INFINITY], 16_000), "sample 1 of the audio is inf");
    assert!(message(vec![0.0], 5).starts_with("5 samples per second"));
    let audio = Audio::new(vec![0.5; 10], 8_000).unwrap();
    assert_eq!(audio.samples_at(8_000).unwrap(), audio.samples());
    assert_eq!(audio.samples_at(16_000).unwrap().len(), 20);
    let error = audio.samples_at(0).unwrap_err().to_string();
    assert!(error.starts_with("0 samples per second"), "{error}");
}

fn open(folder: &Path) -> String {
    let folder = ModelFolder::open(folder).unwrap();
    Transcriber::open(&platform(), &folder, Options::default()).map(drop).unwrap_err().to_string()
}

#[test]
fn configurations_that_do_not_fit_are_refused_by_field() {
    for (field, value, expected) in [
        ("model_type", json!("bert"), "`model_type` is \"bert\"; expected `whisper`"),
        ("d_model", json!(23), "`d_model` 23 does not divide into 4 heads"),
        ("d_model", json!(48), "encoder.embed_positions.weight: expected f32[vocab=50, in=48]"),
        ("num_mel_bins", json!(81), "`feature_size` is 80; expected 81, the `num_mel_bins`"),
        ("encoder_layers", json!(9), "encoder.layers.2: missing"),
        ("encoder_layers", json!(60_000), "`encoder_layers` is 60000; the checkpoint has "),
        ("decoder_layers", json!(1e10 as u64), "`decoder_layers` is 10000000000; it must be at"),
        ("decoder_layers", json!(1), "decoder.layers.1"),
        ("encoder_ffn_dim", json!(35), "fc1.bias: expected f32[out=35]"),
        ("vocab_size", json!(71), "decoder.embed_tokens.weight: expected f32[vocab=71, in=24]"),
        ("vocab_size", json!(60), " is outside of the vocabulary, 0 to 59"),
        ("max_target_positions", json!(25), "embed_positions.weight: expected f32[vocab=25"),
        ("max_source_positions", json!(1 << 30), "windows of 2147483648 frames that are 160"),
        (
            "max_source_positions",
            json!(100),
            "`chunk_length` is 1; the model's 100 positions are those of 32000 samples, 2 seconds",
        ),
        ("scale_embedding", json!(true), "`scale_embedding` is true; this family of models"),
        ("tie_word_embeddings", json!(false), "`tie_word_embeddings` is false; this family"),
        ("activation_function", json!("cube"), "`activation_function` is \"cube\"; known are"),
        ("rope_theta", json!(1e4), "not understood: `rope_theta` (10000.0)"),
        ("encoder_attention_heads", json!(0), "`encoder_attention_heads` is 0; it must be at"),
    ] {
        let folder = changed("whisper", "multilingual", field, &value);
        let message = open(folder.path());
        assert!(message.contains(expected), "{field}: {message}");
    }
}

#[test]
fn settings_of_features_and_decoding_that_do_not_fit_are_refused_by_field() {
    let features = "preprocessor_config.json";
    let decoding = "generation_config.json";
    for (file, field, value, expected) in [
        (features, "hop_length", json!(161), "`chunk_length` is 1; the model's 50 positions"),
        (features, "hop_length", json!(0), "`hop_length` is 0; it must be at least 1"),
        (features, "n_fft", json!(1), "frames of 1 samples for 80 mel frequencies; at least 2"),
        (features, "n_fft", json!(1 << 30), "frames of 1073741824 samples for 80 mel"),
        (features, "n_fft", json!(32_002), "more than half a frame of 32002"),
        (features, "sampling_rate", json!(10), "`sampling_rate` is 10; it must be from 1000 to"),
        (features, "dither", json!(0.1), "`dither` is 0.1; it must be between 0 and 0"),
        (features, "feature_size", json!(128), "`feature_size` is 128; expected 80"),
        (features, "do_normalize", json!(true), "not understood: `do_normalize` (true)"),
        (decoding, "decoder_start_token_id", json!(70), "token 70 is outside of the vocabulary"),
        (decoding, "decoder_start_token_id", json!("a"), "`decoder_start_token_id` is \"a\""),
        (decoding, "suppress_tokens", json!([1, 4_000_000_000u32]), "token 4000000000 is outside"),
        (decoding, "suppress_tokens", json!([-1]), "`suppress_tokens` is [-1]; expected a list"),
        (decoding, "forced_decoder_ids", json!([[2, 5]]), "expected the positions 1, 2 and so on"),
        (decoding, "lang_to_id", json!([1]), "`lang_to_id` is [1]; expected an object"),
    ] {
        let folder = changed("whisper", "multilingual", "use_cache", &true.into());
        let path = folder.path().join(file);
        let mut fields: serde_json::Value =
            serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        fields[field] = value;
        fs::write(&path, fields.to_string()).unwrap();
        let message = open(folder.path());
        assert!(message.contains(expected) && message.contains(file), "{field}: {message}");
    }
    let folder = changed("whisper", "multilingual", "decoder_start_token_id", &json!(null));
    fs::remove_file(folder.path().join(decoding)).unwrap();
    let message = open(folder.path());
    assert!(message.contains("`decoder_start_token_id` is missing"), "{message}");
}

/// A change of the fields of a configuration.
type Change = fn(&mut serde_json::Value);

#[test]
fn settings_of_a_processor_are_those_of_its_feature_extractor() {
    let (older, newer) = ("preprocessor_config.json", "processor_config.json");
    let with = |change: fn(&mut serde_json::Value)| {
        let folder = changed("whisper", "multilingual", "use_cache", &true.into());
        let text = fs::read(folder.path().join(older)).unwrap();
        let features: serde_json::Value = serde_json::from_slice(&text).unwrap();
        let mut fields =
            json!({ "feature_extractor": features, "processor_class": "WhisperProcessor" });
        change(&mut fields);
        fs::remove_file(folder.path().join(older)).unwrap();
        fs::write(folder.path().join(newer), fields.to_string()).unwrap();
        folder
    };
    let folder = with(|_| ());
    let folder = ModelFolder::open(folder.path()).unwrap();
    let transcriber = Transcriber::open(&platform(), &folder, Options::default()).unwrap();
    assert_eq!(transcriber.log_mel().samples(), 16_000);
    let cases: [(Change, &str); 4] = [
        (
            |fields| fields["feature_extractor"]["hop_length"] = json!(161),
            "`feature_extractor.chunk_length` is 1; the model's 50 positions",
        ),
        (
            |fields| fields["feature_extractor"]["do_normalize"] = json!(true),
            "not understood: `feature_extractor.do_normalize` (true)",
        ),
        (|fields| fields["resample"] = json!("linear"), "not understood: `resample` (\"linear\")"),
        (
            |fields| fields["feature_extractor"] = json!([80]),
            "`feature_extractor` is [80]; expected an object",
        ),
    ];
    for (change, expected) in cases {
        let message = open(with(change).path());
        assert!(message.contains(expected) && message.contains(newer), "{message}");
    }
}

#[test]
fn models_without_optional_files_have_the_published_settings() {
    let folder = changed("whisper", "older", "use_cache", &true.into());
    fs::remove_file(folder.path().join("preprocessor_config.json")).unwrap();
    let folder = ModelFolder::open(folder.path()).unwrap();
    let transcriber = Transcriber::open(&platform(), &folder, Options::default()).unwrap();
    assert_eq!(transcriber.log_mel().samples(), 16_000);
    let audio = Audio::open(path("whisper/older/audio.wav")).unwrap();
    let logits = |tokens: &[u32]| {
        transcriber.logits(audio.samples(), tokens).map(drop).unwrap_err().to_string()
    };
    assert_eq!(logits(&[]), "0 tokens; from 1 to 24 are expected");
    assert_eq!(logits(&[1; 25]), "25 tokens; from 1 to 24 are expected");
    assert_eq!(logits(&[70]), "token 70 is outside of the vocabulary, 0 to 69");
}
