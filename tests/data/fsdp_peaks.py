#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
"""Measures the peak of live bytes on one rank of eight over the third training step of Transformers' Llama under
PyTorch's sharding, on this machine's processor: the figures in tests/core/predict/fsdp_memory_test.cpp. The other ranks
are PyTorch's fake process group. Needs torch and transformers."""

import torch

from live_bytes import fake_group, fsdp1, fsdp2, llama, peak_beside, print_peaks, random_tokens, reduce_type

RANKS = 8
PLAIN = dict(
    sharder="fsdp2",
    vocab=512,
    layers=6,
    hidden=512,
    ffn=1376,
    sequence=64,
    batch=1,
    accumulation=1,
    reduce="fp32",
    reshard=True,
    recompute=False,
)
CASES = {
    "states": {},
    "wide layers": dict(layers=3, hidden=1024, ffn=2752),
    "kept gathered": dict(reshard=False, layers=3, hidden=1024, ffn=2752),
    "activations": dict(sequence=256, batch=4),
    "recomputed": dict(sequence=256, batch=4, recompute=True),
    "logits": dict(vocab=16000, sequence=256, batch=2),
    "accumulated": dict(layers=3, hidden=1024, ffn=2752, accumulation=2),
    "fsdp1": dict(sharder="fsdp1", layers=3, hidden=1024, ffn=2752, reduce="bf16"),
    "fsdp1 activations": dict(sharder="fsdp1", sequence=256, batch=4, reduce="bf16"),
}


def model_of(case):
    model = llama(case)
    if case["sharder"] == "fsdp2":
        return fsdp2(model, model.model.layers, reduce_type(case), case["reshard"])
    return fsdp1(model, reduce_type(case), "FULL_SHARD" if case["reshard"] else "SHARD_GRAD_OP")


def step(model, optimizer, tokens, case):
    for _ in range(case["accumulation"]):
        output = model(input_ids=tokens, labels=tokens)
        (output.loss / case["accumulation"]).backward()
        del output
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)


def peak_of(case):
    torch.manual_seed(0)
    model = model_of(case)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    tokens = random_tokens(case)
    for _ in range(2):
        step(model, optimizer, tokens, case)
    return peak_beside(optimizer, model.parameters(), lambda: step(model, optimizer, tokens, case))


if __name__ == "__main__":
    with fake_group(0, RANKS):
        print_peaks(PLAIN, CASES, peak_of)
