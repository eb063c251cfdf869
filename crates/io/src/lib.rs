//! Checkpoints: safetensors files, shards, loading into buffers.
