"""Evaluates the nodes of a graph."""

import numpy as np

from . import elementwise, reductions, scatter, structure
from .dtypes import decoded, flushed, holder, is_complex, is_float, is_int, pattern, rounded, ulp
from .result import Expected

MOVES = {
    "reshape", "transpose", "slice", "pad", "concatenate", "reverse", "broadcast", "dynamic_slice", "dynamic_update_slice",
    "gather", "select", "optimization_barrier", "constrain", "custom_call", "splat", "constant",
}
# The step limit of a loop, after which it counts as endless.
MOST_STEPS = 10_000


class Interpreter:
    """The values of a graph: those that the program returned unchanged, others computed from them.

    A processor may flush subnormal numbers to 0; `flushes` is true if this one does.
    """

    def __init__(self, graph, given, flushes):
        self.graph = graph
        self.flushes = flushes
        self.given = frozenset(given)
        self.values = dict(given)
        self.bits = {}
        # Values that the program did not return and that depend on the platform's choices.
        self.unknown = set()
        self.node_of = {v: node for node in graph["regions"][0]["nodes"] for v in node["out"]}

    def dtype(self, value):
        return self.graph["values"][value][0]

    def sizes(self, value):
        return self.graph["values"][value][1]

    def operand(self, value):
        """The held values of a value of the root region."""
        if value not in self.values:
            node = self.node_of[value]
            for out, expected in zip(node["out"], self.evaluate(node)):
                self.values.setdefault(out, expected.rounded())
                if expected.skip.any() or self.unknown & set(node["in"]):
                    self.unknown.add(out)
        return self.values[value]

    def is_of_choice(self, value):
        """Whether a value depends on elements that are the platform's choice, such as integers converted from NaN."""
        node = self.node_of.get(value)
        if node is None:
            return False
        if self.evaluate(node)[node["out"].index(value)].skip.any():
            return True
        return any(self.is_of_choice(v) for v in node["in"])

    def evaluate(self, node):
        """The expected results of the node for its operands."""
        operands = [self.operand(v) for v in node["in"]]
        results = self.apply(node, operands)
        for expected, out in zip(results, node["out"]):
            assert list(expected.values.shape) == self.sizes(out), (node["op"], expected.values.shape, self.sizes(out))
        return results

    def apply(self, node, x):
        op, given = node["op"], [self.dtype(v) for v in node["in"]]
        wanted = [self.dtype(v) for v in node["out"]]
        sizes = [self.sizes(v) for v in node["out"]]
        if op in MOVES:
            return [Expected(v, w, moves=True) for v, w in zip(self.moved(node, x, sizes), wanted)]
        plain = x
        if self.flushes and op not in ("bitcast", "sort", "while", "case", "manual"):
            x = [flushed(v, d) if is_float(d) or is_complex(d) else v for v, d in zip(x, given)]
        kind = node["kind"]
        with np.errstate(all="ignore"):
            if kind == "unary":
                return [elementwise.unary(op, given[0], wanted[0], x[0])]
            if kind == "binary":
                return [elementwise.binary(op, given[0], wanted[0], x[0], x[1])]
            if kind == "compare":
                return [elementwise.compare(op, x[0], x[1])]
            if kind == "reduce":
                return [reductions.reduce(op, x[0], given[0], node["axes"])]
            return getattr(self, "_" + op)(node, x, plain, given, wanted, sizes)

    def moved_slack(self, node):
        """The tolerance of the elements that a node moves, compared with the program's own operands."""
        slack = [self.slack(v) if is_float(self.dtype(v)) or is_complex(self.dtype(v)) else self.operand(v) for v in node["in"]]
        return self.moved(node, slack, [self.sizes(v) for v in node["out"]])[0]

    def slack(self, value):
        """The tolerance between two computations of a value."""
        node = self.node_of.get(value)
        if node is None or node["op"] in ("constant", "splat"):
            return np.zeros(self.sizes(value))
        if node["op"] in MOVES:
            return self.moved_slack(node)
        expected = self.evaluate(node)[node["out"].index(value)]
        return 2 * expected.tolerance

    def moved(self, node, x, sizes):
        """Ops that only move elements."""
        op, size = node["op"], sizes[0] if sizes else None
        if op in ("constant", "splat"):
            value = decoded(bytes.fromhex(node["value"]), self.dtype(node["out"][0]), node["sizes"])
            return [np.broadcast_to(value, size)]
        if op in ("optimization_barrier", "constrain", "custom_call"):
            return x
        if op == "reshape":
            return [x[0].reshape(size)]
        if op == "transpose":
            return [x[0].transpose(node["axes"])]
        if op == "reverse":
            return [np.flip(x[0], tuple(node["axes"])) if node["axes"] else x[0]]
        if op == "broadcast":
            return [structure.broadcast(x[0], node["axes"], size)]
        if op == "slice":
            return [structure.strided(x[0], node["start"], node["limit"], node["stride"])]
        if op == "pad":
            return [structure.padded(x[0], x[1], node["low"], node["high"], node["interior"])]
        if op == "concatenate":
            return [np.concatenate(x, node["axis"])]
        if op == "dynamic_slice":
            return [structure.dynamic_slice(x[0], x[1:], node["sizes"])]
        if op == "dynamic_update_slice":
            return [structure.dynamic_update_slice(x[0], x[1], x[2:])]
        if op == "gather":
            return [structure.gather(x[0], x[1], node, size)]
        assert op == "select", op
        return [np.where(x[0], x[1], x[2])]

    def _convert(self, node, x, plain, given, wanted, sizes):
        return [elementwise.convert(x[0], given[0], wanted[0])]

    def _bitcast(self, node, x, plain, given, wanted, sizes):
        return [elementwise.bitcast(x[0], self.bits.get(node["in"][0]), given[0], wanted[0])]

    def _reduce_precision(self, node, x, plain, given, wanted, sizes):
        return [elementwise.reduce_precision(x[0], wanted[0], node["exponent_bits"], node["mantissa_bits"])]

    def _clamp(self, node, x, plain, given, wanted, sizes):
        return [elementwise.clamp(*x, wanted[0])]

    def _iota(self, node, x, plain, given, wanted, sizes):
        counted = structure.iota(sizes[0], node["axis"], wanted[0])
        counted = rounded(counted, wanted[0]) if is_int(wanted[0]) else counted.astype(holder(wanted[0]))
        return [Expected(counted, wanted[0], skip=(counted == 0) & (wanted[0] == "f8e8m0fnu"))]

    def _dot(self, node, x, plain, given, wanted, sizes):
        return [reductions.dot(x[0], x[1], given[0], wanted[0], node)]

    def _convolution(self, node, x, plain, given, wanted, sizes):
        return [reductions.convolution(x[0], x[1], given[0], wanted[0], node)]

    def _reduce_window(self, node, x, plain, given, wanted, sizes):
        return [reductions.reduce_window(node["reduction"], x[0], given[0], node)]

    def _argmax(self, node, x, plain, given, wanted, sizes):
        return [Expected(structure.first_best(x[0], node["axis"], node["op"] == "argmax"), wanted[0])]

    _argmin = _argmax

    def _cumulative(self, node, x, plain, given, wanted, sizes):
        return [reductions.cumulative(node["reduction"], x[0], given[0], node["axis"])]

    def _sort(self, node, x, plain, given, wanted, sizes):
        keys = flushed(x[0], given[0]) if self.flushes and is_float(given[0]) else x[0]
        order = structure.sorting(keys, node["axis"], node["descending"])
        return [Expected(np.take_along_axis(v, order, node["axis"]), w, moves=True) for v, w in zip(x, wanted)]

    def _scatter(self, node, x, plain, given, wanted, sizes):
        x = plain if node["update"] == "set" else x
        return [scatter.scatter(x[0], plain[1], x[2], node, wanted[0])]

    def _top_k(self, node, x, plain, given, wanted, sizes):
        values, indices = structure.top_k(x[0], node["k"])
        return [Expected(values, wanted[0]), Expected(indices, wanted[1])]

    def region(self, region, arguments):
        """The results of a region for values of its parameters."""
        region = self.graph["regions"][region]
        self.values.update(zip(region["params"], arguments))
        for node in region["nodes"]:
            operands = [self.operand(v) for v in node["in"]]
            for out, expected in zip(node["out"], self.apply(node, operands)):
                self.values[out] = expected.rounded()
                self.bits.pop(out, None)
        return [self.operand(v) for v in region["results"]]

    def loosely(self, values, wanted):
        """Results of many ops, each of which rounds."""
        units = lambda v, d: 64 * ulp(d, np.abs(np.where(np.isfinite(v), v, 0)).max(initial=0)) if is_float(d) or is_complex(d) else 0
        return [Expected(v, d, units(v, d)) for v, d in zip(values, wanted)]

    def _while(self, node, x, plain, given, wanted, sizes):
        carried = x
        for _ in range(MOST_STEPS):
            if not self.region(node["cond"], carried)[0]:
                return self.loosely(carried, wanted)
            carried = self.region(node["body"], carried)
        raise RuntimeError("a loop does not end")

    def _case(self, node, x, plain, given, wanted, sizes):
        branches, index = node["branches"], int(x[0])
        chosen = branches[index if 0 <= index < len(branches) else -1]
        return self.loosely(self.region(chosen, []), wanted)

    def _manual(self, node, x, plain, given, wanted, sizes):
        from .devices import manual

        return manual(self, node, x, wanted, sizes)


def known(graph, arrays, flushes):
    """An interpreter in which some values are given as bytes."""
    given = {v: decoded(raw, *graph["values"][v]) for v, raw in arrays.items()}
    interpreter = Interpreter(graph, given, flushes)
    for v, raw in arrays.items():
        dtype, sizes = graph["values"][v]
        if is_float(dtype):
            size = {16: 2, 32: 4, 64: 8}.get(int(dtype.lstrip("bf").split("e")[0]), 1)
            interpreter.bits[v] = np.frombuffer(raw, f"u{size}").astype(np.uint64).reshape(sizes)
        elif not is_complex(dtype):
            interpreter.bits[v] = pattern(given[v], dtype)
    return interpreter
