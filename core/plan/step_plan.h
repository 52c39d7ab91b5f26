// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// One step of one rank, as data: an optimizer step, or one step of inference. The planner walks it for memory and time,
// the trainer executes it.
//
// What repeats is not copied. A Block is written once and instantiated by the Slots that name it: for each layer, each
// micro-batch, each chunk of the loss. A Segment repeats its slots for the micro-batches that are alike. So a plan of
// 48 layers and 64 micro-batches is a few dozen ops and a few hundred slots.
//
// Order between streams is not written down either. It follows from the data: an op waits for the last writer of what
// it reads, and for the last readers and writer of what it writes. A limit on prefetching is a buffer with few
// instances.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_names.h"
#include "base/units.h"
#include "model/parameter_kind.h"

namespace slipway {

enum class Role : std::uint8_t {
    Parameter,
    Master,
    Gradient,
    OptimizerState,
    Activation,
    Logits,
    Communication,
    Workspace
};
// Fp8: operands of GEMMs only. Half precision is called Bf16 where it is fp16, too: they differ in no size or rate.
enum class DType : std::uint8_t { Fp32, Bf16, Int32, Int64, Fp8 };
enum class Stream : std::uint8_t { Compute, Gather, Reduce, Copy };
enum class Phase : std::uint8_t { Forward, Backward, Recompute, Optimizer };
// What a step is for. Inference: some sequences take the next part of their prompts, others get one more token each
// (inference/inference_step.h). Keys and values of what they have seen are activations that live for the run.
enum class Workload : std::uint8_t { Training, Inference };

// Run: one for the run (weights, optimizer states). Step: allocated and freed within a step, shared by its
// micro-batches (gradients). MicroBatch: an instance for each micro-batch in flight (activations).
enum class Scope : std::uint8_t { Run, Step, MicroBatch };

template<>
struct EnumNames<Role> {
    static constexpr std::array<std::string_view, 8> names{
        "parameters", "masters", "gradients", "optimizer", "activations", "logits", "communication", "workspace"};
};
template<>
struct EnumNames<Workload> {
    static constexpr std::array<std::string_view, 2> names{"training", "inference"};
};
template<>
struct EnumNames<DType> {
    static constexpr std::array<std::string_view, 5> names{"fp32", "bf16", "int32", "int64", "fp8"};
};
template<>
struct EnumNames<Stream> {
    static constexpr std::array<std::string_view, 4> names{"compute", "gather", "reduce", "copy"};
};
template<>
struct EnumNames<Phase> {
    static constexpr std::array<std::string_view, 4> names{"forward", "backward", "recompute", "optimizer"};
};

constexpr Bytes sizeOf(DType type)
{
    return type == DType::Fp8 ? 1 : type == DType::Bf16 ? 2 : type == DType::Int64 ? 8 : 4;
}

// Each kind has one function in the trainer (op_table.cpp) and one line in kernel_work.cpp. Suffix Backward: gradients.
enum class OpKind : std::uint8_t {
    LoadBatch,         // writes tokens, targets: those of the micro-batch at hand, from the host; where documents are
                       // kept apart also the position of each token in its own, and where each begins
    Embedding,         // reads tokens, table; writes x
    EmbeddingBackward, // reads tokens, dx; writes dtable (+=; without accumulate it is zeroed first)
    RmsNorm,           // reads x, weight; writes y, rstd
    AddRmsNorm,        // reads x, delta, weight; writes sum, y, rstd
    RmsNormBackward,   // reads dy, x, rstd, weight and, where dx is added to, dx; writes dx, dweight (+=)
    Gemm,         // reads A, B and, where a residual is added on the way, it; writes C (+=), see GemmForm; in bf16 also
                  // the workspace that GEMMs share, those of vanilla attention too
    Rope,         // rotates the q and k parts of qkv in place; reads qkv and, where documents are kept apart, positions
    RopeBackward, // rotates dqkv back in place; reads as Rope
    FlashAttention, // reads qkv and, where a rank has a part of each sequence, keys (PackKeys) of all ranks or of one:
                    // the rank `peer` places on in the kernel's group. With accumulate it goes on from the out and lse
                    // of the keys before. Or, where documents are kept apart, reads where they begin; writes out, lse
    FlashAttentionBackward, // reads dout, qkv, out, lse and all ranks' keys, or one rank's and, where they are added
                            // to, their gradients; or, where documents are kept apart, where they begin, positions (of
                            // a rotation on the way); writes dqkv and workspace: delta [batch, heads, seq] fp32, in
                            // bf16 also dq [tokens, heads x headDim] fp32; with keys of ranks their gradients, too, and
                            // of dqkv the queries' part alone (+=; delta stays as it is then)
    VanillaAttention,       // reads qkv and, where a rank has a part of each sequence, all ranks' keys; writes
                            // probabilities, out
    VanillaAttentionBackward, // reads dout, qkv, probabilities and all ranks' keys; writes dqkv, dscores and, with all
                              // ranks' keys, their gradients
    PackKeys,                 // reads qkv; writes its keys and values [tokens, 2 x kvHeads x headDim]
    UnpackKeys,               // reads gradients as PackKeys has them, dqkv; writes dqkv: its keys' and values' part
    SwiGlu,                   // reads gateUp; writes product
    SwiGluBackward,           // reads dproduct, gateUp; writes gateUp: its gradient, in place
    GatedActivation,          // as SwiGlu, with the model's activation
    GatedActivationBackward,  // as SwiGluBackward
    Activation,               // reads x; writes y
    ActivationBackward,       // reads dy, x; writes x: its gradient, in place
    LayerNorm,                // reads x and, where the model has them, weight and bias; writes y, mean, rstd
    LayerNormBackward,        // reads dy, x, mean, rstd, weight where the model has it and, where dx is added to, dx;
                              // writes dx, dweight, dbias (+=), these two where the model has them
    AddBias,                  // reads y, bias; writes y: the bias is added to every row, in place
    BiasBackward,             // reads dy; writes dbias (+=): the sum of the rows
    Scale,                    // reads x; writes y: x times the kernel's scale; y may be x
    AddPositions,             // reads x, table; writes x: the row of each token's position is added, in place
    AddPositionsBackward,     // reads dx; writes dtable (+=)
    QkNorm,                   // reads qkv, weights of q then of k; writes qkv: q and k normed in place, what they were,
                              // rstd
    QkNormBackward,           // reads dqkv, what q and k were, rstd, weights; writes dqkv in place, dweights (+=)
    Route,         // reads logits; writes logits: the scores, in place, weights, assignment (native/experts.h) and,
                   // where the router has a z-loss, the log sum exp of each row
    RouteBackward, // reads scores, weights, assignment, dweights and, where the load is balanced, counts, log sum exp;
                   // writes scores: the logits' gradient, in place
    Permute,       // reads x, assignment; writes a row for each choice of a token, grouped by expert
    PermuteBackward, // reads drows, assignment and, where dx is added to, dx; writes dx
    Combine,         // reads assignment, weights, rows and, where a residual is added, it; writes the sum of
                     // each token's rows
    CombineBackward, // reads assignment, weights, rows, dy; writes rows: their gradient, in place, dweights
    CountExperts,    // reads assignment; writes load: int64 of each expert, += the rows that it got, and, where the
                     // load is balanced, counts: the same in fp32 (+=)
    ReceivedRows, // reads the offsets of all ranks' assignments [ranks, experts + 1]; writes int32 [experts + 1]: where
                  // the rows begin that come here, first of rank 0 for each expert here, then of rank 1
    GroupedGemm,  // as Gemm for every expert's rows, batch experts; reads A, B, offsets of the rows [groups + 1], as
                  // an assignment and ReceivedRows begin; writes C (+=).
    GateRows,     // reads gates, x, y; writes y: sigmoid(gate) x is added to each row, in place
    GateRowsBackward, // reads dy, x, gates; writes dx, gates: their gradient, in place
    Add,              // reads a, b; writes sum
    CrossEntropy, // reads logits, targets; writes logits: their gradient, in place, zero where rows are filled up; loss
                  // (+=), a mean over the tokens of all ranks and micro-batches of the step. Of a vocabulary that is
                  // split over a group: reads all ranks' LogitStatistics, too
    LogitStatistics, // of a split vocabulary: reads logits, targets; writes logits: scaled and capped, in place, rows
                     // of maximum, sum of exponentials and the target's logit, fp32
    Zero,            // writes zeros
    Elementwise,     // simulated frameworks: any kernel that is bound by the bytes it names
    HostCopy,        // simulated frameworks: m x n bytes to the host or back
    View,            // simulated frameworks: a tensor gets a name or dies, and nothing runs
    SumSquares,      // reads a gradient; writes norm2 (+=)
    AdamW,           // reads gradient, norm2; writes parameter, master, m, v
    MuonMomentum,    // reads gradient, norm2; writes momentum, x: the update of norm 1, its longer side last
    NewtonSchulz,    // reads x x^T, its square; writes the polynomial of both in the place of the square
    MuonUpdate,      // reads x; writes parameter, master
    Average,         // reads master; writes its moving average
    Exchange,        // two buffers change contents: outside of steps
    AllReduce,       // sums in place over the group
    ReduceScatter,
    AllGather,
    SendReceive, // simulated frameworks: a message to a neighbour or from it
    AllToAll, // reads rows of n elements, offsets of what goes and of what comes [k + 1]; writes rows. Of the k groups
              // of rows each rank of the group sends and gets equally many
    Send,     // reads what goes to the rank `peer` places on in the group
    Receive,  // writes what comes from the rank `peer` places on in the group
    Cast,     // reads fp32, writes bf16, or reads bf16, writes fp32 (+=); its type is that of what it reads
    Quantize, // reads rows; writes a factor (fp32), and from kQuantizedOffset on fp8 whose products with it they are:
              // [m, n] or, transposed, [n, m]. The factor comes from the largest of them
};

template<>
struct EnumNames<OpKind> {
    static constexpr std::array<std::string_view, 64> names{"load_batch", "embedding", "embedding_backward", "rmsnorm",
        "add_rmsnorm", "rmsnorm_backward", "gemm", "rope", "rope_backward", "flash_attention",
        "flash_attention_backward", "vanilla_attention", "vanilla_attention_backward", "pack_keys", "unpack_keys",
        "swiglu", "swiglu_backward", "gated_activation", "gated_activation_backward", "activation",
        "activation_backward", "layernorm", "layernorm_backward", "add_bias", "bias_backward", "scale", "add_positions",
        "add_positions_backward", "qk_norm", "qk_norm_backward", "route", "route_backward", "permute",
        "permute_backward", "combine", "combine_backward", "count_experts", "received_rows", "grouped_gemm",
        "gate_rows", "gate_rows_backward", "add", "cross_entropy", "logit_statistics", "zero", "elementwise",
        "host_copy", "view", "sum_squares", "adamw", "muon_momentum", "newton_schulz", "muon_update", "average",
        "exchange", "all_reduce", "reduce_scatter", "all_gather", "send_receive", "all_to_all", "send", "receive",
        "cast", "quantize"};
};

// Where fp8 begins behind its factor, in bytes. GEMMs of fp8 read it from there, and the factor before it. Whatever the
// form, A is [m, k] and B is [n, k]; gradients are e5m2, all else e4m3.
inline constexpr Bytes kQuantizedOffset = 256;

// Row-major operands. Weights are [out, in], as Hugging Face stores them.
enum class GemmForm : std::uint8_t {
    Forward,        // C[m,n] = A[m,k] B[n,k]^T     y = x W^T
    InputGradient,  // C[m,n] = A[m,k] B[k,n]       dx = dy W
    WeightGradient, // C[m,n] = A[k,m]^T B[k,n]     dW = dy^T x
};
template<>
struct EnumNames<GemmForm> {
    static constexpr std::array<std::string_view, 3> names{"forward", "input_gradient", "weight_gradient"};
};

// Which part of the step an op's time counts to (contract, section 2, speed.seconds).
enum class CostClass : std::uint8_t { Gemm, Attention, Elementwise, Loss, Optimizer, Communication };
template<>
struct EnumNames<CostClass> {
    static constexpr std::array<std::string_view, 6> names{
        "gemm", "attention", "elementwise", "loss", "optimizer", "communication"};
};

// Ids are distinct types, so that they cannot be mixed.
enum class BufferId : std::uint16_t {};
enum class KernelId : std::uint16_t {};
enum class BlockId : std::uint16_t {};
enum class GroupId : std::uint8_t { None = 255 };
constexpr std::size_t index(BufferId id) { return static_cast<std::size_t>(id); }
constexpr std::size_t index(KernelId id) { return static_cast<std::size_t>(id); }
constexpr std::size_t index(BlockId id) { return static_cast<std::size_t>(id); }

struct Buffer {
    std::string name; // "qkv"; unique in its plan
    Bytes bytes = 0;  // of one instance
    DType type = DType::Fp32;
    Role role = Role::Activation;
    Scope scope = Scope::MicroBatch;
    bool perLayer = false; // an instance for each layer, else one
    bool operator==(const Buffer &) const = default;
};

// The shape of a kernel; unused fields stay 0. Unique within a plan: an op names it by KernelId.
struct Kernel {
    OpKind kind = OpKind::Zero;
    DType type = DType::Fp32; // of its main operands
    GemmForm form = GemmForm::Forward;
    CostClass cost = CostClass::Elementwise;
    // Gemm: see GemmForm. Else m rows of n elements; EmbeddingBackward: k rows of the table; CrossEntropy: rows begin k
    // elements apart; AdamW: n is this rank's part of what begins at the unit's element k. Muon's ops: batch matrices
    // of m x n; NewtonSchulz: of m x m. Experts: m tokens, k experts each; Route: n experts; AddPositions: k rows of
    // the table.
    std::int64_t m = 0, n = 0, k = 0;
    // Attention and RoPE; Gemm: so many GEMMs of one shape over matrices that follow each other, 0 as 1. Attention over
    // more keys than queries: k keys.
    std::int32_t batch = 0, seq = 0, heads = 0, kvHeads = 0, headDim = 0;
    std::int32_t window = 0; // Attention: keys that a query sees, itself among them; 0: all before it
    std::int32_t past = 0;   // FlashAttention: keys of a cache that each sequence's first query sees before itself
    float storedBits = 0;    // Gemm: of an element of B; FlashAttention: of an element of the cache; 0: as `type`
    std::int32_t rope = 0;   // RoPE: which of the model's rotations
    std::int32_t unit = 0;   // AdamW; SumSquares where ranks share rows: which of the plan's units
    // Attention: of the scores, 0: headDim^-1/2. Scale: of each element. SumSquares: of the sum, 0: 1. MuonUpdate: of
    // the learning rate. Average: decay.
    float scale = 0;
    float softCap = 0;      // Attention: of the scores; 0: none
    std::int32_t calls = 1; // so many launches one after another; m, n, k of one, work of all
    bool hostWaits = false; // the host reads its result before it launches more
    bool residual = false;  // Gemm: a third operand is added
    bool mixed = false;     // Elementwise: over operands of two types
    Flops flops = 0;
    Bytes bytesRead = 0, bytesWritten = 0; // of device memory, each operand once
    Bytes messageBytes = 0;                // collectives: the whole buffer's size, before division by ranks
    GroupId group = GroupId::None;         // of a collective, or that the operand's rows or its keys are split over
    bool transposed = false;               // Quantize
    bool wideRange = false;                // Quantize: to e5m2, for gradients; else to e4m3
    std::int32_t peer = 0;                 // Send, Receive, FlashAttention: places from this rank's in the group
    double overlapFraction = 0;            // of a collective that moves chunk by chunk beside the GEMM it feeds
    bool operator==(const Kernel &) const = default;
};

// One operand: an instance of a buffer, seen from a slot.
struct Use {
    BufferId buffer{};
    std::int8_t layerShift = 0;     // instance of layer (slot.index + layerShift); buffers with perLayer only
    std::int16_t shardsPerPart = 1; // so many shards next to each other count as one: ranks with other experts
    std::int64_t offset = 0;        // bytes from the instance's start
    std::int64_t stride = 0;        // bytes added for each slot.index: the rows of a chunk
    std::int64_t shardStride = 0;   // bytes added for each shard before this rank's: its part of what holds all of them
    bool operator==(const Use &) const = default;
};

struct Op {
    std::string name; // "qkv", "mlp_down_dweight": unique in its block
    KernelId kernel{};
    Stream stream = Stream::Compute;
    Phase phase = Phase::Forward;
    bool accumulate = false; // += on what OpKind marks so, else =
    std::vector<Use> reads, writes;
    std::vector<Use>
        allocations;        // instances that live from this op on: its first writes, filled in by markAllocations()
    std::vector<Use> frees; // instances that die when the op has run
    bool operator==(const Op &) const = default;
};

// A run of ops written once; "layer forward", "layer backward", "loss chunk", "optimizer of a unit".
struct Block {
    std::string name;
    std::vector<Op> ops;
    bool layered = false; // its slots' index is a layer: one that a message may name
    bool operator==(const Block &) const = default;
};

// Which pass of a micro-batch through a stage of a pipeline a slot belongs to. Backward: all of it, or, where it is
// split, the gradients of activations; Weights: the gradients of weights then.
enum class PipelinePass : std::uint8_t { None, Forward, Backward, Weights };

struct Slot {
    BlockId block{};
    PipelinePass pass = PipelinePass::None;
    std::uint16_t part = 0;      // of a pipeline's stage that has several parts of the model
    std::int32_t index = 0;      // layer (instance of perLayer buffers), or chunk
    std::int32_t microBatch = 0; // counted within one repetition of its segment
    bool operator==(const Slot &) const = default;
};

struct Segment {
    std::vector<Slot> slots;
    std::int32_t repeat = 1;       // the micro-batches that are alike
    std::int32_t microBatches = 1; // that begin in one repetition; 0: the pipeline drains, or the optimizer
    bool operator==(const Segment &) const = default;
};

inline constexpr std::string_view kGradientAxis = "pp gradients";

// Ranks base + i x stride, i < size. The stride tells which links are crossed.
struct Group {
    // "dp", "replicas", "tp", "cp", "pp", "ep"; of ranks that are in these groups already: "embedding", the first and
    // the last stage; kGradientAxis, the stages where what they send back has an order of its own; "kv", those with the
    // same key heads; "edp" and "edp replicas", those with the same experts.
    std::string axis;
    int size = 1;
    int stride = 1;
    bool operator==(const Group &) const = default;
};

// How tensor-parallel ranks share a weight [rows, columns]: each has all of it, or a range of rows (of each of its
// parts) or of columns.
enum class WeightPlacement : std::uint8_t { Whole, Rows, Columns };
template<>
struct EnumNames<WeightPlacement> {
    static constexpr std::array<std::string_view, 3> names{"whole", "rows", "columns"};
};

// Where a named weight lies in the flat parameter buffer of its unit; gradients, masters and states use the same
// offsets.
struct ParameterTensor {
    std::string name;                   // "qkv", in the unit
    BufferId parameter{};               // the unit's flat buffer; its layer is the instance
    std::int64_t offset = 0;            // elements
    std::int64_t rows = 0, columns = 0; // a vector has 1 column; with those that fill up an odd width
    ParameterKind kind = ParameterKind::Matrix;
    WeightPlacement placement = WeightPlacement::Whole;
    std::int64_t sharedRows = 0; // the last so many, which keyRanks of the plan have alike
    bool operator==(const ParameterTensor &) const = default;
};

enum class UnitSection : std::uint8_t { Embedding, Layer, Head };

// The flat buffers of one unit that is reduced, sharded and optimised as a whole: embedding, each block, head. What
// tensor-parallel ranks all have whole is a unit of its own: their gradients of it are partial sums.
struct ParameterUnit {
    std::string name; // "embedding", "layer", "head"; "layer_whole"
    UnitSection section = UnitSection::Layer;
    bool whole = false;            // on every tensor-parallel rank, while other weights are split
    bool experts = false;          // every expert-parallel rank has others
    bool copy = false;             // another pipeline stage has it, too, and counts it: a tied table at the last stage
    std::int64_t elements = 0;     // of one instance
    std::int64_t muonElements = 0; // Muon updates the first so many, AdamW the rest
    // Of this rank: master equals parameter where weights are fp32. States hold `part` elements, the variance those
    // that AdamW updates; parameter and gradient hold as many where they are spread, else `padded`.
    BufferId parameter{}, gradient{}, master{}, momentum{}, variance{};
    bool perLayer = false;
    std::int64_t padded = 0;          // elements, filled up to equal parts
    std::int64_t part = 0;            // padded / shards
    std::optional<BufferId> average;  // moving average of the masters
    std::optional<BufferId> gathered; // whole parameters while a block needs them, where `parameter` is a part
    std::optional<BufferId>
        fullGradient; // whole gradients of a micro-batch or a step, where `gradient` is not written at once
    std::optional<BufferId> narrowGradient; // what of it ranks sum in bf16, while they do
    bool operator==(const ParameterUnit &) const = default;
};

struct StepPlan {
    std::vector<Buffer> buffers;
    std::vector<Kernel> kernels;
    std::vector<Block> blocks;
    std::vector<Segment> schedule;
    std::vector<Group> groups;
    std::vector<ParameterUnit> units;
    std::vector<ParameterTensor> tensors;
    int shards = 1;       // ranks that states are spread over: rank r has part r / shardStride % shards of each unit
    int shardStride = 1;  // between ranks of neighbouring parts
    int dataRanks = 1;    // that see other sequences
    int contextRanks = 1; // that see other parts of the same sequences
    int tensorRanks = 1;  // that split weights; next to each other
    int keyRanks = 1;     // of these, neighbours that have the same key heads
    int expertRanks = 1;  // of those that see other tokens, neighbours that have other experts
    int stage = 0;        // of the pipeline
    int layers = 0;       // of this rank's stage
    std::vector<int> layerNumbers; // of each, its number in the model; empty: all of them, in their order
    int microBatchesInFlight = 1;
    std::int64_t gradAccum = 1;
    Workload workload = Workload::Training;
    bool operator==(const StepPlan &) const = default;

    [[nodiscard]] int modelLayer(int layer) const
    {
        const auto i = static_cast<std::size_t>(layer);
        return i < layerNumbers.size() ? layerNumbers[i] : layer;
    }
    [[nodiscard]] const Buffer &at(BufferId id) const { return buffers[index(id)]; }
    [[nodiscard]] const Kernel &at(KernelId id) const { return kernels[index(id)]; }
    [[nodiscard]] const Block &at(BlockId id) const { return blocks[index(id)]; }
};

// A plan for each rank that differs: pipeline stages. Ranks that share data only share the plan.
struct RunPlan {
    std::vector<StepPlan> stages;
    bool operator==(const RunPlan &) const = default;
};

} // namespace slipway
