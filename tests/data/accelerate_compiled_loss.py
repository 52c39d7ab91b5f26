#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
"""Measures the peak of live bytes per logit of a compiled LM head that returns its logits beside the loss, as
Transformers' models do, with and without the cast of outputs to fp32 that Accelerate puts around it, on this machine's
processor: 6.3 and 6.5, of which 0.3 and 0.5 are not logits. Needs torch 2.11 and accelerate."""

from types import MethodType

import torch
from accelerate.utils.operations import convert_outputs_to_fp32
from torch import nn

import compiled_peaks  # Inductor compiles no kernels
from live_bytes import peak_over

VOCAB, HIDDEN, TOKENS = 16000, 64, 512


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.head = nn.Embedding(VOCAB, HIDDEN), nn.Linear(HIDDEN, VOCAB, bias=False)

    def forward(self, tokens, labels):
        logits = self.head(self.embedding(tokens))
        return dict(loss=compiled_peaks.loss_of(logits, labels), logits=logits)


def peak_of(casts):
    torch._dynamo.reset()
    model = Head()
    forward = torch.autocast("cpu", dtype=torch.bfloat16)(model.forward.__func__)
    model.forward = MethodType(convert_outputs_to_fp32(forward) if casts else forward, model)
    run, tokens = torch.compile(model), torch.randint(0, VOCAB, (1, TOKENS))

    def step():
        loss = run(tokens, tokens)["loss"]  # Trainer.compute_loss lets go of the rest
        loss.backward()

    step()
    model.zero_grad(set_to_none=True)
    return peak_over(0, step) / (VOCAB * TOKENS)


if __name__ == "__main__":
    for name, casts in (("as they are", False), ("cast", True)):
        print(f"{name}: {peak_of(casts):.1f}", flush=True)
