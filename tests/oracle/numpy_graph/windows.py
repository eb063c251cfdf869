"""Convolutions and reductions of sliding windows, one window at a time."""

import numpy as np

from .structure import padded


def positions(size, window, stride, dilation):
    """For each window along an axis, the places of its elements."""
    span = (window - 1) * dilation + 1
    count = 0 if size < span else (size - span) // stride + 1
    return [[at * stride + i * dilation for i in range(window)] for at in range(count)]


def spread(x, value, low, high, dilations):
    """An array with `value` around and between its elements."""
    return padded(x, value, low, high, [by - 1 for by in dilations])


def convolved(x, k, dims):
    """Sums of products in the type of the operands, by the dimension numbers that the graph's export has."""
    x, k = x.transpose(dims["input"]), k.transpose(dims["kernel"])
    spatial = x.ndim - 2
    x = spread(x, 0, [0, 0, *dims["low"]], [0, 0, *dims["high"]], [1, 1, *dims["lhs_dilation"]])
    k = np.flip(k, [2 + i for i, reverse in enumerate(dims["reversal"]) if reverse])
    places = [positions(x.shape[2 + i], k.shape[2 + i], dims["strides"][i], dims["rhs_dilation"][i]) for i in range(spatial)]
    features, batches = dims["feature_groups"], dims["batch_groups"]
    batch, made, taken = x.shape[0] // batches, k.shape[1], k.shape[0]
    result = np.zeros([batch, made, *map(len, places)], x.dtype)
    for at in np.ndindex(*result.shape[2:]):
        window = x[np.ix_(range(x.shape[0]), range(x.shape[1]), *(places[i][p] for i, p in enumerate(at)))]
        for out in range(made):
            group, of = out * features // max(made, 1), out * batches // max(made, 1)
            part = window[of * batch : (of + 1) * batch, group * taken : (group + 1) * taken]
            result[(slice(None), out, *at)] = (part * k[:, out]).sum(tuple(range(1, part.ndim)))
    back = np.argsort(dims["result"])
    return result.transpose(back)


def reduced(x, window, function):
    """`function` of the elements in each window, without the padding: a list for each array of `x`."""
    inside = spread(np.ones(x[0].shape, bool), False, window["low"], window["high"], window["base_dilations"])
    x = [spread(array, array.dtype.type(0), window["low"], window["high"], window["base_dilations"]) for array in x]
    lists = [window[name] for name in ("sizes", "strides", "window_dilations")]
    places = [positions(size, *along) for size, *along in zip(inside.shape, *lists)]
    sizes = [len(along) for along in places]
    results = []
    for at in np.ndindex(*sizes):
        chosen = np.ix_(*(places[i][p] for i, p in enumerate(at))) if sizes else ()
        kept = inside[chosen].reshape(-1)
        results.append(function(*(array[chosen].reshape(-1)[kept] for array in x)))
    return sizes, results
