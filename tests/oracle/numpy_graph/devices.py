"""Programs written for each device of a mesh: the body runs on every device in step, one node after the other."""

import numpy as np

from .reductions import over_devices
from .result import Expected


class Mesh:
    """A grid of devices, numbered with the last axis fastest."""

    def __init__(self, sizes):
        self.sizes = sizes
        self.devices = list(np.ndindex(*sizes))

    def groups(self, over):
        """Devices that differ only along the axes, in row-major order of these axes."""
        groups = {}
        for device, at in enumerate(self.devices):
            others = tuple(i for axis, i in enumerate(at) if axis not in over)
            groups.setdefault(others, []).append((tuple(at[axis] for axis in over), device))
        return [[device for _, device in sorted(group)] for group in groups.values()]

    def part(self, device, over):
        """The index of a device's shard of a tensor split along axes, and the number of shards."""
        part, count = 0, 1
        for axis in over:
            part, count = part * self.sizes[axis] + self.devices[device][axis], count * self.sizes[axis]
        return part, count

    def slice(self, device, shape, split):
        parts = [self.part(device, over) for over in split]
        return tuple(slice(n // count * at, n // count * (at + 1)) for n, (at, count) in zip(shape, parts))


def manual(interpreter, node, operands, wanted, sizes):
    graph = interpreter.graph
    mesh = Mesh(graph["mesh"])
    region = graph["regions"][node["body"]]
    count = len(mesh.devices)
    values = {}
    for v, x, split in zip(region["params"], operands, node["inputs"]):
        values[v] = [x[mesh.slice(d, x.shape, split)] for d in range(count)]
    # Elements that a collective leaves undefined make all results computed from them undefined.
    tolerances, unknown = {}, set()
    for inner in region["nodes"]:
        if "over" in inner:
            results = [collective(inner, mesh, [values[v] for v in inner["in"]], interpreter)]
        else:
            results = list(zip(*(on_device(interpreter, inner, values, d) for d in range(count))))
        for out, result in zip(inner["out"], results):
            values[out] = [expected.rounded() for expected in result]
            if any(e.skip.any() for e in result) or unknown & set(inner["in"]):
                unknown.add(out)
            loose = max([float(e.tolerance.max(initial=0)) for e in result] + [tolerances.get(v, 0.0) for v in inner["in"]])
            tolerances[out] = loose
    results = []
    for v, dtype, shape, split in zip(region["results"], wanted, sizes, node["outputs"]):
        whole = np.empty(shape, values[v][0].dtype)
        for d in range(count):
            whole[mesh.slice(d, shape, split)] = values[v][d]
        results.append(Expected(whole, dtype, tolerances.get(v, 0.0), v in unknown))
    return results


def on_device(interpreter, node, values, device):
    """A node for one device; its regions use the device's values."""
    own = {v: each[device] for v, each in values.items()}
    interpreter.values.update(own)
    results = interpreter.apply(node, [own[v] for v in node["in"]])
    for v in own:
        del interpreter.values[v]
    return results


def collective(node, mesh, operands, interpreter):
    """The result of each device."""
    op, over = node["op"], node["over"]
    dtype = interpreter.dtype(node["out"][0])
    x = operands[0] if operands else None
    results = [None] * len(mesh.devices)
    for group in mesh.groups(over):
        parts = [x[d] for d in group] if operands else []
        for at, device in enumerate(group):
            results[device] = of_group(node, op, parts, at, len(group), dtype)
    return results


def of_group(node, op, parts, at, count, dtype):
    if op == "axis_index":
        return Expected(np.int64(at), dtype)
    if op == "all_reduce":
        return over_devices(node["reduction"], parts, dtype)
    if op == "all_gather":
        return Expected(np.concatenate(parts, node["axis"]), dtype)
    if op == "reduce_scatter":
        whole = over_devices(node["reduction"], parts, dtype)
        own = lambda v: np.split(v, count, node["axis"])[at]
        return Expected(own(whole.values), dtype, own(whole.tolerance), own(whole.skip))
    if op == "all_to_all":
        own = [np.split(part, count, node["split"])[at] for part in parts]
        return Expected(np.concatenate(own, node["concat"]), dtype)
    if op == "collective_broadcast":
        return Expected(parts[node["source"]], dtype)
    assert op == "collective_permute", op
    sender = [source for source, target in node["pairs"] if target == at]
    return Expected(parts[sender[0]] if sender else np.zeros_like(parts[0]), dtype)
