#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
"""Measures the peak of live bytes over the second training step of torchtune's recipes for one device on this machine's
processor: the figures in tests/core/predict/torchtune_memory_test.cpp. Needs torch, torchtune and what it imports."""

import torch
from torchtune import training
from torchtune.models import llama3
from torchtune.modules import TransformerSelfAttentionLayer
from torchtune.modules.loss import CEWithChunkedOutputLoss
from torchtune.modules.peft import get_adapter_params, set_trainable_params

from live_bytes import NoProducts, peak_beside, print_peaks, random_tokens

PLAIN = dict(vocab=8000, sequence=256, batch=4, kv_heads=8, recompute=False, lora_rank=0, accumulation=1)
CASES = {
    "plain": {},
    "accumulated": dict(accumulation=2),
    "large vocabulary": dict(vocab=64000),
    "recomputed": dict(recompute=True),
    "recomputed large vocabulary": dict(recompute=True, vocab=64000),
    "small vocabulary": dict(vocab=512),
    "grouped queries": dict(vocab=512, kv_heads=2),
    "grouped queries recomputed": dict(vocab=512, kv_heads=2, recompute=True),
    "lora": dict(lora_rank=8),
    "lora grouped queries": dict(vocab=512, kv_heads=2, lora_rank=8),
    "lora recomputed": dict(lora_rank=8, recompute=True),
}


def llama(case):
    """In bf16, as the recipes build it; adapters on all linear layers of the blocks."""
    shape = dict(
        vocab_size=case["vocab"],
        num_layers=4,
        num_heads=8,
        num_kv_heads=case["kv_heads"],
        embed_dim=512,
        max_seq_len=256,
        intermediate_dim=1376,
    )
    with training.set_default_dtype(torch.bfloat16):
        if not case["lora_rank"]:
            return llama3.llama3(**shape)
        model = llama3.lora_llama3(
            lora_attn_modules=["q_proj", "k_proj", "v_proj", "output_proj"],
            apply_lora_to_mlp=True,
            lora_rank=case["lora_rank"],
            lora_alpha=16,
            **shape,
        )
        set_trainable_params(model, get_adapter_params(model))
        return model


def peak_of(case):
    torch.manual_seed(0)
    model = llama(case)
    if case["recompute"]:
        training.set_activation_checkpointing(model, auto_wrap_policy={TransformerSelfAttentionLayer})
    loss_function = CEWithChunkedOutputLoss()
    model.set_num_output_chunks(loss_function.num_output_chunks)
    trained = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=2e-5, fused=True)
    tokens = random_tokens(case)
    ignored = torch.full((case["batch"], 1), loss_function.ignore_index)

    def loss_of_batch():
        """full_finetune_single_device.py, _loss_step."""
        logits = model(tokens)
        loss = loss_function(logits, torch.hstack((tokens[..., 1:], ignored)))
        del logits
        return loss

    def step():
        """full_finetune_single_device.py, train."""
        for _ in range(case["accumulation"]):
            loss = loss_of_batch() * tokens.numel()
            loss.backward()
        training.scale_grads(model, torch.tensor(1 / tokens.numel()))
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    def quick_step():
        with NoProducts():
            step()

    quick_step()
    return peak_beside(optimizer, [*model.parameters(), *model.buffers()], quick_step)


if __name__ == "__main__":
    print_peaks(PLAIN, CASES, peak_of)
