//! One error type for all layers.

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
