# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
"""The peak of live bytes over a training step on this machine's processor, as PyTorch's profiler sees them come and
go; and what the scripts that measure it share: a small Llama, its sharding, and ranks that exist in name only."""

import contextlib
import gc
import json
import os
import sys
import tempfile

import torch
import torch.distributed as dist
from torch.profiler import ProfilerActivity, profile, record_function
from torch.utils._python_dispatch import TorchDispatchMode

MEASURED = "the measured step"


class NoProducts(TorchDispatchMode):
    """Matrix products compute nothing, and write zeros: the real ones take minutes, and change no tensor's size."""

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        if function is torch.ops.aten.mm.default:
            return args[0].new_zeros(args[0].shape[0], args[1].shape[1])
        if function is torch.ops.aten.addmm.default:
            return args[1].new_zeros(args[1].shape[0], args[2].shape[1])
        if function is torch.ops.aten.bmm.default:
            return args[0].new_zeros(*args[0].shape[:2], args[1].shape[2])
        return function(*args, **(kwargs or {}))


def events_of(run):
    """What came and went while `run` ran, in order, and when the step that it marks by MEASURED began."""
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
        run()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.json")
        profiler.export_chrome_trace(path)
        with open(path, encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
    begins = min((e["ts"] for e in events if e.get("name") == MEASURED), default=0)
    return sorted((e for e in events if e.get("name") == "[memory]"), key=lambda e: e["ts"]), begins


def peak_over(live, step):
    """`live`: bytes that are there before; `step`: what runs."""
    peak = live
    for event in events_of(step)[0]:
        live += event["args"]["Bytes"]
        peak = max(peak, live)
    return peak


def local(tensor):
    """This rank's part of a tensor that ranks share."""
    return tensor.to_local() if hasattr(tensor, "to_local") else tensor


def peak_beside(optimizer, tensors, step):
    """The same, where `tensors` and the optimizer's states are there before."""
    states = [v for s in optimizer.state.values() for v in s.values() if torch.is_tensor(v)]
    return peak_over(sum(local(t).numel() * local(t).element_size() for t in [*tensors, *states]), step)


def peak_of_marked(run):
    """From where `run` marks by MEASURED that a step begins. All that it has allocated counts, C++'s as well."""
    live = peak = 0
    events, begins = events_of(run)
    for event in events:
        live += event["args"]["Bytes"]
        if event["ts"] >= begins:
            peak = max(peak, live)
    return peak


def peak_of_last(build, steps=3):
    """Of the last one of `steps`. `build` makes model and optimizer and returns a step."""

    def run():
        step = build()
        for _ in range(steps - 1):
            step()
        with record_function(MEASURED):
            step()

    gc.collect()  # what an earlier one leaves would die in this one
    return peak_of_marked(run)


def print_peaks(plain, cases, peak_of):
    """Of the cases that the command line names, else of all; each differs from `plain` in what it says."""
    for name in sys.argv[1:] or list(cases):
        print(f"{name}: {peak_of(plain | cases[name])}", flush=True)


@contextlib.contextmanager
def fake_group(rank, ranks):
    """One rank of a process group whose collectives move nothing: Gloo's own copies would count otherwise."""
    from torch.testing._internal.distributed.fake_pg import FakeStore

    dist.init_process_group("fake", store=FakeStore(), rank=rank, world_size=ranks)
    try:
        yield
    finally:
        dist.destroy_process_group()


def llama_config(case):
    """Transformers' configuration of a Llama with 8 heads and the case's vocabulary, layers and widths."""
    from transformers import LlamaConfig

    return LlamaConfig(
        hidden_size=case["hidden"],
        intermediate_size=case["ffn"],
        num_hidden_layers=case["layers"],
        num_attention_heads=8,
        num_key_value_heads=8,
        vocab_size=case["vocab"],
        tie_word_embeddings=False,
        max_position_embeddings=4096,
        use_cache=False,
        attn_implementation="sdpa",
    )


def recomputed(model, case):
    """A model of Transformers, which recomputes its activations where the case says so."""
    if case["recompute"]:
        model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
    return model


def llama(case):
    """That Llama, in training."""
    from transformers import LlamaForCausalLM

    return recomputed(LlamaForCausalLM(llama_config(case)).train(), case)


def random_tokens(case):
    return torch.randint(0, case["vocab"], (case["batch"], case["sequence"]))


class Sequences(torch.utils.data.Dataset):
    """Random sequences of the case's length, with `names` for their tokens and labels."""

    def __init__(self, case, names=("input_ids", "labels")):
        self.case, self.names = case, names

    def __len__(self):
        return 1000

    def __getitem__(self, index):
        tokens = torch.randint(0, self.case["vocab"], (self.case["sequence"],))
        return dict(zip(self.names, (tokens, tokens.clone())))


def reduce_type(case):
    return torch.float32 if case["reduce"] == "fp32" else torch.bfloat16


def fsdp2(model, layers, reduce, reshard, mesh=None):
    """FSDP2 with a unit for each layer and bf16 weights, over `mesh` or all ranks."""
    from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

    how = dict(
        mesh=mesh,
        mp_policy=MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=reduce),
        reshard_after_forward=reshard,
    )
    for layer in layers:
        fully_shard(layer, **how)
    return fully_shard(model, **how)


def fsdp1(model, reduce, strategy, mesh=None):
    """FSDP1 of a Llama with a unit for each layer and bf16 weights; `strategy` is the name of a ShardingStrategy."""
    from torch.distributed.fsdp import FullyShardedDataParallel, MixedPrecision, ShardingStrategy
    from torch.distributed.fsdp.wrap import ModuleWrapPolicy
    from transformers.models.llama.modeling_llama import LlamaDecoderLayer

    return FullyShardedDataParallel(
        model,
        auto_wrap_policy=ModuleWrapPolicy({LlamaDecoderLayer}),
        sharding_strategy=ShardingStrategy[strategy],
        use_orig_params=True,
        device_mesh=mesh,
        device_id=torch.device("cpu"),
        mixed_precision=MixedPrecision(param_dtype=torch.bfloat16, reduce_dtype=reduce),
    )
