#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
"""Measures the peak of live bytes on one rank of eight over the third training step of torchtitan's Llama with its own
checkpointing and FSDP2, on this machine's processor: the figures in tests/core/predict/torchtitan_memory_test.cpp. The
other ranks are PyTorch's fake process group. Needs torch and torchtitan."""

import contextlib

import torch
from torch.distributed.device_mesh import init_device_mesh
from torchtitan.components.loss import cross_entropy_loss
from torchtitan.config.job_config import ActivationCheckpoint
from torchtitan.distributed.activation_checkpoint import apply_ac
from torchtitan.distributed.utils import clip_grad_norm_, get_train_context
from torchtitan.models.llama3.infra.parallelize import _op_sac_save_list, apply_fsdp, apply_tp
from torchtitan.models.llama3.model.args import TransformerModelArgs
from torchtitan.models.llama3.model.model import Transformer

from live_bytes import NoProducts, fake_group, peak_beside, print_peaks, random_tokens

RANKS = 8
PLAIN = dict(vocab=512, layers=6, sequence=256, batch=4, kv_heads=8, accumulation=1, recompute="none", tp=1)
CASES = {
    "states": dict(sequence=64, batch=1),
    "plain": {},
    "selective": dict(recompute="selective"),
    "full": dict(recompute="full"),
    "grouped queries": dict(kv_heads=2),
    "grouped queries selective": dict(kv_heads=2, recompute="selective"),
    "large vocabulary": dict(vocab=32000, recompute="selective"),
    "large vocabulary accumulated": dict(vocab=32000, recompute="selective", accumulation=2),
    "two parts": dict(tp=2),
    "two parts selective": dict(tp=2, recompute="selective"),
    "two parts full": dict(tp=2, recompute="full"),
    "two parts, large vocabulary": dict(tp=2, vocab=32000, recompute="selective"),
    "four parts, grouped queries": dict(tp=4, kv_heads=4, recompute="selective"),
}


def model_of(case):
    args = TransformerModelArgs(
        dim=512,
        n_layers=case["layers"],
        n_heads=8,
        n_kv_heads=case["kv_heads"],
        vocab_size=case["vocab"],
        multiple_of=256,  # so that the MLP is 1,536 wide
        max_seq_len=case["sequence"],
    )
    model = Transformer(args)
    with torch.no_grad():
        model.init_weights()
    mesh = init_device_mesh("cpu", (RANKS // case["tp"], case["tp"]), mesh_dim_names=("fsdp", "tp"))
    if case["tp"] > 1:
        apply_tp(model, mesh["tp"], loss_parallel=True, enable_float8_tensorwise_tp=False)
    if case["recompute"] != "none":
        how = ActivationCheckpoint(mode=case["recompute"], selective_ac_option="op")
        apply_ac(model, how, op_sac_save_list=_op_sac_save_list)
    apply_fsdp(
        model,
        mesh["fsdp"],
        param_dtype=torch.bfloat16,
        reduce_dtype=torch.float32,
        pp_enabled=False,
    )
    return model


def step(model, optimizer, tokens, case):
    """train.py, train_step and forward_backward_step."""
    optimizer.zero_grad()
    for _ in range(case["accumulation"]):
        with get_train_context(case["tp"] > 1)():
            pred = model(tokens)
            loss = cross_entropy_loss(pred, tokens) / tokens.numel()
            del pred
            loss.backward()
    clip_grad_norm_(list(model.parameters()), 1.0, foreach=True)
    optimizer.step()


def peak_of(case):
    torch.manual_seed(0)
    model = model_of(case)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    tokens = random_tokens(case)

    def quick_step():
        with NoProducts() if case["tp"] == 1 else contextlib.nullcontext():  # which knows no DTensor
            step(model, optimizer, tokens, case)

    for _ in range(2):
        quick_step()
    optimizer.zero_grad()
    return peak_beside(optimizer, [*model.parameters(), *model.buffers()], quick_step)


if __name__ == "__main__":
    with fake_group(0, RANKS):
        print_peaks(PLAIN, CASES, peak_of)
