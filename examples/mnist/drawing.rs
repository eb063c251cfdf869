//! Digits as a hand draws them: each with its own slant, size, place, pen and shake.

use crate::{SIDE, glyphs::variants};
use fastrand::Rng;
use std::f64::consts::TAU;

/// A picture of a digit: ink from none to full in [`SIDE`] rows of as many pixels.
pub fn draw(random: &mut Rng, digit: usize) -> Vec<u8> {
    let variants = variants(digit);
    let strokes = &variants[random.usize(..variants.len())];
    let points: Vec<[f64; 2]> = strokes.iter().flat_map(|stroke| dense(stroke)).collect();
    let points = shaken(random, &points);
    let (slant, turn) = (normal(random, 0.08, 0.14), normal(random, 0.0, 0.1));
    let height = 20.0 * uniform(random, 0.72, 1.0);
    let width = height * uniform(random, 0.8, 1.15);
    let place = [0; 2].map(|_| SIDE as f64 / 2.0 + normal(random, 0.0, 1.1));
    let put = |[x, y]: [f64; 2]| {
        let (x, y) = (x - 0.5 - slant * (y - 0.5), y - 0.5);
        let (x, y) = (x * turn.cos() - y * turn.sin(), x * turn.sin() + y * turn.cos());
        [x * width + place[0], y * height + place[1]]
    };
    let points: Vec<[f64; 2]> = points.into_iter().map(put).collect();

    let (pen, ink) = (uniform(random, 0.8, 1.7), uniform(random, 0.8, 1.0));
    let grain = uniform(random, 0.0, 0.06);
    (0..SIDE * SIDE)
        .map(|at| {
            let (column, row) = ((at % SIDE) as f64 + 0.5, (at / SIDE) as f64 + 0.5);
            let square = |[x, y]: &[f64; 2]| (column - x).powi(2) + (row - y).powi(2);
            let nearest = points.iter().map(square).fold(f64::INFINITY, f64::min).sqrt();
            let drawn = (pen + 0.6 - nearest).clamp(0.0, 1.0) * ink + normal(random, 0.0, grain);
            (drawn.clamp(0.0, 1.0) * 255.0).round() as u8
        })
        .collect()
}

/// The same picture, moved by up to two pixels; pixels that leave one side enter at the other.
pub fn moved(random: &mut Rng, picture: &[u8]) -> Vec<u8> {
    let [down, right] = [0; 2].map(|_| random.usize(..5) + SIDE - 2);
    let from = |at: usize| {
        let (row, column) = (at / SIDE + SIDE - down % SIDE, at % SIDE + SIDE - right % SIDE);
        picture[row % SIDE * SIDE + column % SIDE]
    };
    (0..picture.len()).map(from).collect()
}

/// The stroke with points at most a fiftieth apart.
fn dense(stroke: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let mut points = stroke[..1].to_vec();
    for pair in stroke.windows(2) {
        let [from, to] = [pair[0], pair[1]];
        let count = ((to[0] - from[0]).hypot(to[1] - from[1]) / 0.02).ceil().max(1.0) as usize;
        points.extend((1..=count).map(|i| {
            let part = i as f64 / count as f64;
            [0, 1].map(|axis| from[axis] + (to[axis] - from[axis]) * part)
        }));
    }
    points
}

/// Moves points by slow waves, so that straight lines bend as a hand's do.
fn shaken(random: &mut Rng, points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    const FREQUENCIES: [f64; 3] = [2.0, 4.0, 7.0];
    let waves: Vec<(usize, usize, f64, f64, f64)> = (0..2)
        .flat_map(|axis| (0..2).map(move |source| (axis, source)))
        .flat_map(|(axis, source)| FREQUENCIES.map(|frequency| (axis, source, frequency)))
        .map(|(axis, source, frequency)| {
            let phase = uniform(random, 0.0, TAU);
            (axis, source, frequency, normal(random, 0.0, 0.012), phase)
        })
        .collect();
    let shake = |point: &[f64; 2]| {
        let mut moved = *point;
        for &(axis, source, frequency, height, phase) in &waves {
            moved[axis] += height * ((point[source] - 0.5) * frequency + phase).sin();
        }
        moved
    };
    points.iter().map(shake).collect()
}

fn uniform(random: &mut Rng, from: f64, to: f64) -> f64 {
    from + (to - from) * random.f64()
}

/// A normally distributed number, by the method of Box and Muller.
fn normal(random: &mut Rng, mean: f64, deviation: f64) -> f64 {
    let radius = (-2.0 * (1.0 - random.f64()).ln()).sqrt();
    mean + deviation * radius * (TAU * random.f64()).cos()
}
