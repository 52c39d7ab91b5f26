#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
"""Measures the peak of live bytes over the third training step of a small Llama on one of two ranks that share it by
PyTorch's tensor and sequence parallelism, on this machine's processor: the figures in
tests/core/predict/tensor_parallel_memory_test.cpp. The other rank is PyTorch's fake process group. Needs torch."""

import collections
import contextlib

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Replicate, Shard
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    PrepareModuleInput,
    RowwiseParallel,
    SequenceParallel,
    loss_parallel,
    parallelize_module,
)
from torch.utils.checkpoint import CheckpointPolicy, checkpoint, create_selective_checkpoint_contexts

from live_bytes import fake_group, peak_beside, print_peaks

HIDDEN, FFN, HEADS, TOKENS = 256, 768, 4, 4096
PLAIN = dict(tp=2, layers=4, vocab=512, recompute="none", held=False)
CASES = {
    "plain": {},
    "selective": dict(recompute="selective", layers=8),
    "recomputed": dict(recompute="full", layers=8),
    "logits": dict(layers=1, vocab=8192),
    "logits held": dict(layers=1, vocab=8192, held=True),
    "one rank, selective": dict(tp=1, recompute="selective", layers=8),
    "one rank, logits held": dict(tp=1, layers=1, vocab=8192, held=True),
}
# What selective checkpointing keeps: attention, scattered sums, and every second product.
KEPT = {
    torch.ops.aten.mm.default,
    torch.ops.aten._scaled_dot_product_flash_attention_for_cpu.default,
    torch.ops._c10d_functional.reduce_scatter_tensor.default,
}


class Norm(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(HIDDEN))

    def forward(self, x):
        wide = x.float()
        return (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-5)).type_as(x) * self.weight


def rotated(x, angles):
    pairs = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(pairs * angles).flatten(3).type_as(x)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(HIDDEN, HIDDEN, bias=False) for _ in range(4))

    def forward(self, x, angles):
        batch, tokens, _ = x.shape
        q, k, v = (linear(x).view(batch, tokens, -1, HIDDEN // HEADS) for linear in (self.q, self.k, self.v))
        q, k, v = (t.transpose(1, 2) for t in (rotated(q, angles), rotated(k, angles), v))
        return self.o(
            F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(batch, tokens, -1)
        )


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate, self.up = nn.Linear(HIDDEN, FFN, bias=False), nn.Linear(HIDDEN, FFN, bias=False)
        self.down = nn.Linear(FFN, HIDDEN, bias=False)

    def forward(self, x):
        return self.down(F.silu(self.gate(x)) * self.up(x))


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention, self.mlp, self.attention_norm, self.mlp_norm = Attention(), Mlp(), Norm(), Norm()

    def forward(self, x, angles):
        x = x + self.attention(self.attention_norm(x), angles)
        return x + self.mlp(self.mlp_norm(x))


def keeping():
    products = collections.Counter()

    def policy(context, op, *_, **__):
        if op == torch.ops.aten.mm.default:
            products[context.is_recompute] += 1
        kept = op in KEPT and not (op == torch.ops.aten.mm.default and products[context.is_recompute] % 2 == 0)
        return CheckpointPolicy.MUST_SAVE if kept else CheckpointPolicy.PREFER_RECOMPUTE

    return create_selective_checkpoint_contexts(policy)


class Checkpointed(nn.Module):
    def __init__(self, layer, recompute):
        super().__init__()
        self.layer, self.recompute = layer, recompute

    def forward(self, x, angles):
        if self.recompute == "none":
            return self.layer(x, angles)
        how = dict(context_fn=keeping) if self.recompute == "selective" else {}
        return checkpoint(self.layer, x, angles, use_reentrant=False, preserve_rng_state=False, **how)


class Model(nn.Module):
    def __init__(self, case):
        super().__init__()
        self.embedding, self.norm, self.head = (
            nn.Embedding(case["vocab"], HIDDEN),
            Norm(),
            nn.Linear(HIDDEN, case["vocab"], bias=False),
        )
        self.layers = nn.ModuleList([Layer() for _ in range(case["layers"])])

    def forward(self, tokens, angles):
        x = self.embedding(tokens)
        for layer in self.layers:
            x = layer(x, angles)
        return self.head(self.norm(x)).float()


def spread(model, ranks):
    mesh = init_device_mesh("cpu", (ranks,))
    parallelize_module(
        model,
        mesh,
        {
            "embedding": RowwiseParallel(input_layouts=Replicate(), output_layouts=Shard(1)),
            "norm": SequenceParallel(),
            "head": ColwiseParallel(input_layouts=Shard(1), output_layouts=Shard(-1), use_local_output=False),
        },
    )
    whole = dict(desired_input_layouts=(Replicate(), None), input_layouts=(Shard(1), None))
    plan = {
        "attention": PrepareModuleInput(**whole),
        "mlp": PrepareModuleInput(input_layouts=(Shard(1),), desired_input_layouts=(Replicate(),)),
    }
    plan |= {name: ColwiseParallel() for name in ("attention.q", "attention.k", "attention.v", "mlp.gate", "mlp.up")}
    plan |= {name: RowwiseParallel(output_layouts=Shard(1)) for name in ("attention.o", "mlp.down")}
    plan |= {name: SequenceParallel() for name in ("attention_norm", "mlp_norm")}
    for layer in model.layers:
        parallelize_module(layer, mesh, plan)


def model_of(case):
    model = Model(case).bfloat16()
    if case["tp"] > 1:
        spread(model, case["tp"])
    model.layers = nn.ModuleList([Checkpointed(layer, case["recompute"]) for layer in model.layers])
    return model


def step(model, optimizer, tokens, angles, case):
    with loss_parallel() if case["tp"] > 1 else contextlib.nullcontext():
        logits = model(tokens, angles)
        loss = F.cross_entropy(logits.flatten(0, 1), tokens.flatten(0, 1))
        if not case["held"]:
            del logits
        loss.backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)


def peak_of(case):
    torch.manual_seed(0)
    model = model_of(case)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=case["tp"] == 1, foreach=False)
    tokens = torch.randint(0, case["vocab"], (1, TOKENS))
    angles = torch.polar(torch.ones(TOKENS, 1, HIDDEN // HEADS // 2), torch.ones(TOKENS, 1, HIDDEN // HEADS // 2))
    for _ in range(2):
        step(model, optimizer, tokens, angles, case)
    return peak_beside(optimizer, model.parameters(), lambda: step(model, optimizer, tokens, angles, case))


if __name__ == "__main__":
    with fake_group(0, 2):
        print_peaks(PLAIN, CASES, peak_of)
