//! Whisper against `transformers` in float64.

use crate::fixture::{distance, path, platform};
use hloom_graph::DType;
use hloom_io::Checkpoint;
use hloom_models::{
    ModelFolder,
    whisper::{Audio, Options, Request, Segment, Task, Transcriber},
};
use serde::Deserialize;

#[derive(Deserialize)]
struct Window {
    prompt: Vec<u32>,
    tokens: Vec<u32>,
}

fn open(case: &str, options: Options) -> (Transcriber, Audio) {
    let folder = path("whisper").join(case);
    let audio = Audio::open(folder.join("audio.wav")).unwrap();
    let folder = ModelFolder::open(folder).unwrap();
    (Transcriber::open(&platform(), &folder, options).unwrap(), audio)
}

fn windows(case: &str) -> Vec<Window> {
    let windows = std::fs::read(path("whisper").join(case).join("expected.json")).unwrap();
    serde_json::from_slice(&windows).unwrap()
}

fn segments(transcriber: &Transcriber, audio: &Audio, request: &Request) -> Vec<Segment> {
    transcriber.transcribe(audio, request).unwrap().map(Result::unwrap).collect()
}

#[test]
fn features_hidden_states_and_logits_are_those_of_the_reference() {
    for case in ["multilingual", "older"] {
        let (transcriber, audio) = open(case, Options::default());
        let expected = path("whisper").join(case).join("expected.safetensors");
        let expected = Checkpoint::open(expected).unwrap();
        let double = |name: &str| expected.get(name).unwrap().to_vec::<f64>().unwrap();
        let features = expected.get("features").unwrap().to_vec::<f32>().unwrap();
        let found = transcriber.features(audio.samples()).unwrap();
        assert_eq!(found.len(), features.len());
        let off = found.iter().zip(&features).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        // As precise as f32: a quiet frequency next to a loud one loses digits.
        assert!(off < 2e-5, "{case}: features are off by {off:.1e}");
        let off = distance(&transcriber.encode(audio.samples()).unwrap(), &double("hidden"));
        assert!(off < 1e-5, "{case}: hidden states are off by {off:.1e}");
        let tokens = expected.get("tokens").unwrap().to_vec::<i64>().unwrap();
        let tokens: Vec<u32> = tokens.iter().map(|&token| token as u32).collect();
        let logits = transcriber.logits(audio.samples(), &tokens).unwrap();
        let off = distance(&logits, &double("logits"));
        assert!(off < 1e-5, "{case}: logits are off by {off:.1e}");
    }
}

#[test]
fn texts_and_the_detected_language_are_those_of_the_reference() {
    for (case, count) in [("multilingual", 2), ("older", 1)] {
        let (transcriber, audio) = open(case, Options::default());
        let expected = windows(case);
        let found = segments(&transcriber, &audio, &Request::default());
        assert_eq!((found.len(), expected.len()), (count, count));
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!(found.prompt, expected.prompt, "{case}");
            assert_eq!(found.tokens, expected.tokens, "{case}");
        }
        assert_eq!(found[0].start, 0.0);
        assert_eq!(found.last().unwrap().end, audio.seconds());
        // A transcriber keeps nothing of an earlier audio.
        assert_eq!(segments(&transcriber, &audio, &Request::default()), found, "{case}");
    }
}

#[test]
fn an_answer_is_cut_at_the_requested_number_of_tokens() {
    let (transcriber, audio) = open("older", Options::default());
    let all = windows("older").remove(0).tokens;
    for count in [0, 1, 2, all.len() - 1, all.len(), 1000] {
        let request = Request { max_tokens: Some(count), ..Request::default() };
        let found = segments(&transcriber, &audio, &request).remove(0);
        assert_eq!(found.tokens, all[..count.min(all.len())]);
    }
}

#[test]
fn weights_of_another_type_make_about_the_same_logits() {
    let (exact, audio) = open("multilingual", Options::default());
    let tokens = [61, 63, 65, 67, 5];
    let logits = |of: &Transcriber| of.logits(audio.samples(), &tokens).unwrap();
    let expected: Vec<f64> = logits(&exact).into_iter().map(f64::from).collect();
    for dtype in [DType::F16, DType::BF16] {
        let (other, _) = open("multilingual", Options { dtype, ..Options::default() });
        let off = distance(&logits(&other), &expected);
        assert!(off > 1e-6 && off < 5e-2, "{dtype}: off by {off:.1e}");
        assert_eq!(segments(&other, &audio, &Request::default()).len(), 2);
    }
}

#[test]
fn a_request_chooses_language_and_task() {
    let (transcriber, audio) = open("multilingual", Options::default());
    let begin = |language: Option<&str>, task| {
        let request = Request { language: language.map(Into::into), task, max_tokens: Some(1) };
        let segment = transcriber.transcribe(&audio, &request)?.next().unwrap()?;
        Ok::<_, hloom_models::Error>(segment.prompt)
    };
    assert_eq!(begin(Some("EN"), None).unwrap(), [61, 63, 65, 67]);
    assert_eq!(begin(Some("<|de|>"), Some(Task::Translate)).unwrap(), [61, 62, 66, 67]);
    // The language is detected.
    assert_eq!(begin(None, Some(Task::Translate)).unwrap(), [61, 64, 66, 67]);
    assert_eq!(
        begin(Some("latin"), None).unwrap_err().to_string(),
        "the model does not know the language `latin`; it knows de, en, fr"
    );
    let (older, audio) = open("older", Options::default());
    let request = Request { language: Some("en".into()), ..Request::default() };
    let error = older.transcribe(&audio, &request).unwrap_err().to_string();
    assert_eq!(error, "language `en`: the model has one language alone, and takes no other");
}

#[test]
fn audio_of_another_rate_is_resampled() {
    let (transcriber, audio) = open("multilingual", Options::default());
    // Every sample three times: its own frequencies remain the lowest.
    let rate = audio.rate() * 3;
    let tripled: Vec<f32> = audio.samples().iter().flat_map(|&x| [x, x, x]).collect();
    let tripled = Audio::new(tripled, rate).unwrap();
    let found = segments(&transcriber, &tripled, &Request::default());
    assert_eq!(found.len(), 2);
    assert!((found[1].end - audio.seconds()).abs() < 1e-9);
}
