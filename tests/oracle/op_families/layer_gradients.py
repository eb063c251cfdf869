"""Gradients of layers and losses of `crates/nn`: by JAX, as those of `gradients`."""

import jax
import jax.numpy as jnp
import numpy as np

from op_families.gradients import REAL, add
from reference import numbers, rounded


def attentions(table):
    for name in REAL:
        q, k, v = numbers(name, (3, 2, 2, 4)), numbers(name, (2, 5, 4), seed="k"), numbers(name, (2, 5, 4), seed="v")
        mask = np.tril(np.ones((3, 5), np.bool_), 2)
        bias, sinks = numbers(name, (2, 2, 3, 5), -1, 1), numbers(name, (2, 2), -1, 1)

        def attend(q, k, v, mask=None, bias=None, cap=None, sinks=None):
            scores = jnp.einsum("skgd,kpd->kgsp", q * 0.5, k)
            if cap is not None:
                scores = cap * jnp.tanh(scores / cap)
            if bias is not None:
                scores = scores + bias
            if mask is not None:
                scores = jnp.where(mask, scores, -jnp.inf)
            if sinks is not None:
                rows = jnp.broadcast_to(sinks[:, :, None, None], scores.shape[:3] + (1,))
                scores = jnp.concatenate([scores, rows], -1)
            weights = jax.nn.softmax(scores, -1)[..., : k.shape[1]]
            return jnp.einsum("kgsp,kpd->skgd", weights, v)

        add(table, "attention", attend, q, k, v, twice=True)
        add(table, "attention masked", attend, q, k, v, mask, twice=True)
        add(table, "attention in chunks", attend, q, k, v, mask, twice=True)
        add(table, "attention with all", lambda q, k, v, m, b, s: attend(q, k, v, m, b, 3.0, s), q, k, v, mask, bias, sinks, twice=True)


def norms(table):
    normal = lambda x, axes, epsilon: (x - x.mean(axes, keepdims=True)) / jnp.sqrt(x.var(axes, keepdims=True) + epsilon)
    for name in REAL:
        x, w, b = numbers(name, (3, 6)), numbers(name, (6,), seed="w"), numbers(name, (6,), seed="b")
        mean, var = numbers(name, (6,), seed="mean"), numbers(name, (6,), 0.5, 2)
        add(table, "layer_norm", lambda x, w, b: normal(x, 1, 1e-3) * w + b, x, w, b, twice=True)
        add(table, "rms_norm", lambda x, w: x / jnp.sqrt((x * x).mean(1, keepdims=True) + 1e-3) * w, x, w, twice=True)
        add(table, "batch_norm", lambda x, w, b: normal(x, 0, 1e-3) * w + b, x, w, b, twice=True)
        running = lambda x, w, b, mean, var: (x - mean) / jnp.sqrt(var + 1e-3) * w + b
        add(table, "batch_norm of running statistics", running, x, w, b, mean, var, twice=True)
        image = numbers(name, (2, 6, 3))
        grouped = lambda x: normal(x.reshape(2, 3, 2, 3), (2, 3), 1e-3).reshape(x.shape)
        add(table, "group_norm", lambda x, w, b: grouped(x) * w[:, None] + b[:, None], image, w, b, twice=True)


def losses(table):
    for name in REAL:
        x, y = numbers(name, (4, 5)), numbers(name, (4, 5), seed="y")
        labels = np.array([3, 0, 4, 1], np.int32)
        targets = rounded(np.asarray(jax.nn.softmax(y.astype(np.float64))), name)
        of_label = lambda x, i: -jax.nn.log_softmax(x)[jnp.arange(4), i]
        add(table, "cross_entropy", of_label, x, labels, twice=True)

        def smooth(x, i):
            loss = 0.9 * of_label(x, i) - 0.1 * jax.nn.log_softmax(x).mean(1)
            return jnp.where(i == 4, 0.0, loss)

        add(table, "cross_entropy smooth", smooth, x, labels, twice=True)
        add(table, "soft_cross_entropy", lambda x, t: -(t * jax.nn.log_softmax(x)).sum(1), x, targets, twice=True)
        add(table, "squared_error", lambda x, y: (x - y) ** 2, x, y, twice=True)
        points = rounded(np.array([0.0, 0.5, 1.0, -1.0, 3.0, -3.0]), name)
        add(table, "absolute_error", lambda x, y: jnp.abs(x - y), points, np.zeros_like(points))

        def huber(x, y):
            d = jnp.abs(x - y)
            return jnp.where(d <= 1, d * d / 2, d - 0.5)

        add(table, "huber", huber, points, np.zeros_like(points))
        add(table, "huber", huber, x, y, case=f"{name} random")
        signs = np.sign(y)
        add(table, "hinge", lambda x, t: jnp.maximum(1 - x * t, 0), x, signs)
        add(table, "hinge", lambda x, t: jnp.maximum(1 - x * t, 0), np.ones_like(points), points, case=f"{name} ties")
        mixed = targets.copy()
        mixed[:, 2] = 0

        def divergence(x, t):
            some = t > 0
            return jnp.where(some, t * (jnp.log(jnp.where(some, t, 1)) - x), 0)

        add(table, "kl_divergence", divergence, np.log(targets), mixed, twice=True)


def weights(table):
    for name in REAL:
        x, w, b = numbers(name, (3, 4)), numbers(name, (2, 4)), numbers(name, (2,))
        ids = np.array([[2, 0, 2], [1, 2, 0]], np.int32)
        add(table, "linear", lambda x, w, b: x @ w.T + b, x, w, b, twice=True)
        add(table, "embedding", lambda w, i: w[i], x, ids)


def fill(table):
    attentions(table)
    norms(table)
    losses(table)
    weights(table)
