//! Ops that move elements, and constants.

use super::{
    super::{failing::Callbacks, generator::Generator, values::Data},
    Template,
};
use hloom::{
    DType, Key, Spec, Tensor,
    callbacks::CallbackBuilder,
    ops::{concatenate, optimization_barrier, stack},
};

/// Sizes with as many elements as `x`.
fn refilled(g: &Generator<'_>, x: Tensor) -> Vec<usize> {
    let mut sizes: Vec<usize> =
        g.order(x).into_iter().map(|axis| x.shape().sizes()[axis]).collect();
    if sizes.len() > 1 && g.once_in(2) {
        let last = sizes.pop().unwrap_or(1);
        sizes[0] *= last;
    }
    if g.once_in(3) && sizes.len() < 6 {
        sizes.insert(g.below(sizes.len() + 1), 1);
    }
    sizes
}

pub fn shapes() -> Vec<Template> {
    vec![
        Template::new("reshape", |g, dtype| {
            let x = g.any(dtype);
            vec![x.reshape(refilled(g, x))]
        }),
        Template::new("transpose", |g, dtype| {
            let x = g.any(dtype);
            vec![x.transpose(g.order(x))]
        }),
        Template::new("reverse", |g, dtype| {
            let x = g.any(dtype);
            vec![x.reverse(g.axes(x))]
        }),
        Template::new("broadcast", |g, dtype| {
            let x = g.any(dtype);
            let grown = x.shape().sizes().to_vec();
            let mut sizes: Vec<usize> =
                grown.iter().map(|&n| if n == 1 { g.choose(&[0, 2, 3]) } else { n }).collect();
            if g.once_in(2) {
                sizes.insert(0, g.choose(&[1, 2, 3]));
            }
            vec![x.broadcast_to(sizes)]
        }),
        Template::new("transpose of a broadcast", |g, dtype| {
            let x = g.ranked(dtype);
            let wide = x.insert_axis(g.axis(x), "_");
            let y = wide + wide.transpose(g.order(wide)).reshape(wide.shape().sizes().to_vec());
            vec![y]
        }),
        Template::new("optimization_barrier", |g, dtype| {
            let x = g.any(dtype);
            let y = g.partner(x);
            let (x, y) = optimization_barrier((x, y));
            vec![x, y]
        }),
        Template::new("constrain", |g, dtype| {
            let x = g.any(dtype);
            match g.partition(x.shape().sizes()) {
                Some(partition) => vec![x.constrain(partition)],
                None => vec![x.constrain(hloom::PartitionSpec::any())],
            }
        }),
        Template::new("callback", |g, dtype| {
            let x = g.any(dtype);
            if g.once_in(2) {
                let call = CallbackBuilder::new("identity", x, Spec::of(x.shape())).pure();
                return vec![call.run(|_, x, mut y| {
                    y.as_bytes_mut()?.copy_from_slice(x.as_bytes()?);
                    Ok(())
                })];
            }
            let callbacks = g.given.callbacks.clone();
            let number = callbacks.add();
            let call = CallbackBuilder::new(Callbacks::name(number), x, Spec::of(x.shape()));
            vec![call.run(move |_, x, mut y| {
                callbacks.run(number)?;
                y.as_bytes_mut()?.copy_from_slice(x.as_bytes()?);
                Ok(())
            })]
        }),
    ]
}

pub fn parts() -> Vec<Template> {
    vec![
        Template::new("slice", |g, dtype| {
            let x = g.ranked(dtype);
            let axis = g.axis(x);
            let size = x.shape().size(axis).expect("the axis is one of its");
            vec![x.slice_step(axis, g.range(size), 1 + g.below(3))]
        }),
        Template::new("index", |g, dtype| {
            let x = g.filled(dtype);
            let axis = g.axis(x);
            let size = x.shape().size(axis).expect("the axis is one of its");
            vec![
                x.index(
                    axis,
                    g.below(size) as isize - if g.once_in(2) { size as isize } else { 0 },
                ),
            ]
        }),
        Template::new("pad", |g, dtype| {
            let x = g.ranked(dtype);
            let axis = g.axis(x);
            let size = x.shape().size(axis).expect("the axis is one of its") as isize;
            let low = g.below(4) as isize - (g.below(2) as isize).min(size);
            let high =
                g.below(4) as isize - if g.once_in(4) { (size + low).clamp(0, 2) } else { 0 };
            let value = g.choose(&[0, 1]);
            match dtype {
                DType::Bool => vec![x.pad_interior(axis, low, high, g.below(3), value == 1)],
                _ => vec![x.pad_interior(axis, low, high, g.below(3), value)],
            }
        }),
        Template::new("concatenate", |g, dtype| {
            let x = g.ranked(dtype);
            let axis = g.axis(x);
            let mut sizes = x.shape().sizes().to_vec();
            let at = axis.rem_euclid(sizes.len() as isize) as usize;
            sizes[at] = g.choose(&[0, 1, 2, sizes[at]]);
            let y = g.tensor(dtype, &sizes);
            if g.once_in(3) {
                vec![concatenate(&[x, y, x], axis)]
            } else {
                vec![concatenate(&[x, y], axis)]
            }
        }),
        Template::new("stack", |g, dtype| {
            let x = g.any(dtype);
            let y = g.tensor(dtype, x.shape().sizes());
            vec![stack(&[x, y], "_")]
        }),
    ]
}

pub fn constants() -> Vec<Template> {
    let bits = |g: &Generator<'_>, dtype| {
        let key = if g.once_in(2) {
            Key::new(g.below(1000) as u64)
        } else {
            Key(g.argument(DType::U32, &[2], Data::Any))
        };
        let (key, own) = key.split2();
        vec![key.0, own.bits(dtype, g.sizes())]
    };
    vec![
        Template::new("splat", |g, dtype| match dtype {
            DType::Bool => vec![Tensor::full(g.once_in(2), dtype, g.sizes())],
            _ => vec![Tensor::full(g.choose(&[0, 1]), dtype, g.sizes())],
        }),
        Template::new("iota", |g, dtype| {
            // Types with few values count as far as they can.
            let most = match dtype {
                DType::I2 | DType::U2 | DType::F4E2M1FN => 2,
                dtype if dtype.bits() <= 4 => 7,
                _ => 16,
            };
            let mut sizes: Vec<usize> =
                g.filled_sizes().iter().map(|&size| size.min(most)).collect();
            if g.once_in(8) {
                sizes[0] = 0;
            }
            let axis = g.below(sizes.len());
            vec![Tensor::iota(dtype, sizes, axis)]
        }),
        Template::new("random bits", bits),
        Template::new("constant", constant),
    ]
}

/// Values of the types that Rust has.
fn constant(g: &Generator<'_>, dtype: DType) -> Vec<Tensor> {
    use half::{bf16, f16};
    use num_complex::Complex;
    let x = [0.5, -1.0, 3.25, g.below(7) as f64];
    let [a, b, c, d] = x.map(|v| v as i64);
    vec![match dtype {
        DType::Bool => Tensor::constant(&[true, false, g.once_in(2), true], [4]),
        DType::I8 => Tensor::constant(&[a, b, c, d].map(|v| v as i8), [2, 2]),
        DType::I16 => Tensor::constant(&[a, b, c, d].map(|v| v as i16), [4]),
        DType::I32 => Tensor::constant(&[a, b, c, d].map(|v| v as i32), [4, 1]),
        DType::I64 => Tensor::constant(&[a, b, c, d], [4]),
        DType::U8 => Tensor::constant(&[a, b, c, d].map(|v| v as u8), [1, 4]),
        DType::U16 => Tensor::constant(&[a, b, c, d].map(|v| v as u16), [4]),
        DType::U32 => Tensor::constant(&[a, b, c, d].map(|v| v as u32), [4]),
        DType::U64 => Tensor::constant(&[a, b, c, d].map(|v| v as u64), [4]),
        DType::BF16 => Tensor::constant(&x.map(bf16::from_f64), [4]),
        DType::F16 => Tensor::constant(&x.map(f16::from_f64), [2, 2]),
        DType::F32 => Tensor::constant(&[f32::NAN, f32::INFINITY, -0.0, x[3] as f32], [4]),
        DType::F64 => Tensor::constant(&[x[0], -0.0, 1e300, x[3]], [4]),
        DType::C64 => Tensor::constant(&x.map(|v| Complex::new(v as f32, 1.0)), [4]),
        DType::C128 => Tensor::constant(&x.map(|v| Complex::new(v, -2.0)), [4]),
        // Without a Rust type, record an error in the trace, as for a type without constants.
        _ => Tensor::full(1, DType::Bool, [1]) + Tensor::full(1, dtype, [1]),
    }]
}
