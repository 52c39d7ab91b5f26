// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What a user picks: one value holds every choice of a plan and of a run (contract, section 1). Its keys, flags, YAML
// and JSON all come from one table, settings.h.
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

namespace slipway {

enum class ParallelKind { None, Ddp, FsdpFull, FsdpGradOp, Hsdp, Zero1 };
enum class Attention { Flash, Vanilla };
// Generation of the flash kernel: FlashAttention 1 to 3, cuDNN's. Auto: what the framework calls in that version.
enum class AttentionKernel { Auto, Flash1, Flash2, Flash3, Cudnn };
enum class Recompute { None, Selective, Full };
enum class Precision { Bf16Mixed, Bf16, Fp32, Fp16Mixed, Fp8Mixed };
// What selective recomputation brings back. LinearAlternate: every second GEMM of a layer; LayerAlternate: every
// second layer as a whole. Experts: their dispatch, GEMMs and combination (Activation: what is between these
// GEMMs).
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
// Of the gradients that wait for the optimizer in mixed precision.
enum class GradientType { Auto, Fp32, Half };
// Who shards weights: PyTorch's FullyShardedDataParallel, its successor fully_shard, DeepSpeed's ZeRO, ColossalAI's
// Gemini; a traced graph among its kernels, unit by unit (XLA) or weight by weight (Simple: torchtitan's SimpleFSDP).
enum class Sharder { Auto, Fsdp1, Fsdp2, DeepSpeed, Traced, Simple, Gemini };
// GEMMs of a rank's experts: one grouped kernel over all, or one expert after another.
enum class ExpertGemm { Auto, Grouped, Loop };
// Scales of PyTorch's float8: one for a tensor, or one for each row of a GEMM's operands.
enum class Fp8Scales { Tensor, Row };
enum class Framework { Slipway, PytorchEager, PytorchCompile, Megatron };
// Bf16Released: in half precision over logits that nobody holds, where Bf16's wait in the caller's hands. UpcastHeld:
// it is the fp32 logits that wait there, where Hf's are half. Parallel: Megatron-LM's over a split vocabulary;
// ParallelFused: the same in compiled pieces, as NeMo has it; ParallelCopied: with exponentials in a tensor of their
// own. CompiledOutput: the compiled model hands out its logits beside the loss, and AOTAutograd makes zeros of their
// gradient. CompiledWhole: it hands out the loss alone, so that backward's graph may write over the logits.
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
// What lives in the host's memory instead of the GPU's: optimizer states with their master weights, which a CPU Adam
// updates (DeepSpeed's ZeRO-Offload), or the sharded weights as well (ZeRO-Infinity, FSDP's CPUOffload).
enum class HostOffload { None, Optimizer, Weights };
// How context-parallel ranks attend to what the others hold: keys and values pass from rank to rank (Liu et al. 2023,
// arXiv 2310.01889), an all-to-all gives each rank the whole sequence of some heads (DeepSpeed's Ulysses), or keys and
// values of all ranks are gathered. Auto: gather in our own trainer, ring in other frameworks.
enum class ContextExchange { Auto, Ring, AllToAll, Gather };
// Muon: for the matrices of the layers; AdamW for all other weights. Paged: states lie in memory that the driver moves
// between GPU and host (bitsandbytes). Adafactor keeps a row and a column for each matrix, Lion one moment.
enum class OptimizerKind { AdamW, AdamWForeach, AdamW8bit, Sgd, Muon, PagedAdamW, PagedAdamW8bit, Adafactor, Lion };
// Which GEMMs of a layer have adapters of low rank: all, those of attention, or those of queries and values.
enum class LoraTargets { Linear, Attention, QueryValue };
// How the frozen weights beside adapters are kept: in the type of the computation, or in 8 or 4 bits, which each GEMM
// unpacks (LLM.int8, QLoRA's NF4).
enum class FrozenWeights { Whole, Int8, Nf4 };
enum class LrSchedule { Cosine, Linear, Constant, Wsd, InverseSqrt };
enum class GradReduce { Auto, MicroBatch, Step };
// In which ranks sum gradients: FSDP's reduce_dtype, Megatron-LM's --grad-reduce-in-bf16.
enum class ReduceType { Fp32, Bf16 };
enum class Documents { Packed, Apart };
enum class DeviceKind { Auto, Cuda, Cpu };
enum class CommunicatorKind { Auto, Nccl, Gloo, Threads };
// The order of a pipeline's micro-batches. Auto: 1F1B, interleaved where a stage has several parts of the model.
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
    static constexpr std::array<std::string_view, 5> names{"auto", "flash-1", "flash-2", "flash-3", "cudnn"};
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
    static constexpr std::array<std::string_view, 3> names{"whole", "int8", "nf4"};
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

// A preset's, catalogue entry's or file's name, and what the user changed about it.
struct ModelChoice {
    std::string name = "1B"; // preset, public model, FILE.yaml or a Hugging Face config.json
    std::optional<int> layers, hidden, heads, kvHeads, ffn, vocab;
    std::optional<bool> tied;
    std::optional<int> experts, expertsPerToken;

    bool operator==(const ModelChoice &) const = default;
};

// All sizes of the parallel mesh in one value, with the questions that are asked of it.
struct Parallelism {
    ParallelKind kind = ParallelKind::None;
    int gpus = 1; // ranks in all, also on the CPU
    int gpusPerNode = 8;
    int tp = 1, pp = 1, cp = 1, ep = 1;
    int virtualStages =
        1; // parts of the model that a pipeline stage holds: interleaved 1F1B above 1 (Narayanan et al. 2021)

    PipelineSchedule schedule = PipelineSchedule::Auto;

    [[nodiscard]] PipelineSchedule pipelineSchedule() const
    {
        if (schedule != PipelineSchedule::Auto)
            return schedule;
        return virtualStages > 1 ? PipelineSchedule::Interleaved : PipelineSchedule::OneForwardOneBackward;
    }
    [[nodiscard]] int modelParallel() const { return tp * pp * cp; }
    [[nodiscard]] int dataParallel() const { return gpus / modelParallel(); }
    // Ranks that shard one replica, where it is sharded. Hybrid sharding stays within a node, on the ranks that tensor
    // and pipeline parallelism leave.
    [[nodiscard]] int shardRanks() const
    {
        return kind == ParallelKind::Hsdp ? std::min(dataParallel() * cp, std::max(1, gpusPerNode / (tp * pp)))
                                          : dataParallel() * cp;
    }
    [[nodiscard]] int nodes() const { return static_cast<int>(ceilDiv(gpus, gpusPerNode)); }

    bool operator==(const Parallelism &) const = default;
};

// One token file and how often it is drawn from, relative to the others. Files of one name are one evaluation set.
struct DataSource {
    std::string path;
    double weight = 1.0;
    std::string name = {}; // of evaluation data only; empty: the set without a name

    bool operator==(const DataSource &) const = default;
};

// What only a run needs; a plan ignores it, but for the table of documents that are kept apart.
struct TrainingChoice {
    std::vector<DataSource> data;
    std::vector<DataSource> evalData;
    std::string tokenizer;
    Documents documents = Documents::Packed; // apart: attention, positions and loss end where a document does
    std::optional<std::int64_t> steps;       // else `tokens` of RunConfig decides
    double learningRate = 3e-4;
    double minLearningRate = 3e-5;
    // Peak rates of token and position embeddings and of the head, on the same schedule; empty: learningRate.
    std::optional<double> embeddingLearningRate, headLearningRate;
    std::int64_t warmupSteps = 100;
    LrSchedule schedule = LrSchedule::Cosine;
    std::int64_t decaySteps = 0; // at the end of wsd; 0: a tenth of all steps
    double weightDecay = 0.1;
    std::vector<std::string> noDecay{
        "norm", "bias"}; // of ParameterKind (model/parameter_kind.h): weights without weight decay
    double muonMomentum = 0.95;
    double beta1 = 0.9;
    double beta2 = 0.95;
    double gradClip = 1.0; // 0: off
    double zLoss = 0;      // weight of the squares of log sum exp of the logits (PaLM, arXiv 2204.02311, section 5)
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
    std::vector<std::string> command;     // words of another training script's command, or one line for a shell; empty:
                                          // slipway-train
    std::vector<std::string> environment; // of the command: "NAME=VALUE"
    std::string workdir;                  // of the command, on its host
    std::string log;                      // file that the command logs to; empty: what it prints
    std::string logPattern;               // regular expression of the user's own for its lines
    std::optional<Usd> usdLimit;          // tells
    std::optional<Usd> stopAtUsd;         // ends
    std::optional<Seconds> timeLimit;     // seconds

    // Whether another training script runs in place of slipway-train.
    [[nodiscard]] bool runsScript() const { return !command.empty(); }

    bool operator==(const TrainingChoice &) const = default;
};

// What goes wrong in a run, and what it takes to go on: assumptions behind the goodput. A GPU fails once in 50,000
// hours: Llama 3 (arXiv:2407.21783, section 3.3.4) counts 419 unexpected interruptions of 16,384 GPUs in 54 days.
struct FaultChoice {
    double gpuHoursPerFailure = 50'000;
    std::optional<double> preemptionsPerDay; // of a node; empty: none, and 1 at spot prices
    Seconds restart = 600;
    Seconds checkpointInterval = 1800; // where `checkpoint_every` says nothing
    std::optional<Seconds> checkpoint; // empty: what its bytes take to be written

    bool operator==(const FaultChoice &) const = default;
};

struct RunConfig {
    ModelChoice model;
    std::string gpu = "h100-sxm-80gb"; // id or alias of the catalogue; "cpu": this machine's processor
    std::optional<double> networkGbps; // Gbit/s that a whole node reaches others with; empty: the catalogue's
    Parallelism parallel;
    Attention attention = Attention::Flash;
    Recompute recompute = Recompute::None;
    std::vector<std::string> recomputeOps; // of RecomputeOp; selective recomputation only, empty: attention
    std::int64_t microBatch = 8;           // sequences
    std::int64_t seqLen = 1024;
    std::int64_t gradAccum = 1;
    GradReduce gradReduce =
        GradReduce::Auto; // when ranks sum gradients; auto: FSDP after every micro-batch, else once a step
    Precision precision = Precision::Bf16Mixed;
    Framework framework = Framework::Slipway;
    ReduceType reduceType = ReduceType::Fp32; // of what ranks send each other to sum gradients
    std::string software; // profile of the catalogue and its version, "hf-trainer@4.46", which settles `framework` and
                          // the options below it when a plan is made; empty: `framework` alone
    std::vector<std::string> frameworkOptions; // "key=value": options that count over the profile's
    std::optional<bool> compile;               // torch.compile; empty: as the profile has it
    std::string torch; // version of PyTorch that a simulated framework runs on, "1.12"; empty: 2.5
    Sharder sharder = Sharder::Auto;
    bool gradientAsBucketView =
        false; // DDP's gradients are views of its buckets (gradient_as_bucket_view), not beside them
    std::int64_t reduceBucket =
        500'000'000; // gradients, in numbers, that DeepSpeed's ZeRO sums at once (reduce_bucket_size)
    AttentionKernel attentionKernel = AttentionKernel::Auto;
    bool autocast = false;       // also over the half weights that FSDP gathers, as Lightning and Accelerate run it
    bool trainMetrics = false;   // the trainer computes metrics of its own from the logits
    bool fusedKernels = false;   // of simulated eager PyTorch: norm, rotation, gate and loss are kernels of somebody's
                                 // own (flash-attn, apex, Liger)
    bool unpadAttention = false; // a padding mask's rows are gathered before attention and scattered after it
    GradientType gradientType = GradientType::Auto;
    Fp8Scales fp8Scales = Fp8Scales::Tensor;  // in fp8-mixed, of simulated PyTorch
    ExpertGemm expertGemm = ExpertGemm::Auto; // auto: grouped, but Transformers' loop on PyTorch before 2.9
    double expertCapacity = 1;                // rows of an expert, in even shares of the tokens
    std::optional<bool> dropout;          // in the simulated model's layers; empty: as its framework's recipe has it
    std::optional<bool> sequenceParallel; // Megatron-LM's tensor-parallel ranks split what lies between GEMMs, too;
                                          // empty: as recipes of that kind have it
    bool tpOverlap =
        false; // their collectives move chunk by chunk beside their GEMMs (TransformerEngine's user buffers)
    std::int64_t vocabMultiple = 128; // times tp: Megatron-LM fills the vocabulary up to a multiple of it
    bool expandableSegments = false;  // PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True
    LossPath lossPath = LossPath::Auto;
    OptimizerKind optimizer = OptimizerKind::AdamW;
    int loraRank = 0; // of adapters beside frozen weights (LoRA, Hu et al. 2021, arXiv 2106.09685); 0: none
    LoraTargets loraTargets = LoraTargets::Linear;
    FrozenWeights frozenWeights = FrozenWeights::Whole;
    double ema = 0;                   // decay of the moving average of the weights after each step; 0: no average
    bool balanceLoss = false;         // the model's load-balancing and z losses of its experts' router are trained on
    std::optional<bool> limitGathers; // FSDP has the weights of two layers at a time at most; empty: by version
    std::optional<bool> wrapLayers;   // FSDP shards layer by layer; false: the whole model is one unit
    GradientType gatherType = GradientType::Auto; // of what FSDP gathers in mixed precision
    std::optional<bool> overlapReduce;   // data-parallel reductions run beside backward; empty: as the engine has it
    std::optional<bool> accumulateApart; // half gradients are added to fp32 ones that stay; empty: as the engine has it
    std::optional<bool> fusedGate;  // a gated MLP's activation and product are one kernel; empty: as the engine has it
    bool flatGradients = false;     // half gradients are flattened, then made fp32, when the optimizer steps
    std::optional<int> stateShards; // ranks that ZeRO-1 spreads states over; empty: all data-parallel ones
    ContextExchange contextExchange = ContextExchange::Auto;
    HostOffload hostOffload = HostOffload::None;
    double launchFactor = 1;          // of a kernel launch's time on the host
    double gemmFactor = 1;            // of GEMMs' rate
    double collectiveFactor = 1;      // of the bandwidth of collectives
    bool optimizerInBackward = false; // each weight is updated when its gradient is there, which then dies
    bool offloadActivations = false;  // what backward needs waits in the host's memory
    std::string calibration;          // the user's own, of constants that own runs gave; empty: as shipped
    std::string prices;               // price book; empty: the catalogue's default
    std::optional<Tokens> tokens;     // budget; empty: 20 tokens a parameter (Hoffmann et al. 2022)
    std::optional<Usd> usdBudget;     // in place of tokens: what it buys at the price book's price
    std::string scalingLaw;           // of the catalogue; empty: its first
    std::optional<double> targetLoss; // nats a token
    FaultChoice faults;
    std::optional<double> memoryGib; // cap in place of the card's own capacity
    TrainingChoice training;

    // Operations on plain tensors, whose collectives a trace has put between them.
    [[nodiscard]] bool tracesGraph() const { return sharder == Sharder::Traced || sharder == Sharder::Simple; }
    // Half weights beside fp32 masters.
    [[nodiscard]] bool shardsHalfModel() const { return sharder == Sharder::DeepSpeed || sharder == Sharder::Gemini; }
    // All weights but adapters' are frozen.
    [[nodiscard]] bool trainsAdapters() const { return loraRank > 0; }
    // States lie in the host's memory until the update reads them.
    [[nodiscard]] bool pagesStates() const
    {
        return optimizer == OptimizerKind::PagedAdamW || optimizer == OptimizerKind::PagedAdamW8bit;
    }
    // 112 for "1.12", 205 for "2.5" and where nothing is said.
    [[nodiscard]] int torchVersion() const;
    [[nodiscard]] bool recomputes(RecomputeOp op) const; // selectively
    [[nodiscard]] Tokens tokensPerMicroBatch() const { return microBatch * seqLen; }
    [[nodiscard]] Tokens tokensPerStep() const { return tokensPerMicroBatch() * gradAccum * parallel.dataParallel(); }

    bool operator==(const RunConfig &) const = default;
};

} // namespace slipway
