#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
"""Measures the peak of live bytes over the third training step of a compiled Llama on this machine's processor: the
figures in tests/core/predict/compiled_memory_test.cpp. Inductor's allocations are made, its C++ kernels are not
compiled: they would take minutes, and change no tensor's size. Needs torch 2.11."""

import torch
import torch._inductor.async_compile
import torch._inductor.config
import torch._inductor.cpu_vec_isa
import torch.nn.functional as F
from torch import nn

from live_bytes import peak_of_last, print_peaks, random_tokens

# loss: inside the model, which returns it alone or with its logits; outside, of the model's or of its blocks' graphs;
# compiled apart. held: the loop keeps the logits until backward has ended.
PLAIN = dict(hidden=256, ffn=688, layers=2, vocab=64000, sequence=256, batch=4, loss="inside", blocks=False, held=True)
CASES = {
    "inside": {},
    "returned": dict(loss="returned"),
    "outside": dict(loss="outside"),
    "outside, half": dict(loss="half"),
    "outside of blocks": dict(loss="outside", blocks=True),
    "outside of blocks, released": dict(loss="outside", blocks=True, held=False),
    "compiled apart": dict(loss="compiled", blocks=True, held=False),
}

torch._inductor.async_compile.AsyncCompile.cpp_pybinding = lambda *_, **__: lambda *_: None
torch._inductor.config.fx_graph_cache = False
torch._inductor.cpu_vec_isa.VecISA.__bool__ = lambda _: True  # its test would compile


class Norm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        wide = x.float()
        return self.weight * (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-6)).to(x.dtype)


class Block(nn.Module):
    def __init__(self, case):
        super().__init__()
        hidden, ffn = case["hidden"], case["ffn"]

        def linear(to, of):
            return nn.Linear(of, to, bias=False)

        self.attention_norm, self.mlp_norm = Norm(hidden), Norm(hidden)
        self.q, self.k, self.v, self.o = (linear(hidden, hidden) for _ in range(4))
        self.gate, self.up, self.down = linear(ffn, hidden), linear(ffn, hidden), linear(hidden, ffn)
        size = hidden // 8
        angles = torch.outer(
            torch.arange(case["sequence"]).float(), 1 / 10000 ** (torch.arange(0, size, 2).float() / size)
        )
        both = torch.cat((angles, angles), -1)
        self.register_buffer("cos", both.cos(), persistent=False)
        self.register_buffer("sin", both.sin(), persistent=False)

    def rotated(self, x):
        a, b = x.chunk(2, -1)
        return x * self.cos.to(x.dtype) + torch.cat((-b, a), -1) * self.sin.to(x.dtype)

    def forward(self, x):
        batch, sequence, hidden = x.shape
        normed = self.attention_norm(x)
        q, k, v = (f(normed).view(batch, sequence, 8, -1).transpose(1, 2) for f in (self.q, self.k, self.v))
        y = F.scaled_dot_product_attention(self.rotated(q), self.rotated(k), v, is_causal=True)
        x = x + self.o(y.transpose(1, 2).contiguous().view(batch, sequence, hidden))
        normed = self.mlp_norm(x)
        return x + self.down(F.silu(self.gate(normed)) * self.up(normed))


def loss_of(logits, labels, wide=True):
    logits = logits.flatten(0, 1)
    return F.cross_entropy(logits.float() if wide else logits, labels.flatten())


class Model(nn.Module):
    def __init__(self, case):
        super().__init__()
        self.case = case
        self.embedding = nn.Embedding(case["vocab"], case["hidden"])
        self.layers = nn.ModuleList(Block(case) for _ in range(case["layers"]))
        self.norm = Norm(case["hidden"])
        self.head = nn.Linear(case["hidden"], case["vocab"], bias=False)

    def forward(self, tokens, labels=None):
        x = self.embedding(tokens)
        for layer in self.layers:
            x = layer(x)
        logits = self.head(self.norm(x))
        if labels is None:
            return logits
        loss = loss_of(logits, labels)
        return loss if self.case["loss"] == "inside" else (logits, loss)


def build(case):
    torch._dynamo.reset()
    model = Model(case).train().bfloat16()
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    tokens, labels = random_tokens(case), random_tokens(case)
    loss_function = torch.compile(loss_of) if case["loss"] == "compiled" else loss_of
    if case["blocks"]:
        for i, layer in enumerate(model.layers):
            model.layers[i] = torch.compile(layer)
    run = model if case["blocks"] else torch.compile(model)

    def step():
        if case["loss"] in ("inside", "returned"):
            out = run(tokens, labels)
            loss = out if case["loss"] == "inside" else out[1]
        else:
            out = run(tokens)
            loss = loss_function(out, labels, case["loss"] != "half")
        if not case["held"]:
            out = None
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    return step


def main():
    print_peaks(PLAIN, CASES, lambda case: peak_of_last(lambda: build(case)))


if __name__ == "__main__":
    main()
