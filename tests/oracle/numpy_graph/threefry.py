"""Threefry 2x32 ([Salmon et al. 2011](https://doi.org/10.1145/2063384.2063405)), as XLA generates bits with it."""

import numpy as np

ROTATIONS = [(13, 15, 26, 6), (17, 29, 16, 24)]


def rotated(x, by):
    return (x << np.uint32(by)) | (x >> np.uint32(32 - by))


def threefry(key, x):
    """Two output words for each counter of two words."""
    keys = [key[0], key[1], key[0] ^ key[1] ^ np.uint32(0x1BD11BDA)]
    x = [x[0] + keys[0], x[1] + keys[1]]
    for round_ in range(5):
        for by in ROTATIONS[round_ % 2]:
            x[0] = x[0] + x[1]
            x[1] = rotated(x[1], by) ^ x[0]
        x[0] = x[0] + keys[(round_ + 1) % 3]
        x[1] = x[1] + keys[(round_ + 2) % 3] + np.uint32(round_ + 1)
    return x


def words(x):
    x = np.asarray(x, np.uint64)
    return [(x & np.uint64(0xFFFFFFFF)).astype(np.uint32), (x >> np.uint64(32)).astype(np.uint32)]


def drawn(state, sizes, bits):
    """The next state, and bits of a type of that width."""
    count = int(np.prod(sizes))
    key = words(state[0])
    with np.errstate(over="ignore"):
        if bits == 64:
            counters = state[1] + np.arange(count, dtype=np.uint64)
            low, high = threefry(key, words(counters))
            values = low.astype(np.uint64) | (high.astype(np.uint64) << np.uint64(32))
            used = count
        else:
            values, used = halves(key, state[1], list(sizes))
        return np.array([state[0], state[1] + np.uint64(used)], np.uint64), (values.astype(np.uint64) & np.uint64((1 << bits) - 1)).reshape(sizes)


def halves(key, counter, sizes):
    """Each counter yields two elements, neighbours along an axis: the first one of even size, else the longest."""
    if not sizes:
        pair = threefry(key, words(counter + np.arange(1, dtype=np.uint64)))
        return pair[0], 1
    even = [i for i, n in enumerate(sizes) if n % 2 == 0]
    axis = even[0] if even else max(range(len(sizes)), key=lambda i: sizes[i])
    half = list(sizes)
    half[axis] = (half[axis] + 1) // 2
    used = int(np.prod(half))
    pair = threefry(key, words(counter + np.arange(used, dtype=np.uint64)))
    both = np.stack([p.reshape(half) for p in pair], axis + 1)
    half[axis] *= 2
    both = both.reshape(half)
    return both[(slice(None),) * axis + (slice(0, sizes[axis]),)], used
