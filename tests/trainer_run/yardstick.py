# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
"""Hugging Face's LLaMA trained in PyTorch on the samples of a run of slipway-train, written anew from what is
documented.

yardstick.py init FOLDER VOCAB            weights to begin with, for slipway-train import-hf
yardstick.py train FOLDER RUN EVAL_ROWS   goes through RUN's steps with these weights; prints the losses of steps and
                                          evaluation as JSON"""

import json
import math
import struct
import sys
from array import array

import torch
from transformers import LlamaConfig, LlamaForCausalLM

M = (1 << 64) - 1


def mix(x):
    x = (x + 0x9E3779B97F4A7C15) & M
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & M
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & M
    return x ^ (x >> 31)


def permuted(index, size, key):
    """Feistel network over the next power of four, walked until it lands inside."""
    half = ((size - 1).bit_length() + 1) // 2
    mask = (1 << half) - 1
    while True:
        left, right = index >> half, index & mask
        for step in range(6):
            left, right = right, left ^ (mix((key ^ ((right << 8) & M) ^ step) & M) & mask)
        index = (left << half) | right
        if index < size:
            return index


def window_of(number, windows, seed):
    """Of a run with one token file: an order of its own each epoch."""
    epoch = number // windows
    return permuted(number % windows, windows, mix(mix(mix(seed) ^ 0) ^ epoch))


def read_tokens(path):
    data = open(path, "rb").read()
    magic, version, count = struct.unpack("<3i", data[:12])
    assert (magic, version) == (20240520, 1), "llm.c's layout with uint16 ids"
    ids = array("H")
    ids.frombytes(data[1024:])
    assert len(ids) == count
    return torch.tensor(ids, dtype=torch.long)


def read_settings(path):
    """The keys of a run.yaml that has one on each line."""
    lines = (line.split("#")[0] for line in open(path))
    return {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in lines) if value.strip()}


def loss_of(model, ids, starts, length):
    rows = torch.stack([ids[s : s + length + 1] for s in starts])
    logits = model(input_ids=rows[:, :-1]).logits
    return torch.nn.functional.cross_entropy(logits.flatten(0, 1), rows[:, 1:].flatten())


def train(folder, run, eval_rows):
    settings = read_settings(run + "/run.yaml")
    number = lambda key: float(settings[key])
    length, rows, seed = int(settings["seq_len"]), int(settings["micro_batch"]), int(settings["seed"])
    torch.set_num_threads(1)  # of a model this small; several wait for each other on a busy machine
    ids, held_out = read_tokens(settings["data"]), read_tokens(settings["eval_data"])
    windows, steps, warmup = (len(ids) - 1) // length, int(settings["steps"]), int(settings["warmup_steps"])
    peak, floor = number("learning_rate"), number("min_learning_rate")
    model = LlamaForCausalLM.from_pretrained(folder, dtype=torch.float32).train()
    groups = [
        {"params": [p for p in model.parameters() if p.ndim > 1], "weight_decay": number("weight_decay")},
        {"params": [p for p in model.parameters() if p.ndim == 1], "weight_decay": 0.0},
    ]
    optimizer = torch.optim.AdamW(groups, lr=peak, betas=(number("beta1"), number("beta2")), eps=1e-8)
    losses = []
    for step in range(1, steps + 1):
        rate = (
            peak * step / warmup
            if step < warmup
            else floor + (peak - floor) * 0.5 * (1 + math.cos(math.pi * (step - warmup) / (steps - warmup)))
        )
        for group in optimizer.param_groups:
            group["lr"] = rate
        first = (step - 1) * rows
        loss = loss_of(model, ids, [window_of(first + i, windows, seed) * length for i in range(rows)], length)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), number("grad_clip"))
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        losses.append(loss.item())
    with torch.no_grad():
        evaluated = [loss_of(model.eval(), held_out, [i * length], length).item() for i in range(eval_rows)]
    print(json.dumps({"losses": losses, "eval_loss": sum(evaluated) / len(evaluated)}))


if sys.argv[1] == "init":
    torch.manual_seed(0)
    LlamaForCausalLM(
        LlamaConfig(
            vocab_size=int(sys.argv[3]),
            hidden_size=128,
            intermediate_size=344,
            num_hidden_layers=4,
            num_attention_heads=4,
            num_key_value_heads=2,
            max_position_embeddings=256,
            tie_word_embeddings=False,
        )
    ).save_pretrained(sys.argv[2])
else:
    train(sys.argv[2], sys.argv[3], int(sys.argv[4]))
