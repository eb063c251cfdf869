//! Gradients of functions composed of ops, at points where a branch or a tie has none, against
//! `jax.vjp`.

use super::gradients::check_smooth;

#[test]
fn slopes_match() {
    check_smooth("slopes", 210);
}
