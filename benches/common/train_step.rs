//! A training step of a model of the Llama family as users write it, and the weights that it begins
//! with, which `crates/gpu/peers/train_jax.py` makes too.

use hloom::{
    nn::Rope,
    optim::{AdamState, AdamW, Mask, Optimizer, clip_by_global_norm},
    prelude::*,
    value_and_grad,
};
use hloom_models::llama::Llama;

/// The weights and the state of the optimizer.
pub type TrainState<T = Tensor> = (Llama<T>, AdamState<Llama<T>>);

pub fn optimizer() -> AdamW {
    let matrices = Mask::all().without("*norm.weight");
    AdamW::new().betas(0.9, 0.98).weight_decay(0.01).decayed(matrices)
}

/// The state after a step, and the loss before it.
pub fn step(
    rope: Rope,
    (params, state): TrainState,
    tokens: Tensor,
    targets: Tensor,
) -> (TrainState, Tensor) {
    let (loss, gradients) = value_and_grad(params.clone(), |params| {
        params.next_token_loss(tokens, targets, &rope).mean(..)
    });
    let (gradients, _) = clip_by_global_norm(gradients, 1.0);
    (optimizer().update(params, gradients, state, 1e-3), loss)
}

/// Values that both programs make: small, and different for each weight.
pub fn weights(platform: &Platform, specs: &Llama<Spec>) -> hloom::Result<Llama<Buffer>> {
    let matrices = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"];
    Buffer::tree(platform, specs.clone(), |path, spec| {
        let path = path.to_string();
        let place = matrices.iter().position(|name| path.contains(name));
        let layer = path.split('.').find_map(|part| part.parse::<usize>().ok());
        let index = place.map_or(0, |place| 1 + 7 * layer.unwrap_or(0) + place);
        let is_norm = path.contains("norm");
        let element = |i: usize| {
            let value = i as f64 * 0.754_877_666_246_692_7 + 0.1 * index as f64;
            if is_norm { 1.0 } else { ((value.fract() - 0.5) * 0.08) as f32 }
        };
        (0..spec.shape().element_count()).map(element).collect::<Vec<f32>>()
    })
}
