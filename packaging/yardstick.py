#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
"""What people use today, to be held against: Transformers' LlamaForCausalLM trained by PyTorch, eager and compiled.

Takes the flags of `slipway-train bench step` and prints an object with its keys; with --eager-to and --compiled-to both
ways of one model, one after the other, each into its file. fp32 weights, bf16 by autocast, fused AdamW, gradients
clipped: the usual recipe. Timed by the host's clock around whole steps, as slipway-train does."""

import argparse
import json
import pathlib
import statistics
import sys
import time

SHAPE_FLAGS = {
    "layers": 12,
    "hidden": 768,
    "heads": 12,
    "kv-heads": None,
    "ffn": 2048,
    "vocab": 32000,
    "seq-len": 1024,
    "micro-batch": 8,
    "grad-accum": 1,
}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, usual in SHAPE_FLAGS.items():
        parser.add_argument("--" + name, type=int, default=usual)
    parser.add_argument("--compile", action="store_true", help="torch.compile the model")
    parser.add_argument("--eager-to", type=pathlib.Path, help="this file, in place of stdout")
    parser.add_argument("--compiled-to", type=pathlib.Path, help="then compile it, and write that to this file")
    parser.add_argument("--attention", choices=["flash", "vanilla"], default="flash")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--warmup", type=int, default=5)
    return parser.parse_args()


def build(torch, options):
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        hidden_size=options.hidden,
        num_hidden_layers=options.layers,
        num_attention_heads=options.heads,
        num_key_value_heads=options.kv_heads or options.heads,
        intermediate_size=options.ffn,
        vocab_size=options.vocab,
        max_position_embeddings=options.seq_len,
        tie_word_embeddings=False,
        use_cache=False,
        attn_implementation="sdpa" if options.attention == "flash" else "eager",
    )
    torch.manual_seed(1)
    with torch.device(options.device):
        return LlamaForCausalLM(config).train()


def measure(torch, model, options, compiled):
    """One way of training: an object with the keys of `slipway-train bench step --json`."""
    on_gpu = options.device.startswith("cuda")
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, betas=(0.9, 0.999), weight_decay=0.01, fused=True)
    forward = torch.compile(model) if compiled else model
    ids = torch.randint(
        options.vocab, (options.grad_accum, options.micro_batch, options.seq_len), device=options.device
    )

    def finish():
        if on_gpu:
            torch.cuda.synchronize()

    def step():
        total = 0.0
        for batch in ids:
            with torch.autocast(options.device.split(":")[0], torch.bfloat16, enabled=on_gpu):
                loss = forward(input_ids=batch, labels=batch).loss / options.grad_accum
            loss.backward()
            total = total + loss.detach()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        return total

    if on_gpu:
        torch.cuda.empty_cache()  # of another way of training before this one
    seconds, losses = [], []
    for number in range(options.warmup + options.steps):
        if number == options.warmup and on_gpu:
            torch.cuda.reset_peak_memory_stats()
        finish()
        start = time.perf_counter()
        losses.append(step())
        finish()
        if number >= options.warmup:
            seconds.append(time.perf_counter() - start)
    tokens = options.grad_accum * options.micro_batch * options.seq_len
    median = statistics.median(seconds)
    return {
        "version": 1,
        "what": "transformers-compile" if compiled else "transformers-eager",
        "device": torch.cuda.get_device_name() if on_gpu else "cpu",
        "torch": torch.__version__,
        "config": {name: value for name, value in vars(options).items() if not isinstance(value, pathlib.Path)},
        "params": sum(weight.numel() for weight in model.parameters()),
        "step_s_median": median,
        "step_s_min": min(seconds),
        "tokens_per_s": tokens / median,
        "loss_first": float(losses[0]),
        "loss_last": float(losses[-1]),
        "peak_allocated_bytes": torch.cuda.max_memory_allocated() if on_gpu else None,
        "peak_reserved_bytes": torch.cuda.max_memory_reserved() if on_gpu else None,
    }


def main():
    options = arguments()
    try:
        import torch

        model = build(torch, options)
    except ImportError as missing:
        print(f"error: the yardstick needs PyTorch and Transformers: {missing}", file=sys.stderr)
        return 3
    torch.backends.cuda.matmul.allow_tf32 = True

    def put(file, result):
        file.write_text(json.dumps(result) + "\n") if file else print(json.dumps(result))

    put(options.eager_to, measure(torch, model, options, options.compile))
    if options.compiled_to:
        put(options.compiled_to, measure(torch, model, options, True))
    return 0


if __name__ == "__main__":
    sys.exit(main())
