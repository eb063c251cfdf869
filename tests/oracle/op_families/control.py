"""Loops and branches."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from reference import numbers, rounded, widened


def collatz(n):
    """The number of steps of each number to 1, iterated together until the last reaches it."""
    def step(carry):
        n, steps = carry
        return jnp.where(n == 1, n, jnp.where(n % 2 == 0, n // 2, 3 * n + 1)), steps + (n != 1).astype(jnp.int32)
    return np.asarray(lax.while_loop(lambda c: jnp.any(c[0] != 1), step, (n, jnp.zeros_like(n)))[1])


def rnn(x, h, weights):
    """An LSTM over the first axis; returns the last state and all outputs."""
    w, u, b = weights
    def step(carry, x):
        h, c = carry
        i, f, g, o = jnp.split(x @ w + h @ u + b, 4, -1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h
    return lax.scan(step, (h, jnp.zeros_like(h)), x)


def fill(table):
    n = np.array([1, 6, 27, 97], np.int32)
    table.add("while collatz", [n], collatz(n))
    table.add("while collatz", [np.array([1, 1], np.int32)], np.zeros(2, np.int32))
    for limit in [10.0, 1e6, 0.0]:
        x, count = np.float32(1.5), 0
        while x < limit:
            x, count = np.float32(x * 2), count + 1
        table.add("while doubling", [np.float32(1.5), np.float32(limit)], [x, np.int32(count)], case=f"up to {limit}")
    x = numbers("f32", (3,), 0, 1)
    for count in [0, 1, 5]:
        table.add(f"for_loop {count}", [x], x * np.float32(2**count) + np.float32(sum(i * 2 ** (count - 1 - i) for i in range(count))))
    table.add("for_loop nested", [np.float32(0)], np.float32(sum(i * j for i in range(4) for j in range(5))))
    for truth in [True, False]:
        table.add("cond", [np.bool_(truth), x], [x + 1 if truth else x * 2, np.int32(1 if truth else 2)], case=str(truth))
    for index in [0, 1, 2, 3, -1, 2**31 - 1, -(2**31)]:
        result = [x, x + 1, x * 2][index if 0 <= index < 3 else 2]
        table.add("case of three", [np.int32(index), x], result, case=f"index {index}")
    table.add("case of one", [np.int32(5), x], x + 1)
    table.add("cond in a loop", [np.arange(6, dtype=np.int32)], np.int32(0 + 1 * 10 + 2 + 3 * 10 + 4 + 5 * 10))
    for time in [5, 1, 0]:
        x = numbers("f32", (time, 3))
        total, rows = np.zeros(3, np.float32), []
        for i in range(time):
            rows.append([total * x[i], x[i].sum()])
            total = total + x[i]
        table.add("scan with a tree", [x], [
            total, np.int32(time), np.array([r[0] for r in rows], np.float32).reshape(time, 3), np.array([r[1] for r in rows], np.float32)])
    x, y = numbers("f32", (2, 4)), numbers("i32", (4, 3))
    table.add("scan two along seq", [x, y], (x.T[:, :, None] * y[:, None, :]).astype(np.float32))
    table.add("scan nested", [numbers("f32", (3, 4))], np.cumsum(np.cumsum(numbers("f32", (3, 4)), 1), 0))
    values = [numbers("f32", s, -1, 1) for s in [(7, 2, 5), (2, 3), (5, 12), (3, 12), (12,)]]
    (h, c), out = jax.jit(rnn)(widened(values[0]), widened(values[1]), tuple(map(widened, values[2:])))
    table.add("lstm", values, [rounded(np.asarray(v), "f32") for v in (h, c, out)])
    table.add("optimization_barrier", [x, y], [x + 1, y])
    for size in [0, 1, 2, 3, 4, 5, 7, 8, 9, 31]:
        a, b = numbers("f64", (size, 2), -1, 1), numbers("f64", (size, 2), -1, 1, seed="b")
        state, states = np.zeros(2), []
        for i in range(size):
            state = a[i] * state + b[i]
            states.append(state)
        table.add("associative_scan recurrence", [a, b], np.array(states).reshape(size, 2), case=f"f64 of {size} steps")
        x = numbers("i32", (3, size))
        table.add("associative_scan sum", [x], np.cumsum(x, 1, dtype=np.int32), case=f"i32 of {size} elements")
        table.add("map", [x], np.stack([np.arange(3, dtype=np.int32) * column for column in x.T] or [np.zeros(3, np.int32)])[:size], case=f"i32 of {size} elements")
