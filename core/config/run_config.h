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
#include "config/simulated_options.h"

namespace slipway {

enum class ParallelKind { None, Ddp, FsdpFull, FsdpGradOp, Hsdp, Zero1 };
enum class Attention { Flash, Vanilla };
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
enum class Framework { Slipway, PytorchEager, PytorchCompile, Megatron };
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
struct EnumNames<Framework> {
    static constexpr std::array<std::string_view, 4> names{"slipway", "pytorch-eager", "pytorch-compile", "megatron"};
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
    std::string software; // profile of the catalogue and its version, "hf-trainer@4.46"; it sets `framework` and
                          // `simulated` when a plan is made; empty: no profile
    std::vector<std::string> frameworkOptions; // "key=value": overrides the profile's option
    SimulatedOptions simulated;
    double expertCapacity = 1; // capacity factor: rows of an expert, relative to even routing
    OptimizerKind optimizer = OptimizerKind::AdamW;
    int loraRank = 0; // rank of adapters on frozen weights (LoRA, Hu et al. 2021, arXiv 2106.09685); 0: no adapters
    LoraTargets loraTargets = LoraTargets::Linear;
    std::optional<FrozenWeights> frozenWeights; // empty: the framework's default, or whole
    double ema = 0;           // decay of the weights' moving average, updated after each step; 0: no average
    bool balanceLoss = false; // adds the router's load-balancing and z losses to the training loss
    ContextExchange contextExchange = ContextExchange::Auto;
    HostOffload hostOffload = HostOffload::None;
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
    // Whether all weights except those of adapters are frozen.
    [[nodiscard]] bool trainsAdapters() const { return loraRank > 0; }
    // Whether optimizer states are in host memory until the update reads them.
    [[nodiscard]] bool pagesOptimizerStates() const
    {
        return optimizer == OptimizerKind::PagedAdamW || optimizer == OptimizerKind::PagedAdamW8bit;
    }
    [[nodiscard]] bool recomputes(RecomputeOp op) const; // selectively
    [[nodiscard]] Tokens tokensPerMicroBatch() const { return microBatch * seqLen; }
    [[nodiscard]] Tokens tokensPerStep() const { return tokensPerMicroBatch() * gradAccum * parallel.dataParallel(); }

    bool operator==(const RunConfig &) const = default;
};

} // namespace slipway
