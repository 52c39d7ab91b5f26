// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// One step of one rank as data: an optimizer step, or one step of inference. The planner simulates its memory and its
// time, and the trainer executes it.
//
// Repetitions are stored once. A Block is a sequence of ops. Slots instantiate it for each layer, each micro-batch and
// each chunk of the loss. A Segment repeats its slots for micro-batches that are alike. So a plan of 48 layers and 64
// micro-batches has a few dozen ops and a few hundred slots.
//
// What decides when an op runs is in the plan, for the planner and the trainer alike: its stream, which streams are one
// lane (StepPlan::oneCommunicationLane), how early gathers may start (StepPlan::gathersAhead), and whether the step is
// a CUDA graph. The order between lanes is not stored. It follows from the data: an op waits for the last writer of
// each operand that it reads, and for the last readers and the last writer of each operand that it writes. So a buffer
// with few instances limits prefetching as well.
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
#include "plan/mesh_axes.h"

namespace slipway {

enum class Role : std::uint8_t {
    Parameter,
    MasterWeight,
    Gradient,
    OptimizerState,
    Activation,
    Logits,
    Communication,
    Workspace
};
// Fp8 is for operands of GEMMs only. Bf16 also stands for fp16, which has the same sizes and rates.
enum class DType : std::uint8_t { Fp32, Bf16, Int32, Int64, Fp8 };
// The ops of a stream run one after another, in the order of the plan. Gather: all-gathers of weights, ahead of their
// use. Reduce: sums of gradients, behind the kernels that compute them. Communication: collectives that the next
// kernels wait for. Copy: between host and device. In simulated frameworks, Compute has such collectives as well.
enum class Stream : std::uint8_t { Compute, Gather, Reduce, Copy, Communication };
enum class Phase : std::uint8_t { Forward, Backward, Recompute, Optimizer };
// Inference: some sequences process the next chunk of their prompts, the others decode one token each
// (inference/inference_step.h). The KV cache is a buffer of Scope::Run.
enum class Workload : std::uint8_t { Training, Inference };

// The lifetime of a buffer. Run: the whole run (weights, optimizer states). Step: allocated and freed within a step,
// and shared by its micro-batches (gradients). MicroBatch: one instance per micro-batch in flight (activations).
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
    static constexpr std::array<std::string_view, 5> names{"compute", "gather", "reduce", "copy", "communication"};
};
template<>
struct EnumNames<Phase> {
    static constexpr std::array<std::string_view, 4> names{"forward", "backward", "recompute", "optimizer"};
};

constexpr bool isCommunication(Stream stream)
{
    return stream == Stream::Gather || stream == Stream::Reduce || stream == Stream::Communication;
}

constexpr Bytes sizeOf(DType type)
{
    return type == DType::Fp8 ? 1 : type == DType::Bf16 ? 2 : type == DType::Int64 ? 8 : 4;
}

// Each kind has one function in the trainer (exec/op_groups.h) and one case in kernel_work.cpp. The comments name the
// operands in the order of Op::reads and Op::writes. "+=" is what Op::accumulate turns into an addition. Operands in
// brackets exist only in the case that is named.
enum class OpKind : std::uint8_t {
    // Reads nothing; writes tokens, targets of the micro-batch, copied from the host; [separate documents: the
    // position of each token in its document, and where each document begins].
    LoadBatch,
    Embedding,         // reads tokens, table; writes x
    EmbeddingBackward, // reads tokens, dx; writes dtable (+=; zeroed first without accumulate)
    RmsNorm,           // reads x, weight; writes y, rstd
    AddRmsNorm,        // reads x, delta, weight; writes sum, y, rstd
    RmsNormBackward,   // reads dy, x, rstd, weight, [residual gradient]; writes dx, dweight (+=)
    // Reads A, B, [residual]; writes C (+=), see GemmForm, and in bf16 the workspace that all GEMMs share, those of
    // vanilla attention included.
    Gemm,
    Rope,         // reads qkv, [separate documents: positions]; rotates q and k in place
    RopeBackward, // reads dqkv and as Rope; applies the inverse rotation in place
    // Reads qkv, [context parallelism: keys and values (PackKeys) of all ranks, or of the one rank that Kernel::peer
    // names], [separate documents: where each begins]; writes out, lse. With accumulate it continues from the out and
    // lse of earlier keys.
    FlashAttention,
    // Reads dout, qkv, out, lse, [context parallelism: keys and values of all ranks, or of one rank and their
    // gradients so far], [separate documents: where each begins, and the positions for a fused inverse RoPE]; writes
    // dqkv and workspace: delta [batch, heads, seq] fp32 and, in bf16, dq [tokens, heads x headDim] fp32. Under
    // context parallelism it writes dq alone to dqkv (+=; delta is kept then), and the gradients of keys and values
    // apart.
    FlashAttentionBackward,
    VanillaAttention, // reads qkv, [context parallelism: all ranks' keys and values]; writes probabilities, out
    // Reads dout, qkv, probabilities, [context parallelism: all ranks' keys and values]; writes dqkv, dscores, [their
    // gradients].
    VanillaAttentionBackward,
    PackKeys, // reads qkv; writes its keys and values [tokens, 2 x kvHeads x headDim]
    // Reads the gradients of keys and values in the layout of PackKeys, dqkv; writes their columns of dqkv.
    UnpackKeys,
    SwiGlu,                  // reads gateUp; writes product: silu(gate) x up, elementwise
    SwiGluBackward,          // reads dproduct, gateUp; replaces gateUp by its gradient
    GatedActivation,         // as SwiGlu, with the model's activation function
    GatedActivationBackward, // as SwiGluBackward
    Activation,              // reads x; writes y
    ActivationBackward,      // reads dy, x; replaces x by its gradient
    LayerNorm,               // reads x, [weight], [bias]; writes y, mean, rstd
    LayerNormBackward,    // reads dy, x, mean, rstd, [weight], [residual gradient]; writes dx, [dweight], [dbias] (+=)
    AddBias,              // reads y, bias; adds the bias to every row of y in place
    BiasBackward,         // reads dy; writes dbias (+=): the sum of the rows
    Scale,                // reads x; writes y = Kernel::scale x; y may be x
    AddPositions,         // reads x, table; adds to each row of x the table's row of its position, in place
    AddPositionsBackward, // reads dx; writes dtable (+=)
    // Reads qkv, weights of q, then of k, [norm over the heads of several ranks: the sums of QkNormSquares over these
    // ranks]; writes qkv with q and k normalized in place, q and k before, rstd, which may replace the sums.
    QkNorm,
    // Reads dqkv, q and k before QkNorm, rstd, weights, [norm over the heads of several ranks: the sums of QkNormDots
    // over these ranks]; writes dqkv in place, dweights (+=).
    QkNormBackward,
    QkNormSquares, // reads qkv; writes fp32 rows of two numbers: the sums of the squares of q and of k
    // Reads dqkv, q and k before QkNorm, weights; writes fp32 rows of two numbers: the sums of dq weight q and of dk
    // weight k.
    QkNormDots,
    // Reads logits; writes fp32 scores, which may replace them, weights, assignment (native/experts.h), [router z-loss:
    // log-sum-exp of each row].
    Route,
    // Reads scores, weights, assignment, dweights, [load balancing: counts, log-sum-exp]; writes the gradient of the
    // logits, which may replace the scores.
    RouteBackward,
    Permute,         // reads x, assignment; writes one row per assigned token, grouped by expert
    PermuteBackward, // reads drows, assignment, [residual gradient]; writes dx
    Combine,         // reads assignment, weights, rows, [residual]; writes the weighted sum of each token's rows
    CombineBackward, // reads assignment, weights, rows, dy; replaces rows by their gradient and writes dweights
    // Reads assignment; writes load: int64 rows per expert (+=), [load balancing: counts, the same in fp32 (+=)].
    CountExperts,
    // Reads the offsets of all ranks' assignments [ranks, experts + 1]; writes int32 [experts + 1]: where the received
    // rows of each local expert begin, first those of rank 0, then of rank 1.
    ReceivedRows,
    // One Gemm per expert over its rows, Kernel::batch experts; reads A, B, offsets of the rows [groups + 1] as in an
    // assignment or ReceivedRows; writes C (+=).
    GroupedGemm,
    GateRows,         // reads gates, x, y; adds sigmoid(gate) x to each row of y in place
    GateRowsBackward, // reads dy, x, gates; writes dx, and replaces gates by their gradient
    Add,              // reads a, b; writes sum
    // Reads logits, targets, [vocabulary parallelism: all ranks' LogitStatistics]; replaces the logits by their
    // gradient, with zeros in padded columns; writes loss (+=): the mean over the step's tokens of all ranks and
    // micro-batches.
    CrossEntropy,
    // Vocabulary parallelism: reads logits, targets; writes logits scaled and capped in place, and fp32 rows of the
    // maximum, the sum of exponentials and the target's logit.
    LogitStatistics,
    Zero,         // writes zeros
    Elementwise,  // simulated frameworks: any kernel that memory bandwidth limits, with its bytes in the Kernel
    HostCopy,     // simulated frameworks: m x n bytes to or from the host
    View,         // simulated frameworks: allocates or frees a tensor and runs nothing
    SumSquares,   // reads a gradient; writes norm2 (+=)
    AdamW,        // reads gradient, norm2; writes parameter, master, m, v
    MuonMomentum, // reads gradient, norm2; writes momentum, update
    // Reads the update of every tensor-parallel rank; writes x: the whole matrices with norm 1, transposed so that the
    // longer side is last.
    MuonNormalize,
    NewtonSchulz, // reads x x^T and its square; replaces the square by the polynomial of both
    MuonUpdate,   // reads x; writes this rank's shard of the matrices: parameter, master
    Average,      // reads master; writes its moving average
    Exchange,     // swaps the contents of two buffers, outside of steps
    AllReduce,    // sums in place over the group
    ReduceScatter,
    AllGather,
    SendReceive, // simulated frameworks: a message to or from a neighbor
    // Reads rows of n elements, offsets of the rows to send and to receive [k + 1]; writes rows. Each rank of the
    // group sends and receives an equal number of the k groups of rows.
    AllToAll,
    Send,    // reads what goes to the rank `peer` places further in the group
    Receive, // writes what comes from the rank `peer` places further in the group
    // Reads fp32 and writes bf16, or reads bf16 and writes fp32 (+=); Kernel::type is that of the operand it reads.
    Cast,
    // Reads rows; writes an fp32 scale and, from kQuantizedOffset on, fp8 values that are rows / scale: [m, n] or,
    // transposed, [n, m]. The scale follows from the largest absolute value.
    Quantize,
};

template<>
struct EnumNames<OpKind> {
    static constexpr std::array<std::string_view, 67> names{"load_batch", "embedding", "embedding_backward", "rmsnorm",
        "add_rmsnorm", "rmsnorm_backward", "gemm", "rope", "rope_backward", "flash_attention",
        "flash_attention_backward", "vanilla_attention", "vanilla_attention_backward", "pack_keys", "unpack_keys",
        "swiglu", "swiglu_backward", "gated_activation", "gated_activation_backward", "activation",
        "activation_backward", "layernorm", "layernorm_backward", "add_bias", "bias_backward", "scale", "add_positions",
        "add_positions_backward", "qk_norm", "qk_norm_backward", "qk_norm_squares", "qk_norm_dots", "route",
        "route_backward", "permute", "permute_backward", "combine", "combine_backward", "count_experts",
        "received_rows", "grouped_gemm", "gate_rows", "gate_rows_backward", "add", "cross_entropy", "logit_statistics",
        "zero", "elementwise", "host_copy", "view", "sum_squares", "adamw", "muon_momentum", "muon_normalize",
        "newton_schulz", "muon_update", "average", "exchange", "all_reduce", "reduce_scatter", "all_gather",
        "send_receive", "all_to_all", "send", "receive", "cast", "quantize"};
};

// Whether the op is a message between two ranks.
constexpr bool isPointToPoint(OpKind kind)
{
    return kind == OpKind::SendReceive || kind == OpKind::Send || kind == OpKind::Receive;
}

// In a buffer that Quantize writes, the fp8 values begin this many bytes after the scale. GEMMs in fp8 read both. For
// every GemmForm A is [m, k] and B is [n, k]. Gradients are E5M2, weights and activations E4M3.
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

// The category that an op's time counts to: the keys of `speed.seconds` in docs/guide/json.md.
enum class CostClass : std::uint8_t { Gemm, Attention, Elementwise, Loss, Optimizer, Communication };
template<>
struct EnumNames<CostClass> {
    static constexpr std::array<std::string_view, 6> names{
        "gemm", "attention", "elementwise", "loss", "optimizer", "communication"};
};

// Distinct types, so that ids of different tables cannot be mixed up.
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
    bool perLayer = false; // one instance per layer, else one in all
    bool operator==(const Buffer &) const = default;
};

// How tensor parallelism shards a weight [rows, columns]: not at all, by rows (of each weight that is packed in it), or
// by columns.
enum class WeightPlacement : std::uint8_t { Whole, Rows, Columns };
template<>
struct EnumNames<WeightPlacement> {
    static constexpr std::array<std::string_view, 3> names{"whole", "rows", "columns"};
};

// The shape of a kernel. Unused fields are 0. Equal kernels of a plan are stored once, and ops refer to them by
// KernelId.
struct Kernel {
    OpKind kind = OpKind::Zero;
    DType type = DType::Fp32; // of its main operands
    GemmForm form = GemmForm::Forward;
    CostClass cost = CostClass::Elementwise;
    // Gemm: see GemmForm. Otherwise m rows of n elements, and k is:
    //   EmbeddingBackward, AddPositions: rows of the table; CrossEntropy: elements from one row to the next;
    //   Permute, Combine and their like: experts per token; MuonNormalize, MuonUpdate: the unit's element at which the
    //   first matrix begins.
    // Route: n experts. MuonNormalize, MuonUpdate: `batch` whole matrices of m x n; NewtonSchulz: of m x m.
    std::int64_t m = 0, n = 0, k = 0;
    // Attention and RoPE. With more keys than queries, attention has k keys. Gemm: batch is the number of GEMMs of this
    // shape over consecutive matrices; 0 means 1.
    std::int32_t batch = 0, seq = 0, heads = 0, kvHeads = 0, headDim = 0;
    std::int32_t window = 0; // attention: keys that a query attends to, its own included; 0: all up to its own
    bool denseMask = false;  // FlashAttention: a mask is read, and all pairs are computed
    std::int32_t past = 0;   // FlashAttention: keys in the KV cache before each sequence's first query
    float storedBits = 0;    // bits per element of Gemm's B, or of FlashAttention's KV cache; 0: as `type`
    std::int32_t rope = 0;   // RoPE: index of the model's RoPE table
    std::int32_t unit = 0;   // AdamW, Muon's ops, and SumSquares with replicated rows: index into StepPlan::units
    // Factor of attention scores (0: headDim^-1/2), of Scale's elements, of SumSquares' sum (0: 1) or of MuonUpdate's
    // learning rate. Average: decay of the moving average.
    float scale = 0;
    float softCap = 0;             // attention: soft cap of the scores; 0: none
    std::int32_t calls = 1;        // consecutive launches; m, n, k are those of one, FLOPs and bytes those of all
    bool synchronizesHost = false; // the host waits for its result before it launches more kernels
    bool residual = false;         // Gemm: a third operand is added
    // Gemm: the epilogue applies the MLP's activation and writes its input too, or reads this and multiplies by the
    // activation's gradient.
    bool activation = false;
    bool mixed = false; // Elementwise: operands of two types
    Flops flops = 0;
    Bytes bytesRead = 0, bytesWritten = 0; // of device memory, each operand once
    Bytes libraryBytes = 0;                // that a library allocates for it on a GPU, besides the plan's buffers
    Bytes messageBytes = 0;                // collectives: size of the whole buffer, of all ranks
    // Of a collective, or that the rows, keys or heads of the operand are sharded over.
    GroupId group = GroupId::None;
    bool transposed = false; // Quantize
    bool e5m2 = false;       // Quantize: to E5M2, for gradients; else to E4M3
    std::int32_t peer = 0;   // Send, Receive, FlashAttention: distance to the other rank in the group
    // Muon's ops: how the ranks of the group shard the matrices, and how many of these ranks have the same shard.
    WeightPlacement placement = WeightPlacement::Whole;
    std::int32_t sharers = 1;
    std::int32_t parts = 1;     // MuonUpdate: equal parts of the matrices, of which this rank updates one
    double overlapFraction = 0; // of a collective that is pipelined in chunks with the GEMM that reads its result
    bool operator==(const Kernel &) const = default;
};

// One operand: an instance of a buffer, seen from a slot.
struct Use {
    BufferId buffer{};
    std::int8_t layerShift = 0;     // perLayer buffers: the instance is that of layer slot.index + layerShift
    std::int16_t ranksPerShard = 1; // consecutive ranks with the same shard number, as they have different experts
    std::int64_t offset = 0;        // bytes from the start of the instance
    std::int64_t stride = 0;        // bytes added per slot.index: the rows of a loss chunk
    std::int64_t shardStride = 0;   // bytes added per shard before this rank's, in a buffer of all shards
    bool operator==(const Use &) const = default;
};

struct Op {
    std::string name; // "qkv", "mlp_down_dweight": unique in its block
    KernelId kernel{};
    Stream stream = Stream::Compute;
    Phase phase = Phase::Forward;
    bool accumulate = false; // adds to the operands marked += in OpKind, instead of overwriting them
    std::vector<Use> reads, writes;
    std::vector<Use> allocations; // instances that this op is the first to write; set by markAllocations()
    std::vector<Use> frees;       // instances that are freed after the op
    bool operator==(const Op &) const = default;
};

// A sequence of ops that slots instantiate: "layer forward", "layer backward", "loss chunk".
struct Block {
    std::string name;
    std::vector<Op> ops;
    bool layered = false; // the index of its slots is a layer
    bool operator==(const Block &) const = default;
};

// The pass of a micro-batch through a pipeline stage that a slot belongs to. Where a schedule splits the backward pass,
// Backward computes the gradients of activations and Weights those of weights.
enum class PipelinePass : std::uint8_t { None, Forward, Backward, Weights };

struct Slot {
    BlockId block{};
    PipelinePass pass = PipelinePass::None;
    std::uint16_t modelChunk = 0; // of an interleaved pipeline stage
    std::int32_t index = 0;       // layer, or chunk of the loss
    std::int32_t microBatch = 0;  // within one repetition of its segment
    bool operator==(const Slot &) const = default;
};

struct Segment {
    std::vector<Slot> slots;
    std::int32_t repeat = 1;
    std::int32_t microBatches = 1; // that begin in one repetition; 0 for the pipeline's cool-down and the optimizer
    bool operator==(const Segment &) const = default;
};

// Messages between stages that need a separate order have a separate group, whose axis begins with "pp ".
inline constexpr std::string_view kGradientAxis = "pp gradients", kWrapAxis = "pp wrap",
                                  kWrapGradientAxis = "pp wrap gradients";
constexpr bool hasOwnOrder(std::string_view axis) { return axis.starts_with("pp "); }

// The ranks base + i x stride, i < size. The stride determines which links the group crosses.
struct Group {
    // "dp", "replicas", "tp", "cp", "pp" or "ep", or one of these, whose ranks are in the groups above already:
    // "embedding": first and last stage; kGradientAxis, kWrapAxis, kWrapGradientAxis: the stages again, for gradients
    // and for messages between the last and the first stage; "kv": ranks with the same key-value heads; "edp", "edp
    // replicas": ranks with the same experts.
    std::string axis;
    int size = 1;
    int stride = 1;
    bool operator==(const Group &) const = default;
};

// A named weight in the flat parameter buffer of its unit. Gradients, master weights and optimizer states use the same
// offsets.
struct ParameterTensor {
    std::string name;                   // "qkv", in the unit
    BufferId parameter{};               // the unit's flat buffer, with one instance per layer
    std::int64_t offset = 0;            // elements
    std::int64_t rows = 0, columns = 0; // padding included; a vector has 1 column
    ParameterKind kind = ParameterKind::Matrix;
    WeightPlacement placement = WeightPlacement::Whole;
    std::int64_t replicatedRows = 0; // the last rows, which StepPlan::kvReplicas ranks have in common
    bool operator==(const ParameterTensor &) const = default;
};

enum class UnitSection : std::uint8_t { Embedding, Layer, Head };

// The flat buffers of weights that are reduced, sharded and updated together: the embedding, each layer, the head.
// Weights that tensor parallelism does not shard form a unit of their own, because each rank has only a partial sum of
// their gradients. With Muon, so do the weights of a layer that AdamW updates, because only they have a variance.
struct ParameterUnit {
    std::string name; // "embedding", "layer", "head"; "layer_whole", "layer_vectors"
    UnitSection section = UnitSection::Layer;
    bool whole = false;        // not sharded by tensor parallelism, while other weights are
    bool experts = false;      // expert-parallel ranks have different experts
    bool copy = false;         // a tied embedding on the last stage, which the first stage counts
    bool muon = false;         // Muon updates the unit, which has matrices only; else AdamW does
    std::int64_t elements = 0; // of one instance
    // Of this rank. The master is the parameter itself if weights are fp32. Optimizer states have `shardElements`
    // elements. Parameter and gradient have `shardElements` if they are sharded, else `padded` elements. Muon has no
    // variance: the momentum's buffer stands in its place, and nothing reads it there.
    BufferId parameter{}, gradient{}, master{}, momentum{}, variance{};
    bool perLayer = false;
    std::int64_t padded = 0;          // elements, padded to equal shards
    std::int64_t shardElements = 0;   // padded / shards
    std::optional<BufferId> average;  // moving average of the master weights
    std::optional<BufferId> gathered; // all-gathered parameters, if `parameter` is a shard
    std::optional<BufferId>
        fullGradient; // unsharded gradients of a micro-batch or a step, if `gradient` is not written directly
    std::optional<BufferId> bf16Gradient; // the gradient in bf16 while it is reduced
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
    Mesh mesh;
    int kvReplicas = 1;            // consecutive tensor-parallel ranks with the same key-value heads
    int stage = 0;                 // of the pipeline, from 0
    int layers = 0;                // of this rank's stage
    std::vector<int> layerNumbers; // of this rank's layers in the model; empty: all layers in order
    int microBatchesInFlight = 1;
    std::int64_t gradAccum = 1;
    Workload workload = Workload::Training;
    // Gather, Reduce and Communication are one lane: all collectives of a rank run in the order of the plan, since two
    // concurrent ones on a device may deadlock. Otherwise only those of a group do. A message in a ring is sent aside.
    bool oneCommunicationLane = false;
    // A gather starts after the kernels of the block that is this number of blocks before its own; 0: no limit.
    int gathersAhead = 0;
    bool cudaGraph = false; // the step is recorded and replayed as one CUDA graph (speed/graph_choice.h)
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

// The plans of a run: one per pipeline stage. All ranks of a stage have the same plan.
struct RunPlan {
    std::vector<StepPlan> stages;
    bool operator==(const RunPlan &) const = default;
};

} // namespace slipway
