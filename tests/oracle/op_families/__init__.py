"""The op families, one module each: `fill(table)` adds the cases of every row."""

FAMILIES = [
    "constant",
    "convert",
    "unary",
    "accuracy",
    "binary",
    "broadcast",
    "reshape",
    "slice",
    "dot",
    "reduce",
    "bodies",
    "index",
    "sort",
    "control",
    "activation",
    "random",
    "collectives",
]
