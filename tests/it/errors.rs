//! The error type of all layers.

use crate::platforms::cpus;
use hloom::prelude::*;

fn checkpoint() -> hloom::Result<()> {
    Checkpoint::open("no/such.safetensors")?;
    Ok(())
}

fn model() -> hloom::Result<()> {
    hloom_models::ModelFolder::open("no/such")?;
    Ok(())
}

fn plugin() -> hloom::Result<()> {
    hloom::plugins::ensure("abacus")?;
    Ok(())
}

fn shape() -> hloom::Result<()> {
    Shape::new(DType::F32, [("a", 1), ("a", 2)])?;
    Ok(())
}

#[test]
fn every_layer_has_the_same_error() {
    for (error, expected) in [
        (checkpoint().unwrap_err(), "no/such.safetensors"),
        (model().unwrap_err(), "no/such"),
        (plugin().unwrap_err(), "no plugin is called `abacus`"),
        (shape().unwrap_err(), "duplicate axis `a`"),
    ] {
        let text = error.to_string();
        assert!(text.contains(expected), "{text}");
        assert_eq!(format!("{error:?}"), text);
    }
}

/// Reporters print an error and its sources, one after the other.
#[test]
fn no_text_is_there_twice_in_a_chain_of_sources() {
    let dot = |x: Tensor, w: Tensor| x.dot(w, "in");
    let x = |size| Spec::f32([("batch", 2), ("in", size)]);
    let exe = cpus().compile(|x: Tensor| x + 1.0, (x(3),)).unwrap();
    let wrong = Buffer::zeros(cpus(), x(4)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("program");
    std::fs::write(&file, "no program").unwrap();
    let dumped = cpus().compiler().dump(file.join("below")).compile(|x: Tensor| x, (x(3),));
    let errors = [
        checkpoint().unwrap_err(),
        model().unwrap_err(),
        plugin().unwrap_err(),
        shape().unwrap_err(),
        cpus().compile(dot, (x(3), x(4))).unwrap_err(),
        exe.call((&wrong,)).unwrap_err(),
        Platform::named("abacus").unwrap_err(),
        Platform::load("no/such.so").unwrap_err(),
        hloom::Mesh::new(cpus(), [("x", 4096)]).unwrap_err(),
        hloom::SavedProgram::read(&file).map(drop).unwrap_err(),
        hloom::StableHlo::read(folder.path().join("none")).map(drop).unwrap_err(),
        dumped.unwrap_err(),
    ];
    for error in &errors {
        let mut texts = vec![error.to_string()];
        let mut source = std::error::Error::source(error);
        while let Some(cause) = source {
            texts.push(cause.to_string());
            source = cause.source();
        }
        for (i, text) in texts.iter().enumerate().skip(1) {
            let is_new = texts[..i].iter().all(|before| !before.contains(text));
            assert!(is_new, "twice: {texts:#?}");
        }
    }
}

#[test]
fn the_readme_quotes_the_messages() {
    let readme = include_str!("../../README.md");
    let x = |last, size| Spec::f32([("batch", 32), (last, size)]);
    let dot = |x: Tensor, w: Tensor| x.dot(w, "in");
    let add = |x: Tensor, y: Tensor| x + y;
    let w = Spec::f32([("out", 128), ("in", 512)]);
    for error in [
        cpus().compile(dot, (x("in", 784), w)).unwrap_err(),
        cpus().compile(add, (x("in", 128), x("in", 64))).unwrap_err(),
        cpus().compile(add, (x("in", 128), x("out", 128))).unwrap_err(),
    ] {
        let message = error.to_string();
        let quoted = format!("  Hloom   {}\n", message.lines().next().unwrap());
        assert!(readme.contains(&quoted), "{quoted}");
    }
}
