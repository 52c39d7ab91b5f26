#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
"""Measures the peak of live bytes over the second training step of LitGPT's finetune/full.py on this machine's
processor: the figures in tests/core/predict/litgpt_memory_test.cpp. Needs torch, lightning and litgpt."""

import lightning
import torch
from litgpt.config import Config
from litgpt.model import GPT
from litgpt.utils import chunked_cross_entropy

from live_bytes import NoProducts, peak_beside, print_peaks, random_tokens

PLAIN = dict(vocab=8000, sequence=256, batch=4, kv_heads=8, precision="bf16-true")
CASES = {
    "plain": {},
    "autocast": dict(precision="bf16-mixed"),
    "small vocabulary": dict(vocab=512),
    "small vocabulary autocast": dict(vocab=512, precision="bf16-mixed"),
    "grouped queries": dict(vocab=512, kv_heads=2),
    "grouped queries autocast": dict(vocab=512, kv_heads=2, precision="bf16-mixed"),
}


def llama_config(case):
    return Config(
        name="llama",
        block_size=256,
        n_layer=4,
        n_embd=512,
        n_head=8,
        n_query_groups=case["kv_heads"],
        vocab_size=case["vocab"],
        padded_vocab_size=case["vocab"],
        intermediate_size=1376,
        rotary_percentage=1.0,
        parallel_residual=False,
        bias=False,
        norm_class_name="RMSNorm",
        mlp_class_name="LLaMAMLP",
    )


def peak_of(case):
    torch.manual_seed(0)
    fabric = lightning.Fabric(accelerator="cpu", devices=1, precision=case["precision"])
    with fabric.init_module():
        model = GPT(llama_config(case))
    model.max_seq_length = case["sequence"]
    model = fabric.setup(model)
    optimizer = fabric.setup_optimizers(torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True))
    tokens = random_tokens(case)

    def step():
        logits = model(tokens)
        loss = chunked_cross_entropy(logits[..., :-1, :], tokens[..., 1:])
        fabric.backward(loss / 1)
        optimizer.step()
        optimizer.zero_grad()

    def quick_step():
        with NoProducts():
            step()

    quick_step()
    return peak_beside(optimizer, [*model.parameters(), *model.buffers()], quick_step)


if __name__ == "__main__":
    print_peaks(PLAIN, CASES, peak_of)
