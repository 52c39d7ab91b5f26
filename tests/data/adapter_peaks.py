#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
"""Measures the peak of live bytes over the third step of training adapters of a Llama on this machine's processor: the
figures in tests/core/predict/adapter_memory_test.cpp. Needs torch 2.11, Transformers 5 and PEFT 0.21;
quantized weights need bitsandbytes 0.50 as well."""

import torch
from peft import LoraConfig, get_peft_model
from transformers import LlamaForCausalLM

from live_bytes import llama_config, peak_of_last, print_peaks, random_tokens

ATTENTION = ["q_proj", "k_proj", "v_proj", "o_proj"]
TARGETS = {
    "linear": ATTENTION + ["gate_proj", "up_proj", "down_proj"],
    "attention": ATTENTION,
    "query-value": ["q_proj", "v_proj"],
}
PLAIN = dict(
    hidden=512,
    ffn=1376,
    layers=4,
    vocab=8000,
    sequence=256,
    batch=4,
    rank=16,
    targets="linear",
    mixed=False,
    dropout=0.0,
    recompute=False,
    frozen=torch.bfloat16,
    half=False,
)
CASES = {
    "plain": {},
    "attention": dict(targets="attention"),
    "query-value": dict(targets="query-value"),
    "autocast": dict(mixed=True),
    "autocast query-value": dict(mixed=True, targets="query-value"),
    "dropout": dict(mixed=True, dropout=0.1),
    "recomputed": dict(recompute=True),
    "small vocabulary": dict(vocab=512),
    "small vocabulary autocast": dict(vocab=512, mixed=True),
    "small vocabulary recomputed": dict(vocab=512, recompute=True, mixed=True),
    "small vocabulary query-value": dict(vocab=512, targets="query-value"),
    "fp32": dict(mixed=True, frozen=torch.float32),
    "fp32 recomputed": dict(mixed=True, frozen=torch.float32, recompute=True),
    "fp32 query-value": dict(mixed=True, frozen=torch.float32, targets="query-value"),
    "small vocabulary fp32": dict(vocab=512, mixed=True, frozen=torch.float32),
    "int8": dict(mixed=True, frozen="int8"),
    "int8 query-value": dict(mixed=True, frozen="int8", targets="query-value"),
    "small vocabulary int8": dict(vocab=512, mixed=True, frozen="int8"),
    "small vocabulary int8 recomputed": dict(vocab=512, mixed=True, frozen="int8", recompute=True),
    "nf4": dict(mixed=True, frozen="nf4"),
    "nf4 recomputed": dict(mixed=True, frozen="nf4", recompute=True),
    "nf4 query-value": dict(mixed=True, frozen="nf4", targets="query-value"),
    "nf4 half": dict(mixed=True, frozen="nf4", half=True),
    "small vocabulary nf4 half": dict(vocab=512, mixed=True, frozen="nf4", half=True),
    "small vocabulary nf4 half recomputed": dict(vocab=512, mixed=True, frozen="nf4", half=True, recompute=True),
    "small vocabulary nf4": dict(vocab=512, mixed=True, frozen="nf4"),
    "small vocabulary nf4 recomputed": dict(vocab=512, mixed=True, frozen="nf4", recompute=True),
}


def quantized(linear, how):
    """In NF4 with scales that are quantized as well, as QLoRA has them, or in int8 as Transformers loads it."""
    import bitsandbytes.nn as bnb

    shape = dict(input_features=linear.in_features, output_features=linear.out_features, bias=False)
    if how == "nf4":
        new = bnb.Linear4bit(**shape, compute_dtype=torch.bfloat16, compress_statistics=True, quant_type="nf4")
        new.weight = bnb.Params4bit(linear.weight.data, requires_grad=False, compress_statistics=True, quant_type="nf4")
    else:
        new = bnb.Linear8bitLt(**shape, has_fp16_weights=False, threshold=6.0)
        new.weight = bnb.Int8Params(linear.weight.data, requires_grad=False, has_fp16_weights=False)
    return new.to("cpu")


def quantize_layers(model, how):
    for layer in model.model.layers:
        for name, linear in list(layer.named_modules()):
            if isinstance(linear, torch.nn.Linear):
                parent, _, last = name.rpartition(".")
                setattr(layer.get_submodule(parent), last, quantized(linear, how))


def build(case):
    packed = isinstance(case["frozen"], str)
    model = LlamaForCausalLM(llama_config(case)).to(torch.bfloat16 if packed else case["frozen"]).train()
    if packed:
        quantize_layers(model, case["frozen"])
    adapters = LoraConfig(
        r=case["rank"], lora_alpha=16, lora_dropout=case["dropout"], target_modules=TARGETS[case["targets"]]
    )
    model = get_peft_model(model, adapters, autocast_adapter_dtype=case["mixed"])
    if case["half"]:
        for adapter in model.parameters():
            if adapter.requires_grad:
                adapter.data = adapter.data.to(torch.bfloat16)
    if case["recompute"]:
        model.enable_input_require_grads()
        model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], fused=True)
    tokens = random_tokens(case)

    def step():
        with torch.autocast("cpu", torch.bfloat16, enabled=case["mixed"]):
            loss = model(input_ids=tokens, labels=tokens).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    return step


print_peaks(PLAIN, CASES, lambda case: peak_of_last(lambda: build(case)))
