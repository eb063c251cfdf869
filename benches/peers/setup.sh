#!/usr/bin/env bash
# Installs the peers: the Python ones into a virtual environment here, candle with cargo. About 6 GB and half an hour.
set -euo pipefail
cd "$(dirname "$0")"
python3 -m venv .venv
.venv/bin/pip install --quiet numpy gguf ml_dtypes jax llama-cpp-python torch transformers
cargo build --release --manifest-path candle/Cargo.toml
cargo build --release --example llama --manifest-path ../../Cargo.toml
