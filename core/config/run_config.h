// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// All settings of a plan and of a run, as one value. Its keys, flags, YAML and JSON come from one table
// (setting_table.cpp); docs/guide/settings.md describes them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_names.h"
#include "base/units.h"
#include "frameworks/torch_changes.h"

namespace slipway {

enum class ParallelKind { None, Ddp, FsdpFull, FsdpGradOp, Hsdp, Zero1 };
enum class Attention { Flash, Vanilla };
// The kernel of attention without scores in memory: FlashAttention 1 to 3, cuDNN's, or PyTorch's memory-efficient one.
// Auto: the kernel that the framework calls in its version.
enum class AttentionKernel { Auto, Flash1, Flash2, Flash3, Cudnn, Efficient };
enum class Recompute { None, Selective, Full };
enum class Precision { Bf16Mixed, Bf16, Fp32, Fp16Mixed, Fp8Mixed };
// The ops of selective recomputation. LinearAlternate: every second GEMM of a layer. LayerAlternate: every second layer
// as a whole. Experts: dispatch, GEMMs and combination. Activation includes that between experts' GEMMs.
enum class RecomputeOp {
    Attention,
    Norm,
    Activation,
    Rope,
    Linear,
    LinearAlternate,
    LayerAlternate,
    Experts,
    Communication
};
// The type of gradients in mixed precision, from the backward pass to the optimizer.
enum class GradientType { Auto, Fp32, Half };
// What shards the weights: PyTorch's FullyShardedDataParallel (Fsdp1) or fully_shard (Fsdp2), DeepSpeed's ZeRO,
// ColossalAI's Gemini, or a compiler. Traced: a graph with collectives per unit (XLA). Simple: one with collectives per
// weight (torchtitan's SimpleFSDP).
enum class Sharder { Auto, Fsdp1, Fsdp2, DeepSpeed, Traced, Simple, Gemini };
// The GEMMs of a rank's experts: one grouped kernel over all experts, or one kernel per expert.
enum class ExpertGemm { Auto, Grouped, Loop };
// Scales of PyTorch's float8: one for a tensor, or one for each row of a GEMM's operands.
enum class Fp8Scales { Tensor, Row };
enum class Framework { Slipway, PytorchEager, PytorchCompile, Megatron };
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
// What host memory stores instead of GPU memory. Optimizer: states and master weights, which a CPU Adam updates
// (DeepSpeed's ZeRO-Offload). Weights: the sharded weights as well (ZeRO-Infinity, FSDP's CPUOffload).
enum class HostOffload { None, Optimizer, Weights };
// How context-parallel ranks exchange keys and values. Ring: from rank to rank (Liu et al. 2023, arXiv 2310.01889).
// AllToAll: each rank gets the whole sequence of some heads (DeepSpeed's Ulysses). Gather: an all-gather. Auto: gather
// in our own trainer, ring in other frameworks.
enum class ContextExchange { Auto, Ring, AllToAll, Gather };
// Muon updates the matrices of the layers, and AdamW all other weights. Paged: the driver moves the states between GPU
// and host (bitsandbytes). Adafactor stores a row and a column per matrix, Lion one moment.
enum class OptimizerKind { AdamW, AdamWForeach, AdamW8bit, Sgd, Muon, PagedAdamW, PagedAdamW8bit, Adafactor, Lion };
// The linear modules with low-rank adapters: all of a layer, those of attention, or those of queries and values.
enum class LoraTargets { Linear, Attention, QueryValue };
// The storage of the frozen weights under adapters: the compute type, fp32, which autocast casts for each GEMM, or 8 or
// 4 bits, which each GEMM dequantizes (LLM.int8, QLoRA's NF4).
enum class FrozenWeights { Whole, Fp32, Int8, Nf4 };
enum class LrSchedule { Cosine, Linear, Constant, Wsd, InverseSqrt };
enum class GradReduce { Auto, MicroBatch, Step };
// The type in which ranks reduce gradients: FSDP's reduce_dtype, Megatron-LM's --grad-reduce-in-bf16.
enum class ReduceType { Fp32, Bf16 };
enum class Documents { Packed, Separate };
enum class DeviceKind { Auto, Cuda, Cpu };
enum class CommunicatorKind { Auto, Nccl, Gloo, Threads };
// The order of a pipeline's micro-batches. Auto: 1F1B, interleaved if a stage has several model chunks.
// GPipe (Huang et al. 2019, arXiv 1811.06965): all forward, then all backward. 1F1B and interleaved: Narayanan et al.
// 2021 (arXiv 2104.04473). Zero bubble: ZB-H1 of Qi et al. 2023 (arXiv 2401.10241).
enum class PipelineSchedule { Auto, GPipe, OneForwardOneBackward, Interleaved, ZeroBubble };

template<>
struct EnumNames<ParallelKind> {
    static constexpr std::array<std::string_view, 6> names{"none", "ddp", "fsdp-full", "fsdp-grad-op", "hsdp", "zero1"};
};
template<>
struct EnumNames<Attention> {
    static constexpr std::array<std::string_view, 2> names{"flash", "vanilla"};
};
template<>
struct EnumNames<AttentionKernel> {
    static constexpr std::array<std::string_view, 6> names{
        "auto", "flash-1", "flash-2", "flash-3", "cudnn", "efficient"};
};
template<>
struct EnumNames<Recompute> {
    static constexpr std::array<std::string_view, 3> names{"none", "selective", "full"};
};
template<>
struct EnumNames<Precision> {
    static constexpr std::array<std::string_view, 5> names{"bf16-mixed", "bf16", "fp32", "fp16-mixed", "fp8-mixed"};
};
template<>
struct EnumNames<RecomputeOp> {
    static constexpr std::array<std::string_view, 9> names{"attention", "norm", "activation", "rope", "linear",
        "linear-alternate", "layer-alternate", "experts", "communication"};
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
struct EnumNames<Fp8Scales> {
    static constexpr std::array<std::string_view, 2> names{"tensor", "row"};
};
template<>
struct EnumNames<Framework> {
    static constexpr std::array<std::string_view, 4> names{"slipway", "pytorch-eager", "pytorch-compile", "megatron"};
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
template<>
struct EnumNames<HostOffload> {
    static constexpr std::array<std::string_view, 3> names{"none", "optimizer", "weights"};
};
template<>
struct EnumNames<ContextExchange> {
    static constexpr std::array<std::string_view, 4> names{"auto", "ring", "all-to-all", "gather"};
};
template<>
struct EnumNames<OptimizerKind> {
    static constexpr std::array<std::string_view, 9> names{
        "adamw", "adamw-foreach", "adamw-8bit", "sgd", "muon", "adamw-paged", "adamw-8bit-paged", "adafactor", "lion"};
};
template<>
struct EnumNames<LoraTargets> {
    static constexpr std::array<std::string_view, 3> names{"linear", "attention", "query-value"};
};
template<>
struct EnumNames<FrozenWeights> {
    static constexpr std::array<std::string_view, 4> names{"whole", "fp32", "int8", "nf4"};
};
template<>
struct EnumNames<LrSchedule> {
    static constexpr std::array<std::string_view, 5> names{"cosine", "linear", "constant", "wsd", "inverse-sqrt"};
};
template<>
struct EnumNames<GradReduce> {
    static constexpr std::array<std::string_view, 3> names{"auto", "micro-batch", "step"};
};
template<>
struct EnumNames<ReduceType> {
    static constexpr std::array<std::string_view, 2> names{"fp32", "bf16"};
};
template<>
struct EnumNames<Documents> {
    static constexpr std::array<std::string_view, 2> names{"packed", "apart"};
};
template<>
struct EnumNames<DeviceKind> {
    static constexpr std::array<std::string_view, 3> names{"auto", "cuda", "cpu"};
};
template<>
struct EnumNames<PipelineSchedule> {
    static constexpr std::array<std::string_view, 5> names{"auto", "gpipe", "1f1b", "interleaved", "zero-bubble"};
};
template<>
struct EnumNames<CommunicatorKind> {
    static constexpr std::array<std::string_view, 4> names{"auto", "nccl", "gloo", "threads"};
};

// A model by name, and the sizes that the user changed.
struct ModelChoice {
    std::string name = "1B"; // preset, public model, FILE.yaml or a Hugging Face config.json
    std::optional<int> layers, hidden, heads, kvHeads, ffn, vocab;
    std::optional<bool> tied;
    std::optional<int> experts, expertsPerToken;

    bool operator==(const ModelChoice &) const = default;
};

// The sizes of the parallel mesh, and what follows from them.
struct Parallelism {
    ParallelKind kind = ParallelKind::None;
    int gpus = 1; // ranks in all, also on the CPU
    int gpusPerNode = 8;
    int tp = 1, pp = 1, cp = 1, ep = 1;
    int virtualStages = 1; // model chunks per pipeline stage; above 1: interleaved 1F1B (Narayanan et al. 2021)

    PipelineSchedule schedule = PipelineSchedule::Auto;

    [[nodiscard]] PipelineSchedule pipelineSchedule() const
    {
        if (schedule != PipelineSchedule::Auto)
            return schedule;
        return virtualStages > 1 ? PipelineSchedule::Interleaved : PipelineSchedule::OneForwardOneBackward;
    }
    [[nodiscard]] int modelParallel() const { return tp * pp * cp; }
    [[nodiscard]] int dataParallel() const { return gpus / modelParallel(); }
    // Ranks that shard one replica of the weights. Hybrid sharding shards within a node, over the ranks that tensor
    // and pipeline parallelism do not use.
    [[nodiscard]] int shardRanks() const
    {
        return kind == ParallelKind::Hsdp ? std::min(dataParallel() * cp, std::max(1, gpusPerNode / (tp * pp)))
                                          : dataParallel() * cp;
    }
    [[nodiscard]] int nodes() const { return static_cast<int>(ceilDiv(gpus, gpusPerNode)); }

    bool operator==(const Parallelism &) const = default;
};

// One token file and its weight among the others. Files with the same name form one evaluation set.
struct DataSource {
    std::string path;
    double weight = 1.0;
    std::string name = {}; // only of evaluation data; empty: the set without a name

    bool operator==(const DataSource &) const = default;
};

// Settings of a run. A plan ignores them, except `documents`: separate documents need a table.
struct TrainingChoice {
    std::vector<DataSource> data;
    std::vector<DataSource> evalData;
    std::string tokenizer;
    Documents documents = Documents::Packed; // Separate: attention, positions and loss end with each document
    std::optional<std::int64_t> steps;       // empty: follows from RunConfig::tokens
    double learningRate = 3e-4;
    double minLearningRate = 3e-5;
    // Peak learning rates of the embeddings (tokens and positions) and of the LM head. Empty: learningRate.
    std::optional<double> embeddingLearningRate, headLearningRate;
    std::int64_t warmupSteps = 100;
    LrSchedule schedule = LrSchedule::Cosine;
    std::int64_t decaySteps = 0; // at the end of wsd; 0: a tenth of all steps
    double weightDecay = 0.1;
    std::vector<std::string> noDecay{
        "norm", "bias"}; // names of ParameterKind (model/parameter_kind.h): weights without weight decay
    double muonMomentum = 0.95;
    double beta1 = 0.9;
    double beta2 = 0.95;
    double gradClip = 1.0; // 0: off
    double zLoss = 0;      // weight of the squared log-sum-exp of the logits (PaLM, arXiv 2204.02311, section 5)
    std::uint64_t seed = 0;
    std::int64_t evalEvery = 0;       // steps; 0: never
    std::int64_t checkpointEvery = 0; // steps; 0: only at the end and on a stop
    int keepCheckpoints = 2;
    bool deterministic = false; // on a GPU: only kernels that repeat bit for bit
    bool stopOnNan = true;      // end at the first loss or gradient norm that is not finite
    DeviceKind device = DeviceKind::Auto;
    CommunicatorKind communicator = CommunicatorKind::Auto;
    std::string name;
    std::vector<std::string> tags;
    std::string notes;
    std::vector<std::string> command;     // another training script: its arguments, or one line for a shell; empty:
                                          // slipway-train
    std::vector<std::string> environment; // "NAME=VALUE", for the command
    std::string workdir;                  // the command's working directory on its host
    std::string log;                      // file that the command logs to; empty: its output
    std::string logPattern;               // the user's regular expression for lines of the log
    std::optional<Usd> usdLimit;          // an alert beyond it
    std::optional<Usd> stopAtUsd;         // the run stops there
    std::optional<Seconds> timeLimit;     // the run stops there

    // Whether the run executes another training script instead of slipway-train.
    [[nodiscard]] bool runsScript() const { return !command.empty(); }

    bool operator==(const TrainingChoice &) const = default;
};

// Failures of a run and the time that they cost: assumptions for the goodput. A GPU fails once in 50,000 hours:
// Llama 3 (arXiv 2407.21783, section 3.3.4) had 419 unexpected interruptions of 16,384 GPUs in 54 days.
struct FaultChoice {
    double gpuHoursPerFailure = 50'000;
    std::optional<double> preemptionsPerDay; // per node; empty: 1 at spot prices, otherwise 0
    Seconds restart = 600;
    Seconds checkpointInterval = 1800; // if `checkpoint_every` is not set
    std::optional<Seconds> checkpoint; // time to write one; empty: follows from its bytes

    bool operator==(const FaultChoice &) const = default;
};

struct RunConfig {
    ModelChoice model;
    std::string gpu = "h100-sxm-80gb"; // id or alias of the catalogue; "cpu": this machine's CPU
    std::optional<double> networkGbps; // Gbit/s of a node's network; empty: the catalogue's
    Parallelism parallel;
    std::optional<Attention> attention;    // empty: the framework's default, or flash
    std::optional<Recompute> recompute;    // empty: the framework's default, or none
    std::vector<std::string> recomputeOps; // names of RecomputeOp, for selective recomputation; empty: attention
    std::int64_t microBatch = 8;           // sequences
    std::int64_t seqLen = 1024;
    std::int64_t gradAccum = 1;
    GradReduce gradReduce =
        GradReduce::Auto; // when ranks reduce gradients; auto: FSDP after each micro-batch, otherwise once per step
    std::optional<Precision> precision; // empty: the framework's default, or bf16-mixed
    Framework framework = Framework::Slipway;
    ReduceType reduceType = ReduceType::Fp32;
    std::string software; // profile of the catalogue and its version, "hf-trainer@4.46"; it sets `framework` and the
                          // options below when a plan is made; empty: no profile
    std::vector<std::string> frameworkOptions; // "key=value": overrides the profile's option
    std::optional<bool> compile;               // torch.compile; empty: as in the profile
    std::string torch;                         // PyTorch version of a simulated framework, "1.12"; empty: the newest
    TorchChanges torchChanges;                 // of that version; applyFramework() sets them
    Sharder sharder = Sharder::Auto;
    bool gradientAsBucketView =
        false; // DDP's gradients are views of its buckets (gradient_as_bucket_view), not separate tensors
    std::int64_t reduceBucket = 500'000'000; // elements of a reduction bucket of DeepSpeed's ZeRO (reduce_bucket_size)
    AttentionKernel attentionKernel = AttentionKernel::Auto;
    bool autocast = false;        // also on bf16 or fp16 weights that FSDP gathers, as in Lightning and Accelerate
    bool trainMetrics = false;    // the trainer computes further metrics from the logits (Composer)
    bool fusedKernels = false;    // simulated eager PyTorch with fused norm, RoPE, gate and loss of a library
                                  // (flash-attn, apex, Liger)
    bool unpadAttention = false;  // rows without padding are gathered before attention and scattered after it
    bool denseMask = false;       // scaled_dot_product_attention gets a mask of all scores and computes all of them
    std::optional<bool> repeatKv; // keys and values are copied once for each query head; empty: by PyTorch's version
    GradientType gradientType = GradientType::Auto;
    Fp8Scales fp8Scales = Fp8Scales::Tensor;  // for fp8-mixed in simulated PyTorch
    ExpertGemm expertGemm = ExpertGemm::Auto; // auto: by PyTorch's version (engines/by_torch.yaml), else Grouped
    double expertCapacity = 1;                // capacity factor: rows of an expert, relative to even routing
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
    OptimizerKind optimizer = OptimizerKind::AdamW;
    int loraRank = 0; // rank of adapters on frozen weights (LoRA, Hu et al. 2021, arXiv 2106.09685); 0: no adapters
    LoraTargets loraTargets = LoraTargets::Linear;
    std::optional<FrozenWeights> frozenWeights; // empty: the framework's default, or whole
    double ema = 0;                   // decay of the weights' moving average, updated after each step; 0: no average
    bool balanceLoss = false;         // adds the router's load-balancing and z losses to the training loss
    std::optional<bool> limitGathers; // FSDP's limit_all_gathers: at most two gathered layers; empty: by version
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
    bool flatGradients = false;     // the optimizer flattens bf16 or fp16 gradients before it casts them to fp32
    std::optional<int> stateShards; // ranks over which ZeRO-1 shards states; empty: all data-parallel ranks
    ContextExchange contextExchange = ContextExchange::Auto;
    HostOffload hostOffload = HostOffload::None;
    double launchFactor = 1;          // multiplies the host time of a kernel launch
    double gemmFactor = 1;            // multiplies the rate of GEMMs
    double collectiveFactor = 1;      // multiplies the bandwidth of collectives
    std::optional<bool> tf32;         // fp32 GEMMs run in TF32 (torch.backends.cuda.matmul.allow_tf32); empty: no
    bool optimizerInBackward = false; // updates each weight and frees its gradient during the backward pass
    bool offloadActivations = false;  // saved activations are copied to host memory
    std::string calibration;          // the user's calibration, fitted to own runs; empty: the shipped one
    std::string prices;               // price book; empty: the catalogue's default
    std::optional<Tokens> tokens;     // budget; empty: 20 tokens per parameter (Hoffmann et al. 2022)
    std::optional<Usd> usdBudget;     // instead of tokens: as many as it buys at the price book's price
    std::string scalingLaw;           // of the catalogue; empty: its first
    std::optional<double> targetLoss; // nats per token
    FaultChoice faults;
    std::optional<double> memoryGib; // replaces the GPU's capacity
    TrainingChoice training;

    [[nodiscard]] Attention attentionOrFlash() const { return attention.value_or(Attention::Flash); }
    [[nodiscard]] FrozenWeights frozenWeightsOrWhole() const { return frozenWeights.value_or(FrozenWeights::Whole); }
    [[nodiscard]] Precision precisionOrMixed() const { return precision.value_or(Precision::Bf16Mixed); }
    [[nodiscard]] Recompute recomputeOrNone() const { return recompute.value_or(Recompute::None); }
    // Whether the plan follows a traced graph that contains the collectives.
    [[nodiscard]] bool tracesGraph() const { return sharder == Sharder::Traced || sharder == Sharder::Simple; }
    // Whether the model itself has bf16 or fp16 weights, with fp32 master weights in the optimizer.
    [[nodiscard]] bool hasHalfPrecisionModel() const
    {
        return sharder == Sharder::DeepSpeed || sharder == Sharder::Gemini;
    }
    // Whether all weights except those of adapters are frozen.
    [[nodiscard]] bool trainsAdapters() const { return loraRank > 0; }
    // Whether optimizer states are in host memory until the update reads them.
    [[nodiscard]] bool pagesOptimizerStates() const
    {
        return optimizer == OptimizerKind::PagedAdamW || optimizer == OptimizerKind::PagedAdamW8bit;
    }
    // 100 x major + minor: 112 for "1.12"; above every version if `torch` is empty.
    [[nodiscard]] int torchVersion() const;
    [[nodiscard]] bool recomputes(RecomputeOp op) const; // selectively
    [[nodiscard]] Tokens tokensPerMicroBatch() const { return microBatch * seqLen; }
    [[nodiscard]] Tokens tokensPerStep() const { return tokensPerMicroBatch() * gradAccum * parallel.dataParallel(); }

    bool operator==(const RunConfig &) const = default;
};

} // namespace slipway
