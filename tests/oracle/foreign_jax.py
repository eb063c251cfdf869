"""Functions that JAX exported, with inputs and JAX's results, for `tests/it/foreign.rs` and the `hloom` command.

Writes `tests/fixtures/stablehlo/jax/<name>/`: `program.jax` (a function of `jax.export`), `program.mlir` (text) or
`program.bytecode` (a portable artifact), `inputs.safetensors` and `outputs.safetensors`, whose tensors have the names of
the program.
"""

import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"
os.environ["JAX_PLATFORMS"] = "cpu"

import pathlib
import shutil

import jax
import jax.numpy as jnp
import numpy as np
from jax import export, lax
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P
from safetensors.numpy import save_file

jax.config.update("jax_traceback_in_locations_limit", 0)
FOLDER = pathlib.Path(__file__).parent.parent / "fixtures/stablehlo/jax"
RANDOM = np.random.default_rng(19)


def normal(*shape, dtype=np.float32):
    return RANDOM.standard_normal(shape).astype(dtype)


def path(keys, root):
    names = [str(getattr(key, "key", getattr(key, "idx", getattr(key, "name", None)))) for key in keys]
    return ".".join(([root] if root else []) + names) or "result"


def leaves(tree, root=""):
    return {path(keys, root): np.asarray(jnp.asarray(leaf)) for keys, leaf in jax.tree_util.tree_leaves_with_path(tree)}


def write(name, function, form="jax", platforms=("cpu",), kept=None, **arguments):
    """`arguments` are those of the function, by name; `kept` those that the program keeps."""
    jitted = function if hasattr(function, "lower") else jax.jit(function)
    folder = FOLDER / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    exported = export.export(jitted, platforms=platforms)(*arguments.values())
    match form:
        case "jax":
            (folder / "program.jax").write_bytes(exported.serialize())
        case "mlir":
            lowered = jitted.lower(*arguments.values())
            (folder / "program.mlir").write_text(lowered.as_text(debug_info=True))
        case "bytecode":
            (folder / "program.bytecode").write_bytes(exported.mlir_module_serialized)
    results = jitted(*arguments.values())
    inputs = {}
    for argument, value in arguments.items():
        if kept is None or argument in kept:
            inputs |= leaves(value, argument)
    outputs = leaves(results)
    if form == "bytecode":
        # Bytecode tells no names of results.
        several = len(outputs) > 1
        outputs = {f"result{i}" if several else "result": value for i, value in enumerate(outputs.values())}
    for file, values in [("inputs", inputs), ("outputs", outputs)]:
        save_file({key: np.asarray(value, order="C") for key, value in values.items()}, folder / f"{file}.safetensors")


def refuse(name, function, *arguments, platforms=("cpu",)):
    """Programs that are not loaded."""
    (FOLDER.parent / "refused").mkdir(parents=True, exist_ok=True)
    exported = export.export(jax.jit(function), platforms=platforms)(*arguments)
    (FOLDER.parent / "refused" / f"{name}.jax").write_bytes(exported.serialize())


def mlp(params, x):
    for layer in params["layers"]:
        x = jax.nn.relu(x @ layer["w"] + layer["b"])
    return {"logits": x, "probabilities": jax.nn.softmax(x)}


def conv(x, kernel):
    y = lax.conv_general_dilated(x, kernel, (2, 1), "SAME", rhs_dilation=(1, 2), dimension_numbers=("NHWC", "HWIO", "NHWC"))
    return lax.reduce_window(y, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


def recurrent(w, xs):
    def step(h, x):
        h = jnp.tanh(h @ w + x)
        return h, h.sum()

    return lax.scan(step, jnp.zeros(w.shape[0]), xs)


def newton(x):
    return lax.while_loop(lambda s: s[1] < 20, lambda s: ((s[0] + x / s[0]) / 2, s[1] + 1), (x, 0))[0]


def attention(q, k, v):
    scores = jnp.einsum("hqd,hkd->hqk", q, k) / np.sqrt(q.shape[-1])
    mask = jnp.tril(jnp.ones(scores.shape[-2:], bool))
    return jnp.einsum("hqk,hkd->hqd", jax.nn.softmax(jnp.where(mask, scores, -jnp.inf)), v)


def random(key):
    key = jax.random.wrap_key_data(key)
    a, b = jax.random.split(key)
    return jax.random.normal(a, (5,)), jax.random.randint(b, (7,), 0, 100), jax.random.permutation(a, 6)


def main():
    layers = [{"w": normal(4, 5), "b": normal(5)}, {"w": normal(5, 3), "b": normal(3)}]
    write("mlp", mlp, params={"layers": layers}, x=normal(2, 4))
    write("mlp_text", mlp, "mlir", params={"layers": layers}, x=normal(2, 4))
    write("mlp_bytecode", mlp, "bytecode", params={"layers": layers}, x=normal(2, 4))
    write("conv", conv, x=normal(2, 9, 8, 3), kernel=normal(3, 3, 3, 4))
    write("scan", recurrent, w=normal(4, 4), xs=normal(6, 4))
    write("while", newton, "mlir", x=np.abs(normal(5)) + 1)
    write("cond", lambda flag, x: lax.cond(flag, jnp.sin, lambda x: x * 2, x), flag=np.array(True), x=normal(3))
    write("gather", lambda table, ids: table[ids], "bytecode", table=normal(7, 3), ids=np.array([[0, 6], [3, 3]], np.int32))
    write("scatter", lambda x, ids, y: x.at[ids].add(y), x=normal(6, 2), ids=np.array([1, 1, 5]), y=normal(3, 2))
    write("sort", lambda x: (jnp.sort(x), jnp.argsort(x), lax.top_k(x, 3)), x=normal(3, 9))
    write("random", random, key=np.array([3, 4], np.uint32))
    write("f16", lambda x, y: (x @ y, jnp.exp(x)), x=normal(3, 4, dtype=np.float16), y=normal(4, 2, dtype=np.float16))
    write("bf16", lambda x: jnp.cumsum(x.astype(jnp.bfloat16)).astype(jnp.float32), x=normal(9))
    z = normal(4, dtype=np.complex64) + 1j * normal(4).astype(np.complex64)
    write("complex", lambda z: (jnp.exp(z) * jnp.conj(z), jnp.abs(z), jnp.fft.fft(z)), z=z)
    write("integers", lambda a, b: (a // b, a % b, a ^ b, a << 2, lax.population_count(a)), a=np.array([7, 100, 9], np.uint8), b=np.array([2, 3, 5], np.uint8))
    write("linalg", lambda a, b: (jnp.linalg.solve(a, b), jnp.linalg.cholesky(a @ a.T + jnp.eye(3))), a=normal(3, 3), b=normal(3, 2))
    write("attention", attention, q=normal(2, 5, 4), k=normal(2, 5, 4), v=normal(2, 5, 4))
    write("update", lambda cache, row, at: lax.dynamic_update_slice(cache, row, (at, 0)), "mlir", cache=normal(6, 3), row=normal(1, 3), at=np.int32(4))
    write("unused", lambda a, unused, b: a - b, kept=["a", "b"], a=normal(3), unused=normal(2), b=normal(3))
    write("platforms", lambda x: lax.platform_dependent(x, cpu=jnp.sin, cuda=jnp.cos), platforms=("cuda", "cpu"), x=normal(4))
    # With 64-bit types the module takes the platform's number as such a one.
    with jax.enable_x64(True):
        plus = lambda x: lax.platform_dependent(x, cpu=lambda x: x + 1, default=lambda x: x - 1)
        write("platforms_x64", plus, platforms=("tpu", "cpu"), x=np.float32([0, 1, 2, 3]))
    write("empty", lambda x, s: (x.sum(), s + 1), x=normal(0, 3), s=np.float32(2))
    donated = jax.jit(lambda state, x: (state + x.sum(), x * 2), donate_argnums=0)
    write("donated", donated, state=np.float32([1, 2, 3]), x=normal(4))
    mesh = Mesh(np.array(jax.devices()).reshape(2, 2), ("rows", "columns"))

    def placed(value, *spec):
        return jax.device_put(value, NamedSharding(mesh, P(*spec)))

    def sharded(x, w):
        y = lax.with_sharding_constraint(x @ w, NamedSharding(mesh, P("rows", "columns")))
        return y, y.sum()

    for name, form in [("sharded", "jax"), ("sharded_text", "mlir")]:
        write(name, sharded, form, x=placed(normal(4, 6), "rows", None), w=placed(normal(6, 8), None, "columns"))

    refuse("symbolic", jnp.sin, jax.ShapeDtypeStruct(export.symbolic_shape("batch, 3"), np.float32))
    refuse("other_platform", jnp.sin, normal(3), platforms=("tpu",))


if __name__ == "__main__":
    main()
