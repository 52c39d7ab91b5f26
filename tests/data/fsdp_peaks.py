#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
"""Measures the peak of live bytes on one rank of eight over the third training step of Transformers' Llama under
PyTorch's sharding, on this machine's processor: the figures in tests/core/predict/fsdp_memory_test.cpp. The other ranks
are PyTorch's fake process group, whose collectives move nothing: Gloo's own copies would count otherwise. Needs torch
and transformers."""

import sys

import torch
import torch.distributed as dist
from torch.testing._internal.distributed.fake_pg import FakeStore
from transformers import LlamaConfig, LlamaForCausalLM

from live_bytes import peak_over

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


def shard(model, case):
    reduce = torch.float32 if case["reduce"] == "fp32" else torch.bfloat16
    if case["sharder"] == "fsdp2":
        from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

        policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=reduce)
        for layer in model.model.layers:
            fully_shard(layer, mp_policy=policy, reshard_after_forward=case["reshard"])
        return fully_shard(model, mp_policy=policy, reshard_after_forward=case["reshard"])
    from torch.distributed.fsdp import FullyShardedDataParallel, MixedPrecision, ShardingStrategy
    from torch.distributed.fsdp.wrap import ModuleWrapPolicy
    from transformers.models.llama.modeling_llama import LlamaDecoderLayer

    strategy = ShardingStrategy.FULL_SHARD if case["reshard"] else ShardingStrategy.SHARD_GRAD_OP
    return FullyShardedDataParallel(
        model,
        auto_wrap_policy=ModuleWrapPolicy({LlamaDecoderLayer}),
        sharding_strategy=strategy,
        use_orig_params=True,
        device_id=torch.device("cpu"),
        mixed_precision=MixedPrecision(param_dtype=torch.bfloat16, reduce_dtype=reduce),
    )


def model_of(case):
    config = LlamaConfig(
        hidden_size=case["hidden"],
        intermediate_size=case["ffn"],
        num_hidden_layers=case["layers"],
        num_attention_heads=8,
        num_key_value_heads=8,
        vocab_size=case["vocab"],
        tie_word_embeddings=False,
        max_position_embeddings=4096,
        use_cache=False,
        attn_implementation="sdpa",
    )
    model = LlamaForCausalLM(config).float().train()
    if case["recompute"]:
        model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
    return shard(model, case)


def step(model, optimizer, tokens, case):
    for _ in range(case["accumulation"]):
        output = model(input_ids=tokens, labels=tokens)
        (output.loss / case["accumulation"]).backward()
        del output
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)


def local(tensor):
    return tensor.to_local() if hasattr(tensor, "to_local") else tensor


def peak_of(case):
    torch.manual_seed(0)
    model = model_of(case)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    tokens = torch.randint(0, case["vocab"], (case["batch"], case["sequence"]))
    for _ in range(2):
        step(model, optimizer, tokens, case)
    states = [v for s in optimizer.state.values() for v in s.values() if torch.is_tensor(v)]
    live = sum(local(t).numel() * local(t).element_size() for t in [*model.parameters(), *states])
    return peak_over(live, lambda: step(model, optimizer, tokens, case))


if __name__ == "__main__":
    dist.init_process_group("fake", store=FakeStore(), rank=0, world_size=RANKS)
    for name in sys.argv[1:] or list(CASES):
        print(f"{name}: {peak_of(PLAIN | CASES[name])}", flush=True)
    dist.destroy_process_group()
