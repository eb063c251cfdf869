"""Statistics of short and complex types, where a composition of ops loses them: by NumPy."""

import numpy as np

from reference import COMPLEX, EIGHTS, numbers, rounded, widened

SHORT = ["f16", "bf16", *EIGHTS]


def statistics(table):
    functions = {
        "var": lambda x, axis: x.var(axis),
        "var_keep": lambda x, axis: x.var(axis, keepdims=True),
        "var_ddof": lambda x, axis: x.var(axis, ddof=1),
        "std": lambda x, axis: x.std(axis),
        "std_keep": lambda x, axis: x.std(axis, keepdims=True),
        "std_ddof": lambda x, axis: x.std(axis, ddof=1),
        "std_ddof 0": lambda x, axis: x.std(axis),
        "norm": lambda x, axis: np.sqrt((np.abs(x) ** 2).sum(axis)),
    }
    one = np.zeros(1000)
    one[0] = 1000
    for row, function in functions.items():
        for name in SHORT:
            x = numbers(name, (5, 7))
            table.add(row, [x], rounded(function(widened(x), 0), name))
        for name in COMPLEX:
            x = numbers(name, (4, 3))
            table.add(row, [x], rounded(function(widened(x), 0), "f32" if name == "c64" else "f64"))
        for case, name, values in [("squares", "f16", one), ("square", "f16", [0, 600]), ("digits", "bf16", [256, 258])]:
            x = rounded(np.array(values, float), name)
            table.add(row, [x], rounded(function(widened(x), 0), name), case=f"{name} {case}")
    count = 70_000
    for name in ["f16", "bf16", "f8e5m2"]:
        zero = rounded(np.zeros(1), name)
        table.add("softmax of many", [zero], rounded(np.array([1 / count]), name))
        table.add("log_softmax of many", [zero], rounded(np.array([-np.log(count)]), name))
        table.add("log_sum_exp of many", [zero], rounded(np.log(count), name))
        ones = rounded(np.ones(1), name)
        for row in ["index_add", "scatter_along_add", "take slope"]:
            table.add(f"{row} of many", [ones], rounded(np.array([1000.0, 0, 0]), name))
        for row in ["sum", "matmul", "cumsum", "sum_pool"]:
            if row != "matmul" or name != "f8e5m2":
                table.add(f"{row} of many", [ones], rounded(np.array([1000.0]), name))
        table.add("mean of many", [ones], ones)


def fill(table):
    statistics(table)
