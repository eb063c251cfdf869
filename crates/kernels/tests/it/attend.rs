//! Attention compared with a computation in `f64`.

use crate::reference::Random;
use half::{bf16, f16};
use hloom_kernels::{Attention, Element, Error, Isa, Scoped, Serial, attend};
use proptest::prelude::*;

struct Case {
    seq: usize,
    kv_heads: usize,
    group: usize,
    positions: usize,
    dim: usize,
}

fn random<T: Element>(random: &mut Random, count: usize) -> Vec<T> {
    (0..count).map(|_| T::from_f32(random.next())).collect()
}

/// The result of each query, in the order of the result.
fn expected<T: Element>(
    case: &Case,
    query: &[T],
    key: &[T],
    value: &[T],
    mask: Option<&[u8]>,
) -> Vec<f64> {
    let &Case { seq, kv_heads, group, positions, dim } = case;
    let wide = |x: T| f64::from(x.to_f32());
    let mut out = Vec::new();
    for head in 0..kv_heads {
        for token in 0..seq {
            for member in 0..group {
                let query = &query[((token * kv_heads + head) * group + member) * dim..][..dim];
                let row = |cache: &[T], position: usize| {
                    cache[(head * positions + position) * dim..][..dim].to_vec()
                };
                let seen: Vec<usize> = (0..positions)
                    .filter(|&position| {
                        mask.is_none_or(|mask| mask[token * positions + position] != 0)
                    })
                    .collect();
                let score = |position: usize| -> f64 {
                    row(key, position).into_iter().zip(query).map(|(k, &q)| wide(k) * wide(q)).sum()
                };
                let scores: Vec<f64> = seen.iter().map(|&position| score(position)).collect();
                let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let weights: Vec<f64> = scores.iter().map(|score| (score - most).exp()).collect();
                let sum: f64 = weights.iter().sum();
                for i in 0..dim {
                    let weighted = seen
                        .iter()
                        .zip(&weights)
                        .map(|(&position, weight)| wide(row(value, position)[i]) * weight);
                    out.push(if seen.is_empty() { 0.0 } else { weighted.sum::<f64>() / sum });
                }
            }
        }
    }
    out
}

fn check<T: Element>(isa: Isa, threads: usize, case: &Case, mask: Option<&[u8]>, seed: u64) {
    let &Case { seq, kv_heads, group, positions, dim } = case;
    let mut numbers = Random(seed);
    // All operands start at odd offsets.
    let mut operand = |count| random::<T>(&mut numbers, 1 + count);
    let query = &operand(seq * kv_heads * group * dim)[1..];
    let key = &operand(kv_heads * positions * dim)[1..];
    let value = &operand(kv_heads * positions * dim)[1..];
    let mut out = vec![7.0; 2 + query.len()];
    let attention = Attention {
        seq,
        kv_heads,
        group,
        positions,
        dim,
        query,
        key,
        value,
        mask,
        out: &mut out[1..=query.len()],
    };
    attend(isa, &Scoped(threads), attention).expect("the operands fit");
    assert_eq!((out[0], out[1 + query.len()]), (7.0, 7.0), "{isa}: wrote outside the result");
    let expected = expected(case, query, key, value, mask);
    // Tiles multiply weights of 16 significant bits.
    let bound = if isa == Isa::Amx && T::NAME == bf16::NAME { 3e-5 } else { 4e-6 };
    for (i, (found, expected)) in out[1..].iter().zip(&expected).enumerate() {
        let right =
            (f64::from(*found) - expected).abs() <= bound || (found.is_nan() && expected.is_nan());
        assert!(
            right,
            "{isa} {} {seq}x{kv_heads}x{group}x{positions}x{dim} at {i}: {found} for {expected}",
            T::NAME
        );
    }
}

fn check_types(case: &Case, mask: Option<&[u8]>, seed: u64) {
    for isa in Isa::available() {
        for threads in if cfg!(miri) { 2..=2 } else { 1..=3 } {
            check::<f32>(isa, threads, case, mask, seed);
            check::<bf16>(isa, threads, case, mask, seed);
            check::<f16>(isa, threads, case, mask, seed);
        }
    }
}

#[test]
fn sizes_of_every_kind_are_right() {
    for (seed, [seq, kv_heads, group, positions, dim]) in [
        [1, 1, 1, 1, 1],
        [1, 2, 8, 70, 64],
        [1, 1, 3, 1300, 16],
        [2, 3, 5, 65, 33],
        [8, 1, 2, 9, 80],
        [3, 2, 1, 600, 7],
        [0, 2, 1, 5, 4],
        [1, 2, 1, 5, 0],
        [32, 1, 1, 9, 5],
        [11, 1, 3, 70, 64],
        [33, 1, 1, 100, 33],
        [5, 2, 8, 64, 12],
        [40, 1, 2, 70, 7],
        [32, 1, 1, 0, 5],
        [40, 2, 1, 70, 64],
        [20, 1, 3, 130, 32],
        [70, 2, 1, 31, 96],
    ]
    .into_iter()
    .enumerate()
    {
        if cfg!(miri) && seq * kv_heads * group * positions * dim > 2000 {
            continue;
        }
        let case = Case { seq, kv_heads, group, positions, dim };
        check_types(&case, None, seed as u64);
        // A decoder's mask: the earlier positions.
        let filled = positions.saturating_sub(seq);
        let causal: Vec<u8> = (0..seq)
            .flat_map(|token| {
                (0..positions).map(move |position| u8::from(position <= filled / 2 + token))
            })
            .collect();
        check_types(&case, Some(&causal), seed as u64);
        let holes: Vec<u8> = (0..seq * positions)
            .map(|i| u8::from(i % 3 == 1 || i % positions.max(1) == 0))
            .collect();
        check_types(&case, Some(&holes), seed as u64);
    }
}

#[test]
fn a_token_that_sees_nothing_gets_zeros() {
    let case = Case { seq: 2, kv_heads: 1, group: 1, positions: 3, dim: 2 };
    check_types(&case, Some(&[0, 0, 0, 1, 0, 1]), 1);
    check_types(&case, Some(&[0; 6]), 1);
    check_types(&Case { positions: 0, ..case }, None, 1);
    // The first half of many tokens.
    let mask: Vec<u8> = (0..40 * 3).map(|i| u8::from(i >= 60)).collect();
    check_types(&Case { seq: 40, ..case }, Some(&mask), 1);
}

#[test]
fn what_is_behind_the_filled_part_is_not_read() {
    let mut key = vec![bf16::ONE; 8 * 4];
    key[5 * 4..].fill(bf16::NAN);
    for isa in Isa::available() {
        let mut out = [0.0; 4];
        let attention = Attention {
            seq: 1,
            kv_heads: 1,
            group: 1,
            positions: 8,
            dim: 4,
            query: &[bf16::ONE; 4],
            key: &key,
            value: &key,
            mask: Some(&[1, 1, 1, 1, 1, 0, 0, 0]),
            out: &mut out,
        };
        attend(isa, &Serial, attention).expect("the operands fit");
        assert_eq!(out, [1.0; 4], "{isa}");
    }
}

#[test]
fn nan_and_infinities_pass_through() {
    for isa in Isa::available() {
        for seq in [1, 40] {
            for (place, number) in [(0, f32::NAN), (100, f32::NAN), (70, f32::INFINITY)] {
                let mut key = vec![0.5_f32; 130];
                key[place] = number;
                // Only the last token attends to the number.
                let mut mask = vec![1; seq * 130];
                for token in 1..seq {
                    mask[(token - 1) * 130 + place] = 0;
                }
                let mut out = vec![0.0; seq];
                let attention = Attention {
                    seq,
                    kv_heads: 1,
                    group: 1,
                    positions: 130,
                    dim: 1,
                    query: &vec![1.0; seq],
                    key: &key,
                    value: &[1.0; 130],
                    mask: Some(&mask),
                    out: &mut out,
                };
                attend(isa, &Serial, attention).expect("the operands fit");
                assert!(out[seq - 1].is_nan(), "{isa}: {out:?} for {number} at {place}");
                assert!(
                    out[..seq - 1].iter().all(|out| (out - 1.0).abs() < 1e-6),
                    "{isa}: {out:?}"
                );
            }
        }
    }
}

#[test]
fn tiles_pass_numbers_that_are_none_to_those_who_see_them() {
    const POSITIONS: usize = 130;
    const DIM: usize = 32;
    for isa in Isa::available() {
        for (place, number) in [(0, f32::NAN), (129, f32::NAN), (70, f32::INFINITY)] {
            for is_key in [true, false] {
                let mut cache = vec![bf16::from_f32(0.5); POSITIONS * DIM];
                cache[place * DIM] = bf16::from_f32(number);
                let plain = vec![bf16::ONE; POSITIONS * DIM];
                let (key, value) = if is_key { (&cache, &plain) } else { (&plain, &cache) };
                let mut out = vec![0.0; 40 * DIM];
                // The first 33 tokens do not see the block of the number.
                let mut mask = vec![1; 40 * POSITIONS];
                for token in 0..33 {
                    mask[token * POSITIONS..][place / 64 * 64..POSITIONS.min(place / 64 * 64 + 64)]
                        .fill(0);
                }
                let attention = Attention {
                    seq: 40,
                    kv_heads: 1,
                    group: 1,
                    positions: POSITIONS,
                    dim: DIM,
                    query: &vec![bf16::ONE; 40 * DIM],
                    key,
                    value,
                    mask: Some(&mask),
                    out: &mut out,
                };
                attend(isa, &Serial, attention).expect("the operands fit");
                let is_finite = |token: usize| out[token * DIM].is_finite();
                assert!((0..32).all(is_finite), "{isa} {number} at {place}: {:?}", &out[..DIM]);
                assert!(!(33..40).any(is_finite), "{isa} {number} at {place}");
            }
        }
    }
}

#[test]
fn operands_that_do_not_fit_are_refused() {
    let attention = Attention {
        seq: 1,
        kv_heads: 1,
        group: 1,
        positions: 2,
        dim: 2,
        query: &[1.0_f32; 2],
        key: &[1.0_f32; 3],
        value: &[1.0; 4],
        mask: None,
        out: &mut [0.0; 2],
    };
    let error = attend(Isa::Portable, &Serial, attention).expect_err("three elements");
    assert_eq!(error, Error::Size { what: "elements of the key", expected: 4, found: 3 });
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 4 } else { 24 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_sizes(
        seq in 0..9_usize,
        kv_heads in 1..4_usize,
        group in 1..5_usize,
        positions in 0..if cfg!(miri) { 10_usize } else { 700 },
        dim in 0..if cfg!(miri) { 10_usize } else { 80 },
        every in 1..5_usize,
        seed in 0..1000_u64,
    ) {
        let case = Case { seq, kv_heads, group, positions, dim };
        let mask: Vec<u8> = (0..seq * positions).map(|i| u8::from(i % every == 0)).collect();
        check_types(&case, (every > 1).then_some(&mask), seed);
    }
}
