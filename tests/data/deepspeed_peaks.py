#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
"""Measures the peak of live bytes on one rank of eight over the third training step of Transformers' Llama under
DeepSpeed's ZeRO in bf16, on this machine's processor: the figures in tests/core/predict/deepspeed_memory_test.cpp. The
other ranks are PyTorch's fake process group. Needs torch, transformers and deepspeed."""

import os
import subprocess
import sys
import types

RANKS = 8
# The last rank's part of the gradients is ready first. The third stage parts each tensor, and asks rank 0 whether all
# agree.
RANK = 0 if sys.argv[1:] and sys.argv[1].startswith("zero3") else RANKS - 1
os.environ.update(
    DS_ACCELERATOR="cpu",
    LOCAL_RANK="0",
    RANK=str(RANK),
    WORLD_SIZE=str(RANKS),
    MASTER_ADDR="127.0.0.1",
    MASTER_PORT="29511",
)

import torch
import deepspeed
from transformers import LlamaForCausalLM

from live_bytes import fake_group, llama_config, peak_over, print_peaks, random_tokens, recomputed

PLAIN = dict(
    stage=1, vocab=512, layers=6, hidden=512, ffn=1376, sequence=64, batch=1, accumulation=1, recompute=False, config={}
)
WIDE = dict(layers=3, hidden=1024, ffn=2752)
CASES = {}
for stage in (1, 2, 3):
    CASES[f"zero{stage} states"] = dict(stage=stage, **WIDE)
    CASES[f"zero{stage} activations"] = dict(stage=stage, sequence=256, batch=4)
    CASES[f"zero{stage} recomputed"] = dict(stage=stage, sequence=256, batch=4, recompute=True)
    CASES[f"zero{stage} logits"] = dict(stage=stage, vocab=16000, sequence=256, batch=2)
    CASES[f"zero{stage} billion"] = dict(stage=stage, layers=20, hidden=2048, ffn=5504)
    CASES[f"zero{stage} accumulated"] = dict(stage=stage, accumulation=2, **WIDE)


def engine_of(case):
    settings = {
        "train_micro_batch_size_per_gpu": case["batch"],
        "gradient_accumulation_steps": case["accumulation"],
        "bf16": {"enabled": True},
        "zero_optimization": {"stage": case["stage"], **case["config"]},
        "zero_allow_untested_optimizer": True,
        "zero_force_ds_cpu_optimizer": False,
        "gradient_clipping": 0.0,
    }
    # As Transformers makes models of the third stage; it also gives linear layers a backward that keeps no gathered
    # weight.
    with deepspeed.zero.Init(config_dict_or_path=settings, enabled=case["stage"] == 3):
        model = recomputed(LlamaForCausalLM(llama_config(case)).train(), case)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    return deepspeed.initialize(model=model, optimizer=optimizer, config=settings)[0]


def step(engine, tokens, case):
    for _ in range(case["accumulation"]):
        output = engine(input_ids=tokens, labels=tokens)
        engine.backward(output.loss)
        del output
        engine.step()


def live_bytes(root):
    """Of all storages that the engine reaches."""
    storages, seen, waiting = {}, set(), [root]
    while waiting:
        thing = waiting.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        if torch.is_tensor(thing):
            storage = thing.untyped_storage()
            storages[storage.data_ptr()] = storage.nbytes()
            waiting += [thing.grad if thing.is_leaf else None, *vars(thing).values()]
        elif isinstance(thing, dict):
            waiting += [*thing.keys(), *thing.values()]
        elif isinstance(thing, (list, tuple, set, frozenset)):
            waiting += thing
        elif hasattr(thing, "__dict__") and not isinstance(thing, (type, types.ModuleType, types.FunctionType)):
            waiting += vars(thing).values()
    storages.pop(0, None)
    return sum(storages.values())


def peak_of(case):
    torch.manual_seed(0)
    with fake_group(RANK, RANKS):
        engine = engine_of(case)
        tokens = random_tokens(case)
        for _ in range(2):
            step(engine, tokens, case)
        return peak_over(live_bytes(engine), lambda: step(engine, tokens, case))


if __name__ == "__main__":
    if len(sys.argv) == 1:
        for name in CASES:  # each in a process of its own
            subprocess.run([sys.executable, __file__, name], check=True)
    else:
        print_peaks(PLAIN, CASES, peak_of)
