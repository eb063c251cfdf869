"""Compares the values of compiled programs with NumPy, for `tests/it/numpy`.

Reads from standard input one frame for each batch of programs: a line with the graph as JSON, then as many bytes as it announces,
which hold the arguments and every value that the program returned. Each value is compared with what NumPy computes for its node
from the program's own operands, so that errors do not accumulate. Writes a line of JSON for each frame: the
list of disagreements.
"""

import json
import sys
import traceback

import numpy as np

from numpy_graph.dtypes import flushed, is_complex, is_float
from numpy_graph.interpreter import MOVES, known

# The number of elements of a difference that are shown.
SHOWN = 4


def described(expected, found, agrees, operands):
    """The first elements that differ, with the operands' where these have the same shape."""
    lines = []
    for at in list(np.argwhere(~agrees))[:SHOWN]:
        at = tuple(int(i) for i in at)
        of = ", ".join(repr(x[at].item()) for x in operands if x.shape == found.shape)
        tolerance = float(expected.tolerance[at])
        lines.append(f"{list(at)}: found {found[at].item()!r}, expected {expected.values[at].item()!r} within {tolerance:.3g} of ({of})")
    return f"{int((~agrees).sum())} of {found.size} elements: " + "; ".join(lines)


def checked(graph, payload):
    arrays = {v: payload[start : start + size] for v, start, size in graph["inputs"] + [r[1:] for r in graph["results"]]}
    interpreters = [known(graph, arrays, flushes) for flushes in (False, True)]
    problems, done = [], set()
    for name, value, _, _ in graph["results"]:
        node = interpreters[0].node_of.get(value)
        if node is None or node["out"][0] in done:
            continue
        done.add(node["out"][0])
        try:
            problems += of_node(node, interpreters, name)
        except Exception:
            problems.append({"result": name, "op": node["op"], "message": "the oracle fails: " + traceback.format_exc()})
    return problems


def of_node(node, interpreters, name):
    plain, flushing = interpreters
    given = [v for v in node["out"] if v in plain.values]
    found = {v: plain.values[v] for v in given}
    first = plain.evaluate(node)
    if plain.unknown & set(node["in"]):
        return []
    second = None
    problems = []
    for at, value in enumerate(node["out"]):
        if value not in found:
            continue
        agrees = np.asarray(first[at].agrees(found[value]))
        if not agrees.all():
            second = second or flushing.evaluate(node)
            agrees = agrees | second[at].agrees(found[value])
        if not agrees.all() and node["op"] in MOVES:
            # The compiler may recompute a moved value, with a different rounding than that of the returned one.
            agrees = agrees | first[at].agrees_within(found[value], plain.moved_slack(node))
            if not plain.given.issuperset(node["in"]) and not is_complex(plain.dtype(value)):
                # The sign of a zero that the oracle computed is the compiler's choice.
                agrees = agrees | ((first[at].values == 0) & (found[value] == 0))
            if plain.graph["mesh"] and is_float(plain.dtype(value)):
                # Sharded values are assembled by sums, which flush.
                moved, given_back = (flushed(x, plain.dtype(value)) for x in (first[at].values, found[value]))
                agrees = agrees | (moved == given_back)
        if not agrees.all() and any(plain.is_of_choice(v) for v in node["in"]):
            # The compiler may recompute the operand, and choose differently.
            continue
        if not agrees.all():
            operands = [plain.operand(v) for v in node["in"]]
            message = described(first[at], found[value], agrees, operands)
            dtypes = " ".join(plain.dtype(v) for v in node["in"])
            result = f"{plain.dtype(value)}{plain.sizes(value)}"
            problems.append({"result": name, "op": node["op"], "message": f"{dtypes} -> {result}: {message}"})
    return problems


def main():
    frames = sys.stdin.buffer
    while line := frames.readline():
        graph = json.loads(line)
        payload = frames.read(graph["bytes"])
        with np.errstate(all="ignore"):
            problems = checked(graph, payload)
        print(json.dumps(problems), flush=True)


if __name__ == "__main__":
    main()
