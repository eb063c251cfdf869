#!/usr/bin/env bash
# Installs the peers: the Python ones into a virtual environment here, candle with cargo. About 6 GB and an hour, most of it
# for two builds of llama.cpp: for this machine, and for AVX2 at most.
set -euo pipefail
cd "$(dirname "$0")"
python3 -m venv .venv
.venv/bin/pip install --quiet numpy gguf ml_dtypes jax llama-cpp-python torch transformers
if [ "$(uname -m)" = x86_64 ]; then
    CMAKE_ARGS="-DGGML_NATIVE=OFF -DGGML_AVX=ON -DGGML_AVX2=ON -DGGML_FMA=ON -DGGML_F16C=ON -DGGML_BMI2=ON -DGGML_AVX512=OFF" \
        .venv/bin/pip install --quiet --no-cache-dir --no-binary llama-cpp-python --target .venv/llama_cpp_avx2 llama-cpp-python
fi
cargo build --release --manifest-path candle/Cargo.toml
cargo build --release --example llama --manifest-path ../../Cargo.toml
