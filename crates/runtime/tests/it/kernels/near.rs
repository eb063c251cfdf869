//! Results of products and of attention in `f64`, each with a bound on its error.

use hloom_graph::DType;

/// A number, and how far from it a result may be.
#[derive(Clone, Copy, Debug)]
pub struct Near {
    value: f64,
    bound: f64,
}

/// The unit roundoff of a float type.
fn roundoff(dtype: DType) -> f64 {
    match dtype {
        DType::BF16 => 2f64.powi(-8),
        DType::F16 => 2f64.powi(-11),
        _ => 2f64.powi(-24),
    }
}

impl Near {
    /// The number itself, of an operand.
    pub fn exact(value: f32) -> Near {
        Near { value: value.into(), bound: 0.0 }
    }

    /// As an element of a type.
    pub fn rounded(self, dtype: DType) -> Near {
        let largest = self.value.abs() + self.bound;
        Near { bound: self.bound + roundoff(dtype) * largest, ..self }
    }

    pub fn abs(self) -> Near {
        Near { value: self.value.abs(), ..self }
    }
}

impl std::ops::Add for Near {
    type Output = Near;

    fn add(self, other: Near) -> Near {
        Near { value: self.value + other.value, bound: self.bound + other.bound }
    }
}

/// The products of rows of `k` elements with rows of a weight, `[row, out]`, added in `f32` in any
/// order and rounded to `dtype`.
pub fn products(x: &[Near], weight: &[f32], k: usize, dtype: DType) -> Vec<Near> {
    let product = |x: &[Near], w: &[f32]| {
        let (mut value, mut size, mut bound) = (0.0, 0.0, 0.0);
        for (x, &w) in x.iter().zip(w) {
            let w = f64::from(w);
            value += x.value * w;
            size += (x.value * w).abs();
            bound += x.bound * w.abs();
        }
        let sums = size * k as f64 * roundoff(DType::F32);
        Near { value, bound: bound + sums }.rounded(dtype)
    };
    x.chunks_exact(k).flat_map(|x| weight.chunks_exact(k).map(move |w| product(x, w))).collect()
}

/// The shapes of attention: one batch of queries `[seq, kv_head, group, dim]`, keys and values
/// `[kv_head, position, dim]`.
#[derive(Clone, Copy)]
pub struct Sizes {
    pub seq: usize,
    pub kv_heads: usize,
    pub group: usize,
    pub positions: usize,
    pub dim: usize,
}

/// The mean of the values that each query sees, `[seq, kv_head, group, dim]`, rounded to `dtype`, the
/// type of keys and values too: scaled queries and weights are rounded to it before they are
/// multiplied.
pub fn attended(
    sizes: Sizes,
    [query, key, value]: [&[f32]; 3],
    scale: f64,
    sees: impl Fn(usize, usize) -> bool,
    dtype: DType,
) -> Vec<Near> {
    let Sizes { seq, kv_heads, group, positions, dim } = sizes;
    let wide = |x: f32| f64::from(x);
    let mut all = Vec::with_capacity(query.len());
    for (token, head) in (0..seq).flat_map(|token| (0..kv_heads).map(move |head| (token, head))) {
        for member in 0..group {
            let query = &query[((token * kv_heads + head) * group + member) * dim..][..dim];
            let row = |of: &[f32], position: usize| -> Vec<f64> {
                of[(head * positions + position) * dim..][..dim].iter().map(|&x| wide(x)).collect()
            };
            let seen: Vec<usize> = (0..positions).filter(|&at| sees(token, at)).collect();
            // The relative error of one operand and of the sum of its products.
            let relative = roundoff(dtype).max(dim as f64 * roundoff(DType::F32));
            let mut largest = 0f64;
            let mut weight = |&at: &usize| {
                let products = query.iter().zip(row(key, at)).map(|(&q, k)| scale * wide(q) * k);
                let (sum, size) = products.fold((0.0, 0.0), |(sum, size), product: f64| {
                    (sum + product, size + product.abs())
                });
                largest = largest.max(size * relative);
                sum.exp()
            };
            let weights: Vec<f64> = seen.iter().map(&mut weight).collect();
            let sum: f64 = weights.iter().sum();
            let mut out = vec![Near { value: 0.0, bound: 1e-6 }; dim];
            // The errors of a logit, of the sum of the weights, and of a weight itself.
            let error = 2.0 * largest + relative;
            for (&at, weight) in seen.iter().zip(&weights) {
                for (out, v) in out.iter_mut().zip(row(value, at)) {
                    out.value += weight / sum * v;
                    out.bound += weight / sum * v.abs() * error;
                }
            }
            all.extend(out.into_iter().map(|near| near.rounded(dtype)));
        }
    }
    all
}

/// Checks that results are within their bounds.
#[track_caller]
pub fn assert_near(what: &str, found: &[f32], expected: &[Near]) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (i, (&found, near)) in found.iter().zip(expected).enumerate() {
        let error = (f64::from(found) - near.value).abs();
        assert!(error <= near.bound, "{what} at {i}: {found}, off by {error:e}, for {near:?}");
    }
}
