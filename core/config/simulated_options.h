// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What the software of a plan does, beyond the settings that each run has. A framework's profile sets these options,
// and
// --framework-option overrides one of them. docs/guide/settings.md describes them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/enum_names.h"
#include "frameworks/torch_changes.h"

namespace slipway {

// The kernel of attention without scores in memory: FlashAttention 1 to 3, cuDNN's, or PyTorch's memory-efficient one.
// Auto: the kernel that the framework calls in its version.
enum class AttentionKernel { Auto, Flash1, Flash2, Flash3, Cudnn, Efficient };
// The type of gradients in mixed precision, from the backward pass to the optimizer.
enum class GradientType { Auto, Fp32, Half };
// What shards the weights: PyTorch's FullyShardedDataParallel (Fsdp1) or fully_shard (Fsdp2), DeepSpeed's ZeRO,
// ColossalAI's Gemini, or a compiler. Traced: a graph with collectives per unit (XLA). Simple: one with collectives per
// weight (torchtitan's SimpleFSDP).
enum class Sharder { Auto, Fsdp1, Fsdp2, DeepSpeed, Traced, Simple, Gemini };
// The GEMMs of a rank's experts: one grouped kernel over all experts, or one kernel per expert.
enum class ExpertGemm { Auto, Grouped, Loop };
// What runs in the epilogues of GEMMs (cublasLt): the gradients of biases, or GELU and its gradient as well.
enum class GemmEpilogues { None, Bias, Activation };
// Scales of PyTorch's float8: one for a tensor, or one for each row of a GEMM's operands.
enum class Fp8Scales { Tensor, Row };
// The cross-entropy's kernels, and the logits that stay in memory during the backward pass.
// Bf16 and Hf: the caller keeps a reference to the bf16 or fp16 logits. Bf16Released: nothing does. UpcastHeld: the
// caller keeps the fp32 logits. Parallel: Megatron-LM's vocab-parallel loss. ParallelFused: the same in compiled pieces
// (NeMo). ParallelCopied: the same with exponentials in a separate tensor. CompiledOutput: the compiled model returns
// logits and loss, so AOTAutograd creates a zero gradient of the logits. CompiledWhole: it returns only the loss, so
// the backward graph may overwrite the logits.
enum class LossPath {
    Auto,
    Hf,
    Upcast,
    Bf16,
    Chunked,
    Fused,
    Compiled,
    Parallel,
    InPlace,
    Bf16Released,
    UpcastHeld,
    ParallelFused,
    CompiledOutput,
    ParallelCopied,
    CompiledWhole
};
// Where the code copies the logits without their last position before the loss: the bf16 or fp16 logits, the fp32
// logits, or in a loss function that casts them while the model still refers to the originals. None: the code shifts
// the labels instead.
enum class LogitsCopy { None, BeforeUpcast, AfterUpcast, InLoss };

template<>
struct EnumNames<AttentionKernel> {
    static constexpr std::array<std::string_view, 6> names{
        "auto", "flash-1", "flash-2", "flash-3", "cudnn", "efficient"};
};
template<>
struct EnumNames<GradientType> {
    static constexpr std::array<std::string_view, 3> names{"auto", "fp32", "half"};
};
template<>
struct EnumNames<Sharder> {
    static constexpr std::array<std::string_view, 7> names{
        "auto", "fsdp1", "fsdp2", "deepspeed", "traced", "simple", "gemini"};
};
template<>
struct EnumNames<ExpertGemm> {
    static constexpr std::array<std::string_view, 3> names{"auto", "grouped", "loop"};
};
template<>
struct EnumNames<GemmEpilogues> {
    static constexpr std::array<std::string_view, 3> names{"none", "bias", "activation"};
};
template<>
struct EnumNames<Fp8Scales> {
    static constexpr std::array<std::string_view, 2> names{"tensor", "row"};
};
template<>
struct EnumNames<LossPath> {
    static constexpr std::array<std::string_view, 15> names{"auto", "hf", "upcast", "bf16", "chunked", "fused",
        "compiled", "parallel", "in-place", "bf16-released", "upcast-held", "parallel-fused", "compiled-output",
        "parallel-copied", "compiled-whole"};
};
template<>
struct EnumNames<LogitsCopy> {
    static constexpr std::array<std::string_view, 4> names{"none", "before-upcast", "after-upcast", "in-loss"};
};

struct SimulatedOptions {
    std::string torch;         // PyTorch version of a simulated framework, "1.12"; empty: the newest
    TorchChanges torchChanges; // of that version; applyFramework() sets them
    Sharder sharder = Sharder::Auto;
    bool gradientAsBucketView =
        false; // DDP's gradients are views of its buckets (gradient_as_bucket_view), not separate tensors
    std::int64_t reduceBucket = 500'000'000; // elements of a reduction bucket of DeepSpeed's ZeRO (reduce_bucket_size)
    AttentionKernel attentionKernel = AttentionKernel::Auto;
    bool halfModel = false;    // the model has bf16 or fp16 weights, of which the optimizer keeps fp32 copies
    bool halfAdapters = false; // adapters are bf16 in mixed precision, as the model that they adapt
    bool autocast = false;     // also on bf16 or fp16 weights that FSDP gathers, as in Lightning and Accelerate
    bool autocastCache = true; // autocast keeps cast weights until its context ends (cache_enabled)
    bool trainMetrics = false; // the trainer computes further metrics from the logits (Composer)
    bool fusedKernels = false; // simulated eager PyTorch with fused norm, RoPE, gate and loss of a library
                               // (flash-attn, apex, Liger)
    GemmEpilogues gemmEpilogues = GemmEpilogues::None;
    bool fusedAddNorm = false;    // dropout, addition to the residual stream and the next norm are one kernel
    bool packedQkv = false;       // queries, keys and values, and their gradients, are one tensor of one GEMM
    bool unpadAttention = false;  // rows without padding are gathered before attention and scattered after it
    bool denseMask = false;       // scaled_dot_product_attention gets a mask of all scores and computes all of them
    std::optional<bool> repeatKv; // keys and values are copied once for each query head; empty: by PyTorch's version
    GradientType gradientType = GradientType::Auto;
    Fp8Scales fp8Scales = Fp8Scales::Tensor;  // for fp8-mixed in simulated PyTorch
    ExpertGemm expertGemm = ExpertGemm::Auto; // auto: by PyTorch's version (engines/by_torch.yaml), else Grouped
    std::optional<bool> checkpointEarlyStop;  // recomputation ends with what backward needs (torch.utils.checkpoint's
                                              // early_stop, which use_reentrant does not have); empty: yes
    std::optional<bool> dropout;              // in the layers of a simulated model; empty: as in its framework's recipe
    std::optional<bool> sequenceParallel; // Megatron-LM's sequence parallelism, with tensor parallelism; empty: as in
                                          // the framework's recipe
    bool tpOverlap =
        false; // tensor-parallel collectives overlap with GEMMs chunk by chunk (TransformerEngine's user buffers)
    std::int64_t vocabMultiple = 128; // Megatron-LM pads the vocabulary to a multiple of vocabMultiple x tp
    bool expandableSegments = false;  // PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True
    LossPath lossPath = LossPath::Auto;
    LogitsCopy logitsCopy = LogitsCopy::None;
    std::optional<bool> limitGathers;     // FSDP's limit_all_gathers: at most two gathered layers; empty: by version
    std::optional<bool> backwardPrefetch; // FSDP1 gathers the next layer's weights before it reduces the gradients of
                                          // this one; empty: yes
    std::optional<bool> wrapLayers;       // one FSDP unit per layer; false: one for the whole model
    bool splitUnits = false;              // FSDP2: the embedding and the LM head are units of their own
    bool torchModules = false;            // the model calls torch.nn.RMSNorm and multiplies complex numbers in RoPE
    GradientType gatherType = GradientType::Auto; // of the weights that FSDP gathers in mixed precision
    std::optional<bool> overlapReduce; // reductions overlap with the backward pass; empty: the framework's default
    std::optional<bool>
        accumulateInFp32;           // bf16 or fp16 gradients are added to fp32 ones; empty: the framework's default
    std::optional<bool> fusedGate;  // activation and gate are one kernel; empty: the framework's default
    bool fusedSoftmax = true;       // Megatron-LM: scale, mask and softmax of scores in memory are one kernel
    bool weightedExperts = false;   // Megatron-LM: the router's weights are applied within the experts' MLP
    bool olderModels = false;       // models of libraries are as those of Transformers before 4.46
    bool olderRecipe = false;       // Megatron-LM's recipes before 2023: own layers, reductions after the backward pass
    bool lateZeroGrad = false;      // zero_grad runs between forward and backward, so gradients live during forward
    bool flatGradients = false;     // the optimizer flattens bf16 or fp16 gradients before it casts them to fp32
    std::optional<int> stateShards; // ranks over which ZeRO-1 shards states; empty: all data-parallel ranks
    double launchFactor = 1;        // multiplies the host time of a kernel launch
    double gemmFactor = 1;          // multiplies the rate of GEMMs
    double collectiveFactor = 1;    // multiplies the bandwidth of collectives
    std::optional<bool> tf32;       // fp32 GEMMs run in TF32 (torch.backends.cuda.matmul.allow_tf32); empty: no
    std::optional<bool> compile;    // torch.compile; empty: as in the profile

    // Whether the plan follows a traced graph that contains the collectives.
    [[nodiscard]] bool tracesGraph() const { return sharder == Sharder::Traced || sharder == Sharder::Simple; }
    // Whether the model itself has bf16 or fp16 weights, with fp32 master weights in the optimizer.
    [[nodiscard]] bool hasHalfPrecisionModel() const
    {
        return halfModel || sharder == Sharder::DeepSpeed || sharder == Sharder::Gemini;
    }
    // 100 x major + minor: 112 for "1.12"; above every version if `torch` is empty.
    [[nodiscard]] int torchVersion() const;

    bool operator==(const SimulatedOptions &) const = default;
};

} // namespace slipway
