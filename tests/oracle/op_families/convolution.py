"""Convolutions, one window at a time in a wide type, which JAX confirms; transposed ones as sums of kernels."""

import itertools

import jax.numpy as jnp
import numpy as np
from jax import lax

from numpy_graph.windows import convolved
from reference import COMPLEX, DTYPES, INTS, numbers, rounded, widened

NUMBERS = ["i2", "u4", "i8", "u8", "i16", "i32", "u32", "i64", "u64", "f4e2m1fn", "f8e4m3fn", "f8e5m2", "bf16", "f16", "f32", "f64", *COMPLEX]


def wide(x, name):
    return x.astype(np.int64).astype(object) if name in INTS else widened(x)


def operands(name, input, kernel):
    """Values whose sums fit the type."""
    low = 0 if name[0] == "u" else -1 if name in ("i2", "f4e2m1fn") else -2
    return numbers(name, input, low, 2), numbers(name, kernel, low, 2, seed="kernel")


def dims(spatial, **changes):
    """The dimension numbers that PyTorch has, as the export of a graph."""
    axes = list(range(2, 2 + spatial))
    plain = {
        "input": [0, 1, *axes], "kernel": [1, 0, *axes], "result": [0, 1, *axes], "strides": [1] * spatial, "low": [0] * spatial,
        "high": [0] * spatial, "lhs_dilation": [1] * spatial, "rhs_dilation": [1] * spatial, "reversal": [False] * spatial,
        "feature_groups": 1, "batch_groups": 1,
    }
    return {**plain, **changes}


def by_jax(x, k, at):
    numbers = lax.ConvDimensionNumbers(tuple(at["input"]), (at["kernel"][1], at["kernel"][0], *at["kernel"][2:]), tuple(at["result"]))
    turned = np.flip(k, [axis for axis, reverse in zip(at["kernel"][2:], at["reversal"]) if reverse])
    return lax.conv_general_dilated(
        jnp.asarray(x), jnp.asarray(turned), at["strides"], list(zip(at["low"], at["high"])), at["lhs_dilation"], at["rhs_dilation"],
        numbers, at["feature_groups"], at["batch_groups"],
    )


def convolution(x, k, at, name, wanted=None):
    sums = convolved(wide(x, name), wide(k, name), at)
    if name == "f32" and sums.size and x.size and k.size:
        np.testing.assert_allclose(by_jax(widened(x), widened(k), at), sums, 1e-10, 1e-10)
    return rounded(sums, wanted or name)


def case(table, row, at, input, kernel, names=("f32",)):
    for name in names:
        x, k = operands(name, input, kernel)
        table.add(row, [x, k], convolution(x, k, at, name))


def same(sizes, kernel, strides, lower=False, dilation=1):
    """JAX's padding for as many windows as there are strides."""
    spans = [(k - 1) * dilation + 1 for k in kernel]
    pads = lax.padtype_to_pads(sizes, spans, strides, "SAME_LOWER" if lower else "SAME")
    return {"low": [a for a, _ in pads], "high": [b for _, b in pads]}


def plain(table):
    case(table, "conv1d", dims(1), (2, 3, 7), (4, 3, 3), NUMBERS)
    for input, kernel in [((2, 3, 7), (1, 3, 1)), ((1, 1, 1), (1, 1, 1)), ((0, 3, 7), (4, 3, 3)), ((2, 0, 7), (4, 0, 3)), ((2, 3, 7), (0, 3, 3)), ((2, 3, 2), (4, 3, 3)), ((2, 3, 0), (4, 3, 1)), ((3, 17, 33), (9, 17, 5))]:
        x, k = operands("f32", input, kernel)
        table.add("conv1d", [x, k], convolution(x, k, dims(1), "f32"), case=f"f32 of shapes {list(input)} and {list(kernel)}")
    for name in ["i8", "bf16", "c64"]:
        x, k = operands(name, (0, 2, 5), (3, 2, 2))
        table.add("conv1d", [x, k], convolution(x, k, dims(1), name), case=f"empty {name}")
    for batch in [(), (2, 3), (2, 0), (1, 2, 3)]:
        x, k = operands("f32", (*batch, 3, 7), (4, 3, 3))
        flat = convolution(x.reshape(int(np.prod(batch)), 3, 7), k, dims(1), "f32")
        table.add("conv1d", [x, k], flat.reshape(*batch, 4, 5), case=f"f32 with batch axes {list(batch)}")
    specials = np.array([[[1, np.inf, -2, 0, np.nan, 3, 0, 0]]], np.float32)
    k = np.array([[[1, 0.5]]], np.float32)
    with np.errstate(invalid="ignore"):
        table.add("conv1d", [specials, k], rounded(convolved(widened(specials), widened(k), dims(1)), "f32"), case="f32 with infinities and NaN")
    for given, wanted in [("i8", "i32"), ("u8", "u32"), ("i4", "i32"), ("bf16", "f32"), ("f16", "f32"), ("f8e4m3fn", "f32"), ("f32", "f64"), ("c64", "c128")]:
        x, k = (numbers(given, s, -9, 9, seed=str(s)) for s in [(2, 3, 7), (4, 3, 3)])
        table.add(f"conv1d into {wanted}", [x, k], convolution(x, k, dims(1), given, wanted))
    case(table, "conv1d causal", dims(1, low=[4], rhs_dilation=[2]), (2, 3, 7), (4, 3, 3))
    case(table, "conv2d", dims(2), (2, 3, 6, 5), (4, 3, 3, 2), ["f32", "f64", "c64"])
    case(table, "conv2d highest", dims(2), (2, 3, 6, 5), (4, 3, 3, 2))


def windows(table):
    names = ["i32", "bf16", "f32"]
    case(table, "conv2d strides 2 padding 1", dims(2, strides=[2, 2], low=[1, 1], high=[1, 1]), (2, 3, 7, 8), (4, 3, 3, 3), names)
    for size in [(7, 8), (1, 1), (2, 3)]:
        case(table, "conv2d same", dims(2, strides=[2, 3], **same(size, (3, 2), (2, 3))), (1, 2, *size), (3, 2, 3, 2))
        case(table, "conv2d same lower", dims(2, strides=[2, 3], **same(size, (3, 2), (2, 3), True)), (1, 2, *size), (3, 2, 3, 2))
    case(table, "conv2d same dilation 2", dims(2, rhs_dilation=[2, 2], **same((7, 8), (3, 2), (1, 1), dilation=2)), (1, 2, 7, 8), (3, 2, 3, 2))
    case(table, "conv2d dilation 2 3 padding", dims(2, rhs_dilation=[2, 3], low=[1, 0], high=[2, 1]), (2, 3, 7, 8), (4, 3, 3, 2), ["f16", "f32"])
    case(table, "conv2d cropped", dims(2, low=[-1, 2], high=[1, -3]), (1, 2, 5, 6), (2, 2, 2, 2))
    case(table, "conv2d groups 2", dims(2, feature_groups=2), (2, 4, 5, 4), (6, 2, 2, 3), names)
    case(table, "conv2d groups 4", dims(2, feature_groups=4, low=[1, 1], high=[1, 1]), (1, 4, 5, 4), (8, 1, 3, 3), names)
    case(table, "conv3d strides 2", dims(3, strides=[2, 1, 2]), (1, 2, 5, 4, 6), (3, 2, 2, 3, 2), ["i32", "f32"])


def axes(table):
    at = dims(2, input=[0, 3, 1, 2], kernel=[2, 3, 0, 1], result=[0, 3, 1, 2], **same((5, 6), (3, 2), (1, 1)))
    case(table, "conv channels last", at, (2, 5, 6, 3), (3, 2, 3, 4), ["bf16", "f32"])
    x, k = operands("f32", (5, 2, 3, 2, 6), (2, 4, 3, 2))
    # x [y, a, in, b, x], kernel [x, out, in, y].
    flat = x.transpose(1, 3, 2, 0, 4).reshape(4, 3, 5, 6)
    result = convolution(flat, k, dims(2, kernel=[2, 1, 3, 0]), "f32")
    table.add("conv with batch axes apart", [x, k], result.reshape(2, 2, 4, 4, 5).transpose(3, 0, 2, 1, 4))
    case(table, "conv without spatial axes", dims(0), (5, 3), (4, 3))
    case(table, "conv groups by name", dims(1, feature_groups=2), (2, 4, 6), (6, 2, 3))
    general = dims(2, strides=[2, 1], low=[1, 2], high=[0, 1], lhs_dilation=[1, 2], rhs_dilation=[2, 1], reversal=[True, False])
    case(table, "conv_general", general, (2, 3, 6, 5), (4, 3, 2, 3), ["i32", "f32", "c64"])
    turned = {**general, "input": [3, 0, 2, 1], "kernel": [2, 0, 1, 3], "result": [2, 1, 3, 0]}
    case(table, "conv_general turned", turned, (3, 5, 6, 2), (4, 2, 3, 3))
    case(table, "conv_general batch groups 2", dims(1, batch_groups=2), (4, 3, 6), (6, 3, 2), ["i32", "f32"])
    case(table, "conv_general deconvolution", dims(1, lhs_dilation=[3], low=[2], high=[2]), (2, 3, 4), (2, 3, 3), ["i32", "f32"])


def transposed(x, k, strides, low=0, high=0, dilation=1, groups=1, more=0):
    """Each element of the input adds the kernel to the result; then edges are cut off, or zeros added."""
    spatial = x.ndim - 2
    taken, made = k.shape[0] // groups, k.shape[1]
    edge = 9
    sizes = [(n - 1) * s + (w - 1) * dilation + 1 for n, s, w in zip(x.shape[2:], strides, k.shape[2:])]
    result = np.zeros([x.shape[0], groups * made, *(n + edge for n in sizes)], x.dtype)
    for at in itertools.product(*map(range, x.shape[2:])):
        for by in itertools.product(*map(range, k.shape[2:])):
            to = tuple(a * s + b * dilation for a, s, b in zip(at, strides, by))
            for i, o in np.ndindex(k.shape[0], made):
                result[(slice(None), i // taken * made + o, *to)] += x[(slice(None), i, *at)] * k[(i, o, *by)]
    return result[(slice(None), slice(None), *(slice(low, n - high + more) for n in sizes))]


def transposes(table):
    def add(row, input, kernel, names=("f32",), **how):
        for name in names:
            x, k = operands(name, input, kernel)
            table.add(row, [x, k], rounded(transposed(wide(x, name), wide(k, name), **how), name))

    names = ["i32", "bf16", "f32", "c64"]
    add("conv_transpose1d strides 2", (2, 3, 5), (3, 4, 3), names, strides=[2])
    add("conv_transpose1d strides 2", (1, 1, 1), (1, 1, 1), strides=[2])
    add("conv_transpose1d strides 2", (0, 3, 5), (3, 4, 3), strides=[2])
    add("conv_transpose2d padded", (2, 3, 4, 5), (3, 4, 3, 3), names, strides=[2, 2], low=1, high=1, more=1)
    add("conv_transpose2d groups 2", (2, 4, 3, 4), (4, 3, 2, 3), ["i32", "f32"], strides=[2, 1], groups=2)
    add("conv_transpose2d dilation 2", (1, 2, 3, 4), (2, 3, 2, 3), strides=[1, 3], dilation=2)
    add("conv_transpose3d", (1, 2, 2, 3, 2), (2, 2, 2, 2, 3), strides=[1, 2, 2])
    x, k = operands("f32", (2, 5, 3), (3, 4, 3))
    flat = transposed(widened(x).transpose(0, 2, 1), widened(k), strides=[2])
    table.add("conv_transpose channels last", [x, k.transpose(2, 1, 0).copy()], rounded(flat.transpose(0, 2, 1), "f32"))
    for size, by, step in [(5, 3, 2), (4, 2, 3), (6, 4, 1), (3, 1, 2), (4, 5, 3)]:
        x, k = operands("f32", (2, 3, size), (3, 4, by))
        # JAX takes the kernel as it lies: [x, in, out].
        turned = np.flip(widened(k), 2).transpose(2, 0, 1)
        result = lax.conv_transpose(widened(x), turned, (step,), "SAME", dimension_numbers=("NCH", "HIO", "NCH"))
        assert result.shape[2] == size * step
        table.add(f"conv_transpose1d same strides {step}", [x, k], rounded(result, "f32"))


def fill(table):
    plain(table)
    windows(table)
    axes(table)
    transposes(table)
