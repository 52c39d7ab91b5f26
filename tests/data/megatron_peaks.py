#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
"""Measures the peak of live bytes on one rank over the third training step of a small GPT or Llama of Megatron-Core's
own layers, on this machine's processor: the figures in tests/core/predict/megatron_memory_test.cpp. The other ranks are
PyTorch's fake process group. In place of kernels that only a GPU has (attention, norms, rotation, soft-max, dropout,
the sum of a weight's gradient) stands what they allocate and keep. Needs torch and megatron-core 0.12."""

import contextlib
import functools
import subprocess
import sys
import types

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.testing._internal.distributed.fake_pg import FakeStore

from live_bytes import peak_of_last

POSITIONS = 1024  # as GPT-2 has
LLAMA = dict(gated=True, rms=True, rope=True, bias=False, ffn=1408)
ACTIVE = dict(sequence=1024, batch=4)
SPLIT = dict(tp=2, split=True)
LOGITS = dict(layers=1, vocab=16384, sequence=1024)
STAGES = dict(pp=4, layers=8, micro_batches=8, vocab=4096)
EXPERTS = LLAMA | dict(experts=4, ffn=704, sequence=1024)
PLAIN = dict(
    tp=1,
    pp=1,
    parts=1,
    ranks=1,
    stage=0,
    layers=4,
    hidden=512,
    ffn=2048,
    heads=8,
    groups=8,
    vocab=1024,
    sequence=512,
    batch=2,
    micro_batches=2,
    recompute=None,
    split=False,
    gated=False,
    rms=False,
    rope=False,
    bias=True,
    flash=True,
    dropout=0.0,
    fused_loss=False,
    experts=None,
)
CASES = {
    "plain": ACTIVE,
    "dropout": ACTIVE | dict(dropout=0.1),
    "distributed optimizer": ACTIVE | dict(ranks=8),
    "distributed optimizer, few tokens": dict(ranks=8, sequence=128),
    "scores": dict(flash=False, batch=4),
    "scores, dropout": dict(flash=False, dropout=0.1),
    "scores, selective": dict(flash=False, recompute="selective"),
    "scores, dropout, selective": dict(flash=False, recompute="selective", dropout=0.1, batch=4),
    "recomputed": ACTIVE | dict(recompute="full", layers=8),
    "two ranks": ACTIVE | dict(tp=2),
    "two ranks, recomputed": ACTIVE | dict(tp=2, recompute="full", layers=8),
    "two ranks, scores, dropout": dict(tp=2, flash=False, dropout=0.1),
    "split sequence": ACTIVE | SPLIT,
    "split sequence, scores, selective": SPLIT | dict(flash=False, recompute="selective"),
    "split sequence, recomputed": ACTIVE | SPLIT | dict(recompute="full", layers=8),
    "logits": LOGITS,
    "logits, fused loss": LOGITS | dict(fused_loss=True),
    "logits, two ranks": LOGITS | dict(tp=2),
    "logits, split sequence": LOGITS | SPLIT,
    "llama": ACTIVE | LLAMA,
    "llama, grouped queries": ACTIVE | LLAMA | dict(groups=2),
    "llama, split sequence": ACTIVE | LLAMA | SPLIT | dict(groups=2),
    "llama, recomputed": ACTIVE | LLAMA | dict(recompute="full", layers=8),
    "first of four": STAGES,
    "second of four": STAGES | dict(stage=1),
    "last of four": STAGES | dict(stage=3),
    "second of four, split sequence": STAGES | SPLIT | dict(stage=1),
    "second of four, recomputed": STAGES | dict(stage=1, recompute="full"),
    "last of four, recomputed": STAGES | dict(stage=3, recompute="full"),
    "first of two, two parts": STAGES | dict(pp=2, parts=2),
    "last of two, two parts": STAGES | dict(pp=2, parts=2, stage=1),
    "second of four, two parts": STAGES | dict(parts=2, stage=1),
    "experts": EXPERTS,
    "experts, recomputed": EXPERTS | dict(recompute="full", layers=8),
}


def zeros(like, dtype=None):
    return torch.zeros(like.shape, dtype=dtype or like.dtype)


class AttentionKernel(torch.autograd.Function):
    @staticmethod
    def forward(ctx, q, k, v):
        out = zeros(q)
        ctx.save_for_backward(q, k, v, out, torch.zeros(q.shape[:3]))
        return out

    @staticmethod
    def backward(ctx, _):
        q, k, v, *_ = ctx.saved_tensors
        sums = zeros(q, torch.float32)
        del sums
        return zeros(q), zeros(k), zeros(v)


class FlashAttention(torch.nn.Module):
    """Queries, keys and values as TransformerEngine hands them to a kernel: each of its own."""

    def __init__(self, *_, **__):
        super().__init__()

    def forward(self, query, key, value, *_, **__):
        out = AttentionKernel.apply(*(t.contiguous() for t in (query, key, value)))
        return out.view(*out.shape[:2], -1)


class NormKernel(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        rows = x.numel() // x.shape[-1]
        ctx.save_for_backward(x, weight, *(torch.zeros(rows) for _ in range(1 if bias is None else 2)))
        ctx.bias = bias is not None
        return zeros(x)

    @staticmethod
    def backward(ctx, _):
        x, weight = ctx.saved_tensors[:2]
        return zeros(x), zeros(weight), zeros(weight) if ctx.bias else None


class Norm(torch.nn.Module):
    def __init__(self, config, hidden_size, *_, **__):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(hidden_size))
        self.bias = torch.nn.Parameter(torch.zeros(hidden_size)) if config.normalization == "LayerNorm" else None
        for parameter in self.parameters():
            parameter.sequence_parallel = config.sequence_parallel

    def forward(self, x):
        return NormKernel.apply(x, self.weight, self.bias)


class Rotation(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return zeros(x)

    @staticmethod
    def backward(ctx, gradient):
        return zeros(gradient)


class Dropout(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, p):
        traced = type(x) is not torch.Tensor  # by a compiler, which would not keep a constant
        out, mask = torch.native_dropout(x, p, True) if traced else (zeros(x), zeros(x, torch.bool))
        ctx.save_for_backward(mask)
        return out

    @staticmethod
    def backward(ctx, gradient):
        return gradient * ctx.saved_tensors[0] if type(gradient) is not torch.Tensor else zeros(gradient), None


def stand_in_for_cuda():
    """For what Megatron-Core asks of a card, before it is imported."""
    nothing = lambda *_, **__: None
    stream = types.SimpleNamespace(wait_stream=nothing, wait_event=nothing, synchronize=nothing)
    torch.cuda.current_device = lambda: torch.device("cpu")
    torch.cuda.synchronize = torch.Tensor.record_stream = nothing
    torch.cuda.Stream = torch.cuda.current_stream = lambda *_, **__: stream
    torch.cuda.Event = lambda *_, **__: types.SimpleNamespace(record=nothing, wait=nothing, synchronize=nothing)
    torch.cuda.stream = lambda *_: contextlib.nullcontext()
    torch.Tensor.cuda = lambda self, *_, **__: self
    named = torch.Tensor.type
    torch.Tensor.type = lambda self, *a, **k: (
        named(self, *a, **k) if a or k else named(self).replace("torch.", "torch.cuda.")
    )
    F.dropout = lambda x, p=0.5, training=True, inplace=False: Dropout.apply(x, p) if p > 0 else x
    for name in ("empty", "zeros", "tensor"):

        def made(*a, _make=getattr(torch, name), **k):
            return _make(*a, **(k | {"device": "cpu"} if str(k.get("device", "")).startswith("cuda") else k))

        setattr(torch, name, made)
    sums = types.ModuleType("fused_weight_gradient_mlp_cuda")
    sums.wgrad_gemm_accum_fp32 = nothing
    softmax = types.ModuleType("scaled_upper_triang_masked_softmax_cuda")  # backward writes over the gradient
    softmax.forward, softmax.backward, softmax.get_batch_per_block = (
        lambda x, _: zeros(x),
        lambda gradient, *_: gradient.contiguous(),
        lambda *_: 1,
    )
    for module in (sums, softmax):
        sys.modules[module.__name__] = module
    sys.modules["scaled_masked_softmax_cuda"] = softmax


def move_storage(tensor, new):
    new.copy_(tensor.data)
    tensor.data = new


def stand_in_for_kernels():
    """Within Megatron-Core, once it is imported."""
    import megatron.core.models.common.embeddings.rope_utils as rope
    import megatron.core.optimizer
    import megatron.core.transformer.transformer_block as block

    block.LayerNormImpl = Norm
    rope.fused_apply_rotary_pos_emb = lambda t, *_, **__: Rotation.apply(t)
    megatron.core.optimizer.Adam = functools.partial(torch.optim.AdamW, fused=True)
    tracker = types.SimpleNamespace(
        fork=lambda *_: contextlib.nullcontext(),
        get_states=dict,
        set_states=lambda _: None,
        is_initialized=lambda: True,
        add=lambda *_: None,
    )
    others = dict(
        get_cuda_rng_tracker=lambda *_, **__: tracker,
        _get_cuda_rng_state=lambda *_, **__: None,
        _set_cuda_rng_state=lambda *_, **__: None,
        modify_underlying_storage=move_storage,
        quantize_param_shard=lambda *_, **__: None,
    )
    for module in [m for name, m in sys.modules.items() if name.startswith("megatron.")]:
        for name, function in others.items():
            if hasattr(module, name):
                setattr(module, name, function)


def config_of(case):
    from megatron.core.distributed import finalize_model_grads
    from megatron.core.transformer.transformer_config import TransformerConfig

    recompute = {
        None: {},
        "selective": dict(recompute_granularity="selective"),
        "full": dict(recompute_granularity="full", recompute_method="uniform", recompute_num_layers=1),
    }[case["recompute"]]
    config = TransformerConfig(
        num_layers=case["layers"],
        hidden_size=case["hidden"],
        ffn_hidden_size=case["ffn"],
        num_attention_heads=case["heads"],
        num_query_groups=case["groups"],
        use_cpu_initialization=True,
        perform_initialization=False,
        bf16=True,
        params_dtype=torch.bfloat16,
        pipeline_dtype=torch.bfloat16,
        tensor_model_parallel_size=case["tp"],
        pipeline_model_parallel_size=case["pp"],
        virtual_pipeline_model_parallel_size=case["parts"] if case["parts"] > 1 else None,
        sequence_parallel=case["split"],
        gated_linear_unit=case["gated"],
        activation_func=F.silu if case["gated"] else F.gelu,
        add_bias_linear=case["bias"],
        normalization="RMSNorm" if case["rms"] else "LayerNorm",
        hidden_dropout=case["dropout"],
        attention_dropout=case["dropout"],
        bias_activation_fusion=True,
        bias_dropout_fusion=True,
        masked_softmax_fusion=True,
        attention_softmax_in_fp32=False,
        apply_rope_fusion=case["rope"],
        gradient_accumulation_fusion=True,
        deallocate_pipeline_outputs=True,
        batch_p2p_comm=True,
        cross_entropy_loss_fusion=case["fused_loss"],
        num_moe_experts=case["experts"],
        moe_router_topk=2,
        moe_token_dispatcher_type="alltoall",
        moe_router_load_balancing_type="none",
        **recompute,
    )
    config.finalize_model_grads_func = finalize_model_grads
    return config


def layer_of(case):
    from megatron.core.models.gpt.gpt_layer_specs import get_gpt_layer_local_spec

    spec = get_gpt_layer_local_spec(num_experts=case["experts"], moe_grouped_gemm=False)
    spec.submodules.input_layernorm = spec.submodules.pre_mlp_layernorm = Norm
    if case["flash"]:
        spec.submodules.self_attention.submodules.core_attention = FlashAttention
    return spec


def build(case):
    from megatron.core import parallel_state
    from megatron.core.distributed import DistributedDataParallel, DistributedDataParallelConfig
    from megatron.core.models.gpt import GPTModel
    from megatron.core.optimizer import OptimizerConfig, get_megatron_optimizer
    from megatron.core.pipeline_parallel import get_forward_backward_func

    config, shards = config_of(case), case["ranks"] > 1
    models = []
    for part in range(case["parts"]):
        if case["parts"] > 1:
            parallel_state.set_virtual_pipeline_model_parallel_rank(part)
        model = GPTModel(
            config,
            layer_of(case),
            case["vocab"],
            POSITIONS,
            pre_process=parallel_state.is_pipeline_first_stage(),
            post_process=parallel_state.is_pipeline_last_stage(),
            position_embedding_type="rope" if case["rope"] else "learned_absolute",
        )
        models.append(
            DistributedDataParallel(
                config,
                DistributedDataParallelConfig(grad_reduce_in_fp32=True, use_distributed_optimizer=shards),
                model.bfloat16(),
            )
        )
    optimizer = get_megatron_optimizer(
        OptimizerConfig(
            optimizer="adam",
            lr=1e-4,
            bf16=True,
            params_dtype=torch.bfloat16,
            use_distributed_optimizer=shards,
            clip_grad=0.0,
        ),
        models,
        use_gloo_process_groups=False,
    )
    tokens = torch.randint(0, case["vocab"], (case["batch"], case["sequence"]))
    positions = torch.arange(case["sequence"])[None].expand(case["batch"], -1)

    def forward(_, model):
        return model(tokens, positions, None, labels=tokens), lambda losses: (losses.float().mean(), {})

    def step():
        for model in models:
            model.zero_grad_buffer()
        optimizer.zero_grad()
        several = case["parts"] > 1
        get_forward_backward_func()(
            forward_step_func=forward,
            data_iterator=[None] * len(models) if several else None,
            model=models if several else models[0],
            num_microbatches=case["micro_batches"],
            seq_length=case["sequence"],
            micro_batch_size=case["batch"],
            forward_only=False,
        )
        optimizer.step()

    return step


def peak_of(case):
    from megatron.core import parallel_state

    each = case["tp"] * case["ranks"]
    dist.init_process_group("fake", store=FakeStore(), rank=case["stage"] * each, world_size=case["pp"] * each)
    parallel_state.initialize_model_parallel(
        case["tp"], case["pp"], case["parts"] if case["parts"] > 1 else None, create_gloo_process_groups=False
    )
    torch.manual_seed(0)
    try:
        return peak_of_last(lambda: build(case))
    finally:
        parallel_state.destroy_model_parallel()
        dist.destroy_process_group()


def main(names):
    if len(names) > 1:  # Megatron-Core's state and what was compiled are a process's
        for name in names:
            subprocess.run([sys.executable, __file__, name], check=True)
        return
    stand_in_for_cuda()
    import megatron.core.models.gpt.gpt_layer_specs  # noqa: F401
    import megatron.core.transformer.moe.moe_layer  # noqa: F401

    stand_in_for_kernels()
    print(f"{names[0]}: {peak_of(PLAIN | CASES[names[0]])}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or list(CASES))
