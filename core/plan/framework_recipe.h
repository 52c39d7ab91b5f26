// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// How the simulated frameworks run a transformer: which types, which kernels are one, what is kept where.
#pragma once

#include <string_view>

#include "config/run_config.h"
#include "model/model_spec.h"
#include "plan/step_plan.h"

namespace slipway {

struct FrameworkRecipe {
    DType weight = DType::Fp32;    // resident on the device (shards included)
    DType compute = DType::Bf16;   // operands of GEMMs
    DType gemmInput = DType::Bf16; // what the weights' GEMMs read
    DType residual = DType::Bf16;  // stream between blocks
    DType normed = DType::Bf16;    // what norms write
    DType gradient = DType::Fp32;  // resident gradients
    DType gathered = DType::Bf16;  // what FSDP gathers
    DType reduced = DType::Bf16;   // and what it reduces
    bool masters = false;          // fp32 copy beside the weights
    bool keepsFp8 = false;         // the scaled input waits for backward, not the one it was made from
    bool gathersFp8 = false;  // tensor-parallel ranks scale their parts of a GEMM's input and gather one byte a number
    bool autocast = false;    // LayerNorm and soft-max write fp32, each GEMM casts its input
    bool castWeights = false; // and its weight, which autocast finds in fp32: the half copy is kept for backward
    bool fusedNorm = false;
    bool fusedMlp = false;    // activation (and its bias) in one kernel
    bool fusedGateUp = false; // one GEMM for both halves of a gated MLP
    bool fusedRope = false;
    bool complexRope = false; // where it is not, a complex product in fp32
    bool fusesAdditions =
        false; // a compiler's kernels add up what they read: gradients, and the stream before a layer's second norm
    bool fusesBiasGradients =
        false; // biases' gradients come with the GEMMs, as TransformerEngine's; else a kernel sums each
    bool fusedResidual = false;     // bias, dropout and addition in one kernel
    bool fusedSoftmax = false;      // scale, mask and soft-max in one kernel, in the type of the scores
    bool compiledSoftmax = false;   // the same with dropout, in compiled code, which keeps the scores too
    int maskPasses = 0;             // over the scores, each way, of a causal mask that is not added: a copy and a fill
                                    // (masked_fill) or one choice (where)
    bool fp32Gelu = false;          // GELU of an fp32 copy, cast back
    bool unfusedSoftmax = false;    // a kernel for each of them, all in the type of the scores
    bool readsHalfSoftmax = false;  // an fp32 soft-max reads fp16 itself, bf16 is made fp32 before it
    bool savesSoftmaxInput = false; // for backward, beside its result
    bool fusedQkv = false;          // one GEMM for q, k and v
    bool copiesHeads = false;       // GEMMs over scores read copies of queries, keys and values, head by head
    bool laysOutAttentionOutput =
        false; // the flash kernel writes as its queries lie: head by head, where they were joined of two parts
    bool balancesContextParallel = false; // a context-parallel rank has an early and a late part of the sequence, and
                                          // so as many words to look back on as any other
    bool exchangesHeads = false;          // context-parallel ranks trade parts of the sequence for heads (all-to-all)
    bool concatenatesGradients = false;   // those of queries, keys and values into that of their one GEMM
    bool dropout = false;
    bool wholeRecompute =
        false; // checkpointing runs a layer's forward to its end, whose output waits until the layer's backward has run
    bool sequenceParallel = false;       // what lies between tensor-parallel GEMMs is split over the ranks as well
    bool overlapsTensorParallel = false; // its collectives move chunk by chunk beside their GEMMs (TransformerEngine)
    bool overlapsInputGradient =
        false; // its sum over tensor-parallel ranks moves beside the weight's gradient (Megatron-Core's layers.py; 0.1)
    bool unpadsAttention = false; // copies of queries, keys and values without padding, and of what comes back
    bool repeatsKv = false;       // keys and values are written once for each query head
    bool keepsGathered = false;   // a GEMM's gathered input waits for backward, where Megatron gathers it again
    bool inPlaceSoftmax = false;  // the parallel loss works in its fp32 copy of the logits
    bool pipelineEngine =
        false; // Megatron-DeepSpeed: its pipeline engine (of one stage, too) and the first stage of its ZeRO
    bool flattensGradients = false;   // half ones into one tensor, before the optimizer takes its part in fp32
    bool passesHalfGradients = false; // a weight's gradient is made in half, or a tensor as large to no purpose, beside
                                      // the one that it is added to
    bool sharesBuffer = false;        // scores and gathered inputs are written through one buffer, which stays
                                      // (Megatron-Core's GlobalMemoryBuffer)
    bool weighsActivations = false; // what the router gives an expert is a factor within its MLP; else of the rows that
                                    // come out, which wait for backward
    bool accumulatesApart = false;  // DeepSpeed's bf16 optimizer: half gradients are added to fp32 ones after each
                                    // backward, which all ranks sum in whole
    bool keepsGradients = false;    // they stay from step to step
    bool cachesCasts = false;       // autocast holds what it cast until the forward ends, checkpointed or not
    bool loopsOverTensors = false;  // the optimizer's kernels are those of one tensor after another
    bool metersLogits = false;      // Composer's metrics take two soft-maxes of the logits more
    bool copiesGathered = false;    // FSDP2: weights are copied out of what is gathered
    bool waitsForShards =
        false; // gathers and reductions stand among the kernels of a traced graph, nothing runs beside them
    bool limitsGathers = false;    // weights of two layers at a time, the one at hand and the next
    bool shardsEachTensor = false; // one for each weight
    bool tracesModel = false; // one graph forward and one backward: what backward is given waits in its caller's hands
                              // until it returns
    bool splitsEnds = false;  // torchtitan shards embedding and head as units of their own, Transformers' loop as one
    bool writesOverSaved = false; // a compiled backward takes what it was given for what it makes
    bool chunksByWidth = false;   // a fused loss takes as many parts as the vocabulary is wider than the model (Liger)
    int loraRank = 0;             // of adapters, beside which all other weights are frozen; 0: none
    DType adapter = DType::Fp32;  // their type
    bool adapterDropout = false;  // of what an adapter reads
    LoraTargets loraTargets = LoraTargets::Linear;
    FrozenWeights frozen = FrozenWeights::Whole;
    LossPath loss = LossPath::Upcast;

    [[nodiscard]] bool freezes() const { return loraRank > 0; }
    // Whether the GEMM of that name has an adapter. GPT-2's queries, keys and values are one.
    [[nodiscard]] bool adapts(std::string_view gemm) const;
};

// Megatron-DeepSpeed: its pipeline engine (of one stage, too) and the first stage of its ZeRO, whose loss scaling is
// that of fp16.
bool runsPipelineEngine(const RunConfig &config);

// LLaMA and GPT style under PyTorch's autocast, FSDP's mixed precision, torch.compile, or Megatron-LM.
FrameworkRecipe frameworkRecipe(const RunConfig &config, const ModelSpec &model);

} // namespace slipway
