"""Random numbers: those that JAX draws by the same key."""

import jax
import jax.numpy as jnp
import numpy as np

from reference import DTYPES, WIDE_FLOATS, numbers

KEYS = [np.array(words, np.uint32) for words in ([0, 0], [0, 42], [2**32 - 1, 2**31 + 5])]
LIMITS = {"uniform_between": (-2.5, 7.25), "truncated_normal": (-0.5, 2.0)}
SHAPE = (5, 7)


def key_of(words):
    return jax.random.wrap_key_data(jnp.asarray(words))


def data(key):
    return np.asarray(jax.random.key_data(key))


def fill(table):
    def draw(row, words, function, *others, case=None):
        """A case whose first input is the key, the second argument of the function's result."""
        others = [np.asarray(x) for x in others]
        case = case or " ".join([f"key {words[0]} {words[1]}", *(f"{x.dtype}{list(x.shape)}" for x in others)])
        values = function(key_of(words), *others)
        table.add(row, [words, *others], values, case=case)

    keys(table, draw)
    random = jax.random
    for words in KEYS:
        for name in ["u8", "u16", "u32", "u64"]:
            draw(f"bits {name}", words, lambda k: random.bits(k, SHAPE, DTYPES[name]))
        # Each draw compiles a hash, which takes long.
        for name in ["f32"] if words is not KEYS[1] else WIDE_FLOATS:
            dtype = DTYPES[name]
            low, high = LIMITS["uniform_between"]
            draw(f"uniform {name}", words, lambda k: random.uniform(k, SHAPE, dtype))
            draw(f"uniform_between {name}", words, lambda k: random.uniform(k, SHAPE, dtype, low, high))
            # Distributions of short types are drawn in float32, and rounded.
            wide = DTYPES["f64"] if name == "f64" else DTYPES["f32"]
            draw(f"normal {name}", words, lambda k: random.normal(k, (301,), wide).astype(dtype))
            low, high = LIMITS["truncated_normal"]
            draw(f"truncated_normal {name}", words, lambda k: random.truncated_normal(k, low, high, (301,), wide).astype(dtype))
            draw(f"exponential {name}", words, lambda k: random.exponential(k, (301,), wide).astype(dtype))
            draw(f"gumbel {name}", words, lambda k: random.gumbel(k, (301,), wide).astype(dtype))
            draw(f"bernoulli {name}", words, lambda k, p: random.bernoulli(k, p.astype(wide), SHAPE), numbers(name, (7,), 0, 1))
            draw(f"categorical {name}", words, lambda k, x: random.categorical(k, x.astype(wide)).astype(np.int32), numbers(name, SHAPE))
            for shape in [(301,)] if name != "f32" or words is not KEYS[1] else [(301,), (), (0, 3), (1,)]:
                a = np.exp(numbers("f64", shape, -2, 4)).astype(dtype)
                draw(f"gamma {name}", words, lambda k, a: random.gamma(k, a.astype(wide), dtype=wide).astype(dtype), a)
    words = KEYS[1]
    for name in ["c64", "c128"]:
        draw(f"normal {name}", words, lambda k: random.normal(k, SHAPE, DTYPES[name]))
    integers(draw, words)
    choices(draw, words)
    for shape in [(), (0, 3), (1,), (2, 1, 3)]:
        draw(f"bits of {len(shape)} axes", words, lambda k: random.bits(k, shape, np.uint32))
    limits = [np.float32([0, 1, 2, np.nan, np.inf, -3, 5]), np.float32([1, 1, 0, 1, 1, 4, 1e30])]
    draw("uniform_between of tensors", words, lambda k, a, b: random.uniform(k, SHAPE, np.float32, a, b), *limits)
    limits = [np.float64([-np.inf, 0, 3, -1]), np.float64([np.inf, 1e-3, 4, np.inf])]
    draw("truncated_normal of tensors", words, lambda k, a, b: random.truncated_normal(k, a, b, (9, 4), np.float64), *limits)
    draw("bernoulli of a number", words, lambda k: random.bernoulli(k, np.float32(0.3), SHAPE))
    draw("gamma of a number", words, lambda k: random.gamma(k, np.float32(2.5), SHAPE, np.float32))


def keys(table, draw):
    for seed in [0, 42, 2**32 - 1, 2**40 + 7, -1]:
        table.add(f"new {seed & 0xFFFFFFFFFFFFFFFF}", [], [data(jax.random.key(seed))])
    for seed in [np.int32(-5), np.uint32(2**32 - 5), np.int64(-5), np.uint64(2**63 + 2**33 + 1), np.uint8(200), np.int16(-2)]:
        table.add("from_seed", [seed], [data(jax.random.key(seed))], case=f"{seed.dtype} {seed}")
    for words in KEYS:
        draw("split2", words, lambda k: list(data(jax.random.split(k))))
        draw("split 5", words, lambda k: list(data(jax.random.split(k, 5))))
        draw("split_along", words, lambda k: data(jax.random.split(k, 3)))
        draw("fold_in 7", words, lambda k: data(jax.random.fold_in(k, 7)))
        for number in [np.int32(7), np.int32(-7), np.uint32(2**32 - 1), np.int64(2**33 + 1), np.uint8(255)]:
            draw("fold_in", words, lambda k, n: data(jax.random.fold_in(k, n)), number, case=f"key {words[0]} {words[1]} {number.dtype} {number}")


def integers(draw, words):
    random = jax.random
    for name in ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"]:
        dtype = DTYPES[name]
        info = np.iinfo(dtype)
        low = -3 if info.min else 3
        draw(f"randint {name}", words, lambda k: random.randint(k, SHAPE, low, 11, dtype))
        wide = np.array([int(info.min), 0, 5, 5], np.uint64 if name == "u64" else np.int64)
        most = int(info.max)
        high = np.array([most if name[1:] == "64" else most + 1, most, 5, 4], wide.dtype)
        draw(f"randint of tensors {name}", words, lambda k, a, b: random.randint(k, (9, 4), a, b, dtype), wide, high)
    for size in [0, 1, 2, 10, 2000]:
        draw(f"permutation {size}", words, lambda k: random.permutation(k, size).astype(np.int32))
    x = numbers("f32", SHAPE)
    draw("shuffle of a vector", words, lambda k, x: random.permutation(k, x), numbers("i16", (9,), -99, 99))
    draw("shuffle 0", words, lambda k, x: random.permutation(k, x), x)
    draw("shuffle -1", words, lambda k, x: random.permutation(k, x, axis=1), x)
    draw("shuffle_each", words, lambda k, x: random.permutation(k, x, axis=1, independent=True), x)


def choices(draw, words):
    random = jax.random
    x = numbers("i32", (6, 3), -99, 99)
    p = np.float32([0.1, 0.25, 0, 0.3, 0.05, 0.3])
    # Without 64-bit types the indices have 32 bits, as ours.
    with jax.enable_x64(False):
        draw("choice", words, lambda k, x: random.choice(k, x, (4, 5)), x)
        draw("choice along 1", words, lambda k, x: random.choice(k, x, (2,), axis=1), x)
        draw("choice of one", words, lambda k, x: random.choice(k, x, ()), x)
        draw("choice without replacement", words, lambda k, x: random.choice(k, x, (2, 2), replace=False), x)
        draw("choice by probability", words, lambda k, x, p: random.choice(k, x, (4, 5), p=p), x, p)
        draw("choice by probability without replacement", words, lambda k, x, p: random.choice(k, x, (4,), False, p), x, p)
        logits = numbers("f32", (5, 4))
        draw("categorical along 0", words, lambda k, x: random.categorical(k, x, axis=0), logits)
        draw("categorical_of", words, lambda k, x: random.categorical(k, x, axis=0, shape=(2, 3, 4)), logits)
