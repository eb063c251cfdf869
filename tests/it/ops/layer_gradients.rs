//! Gradients of layers and losses, against `jax.vjp`.

use super::gradients::check_smooth;

#[test]
fn gradients_of_layers_match() {
    check_smooth("layer_gradients", 50);
}
