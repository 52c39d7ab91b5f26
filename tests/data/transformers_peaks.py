#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
"""Measures the peak of live bytes over the second training step of Transformers' models on this machine's processor:
the figures in tests/core/predict/transformers_memory_test.cpp. Needs torch and transformers: 4.40 for the older ones
(its GPT-2 has no "sdpa"), 4.45.2 and 4.47.1 for those of a released output."""

import torch
from transformers import (
    GemmaConfig,
    GemmaForCausalLM,
    GPT2Config,
    GPT2LMHeadModel,
    GPTNeoXConfig,
    GPTNeoXForCausalLM,
    LlamaConfig,
    LlamaForCausalLM,
    OPTConfig,
    OPTForCausalLM,
    PhiConfig,
    PhiForCausalLM,
    StableLmConfig,
    StableLmForCausalLM,
)

from live_bytes import peak_beside, print_peaks, random_tokens, recomputed

PLAIN = dict(
    family="llama",
    vocab=8000,
    tied=False,
    sequence=256,
    batch=4,
    accumulation=1,
    kv_heads=8,
    mixed=False,
    attention="sdpa",
    recompute=False,
    released=False,
)
CASES = {
    "plain": {},
    "accumulated": dict(accumulation=2),
    "autocast": dict(mixed=True),
    "autocast accumulated": dict(mixed=True, accumulation=2),
    "tied": dict(mixed=True, tied=True, vocab=20000),
    "small vocabulary": dict(vocab=512),
    "small vocabulary autocast": dict(vocab=512, mixed=True),
    "recomputed": dict(recompute=True),
    "vanilla recomputed": dict(recompute=True, attention="eager", sequence=1024, batch=1, vocab=512),
    "vanilla autocast recomputed": dict(
        recompute=True, attention="eager", sequence=1024, batch=1, vocab=512, mixed=True
    ),
    "few tokens": dict(recompute=True, sequence=64, batch=1),
    "grouped queries": dict(kv_heads=2),
    "grouped queries autocast": dict(kv_heads=2, mixed=True),
    "vanilla": dict(attention="eager", sequence=512, batch=2),
    "gpt2": dict(family="gpt2", tied=True),
    "gpt2 autocast": dict(family="gpt2", tied=True, mixed=True),
    "gpt2 vanilla": dict(family="gpt2", tied=True, attention="eager", sequence=512, batch=2),
    "gpt2 vanilla autocast": dict(family="gpt2", tied=True, attention="eager", sequence=512, batch=2, mixed=True),
    "gpt2 recomputed": dict(family="gpt2", tied=True, recompute=True),
    "gpt2 vanilla autocast recomputed": dict(
        family="gpt2", tied=True, attention="eager", sequence=512, batch=2, mixed=True, recompute=True
    ),
    "neox": dict(family="neox"),
    "neox autocast": dict(family="neox", mixed=True),
    "neox vanilla": dict(family="neox", attention="eager", sequence=512, batch=2),
    "opt": dict(family="opt", tied=True),
    "opt autocast": dict(family="opt", tied=True, mixed=True),
    "opt vanilla": dict(family="opt", tied=True, attention="eager", sequence=512, batch=2),
    "phi": dict(family="phi"),
    "phi autocast": dict(family="phi", mixed=True),
    "phi vanilla": dict(family="phi", attention="eager", sequence=512, batch=2),
    "stablelm": dict(family="stablelm"),
    "stablelm autocast": dict(family="stablelm", mixed=True),
    "gemma": dict(family="gemma", tied=True, kv_heads=1),
    "gemma autocast": dict(family="gemma", tied=True, kv_heads=1, mixed=True),
    "gemma vanilla": dict(family="gemma", tied=True, kv_heads=1, attention="eager", sequence=512, batch=2),
    "released": dict(released=True, vocab=64000),
    "released autocast": dict(released=True, vocab=64000, mixed=True),
    "released recomputed": dict(released=True, vocab=64000, recompute=True),
    "released gpt2": dict(released=True, vocab=64000, family="gpt2", tied=True),
    "released gpt2 autocast": dict(released=True, vocab=64000, family="gpt2", tied=True, mixed=True),
}


def neox_of(case):
    return GPTNeoXForCausalLM(
        GPTNeoXConfig(
            hidden_size=512,
            intermediate_size=2048,
            num_hidden_layers=4,
            num_attention_heads=8,
            vocab_size=case["vocab"],
            max_position_embeddings=2048,
            use_cache=False,
            tie_word_embeddings=case["tied"],
            hidden_dropout=0,
            attention_dropout=0,
            attn_implementation=case["attention"],
        )
    )


SHAPE = dict(hidden_size=512, num_hidden_layers=4, num_attention_heads=8, use_cache=False)


def opt_of(case):
    return OPTForCausalLM(
        OPTConfig(
            **SHAPE,
            ffn_dim=2048,
            word_embed_proj_dim=512,
            vocab_size=case["vocab"],
            max_position_embeddings=2048,
            dropout=0,
            attention_dropout=0,
            attn_implementation=case["attention"],
        )
    )


def phi_of(case):
    return PhiForCausalLM(
        PhiConfig(
            **SHAPE,
            intermediate_size=2048,
            vocab_size=case["vocab"],
            resid_pdrop=0,
            embd_pdrop=0,
            attention_dropout=0,
            attn_implementation=case["attention"],
        )
    )


def stablelm_of(case):
    return StableLmForCausalLM(
        StableLmConfig(
            **SHAPE,
            intermediate_size=1376,
            num_key_value_heads=8,
            vocab_size=case["vocab"],
            attn_implementation=case["attention"],
        )
    )


def gemma_of(case):
    return GemmaForCausalLM(
        GemmaConfig(
            **SHAPE,
            intermediate_size=2048,
            num_key_value_heads=case["kv_heads"],
            head_dim=64,
            vocab_size=case["vocab"],
            attn_implementation=case["attention"],
        )
    )


def gpt2_of(case):  # without dropout, whose masks are wider on a processor
    return GPT2LMHeadModel(
        GPT2Config(
            n_embd=512,
            n_layer=4,
            n_head=8,
            vocab_size=case["vocab"],
            n_positions=1024,
            use_cache=False,
            resid_pdrop=0,
            embd_pdrop=0,
            attn_pdrop=0,
            attn_implementation=case["attention"],
        )
    )


def llama_of(case):
    config = LlamaConfig(
        hidden_size=512,
        intermediate_size=1376,
        num_hidden_layers=4,
        num_attention_heads=8,
        num_key_value_heads=case["kv_heads"],
        vocab_size=case["vocab"],
        tie_word_embeddings=case["tied"],
        max_position_embeddings=4096,
        use_cache=False,
        attn_implementation=case["attention"],
    )
    return LlamaForCausalLM(config)


def model_of(case):
    model = {
        "gpt2": gpt2_of,
        "neox": neox_of,
        "llama": llama_of,
        "opt": opt_of,
        "phi": phi_of,
        "stablelm": stablelm_of,
        "gemma": gemma_of,
    }[case["family"]](case)
    return recomputed(model.to(torch.float32 if case["mixed"] else torch.bfloat16).train(), case)


POWER = torch.pow


def as_on_cuda(case):
    """Autocast's list for CUDA has powers in fp32, the one for processors has not."""
    torch.pow = (
        (lambda x, exponent: POWER(x.float() if torch.is_tensor(x) else x, exponent)) if case["mixed"] else POWER
    )


def step(model, optimizer, tokens, case):
    for _ in range(case["accumulation"]):
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=case["mixed"]):
            output = model(input_ids=tokens, labels=tokens)
        loss = output.loss / case["accumulation"]
        if case["released"]:  # as Trainer.compute_loss does
            del output
        loss.backward()
        output = None
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)


def peak_of(case):
    torch.manual_seed(0)
    as_on_cuda(case)
    model = model_of(case)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    tokens = random_tokens(case)
    step(model, optimizer, tokens, case)
    return peak_beside(optimizer, model.parameters(), lambda: step(model, optimizer, tokens, case))


if __name__ == "__main__":
    print_peaks(PLAIN, CASES, peak_of)
