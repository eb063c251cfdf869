//! One error type for all layers.

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
        (shape().unwrap_err(), "axis `a` is there twice"),
    ] {
        let text = error.to_string();
        assert!(text.contains(expected), "{text}");
        assert_eq!(format!("{error:?}"), text);
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
