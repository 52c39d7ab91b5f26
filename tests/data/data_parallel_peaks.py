#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
"""Measures the peak of live bytes on one rank over the third training step of Transformers' Llama under PyTorch's data
parallelism, on this machine's processor: the figures in tests/core/predict/data_parallel_memory_test.cpp. The other
ranks are PyTorch's fake process group. Needs torch and transformers."""

import contextlib

import torch
from torch.distributed.algorithms.ddp_comm_hooks.debugging_hooks import noop_hook
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.nn.parallel import DistributedDataParallel

from live_bytes import fake_group, fsdp1, fsdp2, llama, peak_of_last, print_peaks, random_tokens, reduce_type
from transformers_peaks import as_on_cuda

PLAIN = dict(
    how="ddp",
    ranks=8,
    vocab=512,
    layers=3,
    hidden=512,
    ffn=1376,
    sequence=64,
    batch=1,
    accumulation=1,
    synchronises=True,
    mixed=True,
    reduce="fp32",
    reshard=True,
    recompute=False,
    optimizer="fused",
    clips=False,
)
ACTIVE = dict(layers=6, sequence=256, batch=4)
CASES = {
    "ddp": {},
    "ddp, pure half": dict(mixed=False),
    "ddp, activations": ACTIVE,
    "ddp, activations recomputed": ACTIVE | dict(recompute=True),
    "ddp, half activations recomputed": ACTIVE | dict(recompute=True, mixed=False),
    "ddp, logits": dict(vocab=16000, sequence=256, batch=2),
    "ddp, accumulated": dict(accumulation=2),
    "ddp, accumulated in silence": dict(accumulation=2, synchronises=False),
    "ddp, half accumulated": ACTIVE | dict(accumulation=2, mixed=False, synchronises=False),
    "ddp, clipped": dict(clips=True),
    "ddp, foreach": dict(optimizer="foreach"),
    "ddp, foreach clipped": dict(optimizer="foreach", clips=True, mixed=False),
    "ddp, loop": dict(optimizer="loop"),
    "ddp, loop half": dict(optimizer="loop", mixed=False, vocab=8000),
    "zero1": dict(how="zero1"),
    "zero1, half": dict(how="zero1", mixed=False),
    "zero1, vocabulary": dict(how="zero1", vocab=16000, sequence=64),
    "zero1, activations": ACTIVE | dict(how="zero1"),
    "zero1, two ranks": dict(how="zero1", ranks=2),
    "zero1, foreach": dict(how="zero1", optimizer="foreach"),
}
WIDE = dict(hidden=1024, ffn=2752)
for sharder, reduce in (("fsdp1", "bf16"), ("fsdp2", "fp32")):
    CASES |= {
        f"{sharder}, accumulated in silence": WIDE
        | dict(how=sharder, reduce=reduce, accumulation=2, synchronises=False),
        f"{sharder}, accumulated in silence, active": ACTIVE
        | dict(how=sharder, reduce=reduce, accumulation=3, synchronises=False),
        f"{sharder}, kept, accumulated in silence": WIDE
        | dict(how=sharder, reduce=reduce, accumulation=2, synchronises=False, reshard=False),
        f"{sharder}, kept, accumulated": WIDE | dict(how=sharder, reduce=reduce, accumulation=2, reshard=False),
        f"{sharder}, hybrid": WIDE | dict(how=sharder, reduce=reduce, ranks=4, replicas=2),
        f"{sharder}, hybrid, kept": WIDE | dict(how=sharder, reduce=reduce, ranks=4, replicas=2, reshard=False),
        f"{sharder}, hybrid, accumulated": WIDE | dict(how=sharder, reduce=reduce, ranks=4, replicas=2, accumulation=2),
        f"{sharder}, hybrid, active": ACTIVE | dict(how=sharder, reduce=reduce, ranks=4, replicas=2),
        f"{sharder}, two ranks": WIDE | dict(how=sharder, reduce=reduce, ranks=2),
        f"{sharder}, clipped": WIDE | dict(how=sharder, reduce=reduce, clips=True),
        f"{sharder}, foreach": WIDE | dict(how=sharder, reduce=reduce, ranks=2, optimizer="foreach"),
        f"{sharder}, loop": WIDE | dict(how=sharder, reduce=reduce, ranks=2, optimizer="loop"),
        f"{sharder}, half": WIDE | dict(how=sharder, reduce="bf16", mixed=False, ranks=2),
        f"{sharder}, half, active": ACTIVE | dict(how=sharder, reduce="bf16", mixed=False),
        f"{sharder}, recomputed, accumulated": ACTIVE
        | dict(how=sharder, reduce=reduce, accumulation=2, recompute=True),
    }
for name in (
    "ddp",
    "ddp, pure half",
    "ddp, activations",
    "ddp, activations recomputed",
    "ddp, logits",
    "ddp, accumulated",
    "ddp, accumulated in silence",
    "ddp, half accumulated",
    "ddp, foreach",
    "zero1",
    "zero1, activations",
):
    CASES[name + ", views"] = CASES[name] | dict(views=True)
CASES["fsdp2, reduced in half"] = WIDE | dict(how="fsdp2", reduce="bf16")
CASES["fsdp1, reduced in fp32"] = WIDE | dict(how="fsdp1", reduce="fp32")


def mesh_of(case):
    from torch.distributed.device_mesh import init_device_mesh

    replicas = case.get("replicas", 1)
    if replicas > 1:
        return init_device_mesh("cpu", (replicas, case["ranks"] // replicas), mesh_dim_names=("replicate", "shard"))
    return init_device_mesh("cpu", (case["ranks"],))


def ddp(model, case):
    model = DistributedDataParallel(model, gradient_as_bucket_view=case.get("views", False))
    model.register_comm_hook(None, noop_hook)  # the fake group's all-reduce answers with nothing
    return model


def strategy_of(case):
    if case.get("replicas", 1) > 1:
        return "HYBRID_SHARD" if case["reshard"] else "_HYBRID_SHARD_ZERO2"
    return "FULL_SHARD" if case["reshard"] else "SHARD_GRAD_OP"


def model_of(case):
    model = llama(case).to(torch.float32 if case["mixed"] else torch.bfloat16)
    if case["how"] == "fsdp1":
        return fsdp1(model, reduce_type(case), strategy_of(case), mesh_of(case))
    if case["how"] == "fsdp2":
        return fsdp2(model, model.model.layers, reduce_type(case), case["reshard"], mesh_of(case))
    return ddp(model, case)


def optimizer_of(model, case):
    how = dict(fused=dict(fused=True), foreach=dict(foreach=True), loop=dict(foreach=False))[case["optimizer"]]
    if case["how"] == "zero1":
        return ZeroRedundancyOptimizer(model.parameters(), optimizer_class=torch.optim.AdamW, lr=1e-4, **how)
    return torch.optim.AdamW(model.parameters(), lr=1e-4, **how)


def synchronising(model, case, last):
    if case["how"] == "fsdp2":
        model.set_requires_gradient_sync(last or case["synchronises"])
    elif not last and not case["synchronises"]:
        return model.no_sync()
    return contextlib.nullcontext()


def step(model, optimizer, tokens, case):
    for micro_batch in range(case["accumulation"]):
        with synchronising(model, case, micro_batch + 1 == case["accumulation"]):
            with torch.autocast(
                "cpu", dtype=torch.bfloat16, enabled=case["mixed"] and not case["how"].startswith("fsdp")
            ):
                output = model(input_ids=tokens, labels=tokens)
            (output.loss / case["accumulation"]).backward()
            del output
    if case["clips"]:
        model.clip_grad_norm_(1.0) if case["how"] == "fsdp1" else torch.nn.utils.clip_grad_norm_(
            model.parameters(), 1.0
        )
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)


def peak_of(case):
    torch.manual_seed(0)
    as_on_cuda(case | dict(mixed=case["mixed"] and not case["how"].startswith("fsdp")))

    def build():
        model = model_of(case)
        optimizer = optimizer_of(model, case)
        tokens = random_tokens(case)
        return lambda: step(model, optimizer, tokens, case)

    with fake_group(0, case["ranks"]):
        return peak_of_last(build)


if __name__ == "__main__":
    print_peaks(PLAIN, CASES, peak_of)
