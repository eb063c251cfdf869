"""Digits as a hand draws them: 28 by 28 pixels of ink from 0 to 1, each with its own slant, size, place, pen and shake."""

import numpy as np

from glyphs import GLYPHS

SIZE = 28


def dense(stroke, step=0.02):
    """The stroke with points at most `step` apart."""
    parts = [stroke[:1]]
    for a, b in zip(stroke[:-1], stroke[1:]):
        count = max(1, int(np.ceil(np.linalg.norm(b - a) / step)))
        parts.append(a + (b - a) * (np.arange(1, count + 1) / count)[:, None])
    return np.concatenate(parts)


def shake(rng, points, amount):
    """Moves points by slow waves, so that straight lines bend as a hand's do."""
    waves = rng.normal(0, amount, (2, 2, 3))
    phases = rng.uniform(0, 2 * np.pi, (2, 2, 3))
    frequencies = np.array([2.0, 4.0, 7.0])
    shift = np.zeros_like(points)
    for axis in range(2):
        for source in range(2):
            angles = points[:, source, None] * frequencies + phases[axis, source]
            shift[:, axis] += (waves[axis, source] * np.sin(angles)).sum(axis=1)
    return points + shift


def draw(rng, digit):
    """One picture of a digit."""
    variants = GLYPHS[digit]
    strokes = variants[rng.integers(len(variants))]
    points = np.concatenate([dense(stroke) for stroke in strokes]) - 0.5
    points = shake(rng, points, 0.012)
    slant, turn = rng.normal(0.08, 0.14), rng.normal(0, 0.1)
    size = rng.uniform(0.72, 1.0) * 20 * np.array([rng.uniform(0.8, 1.15), 1.0])
    points = points @ np.array([[1.0, 0.0], [-slant, 1.0]])
    turned = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    points = points @ turned * size + SIZE / 2 + rng.normal(0, 1.1, 2)

    pixels = np.arange(SIZE) + 0.5
    distance = np.full((SIZE, SIZE), np.inf)
    for x, y in points:
        distance = np.minimum(distance, (pixels[None, :] - x) ** 2 + (pixels[:, None] - y) ** 2)
    pen = rng.uniform(0.8, 1.7)
    ink = np.clip(pen + 0.6 - np.sqrt(distance), 0, 1) * rng.uniform(0.8, 1.0)
    ink += rng.normal(0, rng.uniform(0, 0.06), ink.shape)
    return np.clip(ink, 0, 1)


def many(seed, count):
    """`count` pictures as bytes `[count, 784]` and the digits they show."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 10, count)
    images = np.stack([draw(rng, digit).ravel() for digit in labels])
    return np.round(images * 255).astype(np.uint8), labels
