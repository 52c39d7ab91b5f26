#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
"""Measures the peak of live bytes per logit of an LM head under Lightning's Fabric, with the loss of LitGPT's
pretrain.py and finetune/full.py, on this machine's processor: 12.0 in every precision. Needs torch and lightning."""

import lightning
import torch
import torch.nn.functional as F
from torch import nn

from live_bytes import peak_over

VOCAB, HIDDEN, TOKENS = 8000, 64, 512


def chunked_cross_entropy(logits, targets, chunk=128):
    """LitGPT 0.5.13, utils.py, of logits that the head wrote at once."""
    logits, targets = logits.reshape(-1, logits.size(-1)), targets.reshape(-1)
    losses = [
        F.cross_entropy(some, of, reduction="none") for some, of in zip(logits.split(chunk), targets.split(chunk))
    ]
    return torch.cat(losses).sum() / targets.numel()


def peak_of(precision):
    fabric = lightning.Fabric(accelerator="cpu", devices=1, precision=precision)
    with fabric.init_module():
        head = nn.Linear(HIDDEN, VOCAB, bias=False)
    head = fabric.setup(head)
    normed, targets = torch.randn(1, TOKENS, HIDDEN).bfloat16(), torch.randint(0, VOCAB, (1, TOKENS))

    def step():
        logits = head(normed)
        fabric.backward(chunked_cross_entropy(logits, targets))

    return peak_over(0, step) / (VOCAB * TOKENS)


if __name__ == "__main__":
    for name in ("bf16-true", "bf16-mixed"):
        print(f"{name}: {peak_of(name):.1f}", flush=True)
