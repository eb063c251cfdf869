"""Writes a Llama checkpoint in the Hugging Face layout as GGUF, without a vocabulary.

    write_gguf.py FOLDER FILE.gguf

Linear weights keep their element type; norms are f32, as llama.cpp wants them. Rotary embeddings pair neighbouring elements
there and the two halves here, so the rows of `q_proj` and `k_proj` change places.
"""

import json
import struct
import sys
from pathlib import Path

import gguf
import numpy as np

STORED = {"F32": np.float32, "F16": np.float16, "BF16": np.uint16}
NAMES = {
    "input_layernorm": "attn_norm", "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output", "post_attention_layernorm": "ffn_norm",
    "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down",
}


def tensors(folder):
    for file in sorted(Path(folder).glob("*.safetensors")):
        data = np.memmap(file, np.uint8, "r")
        (size,) = struct.unpack("<Q", data[:8].tobytes())
        header = json.loads(data[8:8 + size].tobytes())
        for name, entry in header.items():
            if name != "__metadata__":
                start, end = entry["data_offsets"]
                values = data[8 + size + start:8 + size + end].view(STORED[entry["dtype"]])
                yield name, entry["dtype"], values.reshape(entry["shape"])


def gguf_name(name):
    if name == "model.embed_tokens.weight":
        return "token_embd.weight"
    if name == "model.norm.weight":
        return "output_norm.weight"
    if name == "lm_head.weight":
        return "output.weight"
    _, _, layer, rest = name.split(".", 3)
    return f"blk.{layer}.{NAMES[rest.removesuffix('.weight')]}.weight"


def neighbours(rows, heads):
    """Rows whose halves are paired, as rows whose neighbours are."""
    out, inputs = rows.shape
    return rows.reshape(heads, 2, out // heads // 2, inputs).swapaxes(1, 2).reshape(out, inputs)


def main(folder, file):
    config = json.loads((Path(folder) / "config.json").read_text())
    heads, kv_heads = config["num_attention_heads"], config["num_key_value_heads"]
    writer = gguf.GGUFWriter(file, "llama")
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(heads)
    writer.add_head_count_kv(kv_heads)
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    writer.add_rope_dimension_count(config["hidden_size"] // heads)
    writer.add_rope_freq_base(config.get("rope_theta", 10000.0))
    writer.add_vocab_size(config["vocab_size"])
    writer.add_tokenizer_model("no_vocab")
    for name, dtype, values in tensors(folder):
        if "q_proj" in name:
            values = neighbours(values, heads)
        elif "k_proj" in name:
            values = neighbours(values, kv_heads)
        if values.ndim == 1 and dtype == "BF16":
            values, dtype = (values.astype(np.uint32) << 16).view(np.float32), "F32"
        elif values.ndim == 1:
            values, dtype = values.astype(np.float32), "F32"
        raw = gguf.GGMLQuantizationType[dtype]
        values = np.ascontiguousarray(values)
        if dtype == "BF16":
            # The writer counts the bytes of elements that NumPy has no type for.
            values = values.view(np.uint8)
        writer.add_tensor(gguf_name(name), values, raw_dtype=raw)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
