#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
"""Measures what a layer of a compiled model keeps for backward where attention is written out, scores and a mask in
memory: the figures in tests/core/predict/compiled_attention_test.cpp. The tensors that forward saves are counted for
models of three and of two layers; the difference is one layer's. Needs torch 2.11."""

import math
import sys

import torch
import torch.nn.functional as F
from torch import nn

import compiled_peaks
from live_bytes import random_tokens

# wide: scores are normalized in fp32 and cast back, as Transformers' LLaMA does, and autocast.
PLAIN = dict(
    family="gpt",
    hidden=256,
    ffn=1024,
    vocab=512,
    sequence=1024,
    batch=2,
    loss="inside",
    wide=False,
    dropout=0.0,
    autocast=False,
    fp32=False,
)
CASES = {
    "gpt": {},
    "gpt dropout": dict(dropout=0.1),
    "gpt fp32": dict(fp32=True),
    "gpt autocast": dict(autocast=True, wide=True),
    "llama": dict(family="llama", ffn=688, wide=True),
    "llama dropout": dict(family="llama", ffn=688, wide=True, dropout=0.1),
}


def attention(q, k, v, mask, case):
    scores = q @ k.transpose(-2, -1) * (1.0 / math.sqrt(q.shape[-1]))
    scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = F.softmax(scores, -1, dtype=torch.float32).to(q.dtype) if case["wide"] else F.softmax(scores, -1)
    return F.dropout(weights, case["dropout"]) @ v


def mask_of(case):
    return torch.tril(torch.ones(case["sequence"], case["sequence"])).view(1, 1, case["sequence"], case["sequence"])


class LlamaBlock(compiled_peaks.Block):
    def __init__(self, case):
        super().__init__(case)
        self.case = case
        self.register_buffer("mask", mask_of(case), persistent=False)

    def forward(self, x):
        batch, sequence, hidden = x.shape
        normed = self.attention_norm(x)
        q, k, v = (f(normed).view(batch, sequence, 8, -1).transpose(1, 2) for f in (self.q, self.k, self.v))
        y = attention(self.rotated(q), self.rotated(k), v, self.mask, self.case)
        x = x + self.o(y.transpose(1, 2).contiguous().view(batch, sequence, hidden))
        normed = self.mlp_norm(x)
        return x + self.down(F.silu(self.gate(normed)) * self.up(normed))


class GptBlock(nn.Module):
    def __init__(self, case):
        super().__init__()
        hidden = case["hidden"]
        self.case = case
        self.attention_norm, self.mlp_norm = nn.LayerNorm(hidden), nn.LayerNorm(hidden)
        self.qkv, self.out = nn.Linear(hidden, 3 * hidden), nn.Linear(hidden, hidden)
        self.up, self.down = nn.Linear(hidden, case["ffn"]), nn.Linear(case["ffn"], hidden)
        self.register_buffer("mask", mask_of(case), persistent=False)

    def forward(self, x):
        batch, sequence, hidden = x.shape
        parts = self.qkv(self.attention_norm(x)).split(hidden, dim=2)
        q, k, v = (part.view(batch, sequence, 8, -1).transpose(1, 2) for part in parts)
        y = attention(q, k, v, self.mask, self.case)
        x = x + self.out(y.transpose(1, 2).contiguous().view(batch, sequence, hidden))
        return x + self.down(F.gelu(self.up(self.mlp_norm(x)), approximate="tanh"))


def saved(case, layers):
    torch._dynamo.reset()
    compiled_peaks.Block = GptBlock if case["family"] == "gpt" else LlamaBlock
    model = compiled_peaks.Model(case | dict(layers=layers)).train()
    if not case["autocast"] and not case["fp32"]:
        model = model.bfloat16()
    kept, parameters = {}, {p.data_ptr() for p in model.parameters()}

    def pack(tensor):
        if tensor.data_ptr() not in parameters:
            kept[tensor.data_ptr()] = tensor.numel() * tensor.element_size()
        return tensor

    run, tokens = torch.compile(model), random_tokens(case)
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=case["autocast"]):
            run(tokens, tokens)
    return sum(kept.values())


if __name__ == "__main__":
    for name in sys.argv[1:] or list(CASES):
        one = PLAIN | CASES[name]
        print(f"{name}: {saved(one, 3) - saved(one, 2)}", flush=True)
