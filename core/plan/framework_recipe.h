// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// How a simulated framework runs a transformer: types, fused kernels, saved tensors and sharding.
#pragma once

#include <string_view>

#include "config/run_config.h"
#include "model/model_spec.h"
#include "plan/step_plan.h"

namespace slipway {

struct FrameworkRecipe {
    // Types.
    DType weight = DType::Fp32;    // weights that stay on the device, or their shards
    DType compute = DType::Bf16;   // operands of GEMMs
    DType gemmInput = DType::Bf16; // operands of GEMMs with weights: fp8 or `compute`
    DType residual = DType::Bf16;  // the residual stream
    DType normed = DType::Bf16;    // outputs of norms
    DType gradient = DType::Fp32;  // gradients that stay on the device
    DType gathered = DType::Bf16;  // weights that FSDP gathers
    DType reduced = DType::Bf16;   // gradients that FSDP reduces
    bool masters = false;          // fp32 master weights in addition to `weight`
    bool keepsFp8 = false;         // the quantized input is saved for backward, not its source
    bool gathersFp8 = false;       // tensor-parallel ranks quantize their parts of an input before they gather it
    bool autocast = false;         // torch.autocast: LayerNorm and softmax write fp32, GEMMs cast their inputs
    bool castWeights = false;      // autocast casts fp32 weights: the bf16 or fp16 copies are saved for backward
    bool cachesCasts = false;      // autocast caches casts until the forward pass ends, even in checkpointed layers

    // Fused kernels.
    bool fusedNorm = false;
    bool wideNorm = false;    // a norm of several kernels multiplies by its weight in fp32
    bool fusedMlp = false;    // activation and bias in one kernel
    bool fusedGateUp = false; // one GEMM for both halves of a gated MLP
    bool fusedQkv = false;    // one GEMM for queries, keys and values
    bool fusedRope = false;
    bool complexRope = false;        // RoPE that is not fused: a complex multiplication in fp32 (torchtitan)
    bool fusedResidual = false;      // bias, dropout and addition in one kernel
    bool fusedAddNorm = false;       // the same and the next norm in one kernel, in both directions
    bool activatesInGemm = false;    // GELU and its gradient run in the epilogues of the MLP's GEMMs
    bool fusesAdditions = false;     // compiled kernels add their inputs: gradients, and the residual before a norm
    bool fusesBiasGradients = false; // GEMMs compute bias gradients; else a kernel sums each
    bool fp32Gelu = false;           // GELU of an fp32 copy, cast back
    bool dropout = false;

    // Attention.
    bool fusedSoftmax = false;      // scale, mask and softmax in one kernel, in the type of the scores
    bool compiledSoftmax = false;   // the same with dropout in compiled code, which saves the scores as well
    bool unfusedSoftmax = false;    // scale, mask and softmax in one kernel each, in the type of the scores
    int maskPasses = 0;             // kernels over the scores, in each direction, of a causal mask that is not added: 2
                                    // for masked_fill (copy and fill), 1 for where
    bool readsHalfSoftmax = false;  // the fp32 softmax reads fp16 directly; bf16 is converted before it
    bool savesSoftmaxInput = false; // for backward, in addition to the result
    bool copiesHeads = false;       // GEMMs over scores read contiguous copies of queries, keys and values
    bool repeatsKv = false;         // keys and values are copied once for each query head
    bool masksDensely = false;      // the fused kernel reads a mask of all scores, and computes all of them
    bool unpadsAttention = false;   // copies without padding before and after attention
    bool rotatesApart = false;      // of a fused GEMM, rotated queries and keys are tensors of their own, and the
                                    // values remain a part of its result
    bool concatenatesGradients = false;   // gradients of q, k and v are joined into that of their fused GEMM
    bool laysOutAttentionOutput = false;  // the flash kernel's output is head by head, if its queries were joined so
    bool balancesContextParallel = false; // each context-parallel rank has an early and a late chunk of the sequence,
                                          // so that all attend to equally many tokens
    bool exchangesHeads = false;          // context parallelism by all-to-all over heads (DeepSpeed-Ulysses)

    // Tensor parallelism.
    bool sequenceParallel = false;       // activations between the GEMMs are split over the ranks (Korthikanti 2022)
    bool overlapsTensorParallel = false; // collectives overlap chunk by chunk with their GEMMs (TransformerEngine)
    bool overlapsInputGradient = false;  // the all-reduce of the input gradient overlaps with the weight gradient
                                         // (Megatron-Core 0.1, layers.py)
    bool keepsGathered = false;          // a gathered input is saved for backward; Megatron-LM gathers it again
    // Scores and gathered inputs are in one buffer that is never freed (Megatron-Core's GlobalMemoryBuffer).
    bool buffersScores = false, buffersGathered = false;

    // Recomputation and autograd.
    bool wholeRecompute = false;  // checkpointing runs a layer's whole forward, and keeps its output until the layer's
                                  // backward has run
    bool tracesModel = false;     // one graph forward and one backward, whose inputs live until it returns
    bool writesOverSaved = false; // compiled backward writes into tensors that were saved for it

    // Gradients and the optimizer.
    bool keepsGradients = false;       // gradients stay allocated from step to step
    bool zeroesLate = false;           // zero_grad frees them after the next step's forward pass
    bool passesHalfGradients = false;  // a weight's bf16 or fp16 gradient is added to the resident one
    bool flattensGradients = false;    // bf16 or fp16 gradients are flattened into one tensor for the optimizer
    bool accumulatesInFp32 = false;    // DeepSpeed's bf16 optimizer: half gradients are added to fp32 ones after each
                                       // backward, and all ranks reduce these whole
    bool usesForLoopOptimizer = false; // one kernel after another for each tensor (foreach=False)
    bool pipelineEngine = false;       // Megatron-DeepSpeed: its pipeline engine, even with one stage, and ZeRO stage 1

    // FSDP.
    bool copiesGathered = false;    // FSDP2: weights are copied out of the all-gather's output
    bool limitsGathers = false;     // at most two layers are gathered at a time
    bool prefetchesBackward = true; // backward gathers the next layer's weights before it reduces the gradients of this
                                    // one
    bool shardsEachTensor = false;  // one collective for each tensor
    bool splitsEnds = false;     // embedding and head are units of their own (torchtitan); else one with the last norm
    bool waitsForShards = false; // collectives are part of a traced graph, and nothing overlaps with them

    // Loss and experts.
    bool inPlaceSoftmax = false;       // the vocabulary-parallel loss works in its fp32 copy of the logits
    bool computesLogitMetrics = false; // Composer's metrics: two more softmaxes of the logits
    bool chunksByWidth = false; // a fused loss has one chunk per multiple of the hidden size in the vocabulary (Liger)
    bool scalesActivations = false; // router weights are applied within the expert's MLP; else to its output, which is
                                    // then saved for backward
    LossPath loss = LossPath::Upcast;
    LogitsCopy logitsCopy = LogitsCopy::None;

    // Adapters.
    int loraRank = 0;            // rank of the adapters, with which all other weights are frozen; 0: none
    DType adapter = DType::Fp32; // type of adapter weights
    bool adapterDropout = false; // dropout of an adapter's input
    LoraTargets loraTargets = LoraTargets::Linear;
    FrozenWeights frozen = FrozenWeights::Whole;

    [[nodiscard]] bool freezesWeights() const { return loraRank > 0; }
    // Whether the GEMM of that name has an adapter. GPT-2 has one GEMM for queries, keys and values.
    [[nodiscard]] bool hasAdapter(std::string_view gemm) const;
};

// Whether Megatron-DeepSpeed runs its pipeline engine, which it also does with one stage, and ZeRO-1. Its loss scaling
// is that of fp16.
bool runsPipelineEngine(const RunConfig &config);

// LLaMA and GPT style under PyTorch's autocast, FSDP's mixed precision, torch.compile, or Megatron-LM.
FrameworkRecipe frameworkRecipe(const RunConfig &config, const ModelSpec &model);

} // namespace slipway
