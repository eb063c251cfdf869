"""Measures calls of JAX's jitted function, for a process that alternates with this one.

Answers a line `COUNT dispatch CALLS` or `COUNT latency CALLS`, where COUNT is the number of arguments,
with `{"seconds": ...}` for all calls, and `ready` with `{"version": ..., "devices": ...}`.
"""

import json
import sys
import time

import jax
import numpy as np


def add(weights, x, y):
    return x + y


def arguments(count):
    x = jax.device_put(np.array([1, 2], np.float32))
    return ([jax.device_put(np.array([1, 2], np.float32)) for _ in range(count - 2)], x, x)


def dispatch(call, given, calls):
    for _ in range(calls):
        call(*given)
    call(*given).block_until_ready()


def latency(call, given, calls):
    for _ in range(calls):
        call(*given).block_until_ready()


call = jax.jit(add, keep_unused=True)
given = {}
for line in sys.stdin:
    if line.strip() == "ready":
        devices = [str(device) for device in jax.devices()]
        print(json.dumps({"version": jax.__version__, "devices": devices}), flush=True)
        continue
    count, kind, calls = line.split()
    if count not in given:
        given[count] = arguments(int(count))
        latency(call, given[count], 8)
    measure = {"dispatch": dispatch, "latency": latency}[kind]
    start = time.perf_counter()
    measure(call, given[count], int(calls))
    print(json.dumps({"seconds": time.perf_counter() - start}), flush=True)
