#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
"""Measures the peak of live bytes on one rank over the third training step of a Llama of Transformers' layers in the
stages of PyTorch's pipelines, on this machine's processor: the figures in tests/core/predict/pipeline_memory_test.cpp.
The other ranks are PyTorch's fake process group. Needs torch and transformers."""

import functools

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.pipelining import PipelineStage, Schedule1F1B, ScheduleInterleaved1F1B
from torch.utils.checkpoint import checkpoint
from transformers.models.llama.modeling_llama import LlamaDecoderLayer, LlamaRMSNorm, LlamaRotaryEmbedding

from live_bytes import fake_group, fsdp2, llama_config, peak_of_last, print_peaks

PLAIN = dict(
    pp=2,
    parts=1,
    rank=0,
    ranks=1,
    layers=8,
    hidden=512,
    ffn=1376,
    vocab=512,
    sequence=256,
    batch=2,
    micro_batches=8,
    recompute=False,
    outputs=False,
)
FSDP = dict(ranks=4, hidden=1024, ffn=2752, sequence=64, batch=1)
CASES = {
    "first of two": {},
    "last of two": dict(rank=1),
    "first of four": dict(pp=4),
    "second of four": dict(pp=4, rank=1),
    "last of four": dict(pp=4, rank=3),
    "second of four, sixteen micro-batches": dict(pp=4, rank=1, micro_batches=16),
    "first of four, recomputed": dict(pp=4, recompute=True),
    "second of four, recomputed": dict(pp=4, rank=1, recompute=True),
    "last of two, logits": dict(rank=1, vocab=16000),
    "last of two, logits handed out": dict(rank=1, vocab=16000, outputs=True),
    "first of two, two parts": dict(parts=2),
    "last of two, two parts": dict(parts=2, rank=1),
    "second of four, two parts": dict(pp=4, parts=2, rank=1),
    "first of two, four parts": dict(parts=4),
    "sharded, first of two": FSDP,
    "sharded, last of two": FSDP | dict(rank=1),
    "sharded, second of four": FSDP | dict(pp=4, rank=1),
    "sharded, first of two, active": dict(ranks=4),
    "sharded, first of two, two parts": FSDP | dict(parts=2),
    "sharded, last of two, recomputed": FSDP | dict(rank=1, recompute=True, sequence=256, batch=4),
}


class Stage(nn.Module):
    def __init__(self, case, index, count):
        super().__init__()
        config = llama_config(case)
        own = case["layers"] // count
        self.recompute = case["recompute"]
        self.embedding = nn.Embedding(case["vocab"], case["hidden"]) if index == 0 else None
        self.layers = nn.ModuleList([LlamaDecoderLayer(config, index * own + i) for i in range(own)])
        self.norm, self.head = (
            (LlamaRMSNorm(case["hidden"]), nn.Linear(case["hidden"], case["vocab"], bias=False))
            if index + 1 == count
            else (None, None)
        )
        self.rotary = LlamaRotaryEmbedding(config)

    def forward(self, x):
        x = self.embedding(x) if self.embedding is not None else x
        angles = self.rotary(x, torch.arange(x.shape[1])[None])
        for layer in self.layers:
            run = functools.partial(layer, attention_mask=None, position_embeddings=angles)
            x = checkpoint(run, x, use_reentrant=False) if self.recompute else run(x)
        return self.head(self.norm(x)) if self.head is not None else x


def stage_of(case, index, mesh):
    count = case["pp"] * case["parts"]
    module = Stage(case, index, count).train()
    if case["ranks"] == 1:
        module.bfloat16()
    else:
        fsdp2(module, module.layers, torch.float32, False, mesh["dp"])
    shape = (case["batch"], case["sequence"])
    tokens, stream = (
        torch.empty(shape, dtype=torch.long, device="meta"),
        torch.empty(*shape, case["hidden"], dtype=torch.bfloat16, device="meta"),
    )
    logits = torch.empty(*shape, case["vocab"], dtype=torch.bfloat16, device="meta")
    return PipelineStage(
        module,
        index,
        count,
        torch.device("cpu"),
        input_args=(tokens if index == 0 else stream,),
        output_args=(logits if index + 1 == count else stream,),
        group=mesh["pp"].get_group(),
    )


def loss_of(logits, targets):
    return F.cross_entropy(logits.flatten(0, 1).float(), targets.flatten(0, 1))


def build(case):
    mesh = init_device_mesh("cpu", (case["pp"], case["ranks"]), mesh_dim_names=("pp", "dp"))
    stages = [stage_of(case, case["rank"] + part * case["pp"], mesh) for part in range(case["parts"])]
    schedule = (
        ScheduleInterleaved1F1B(stages, case["micro_batches"], loss_fn=loss_of)
        if case["parts"] > 1
        else Schedule1F1B(stages[0], case["micro_batches"], loss_fn=loss_of)
    )
    optimizer = torch.optim.AdamW([p for stage in stages for p in stage.submod.parameters()], lr=1e-4, fused=True)
    tokens = torch.randint(0, case["vocab"], (case["batch"] * case["micro_batches"], case["sequence"]))

    def step():
        inputs = (tokens,) if case["rank"] == 0 else ()
        schedule.step(*inputs, target=tokens, losses=[], return_outputs=case["outputs"])
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    return step


def peak_of(case):
    torch.manual_seed(0)
    with fake_group(case["rank"] * case["ranks"], case["pp"] * case["ranks"]):
        return peak_of_last(lambda: build(case))


if __name__ == "__main__":
    print_peaks(PLAIN, CASES, peak_of)
