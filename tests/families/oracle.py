# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
"""Small random models of every family, as Transformers saves them, and what they compute.

    oracle.py make FOLDER [FAMILY...]             FOLDER/FAMILY: config.json, model.safetensors, expected.safetensors
    oracle.py check PROGRAM FOLDER [FAMILY...]    runs PROGRAM (family_run) on each of them, and prints a table of the
                                                  errors; fails where one is above 1e-5
    oracle.py speed PROGRAM FOLDER [FAMILY...]    makes larger models, takes steps with PROGRAM and with Transformers in
                                                  turns, and prints how many times as fast PROGRAM is

    oracle.py decode PROGRAM FOLDER [FAMILY...]   likewise answers of so many sequences at once, a token a step, in CPU
                                                  time of one thread

expected.safetensors holds tokens, logits, the loss, every weight's gradient ("gradient.NAME"), every weight after
20 steps of AdamW ("trained.NAME"), and what generate() answers to ragged prompts ("answers"). Everything is fp32 on the
CPU, with eager attention.
"""

import copy
import pathlib
import statistics
import subprocess
import sys
import time

import torch
import transformers
from safetensors.torch import load_file, save_file
from transformers.core_model_loading import revert_weight_conversion

SEQUENCE, BATCH, STEPS = 24, 2, 20
LIMIT = 1e-5  # of relative distances
# Row of tokens, tokens of the prompt, tokens of the answer: ragged, and more than PROGRAM serves at once.
REQUESTS = [(0, 1, 12), (1, 24, 9), (0, 17, 14), (1, 5, 20), (0, 9, 3), (1, 16, 16)]
BLOCKS = (1, 16, 128)
ROUNDINGS = 10  # PyTorch's own in fp32 that a weight may be off where they are more; they differ between processors
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


# What some families have besides: windows shorter than the sequence, heads unlike hidden / heads.
SHAPE = {"head_dim": 16, "window": 7, "experts": 5, "expert": 24, "shared": 40}


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
    "mistral-window": lambda: transformers.MistralConfig(**SIZES, sliding_window=SHAPE["window"]),
    "qwen2": lambda: transformers.Qwen2Config(**SIZES, tie_word_embeddings=True),
    "qwen2-window": lambda: transformers.Qwen2Config(
        **SIZES, use_sliding_window=True, sliding_window=SHAPE["window"], max_window_layers=1
    ),
    "qwen3": lambda: transformers.Qwen3Config(**SIZES, head_dim=SHAPE["head_dim"], tie_word_embeddings=True),
    "qwen3-untied-bias": lambda: transformers.Qwen3Config(
        **SIZES, head_dim=SHAPE["head_dim"], tie_word_embeddings=False, attention_bias=True
    ),
    "smollm3": lambda: transformers.SmolLM3Config(**{**SIZES, "num_hidden_layers": 5}, pad_token_id=0),
    "smollm3-three": lambda: transformers.SmolLM3Config(**SIZES, pad_token_id=0),  # three layers of a pattern of four
    "gemma": lambda: transformers.GemmaConfig(**{**SIZES, "num_key_value_heads": 1}, head_dim=SHAPE["head_dim"]),
    "gemma2": lambda: transformers.Gemma2Config(
        **SIZES,
        head_dim=SHAPE["head_dim"],
        sliding_window=SHAPE["window"],
        query_pre_attn_scalar=24,
        final_logit_softcapping=5.0,
        attn_logit_softcapping=2.0,
    ),
    "gemma3": lambda: transformers.Gemma3TextConfig(
        **{**SIZES, "num_hidden_layers": 7},
        head_dim=SHAPE["head_dim"],
        sliding_window=SHAPE["window"],
        query_pre_attn_scalar=24,
    ),
    "olmo": lambda: transformers.OlmoConfig(**SIZES),
    "olmo2": lambda: transformers.Olmo2Config(**SIZES),
    "olmo2-tied": lambda: transformers.Olmo2Config(**{**SIZES, "num_key_value_heads": 1}, tie_word_embeddings=True),
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
        n_embd=SIZES["hidden_size"],
        n_layer=SIZES["num_hidden_layers"],
        n_head=SIZES["num_attention_heads"],
        n_positions=SIZES["max_position_embeddings"],
        vocab_size=SIZES["vocab_size"],
        resid_pdrop=0.0,
        embd_pdrop=0.0,
        attn_pdrop=0.0,
        bos_token_id=0,
        eos_token_id=0,
    ),
    "starcoder2": lambda: transformers.Starcoder2Config(
        **SIZES, sliding_window=SHAPE["window"], bos_token_id=0, eos_token_id=0
    ),
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
        ffn_dim=SIZES["intermediate_size"],
        word_embed_proj_dim=SIZES["hidden_size"],
        dropout=0.0,
        pad_token_id=1,
    ),
    "phi": lambda: transformers.PhiConfig(**SIZES, hidden_act="gelu_new"),
    "stablelm": lambda: transformers.StableLmConfig(
        **SIZES, use_qkv_bias=True, rope_parameters=scaled(rope_type="default", partial_rotary_factor=0.5)
    ),
    "arcee": lambda: transformers.ArceeConfig(**SIZES, head_dim=10, mlp_bias=True, bos_token_id=0, eos_token_id=0),
    "mixtral": lambda: transformers.MixtralConfig(**SIZES, num_local_experts=SHAPE["experts"], num_experts_per_tok=2),
    "qwen2_moe": lambda: transformers.Qwen2MoeConfig(
        **SIZES,
        moe_intermediate_size=SHAPE["expert"],
        num_experts=SHAPE["experts"],
        num_experts_per_tok=2,
        shared_expert_intermediate_size=SHAPE["shared"],
    ),
    "qwen3_moe": lambda: transformers.Qwen3MoeConfig(
        **SIZES,
        head_dim=SHAPE["head_dim"],
        moe_intermediate_size=SHAPE["expert"],
        num_experts=SHAPE["experts"],
        num_experts_per_tok=2,
        norm_topk_prob=True,
    ),
    "olmoe": lambda: transformers.OlmoeConfig(**SIZES, num_experts=SHAPE["experts"], num_experts_per_tok=2),
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


def train(model, tokens):
    """The losses of 20 steps of AdamW, which leave the weights trained."""
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
    return losses


def requests_of(model):
    """LongRoPE turns to its long factors where a text outgrows the original positions, and generate() computes the cache
    anew there. Our decoder has the long ones throughout where it has more positions than those, so that only texts
    that are longer from the start are compared."""
    rope = getattr(model.config, "rope_parameters", None) or {}
    shortest = rope["original_max_position_embeddings"] if rope.get("rope_type") == "longrope" else 0
    return [request for request in REQUESTS if request[1] > shortest]


def answers_of(model, tokens):
    """generate()'s greedy answers to each request alone. Of no family are the two likeliest tokens ever as near as fp32
    rounds: 4e-5 of a logit at least."""
    model.generation_config.eos_token_id = None  # no answer ends early
    answers = []
    for row, prompt, length in requests_of(model):
        asked = tokens[row : row + 1, :prompt]
        mask = torch.ones_like(asked)
        answer = model.generate(asked, attention_mask=mask, max_new_tokens=length, do_sample=False, pad_token_id=0)
        answers.append(answer[0, prompt:])
    return torch.cat(answers)


def other_tokens(actual, expected):
    """Tokens of the answers that differ from generate()'s, over all sizes of blocks."""
    return sum(int((actual[f"answers.{block}"] != expected["answers"]).sum()) for block in BLOCKS)


def make(folder, family):
    model, tokens = model_of(family), tokens_of(family)
    model.eval()  # no dropout
    at = folder / family
    at.mkdir(parents=True, exist_ok=True)
    model.save_pretrained(at)
    exact = copy.deepcopy(model).double()
    if hasattr(exact, "set_experts_implementation"):
        exact.set_experts_implementation("eager")  # grouped GEMMs have no double precision
    logits, loss = loss_of(model, tokens)
    loss.backward()
    expected = {"tokens": tokens.to(torch.int32), "logits": logits.detach(), "loss": loss.detach()}
    expected["requests"] = torch.tensor(requests_of(model), dtype=torch.int32)
    expected["answers"] = answers_of(model, tokens).to(torch.int32)
    expected.update(as_saved("gradient.", model, lambda weight: weight.grad))
    expected["losses"] = torch.tensor(train(model, tokens))
    expected.update(as_saved("trained.", model, lambda weight: weight))
    train(exact, tokens)
    expected.update(as_saved("exact.", exact, lambda weight: weight))
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


def distances_of_trained(weights, expected):
    """Of each weight after 20 steps from the same in double precision. Adam divides a gradient by its own size: where
    the gradient is rounding alone, such as that of a key's bias, so is the update, in PyTorch as here."""
    exact = {name.removeprefix("exact."): tensor for name, tensor in expected.items() if name.startswith("exact.")}
    return {name: distance(weights["trained." + name], tensor) for name, tensor in exact.items()}


def errors_of(program, folder):
    """And whether each of them is small enough: of a weight after 20 steps, LIMIT or ROUNDINGS of PyTorch's own."""
    subprocess.run([program, folder], check=True)
    expected, actual = load_file(folder / "expected.safetensors"), load_file(folder / "actual.safetensors")
    again = transformers.AutoModelForCausalLM.from_pretrained(folder / "exported", attn_implementation="eager").float()
    exported = again(expected["tokens"].long()[:, :-1]).logits.detach()
    ours, theirs = distances_of_trained(actual, expected), distances_of_trained(expected, expected)
    limited = max(
        (error for name, error in ours.items() if error <= LIMIT or error > ROUNDINGS * theirs[name]), default=0.0
    )
    errors = {
        "logits": distance(actual["logits"], expected["logits"]),
        "loss": distance(actual["loss"], expected["loss"]),
        "gradients": worst(actual, expected, "gradient."),
        "20 steps": max(ours.values()),
        "20 steps, PyTorch": max(theirs.values()),
        "decoding": distance(actual["decoded"], expected["logits"]),
        "export": distance(exported, expected["logits"]),
        "other tokens": other_tokens(actual, expected),
    }
    held = [error for name, error in errors.items() if not name.startswith("20 steps")] + [limited]
    return errors, max(held) <= LIMIT


def shown(name, error):
    return f"{error:.0f}" if name == "other tokens" else f"{error:.1e}"


def check(program, folder, families):
    failed = []
    for number, family in enumerate(families or sorted(at.name for at in folder.iterdir() if at.is_dir())):
        try:
            errors, small = errors_of(program, folder / family)
        except (subprocess.CalledProcessError, KeyError, RuntimeError, TypeError, ValueError) as error:
            print(f"{family}: {error!r}", file=sys.stderr)
            failed.append(family)
            continue
        if number == 0:
            print("| family | " + " | ".join(errors) + " |\n|" + " --- |" * (len(errors) + 1))
        print(f"| {family} | " + " | ".join(shown(*error) for error in errors.items()) + " |", flush=True)
        if not small:
            failed.append(family)
    if failed:
        print(f"above {LIMIT}, or not run: " + ", ".join(failed), file=sys.stderr)
    return 1 if failed else 0


# Of the models whose speed is measured: 12 to 30 million parameters, 1,024 tokens a step.
LARGE = {
    "hidden_size": 384,
    "num_hidden_layers": 6,
    "num_attention_heads": 6,
    "num_key_value_heads": 2,
    "intermediate_size": 1024,
    "vocab_size": 8192,
    "max_position_embeddings": 256,
}
LARGE_SHAPE = {"head_dim": 64, "window": 128, "experts": 8, "expert": 256, "shared": 512}
LARGE_SEQUENCE, LARGE_BATCH, TURNS, SECONDS = 256, 4, 3, 2.5
LEAST_STEPS = 3  # as in family_run; the first is not counted


def seconds_of_transformers(model, tokens):
    """Of steps of AdamW in eager PyTorch; attention is PyTorch's own where the model has it."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=LEARNING_RATE, betas=BETAS, eps=EPSILON, weight_decay=DECAY)
    taken = []
    while sum(taken) < SECONDS or len(taken) < LEAST_STEPS:
        start = time.process_time()
        optimizer.zero_grad()
        loss_of(model, tokens)[1].backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), CLIP)
        optimizer.step()
        taken.append(time.process_time() - start)
    return taken[1:]


def speed(program, folder, families):
    """Both have one thread, whose CPU time counts: what else the machine does hardly changes it. A figure is the ratio
    of the medians over all turns."""
    SIZES.update(LARGE)
    SHAPE.update(LARGE_SHAPE)
    torch.set_num_threads(1)
    print("| family | Slipway (ms) | Transformers (ms) | speed-up |\n| --- | ---: | ---: | ---: |", flush=True)
    for family in families or [name for name in FAMILIES if "-" not in name]:
        model = transformers.AutoModelForCausalLM.from_config(FAMILIES[family]()).float().train()
        tokens = torch.randint(3, SIZES["vocab_size"], (LARGE_BATCH, LARGE_SEQUENCE + 1))
        at = folder / family
        model.save_pretrained(at)
        save_file({"tokens": tokens.to(torch.int32)}, at / "expected.safetensors")
        ours, theirs = [], []
        for _ in range(TURNS):
            lines = subprocess.run([program, at, str(SECONDS)], check=True, capture_output=True, text=True).stdout
            ours += [float(line) for line in lines.split()]
            theirs += seconds_of_transformers(model, tokens)
        slipway, other = statistics.median(ours), statistics.median(theirs)
        print(f"| {family} | {1e3 * slipway:.0f} | {1e3 * other:.0f} | {other / slipway:.2f} |", flush=True)


# Of answers: these models, and one of the paper's smallest size.
DECODE_PROMPT, DECODE_TOKENS, DECODE_BATCHES, DECODE_TURNS = 64, 24, (1, 16), 2
HUNDRED_MILLION = {
    "hidden_size": 832,
    "num_hidden_layers": 8,
    "num_attention_heads": 13,
    "num_key_value_heads": 13,
    "intermediate_size": 2332,
    "vocab_size": 32000,
    "max_position_embeddings": 256,
}


@torch.inference_mode()
def decode_seconds_of_transformers(model, tokens):
    """Of steps in which every sequence gets its likeliest token, by a cache as generate() has it, without what
    generate() does beside."""
    taken = []
    result = model(tokens, use_cache=True, logits_to_keep=1)
    for _ in range(DECODE_TOKENS - 1):
        start = time.process_time()
        next_token = result.logits[:, -1].argmax(-1, keepdim=True)
        result = model(next_token, past_key_values=result.past_key_values, use_cache=True, logits_to_keep=1)
        taken.append(time.process_time() - start)
    return taken


def decode_speed(program, folder, families):
    """Both have one thread, whose CPU time counts: what else the machine does hardly changes it, while two threads
    would wait for each other. A figure is the ratio of the medians over all turns."""
    SIZES.update(LARGE)
    SHAPE.update(LARGE_SHAPE)
    torch.set_num_threads(1)
    FAMILIES["llama-100M"] = lambda: transformers.LlamaConfig(**HUNDRED_MILLION)
    print("| family | batch | Slipway fp32, ms | Slipway bf16, ms | Transformers fp32, ms | ratio |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for family in families or ["llama-100M"] + [name for name in FAMILIES if "-" not in name]:
        model = transformers.AutoModelForCausalLM.from_config(FAMILIES[family]()).float().eval()
        at = folder / family
        model.save_pretrained(at)
        tokens = torch.randint(3, model.config.vocab_size, (max(DECODE_BATCHES), DECODE_PROMPT + 1))
        save_file({"tokens": tokens.to(torch.int32)}, at / "expected.safetensors")
        for batch in DECODE_BATCHES:
            ours, theirs = {"fp32": [], "bf16": []}, []
            for _ in range(DECODE_TURNS):
                for kind, taken in ours.items():
                    counts = [str(count) for count in (batch, DECODE_PROMPT, DECODE_TOKENS)]
                    command = [program, at, "decode", kind, *counts]
                    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout
                    taken += [float(line) for line in lines.split()]
                theirs += decode_seconds_of_transformers(model, tokens[:batch, :DECODE_PROMPT])
            wide, narrow, other = (statistics.median(t) for t in (ours["fp32"], ours["bf16"], theirs))
            figures = " | ".join(f"{1e3 * seconds:.2f}" for seconds in (wide, narrow, other))
            print(f"| {family} | {batch} | {figures} | {other / wide:.2f} |", flush=True)


def main():
    verb, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    if verb != "make" and not folder.is_file():
        sys.exit(f"error: {folder} is missing; packaging/test --families builds it")
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    if verb == "make":
        for family in sys.argv[3:] or FAMILIES:
            make(folder, family)
    elif verb == "check":
        sys.exit(check(folder, pathlib.Path(sys.argv[3]), sys.argv[4:]))
    elif verb == "speed":
        torch.use_deterministic_algorithms(False)
        speed(folder, pathlib.Path(sys.argv[3]), sys.argv[4:])
    elif verb == "decode":
        torch.use_deterministic_algorithms(False)
        decode_speed(folder, pathlib.Path(sys.argv[3]), sys.argv[4:])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
