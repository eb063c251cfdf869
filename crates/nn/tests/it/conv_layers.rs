//! Convolutions, pools and norms over channels, compared with values by PyTorch
//! (`tests/oracle/conv_layers.py`).

use super::layers::{Case, check_each, read};
use hloom_graph::{ConvOptions, Padding, PoolOptions, Tensor};
use hloom_nn::{BatchNorm, Conv, ConvTranspose, GroupNorm};
use serde_json::Value;

/// The last axes of a tensor, after those of the batch and the channels.
fn spatial(x: Tensor) -> Vec<usize> {
    (2..x.rank()).collect()
}

fn numbers(attributes: &Value, name: &str) -> Option<Vec<usize>> {
    let numbers = attributes.get(name)?.as_array()?;
    Some(numbers.iter().map(|number| number.as_u64().unwrap() as usize).collect())
}

/// The options of a convolution, of which most cases lack some.
fn options(case: &Case) -> ConvOptions {
    let of = |name| numbers(&case.attributes, name);
    let mut options = ConvOptions::new();
    if let Some(strides) = of("stride") {
        options = options.strides(strides);
    }
    if let Some(padding) = of("padding") {
        let edges = padding.iter().map(|&edge| (edge as isize, edge as isize));
        options = options.padding(Padding::Explicit(edges.collect()));
    }
    if let Some(dilation) = of("dilation") {
        options = options.dilation(dilation);
    }
    if let Some(padding) = of("output_padding") {
        options = options.output_padding(padding);
    }
    options.groups(case.attributes["groups"].as_u64().unwrap_or(1) as usize)
}

fn pool(case: &Case) -> PoolOptions {
    let attributes = &case.attributes;
    PoolOptions::new(case.size("kernel"))
        .strides(case.size("stride"))
        .padding(case.size("padding"))
        .dilation(attributes["dilation"].as_u64().unwrap_or(1) as usize)
        .ceil(attributes["ceil"].as_bool().unwrap())
        .count_padding(attributes["counted"].as_bool().unwrap_or(true))
}

fn batch_norm(case: &Case, inputs: &[Tensor]) -> BatchNorm {
    let epsilon = case.number("epsilon");
    let (weight, bias, mean, var) = match *inputs {
        [_, mean, var] => (None, None, mean, var),
        [_, weight, bias, mean, var] => (Some(weight), Some(bias), mean, var),
        _ => panic!("{} inputs", inputs.len()),
    };
    BatchNorm {
        weight,
        bias,
        running_mean: mean,
        running_var: var,
        num_batches_tracked: None,
        epsilon,
        momentum: 0.2,
    }
}

/// Applies the layer of the case to its inputs.
fn program(case: &Case, inputs: &[Tensor]) -> Tensor {
    let x = inputs[0];
    match case.layer.as_str() {
        "conv" => {
            let (weight, bias) = (inputs[1], inputs.get(2).copied());
            Conv { weight, bias, options: options(case) }.forward(x)
        }
        "conv_transpose" => {
            let (weight, bias) = (inputs[1], inputs.get(2).copied());
            ConvTranspose { weight, bias, options: ConvOptions::new() }
                .with(options(case))
                .forward(x)
        }
        "batch_norm" | "batch_norm plain" => batch_norm(case, inputs).forward(x, 1),
        "batch_norm train" => batch_norm(case, inputs).train(x, 1).0,
        "batch_norm mean" => batch_norm(case, inputs).train(x, 1).1.running_mean,
        "batch_norm var" => batch_norm(case, inputs).train(x, 1).1.running_var,
        "group_norm" => {
            let (weight, bias) = (inputs.get(1).copied(), inputs.get(2).copied());
            let (groups, epsilon) = (case.size("groups"), case.number("epsilon"));
            GroupNorm { weight, bias, groups, epsilon }.forward(x, 1, spatial(x))
        }
        "max_pool" => x.max_pool(spatial(x), pool(case)),
        "avg_pool" => x.avg_pool(spatial(x), pool(case)),
        "adaptive_avg_pool" => x.adaptive_avg_pool(spatial(x), case.size("to")),
        "adaptive_max_pool" => x.adaptive_max_pool(spatial(x), case.size("to")),
        other => panic!("unknown layer {other}"),
    }
}

fn check(prefix: &str, least: usize) {
    let cases = read("conv_layers").into_iter().filter(|case| case.layer.contains(prefix));
    check_each(cases.collect(), least, program);
}

#[test]
fn convolutions_match() {
    check("conv", 60);
}

#[test]
fn norms_over_channels_match() {
    check("norm", 60);
}

#[test]
fn pools_match() {
    check("pool", 80);
}
