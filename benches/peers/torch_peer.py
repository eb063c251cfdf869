"""`transformers` on PyTorch with a static or dynamic cache as the package chooses, greedy."""

import peer
import torch
from transformers import LlamaForCausalLM


def main():
    args = peer.arguments()
    torch.set_num_threads(args.threads)
    dtype = {"f32": torch.float32, "bf16": torch.bfloat16}[args.dtype]
    model = LlamaForCausalLM.from_pretrained(args.model, dtype=dtype).eval()

    @torch.inference_mode()
    def generate(prompt, new):
        step = model(torch.tensor([prompt]), use_cache=True, logits_to_keep=1)
        token = step.logits[:, -1].argmax(-1, keepdim=True)
        yield int(token)
        for _ in range(new - 1):
            step = model(token, past_key_values=step.past_key_values, use_cache=True)
            token = step.logits[:, -1].argmax(-1, keepdim=True)
            yield int(token)

    peer.measure(args, model.config.vocab_size, generate)


if __name__ == "__main__":
    main()
