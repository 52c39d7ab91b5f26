# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
"""Small random models of every family, as Transformers saves them, and what they compute.

    oracle.py make FOLDER [FAMILY...]             FOLDER/FAMILY: config.json, model.safetensors, expected.safetensors
    oracle.py check PROGRAM FOLDER [FAMILY...]    runs PROGRAM (family_run) on each of them, and prints a table of the
                                                  errors; fails where one is above 1e-5

expected.safetensors holds tokens, logits, the loss, every weight's gradient ("gradient.NAME"), and every weight after
20 steps of AdamW ("trained.NAME"). Everything is fp32 on the CPU, with eager attention.
"""

import pathlib
import subprocess
import sys

import torch
import transformers
from safetensors.torch import load_file, save_file
from transformers.core_model_loading import revert_weight_conversion

SEQUENCE, BATCH, STEPS = 24, 2, 20
LEARNING_RATE, BETAS, EPSILON, DECAY, CLIP = 1e-3, (0.9, 0.95), 1e-8, 0.1, 1.0

SIZES = {
    "hidden_size": 48,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "intermediate_size": 80,
    "vocab_size": 97,
    "max_position_embeddings": 64,
}


def llama(**more):
    return transformers.LlamaConfig(**{**SIZES, "rms_norm_eps": 1e-5, **more})


def scaled(**rope):
    return {"rope_theta": 10000.0, **rope}


FAMILIES = {
    "llama": lambda: llama(),
    "llama-tied-bias": lambda: llama(
        tie_word_embeddings=True, attention_bias=True, mlp_bias=True, head_dim=10, num_key_value_heads=1
    ),
    "llama-3.2": lambda: llama(
        tie_word_embeddings=True,
        rope_parameters=scaled(
            rope_type="llama3",
            factor=8.0,
            low_freq_factor=1.0,
            high_freq_factor=4.0,
            original_max_position_embeddings=16,
        ),
    ),
    "llama-linear": lambda: llama(rope_parameters=scaled(rope_type="linear", factor=4.0)),
    "llama-yarn": lambda: llama(
        rope_parameters=scaled(rope_type="yarn", factor=4.0, original_max_position_embeddings=16)
    ),
    "mobilellm": lambda: llama(tie_word_embeddings=True, num_attention_heads=3, num_key_value_heads=1),
    "mistral": lambda: transformers.MistralConfig(**SIZES, sliding_window=None, head_dim=10),
    "mistral-window": lambda: transformers.MistralConfig(**SIZES, sliding_window=7),
    "qwen2": lambda: transformers.Qwen2Config(**SIZES, tie_word_embeddings=True),
    "qwen2-window": lambda: transformers.Qwen2Config(
        **SIZES, use_sliding_window=True, sliding_window=5, max_window_layers=1
    ),
    "qwen3": lambda: transformers.Qwen3Config(**SIZES, head_dim=16, tie_word_embeddings=True),
    "smollm3": lambda: transformers.SmolLM3Config(**{**SIZES, "num_hidden_layers": 5}, pad_token_id=0),
    "gemma": lambda: transformers.GemmaConfig(**{**SIZES, "num_key_value_heads": 1}, head_dim=16),
    "gemma2": lambda: transformers.Gemma2Config(
        **SIZES,
        head_dim=16,
        sliding_window=6,
        query_pre_attn_scalar=24,
        final_logit_softcapping=5.0,
        attn_logit_softcapping=2.0,
    ),
    "gemma3": lambda: transformers.Gemma3TextConfig(
        **{**SIZES, "num_hidden_layers": 7}, head_dim=16, sliding_window=6, query_pre_attn_scalar=24
    ),
    "olmo": lambda: transformers.OlmoConfig(**SIZES),
    "olmo2": lambda: transformers.Olmo2Config(**SIZES),
    "phi3": lambda: transformers.Phi3Config(**SIZES, pad_token_id=0),
    "phi3-longrope": lambda: transformers.Phi3Config(
        **SIZES,
        pad_token_id=0,
        original_max_position_embeddings=16,
        rope_parameters=scaled(
            rope_type="longrope",
            original_max_position_embeddings=16,
            short_factor=[1.0, 1.1, 1.2, 1.3, 1.5, 2.0],
            long_factor=[1.0, 1.5, 2.0, 3.0, 4.0, 5.0],
        ),
    ),
    "granite": lambda: transformers.GraniteConfig(
        **SIZES, embedding_multiplier=12.0, logits_scaling=4.0, residual_multiplier=0.22, attention_multiplier=0.1
    ),
    "gpt2": lambda: transformers.GPT2Config(
        n_embd=48,
        n_layer=3,
        n_head=4,
        n_positions=64,
        vocab_size=97,
        resid_pdrop=0.0,
        embd_pdrop=0.0,
        attn_pdrop=0.0,
        bos_token_id=0,
        eos_token_id=0,
    ),
    "starcoder2": lambda: transformers.Starcoder2Config(**SIZES, sliding_window=9, bos_token_id=0, eos_token_id=0),
    "gpt_neox": lambda: transformers.GPTNeoXConfig(
        **{k: v for k, v in SIZES.items() if k != "num_key_value_heads"},
        bos_token_id=0,
        eos_token_id=0,
        rope_parameters={"rope_theta": 10000.0, "rope_type": "default", "partial_rotary_factor": 0.5},
    ),
    "gpt_neox-sequential": lambda: transformers.GPTNeoXConfig(
        **{k: v for k, v in SIZES.items() if k != "num_key_value_heads"},
        bos_token_id=0,
        eos_token_id=0,
        use_parallel_residual=False,
        rope_parameters={"rope_theta": 10000.0, "rope_type": "default", "partial_rotary_factor": 0.5},
    ),
    "opt": lambda: transformers.OPTConfig(
        **{k: v for k, v in SIZES.items() if k not in ("num_key_value_heads", "intermediate_size")},
        ffn_dim=80,
        word_embed_proj_dim=48,
        dropout=0.0,
        pad_token_id=1,
    ),
    "phi": lambda: transformers.PhiConfig(**SIZES, hidden_act="gelu_new"),
    "stablelm": lambda: transformers.StableLmConfig(
        **SIZES, use_qkv_bias=True, rope_parameters=scaled(rope_type="default", partial_rotary_factor=0.5)
    ),
    "mixtral": lambda: transformers.MixtralConfig(**SIZES, num_local_experts=4, num_experts_per_tok=2),
    "qwen2_moe": lambda: transformers.Qwen2MoeConfig(
        **SIZES, moe_intermediate_size=24, num_experts=5, num_experts_per_tok=2, shared_expert_intermediate_size=40
    ),
    "qwen3_moe": lambda: transformers.Qwen3MoeConfig(
        **SIZES, head_dim=16, moe_intermediate_size=24, num_experts=5, num_experts_per_tok=2, norm_topk_prob=True
    ),
    "olmoe": lambda: transformers.OlmoeConfig(**SIZES, num_experts=5, num_experts_per_tok=2),
}


def model_of(family):
    torch.manual_seed(sum(family.encode()))
    config = FAMILIES[family]()
    config._attn_implementation = "eager"
    config.pad_token_id = None  # whose embedding would have no gradient
    model = transformers.AutoModelForCausalLM.from_config(config, attn_implementation="eager").float()
    with torch.no_grad():
        for parameter in model.parameters():  # norms and biases, too, so that each of them counts
            parameter.add_(torch.randn_like(parameter) * 0.08)
    return model


def tokens_of(family):
    torch.manual_seed(7)
    return torch.randint(0, 97, (BATCH, SEQUENCE + 1))


def loss_of(model, tokens):
    logits = model(tokens[:, :-1]).logits
    return logits, torch.nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())


def as_saved(prefix, model, tensor_of):
    """What belongs to the weights, under the names and in the shapes of model.safetensors: a tied head is not listed,
    and experts are apart."""
    tensors = {name: tensor_of(weight).detach().clone() for name, weight in model.named_parameters()}
    return {prefix + name: tensor for name, tensor in revert_weight_conversion(model, tensors).items()}


def make(folder, family):
    model, tokens = model_of(family), tokens_of(family)
    model.eval()  # no dropout
    at = folder / family
    at.mkdir(parents=True, exist_ok=True)
    model.save_pretrained(at)
    logits, loss = loss_of(model, tokens)
    loss.backward()
    expected = {"tokens": tokens.to(torch.int32), "logits": logits.detach(), "loss": loss.detach()}
    expected.update(as_saved("gradient.", model, lambda weight: weight.grad))
    decayed = [w for w in model.parameters() if w.dim() > 1]
    others = [w for w in model.parameters() if w.dim() <= 1]
    optimizer = torch.optim.AdamW(
        [{"params": decayed, "weight_decay": DECAY}, {"params": others, "weight_decay": 0}],
        lr=LEARNING_RATE,
        betas=BETAS,
        eps=EPSILON,
    )
    losses = []
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = loss_of(model, tokens)[1]
        losses.append(loss.item())
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), CLIP)
        optimizer.step()
    expected.update(as_saved("trained.", model, lambda weight: weight))
    expected["losses"] = torch.tensor(losses)
    save_file({name: tensor.contiguous() for name, tensor in expected.items()}, at / "expected.safetensors")


def distance(actual, expected):
    """|a - b| / |b|, of tensors in double."""
    difference = (actual.double().flatten() - expected.double().flatten()).norm()
    return (difference / expected.double().norm().clamp_min(1e-30)).item()


def worst(actual, expected, prefix):
    """Over the weights of a kind: a gradient that is zero by itself is held to the largest of them."""
    pairs = [(actual[name], tensor) for name, tensor in expected.items() if name.startswith(prefix)]
    largest = max(tensor.double().norm().item() for _, tensor in pairs)
    return max(
        (a.double().flatten() - b.double().flatten()).norm().item() / max(b.double().norm().item(), 1e-3 * largest)
        for a, b in pairs
    )


def worst_trained(actual, expected):
    """The first step of Adam divides a gradient by its own size. Where it is rounding alone, so is the update: elements
    whose gradients are a small share of the largest in their weight, but not zero in both, are left out. In the biases
    of keys most of the gradient cancels, so that vectors have a larger such share, and without rotations all of it."""
    gradients = [tensor for name, tensor in expected.items() if name.startswith("gradient.")]
    rounding = 1e-6 * max(tensor.abs().max() for tensor in gradients)
    errors = []
    for name, weight in expected.items():
        if not name.startswith("trained."):
            continue
        of = name.replace("trained.", "gradient.", 1)
        sizes = expected[of].abs()
        share = 1e-4 if sizes.dim() > 1 else 3e-3
        counts = (sizes >= torch.maximum(share * sizes.max(), rounding)) | ((sizes == 0) & (actual[of] == 0))
        errors.append(distance(actual[name] * counts, weight * counts))
    return max(errors)


def errors_of(program, folder):
    subprocess.run([program, folder], check=True)
    expected, actual = load_file(folder / "expected.safetensors"), load_file(folder / "actual.safetensors")
    again = transformers.AutoModelForCausalLM.from_pretrained(folder / "exported", attn_implementation="eager").float()
    exported = again(expected["tokens"].long()[:, :-1]).logits.detach()
    return {
        "logits": distance(actual["logits"], expected["logits"]),
        "loss": distance(actual["loss"], expected["loss"]),
        "gradients": worst(actual, expected, "gradient."),
        "20 steps": worst_trained(actual, expected),
        "decoding": distance(actual["decoded"], expected["logits"]),
        "export": distance(exported, expected["logits"]),
    }


def check(program, folder, families):
    """The largest error that is accepted, of any figure."""
    limit, failed = 1e-5, []
    for number, family in enumerate(families or sorted(at.name for at in folder.iterdir() if at.is_dir())):
        try:
            errors = errors_of(program, folder / family)
        except subprocess.CalledProcessError:
            failed.append(family)
            continue
        if number == 0:
            print("| family | " + " | ".join(errors) + " |\n|" + " --- |" * (len(errors) + 1))
        print(f"| {family} | " + " | ".join(f"{error:.1e}" for error in errors.values()) + " |", flush=True)
        if max(errors.values()) > limit:
            failed.append(family)
    if failed:
        print("above " + str(limit) + ", or not run: " + ", ".join(failed), file=sys.stderr)
    return 1 if failed else 0


def main():
    verb, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    if verb == "make":
        for family in sys.argv[3:] or FAMILIES:
            make(folder, family)
    elif verb == "check":
        sys.exit(check(folder, pathlib.Path(sys.argv[3]), sys.argv[4:]))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
