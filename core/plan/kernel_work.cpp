// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/kernel_work.h"

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "plan/op_group.h"

namespace slipway {

namespace {

// The number of GEMMs over attention matrices: 2 forward, 5 in flash's backward (it computes the scores again), 4 in
// vanilla's.
double attentionGemms(OpKind kind)
{
    switch (kind) {
    case OpKind::FlashAttention:
    case OpKind::VanillaAttention:
        return 2;
    case OpKind::FlashAttentionBackward:
        return 5;
    case OpKind::VanillaAttentionBackward:
        return 4;
    default:
        return 0;
    }
}

// Pairs of a query and a visible key in one sequence. Query i, counted from 1, sees `past` keys and i keys of its own
// step.
double cachedPairs(const Kernel &k)
{
    const double seq = k.seq, past = k.past, window = k.window;
    const double within = k.window > 0 ? std::clamp(window - past, 0.0, seq) : seq; // queries that see all earlier keys
    return within * past + within * (within + 1) / 2 + (seq - within) * window;
}

// The keys of one sequence that at least one of its queries sees.
std::int64_t cachedKeys(const Kernel &k)
{
    const std::int64_t all = std::int64_t{k.past} + k.seq;
    return k.window > 0 ? std::min<std::int64_t>(all, std::int64_t{k.window} + k.seq - 1) : all;
}

// Pairs of a query and a visible key, as a fraction of all pairs.
double visibleFraction(const Kernel &k)
{
    if (k.denseMask)
        return 1;
    if (k.past > 0 || k.storedBits > 0)
        return cachedPairs(k) / (double(k.seq) * double(k.past + k.seq));
    const double seq = k.k > 0 ? double(k.k) : k.seq, window = k.window; // all pieces see the same fraction
    return k.window > 0 ? window * (seq - (window - 1) / 2) / (seq * seq) : 0.5;
}

Flops fullAttentionFlops(const Kernel &k)
{
    // Context parallelism: the queries of a rank use all keys, or those of one rank after another.
    const bool ofAllRanks = k.k > 0 && k.group == GroupId::None;
    const double keys = ofAllRanks ? double(k.k) : double(k.past) + k.seq;
    const double scores = double(k.batch) * k.heads * k.seq * keys;
    return attentionGemms(k.kind) * 2 * scores * k.headDim;
}

void setWork(Kernel &k, CostClass cost, Flops flops, Bytes read, Bytes written)
{
    k.cost = cost;
    k.flops = flops;
    k.bytesRead = read;
    k.bytesWritten = written;
}

// The bytes of this many elements in the stored form that the kernel reads.
Bytes storedBytes(const Kernel &k, std::int64_t elements)
{
    return k.storedBits > 0 ? static_cast<Bytes>(std::ceil(double(elements) * double(k.storedBits) / 8))
                            : elements * sizeOf(k.type);
}

void addGemmWork(Kernel &k, Bytes e)
{
    // Weight gradients are fp32, whatever the type of the operands. fp8 operands give bf16.
    const std::int64_t products = std::max<std::int64_t>(1, k.batch) * k.calls;
    const Bytes c =
        k.m * k.n * (k.form == GemmForm::WeightGradient && k.cost != CostClass::Attention ? 4 : std::max<Bytes>(e, 2));
    const CostClass cost = k.cost == CostClass::Elementwise ? CostClass::Gemm : k.cost; // the LM head's: loss
    const bool forward = k.form == GemmForm::Forward;
    const Bytes readToo = (k.residual ? c : 0) + (k.activation && !forward ? c : 0),
                writtenToo = k.activation && forward ? c : 0;
    setWork(k, cost, 2.0 * double(products) * double(k.m) * double(k.n) * double(k.k),
        products * (k.m * k.k * e + storedBytes(k, k.k * k.n)) + readToo, products * c + writtenToo);
}

void addAttentionWork(Kernel &k, Bytes e)
{
    const Bytes tokens = Bytes{k.batch} * k.seq;
    const Bytes q = tokens * k.heads * k.headDim * e;
    const Bytes qkv = tokens * (k.heads + 2 * k.kvHeads) * k.headDim * e;
    const Bytes statistics = tokens * k.heads * 4;
    const Bytes scores = tokens * k.heads * (k.k > 0 ? k.k : k.seq) * e;
    const Bytes mask = k.denseMask ? scores / k.heads : 0;
    switch (k.kind) {
    case OpKind::FlashAttention:
        if (k.past > 0 || k.storedBits > 0) // keys and values come from the cache
            return setWork(k, CostClass::Attention, visibleFraction(k) * fullAttentionFlops(k),
                q + storedBytes(k, std::int64_t{2} * k.batch * cachedKeys(k) * k.kvHeads * k.headDim), q);
        return setWork(k, CostClass::Attention, visibleFraction(k) * fullAttentionFlops(k), qkv + mask, q + statistics);
    case OpKind::FlashAttentionBackward:
        return setWork(
            k, CostClass::Attention, visibleFraction(k) * fullAttentionFlops(k), qkv + 2 * q + statistics + mask, qkv);
    // The scores are written, read by the softmax, written as probabilities, and read by the GEMM with v.
    case OpKind::VanillaAttention:
        return setWork(k, CostClass::Attention, fullAttentionFlops(k), qkv + 2 * scores, q + 2 * scores);
    default:
        return setWork(k, CostClass::Attention, fullAttentionFlops(k), qkv + q + 5 * scores, qkv + 2 * scores);
    }
}

// The work to route rows to experts and back, and to choose the experts. A token has k rows.
void addRoutingWork(Kernel &k, Bytes e)
{
    const Bytes rows = k.m * k.k, stream = k.m * k.n * e, choices = rows * 4, scores = k.m * k.n * 4;
    const auto moved = [&](double flopsPerElement, Bytes read, Bytes written) {
        setWork(k, CostClass::Elementwise, flopsPerElement * double(rows * k.n), read, written);
    };
    switch (k.kind) {
    case OpKind::Route:
        return moved(5, scores, scores + 4 * choices);
    case OpKind::RouteBackward:
        return moved(5, scores + 3 * choices, scores);
    case OpKind::Permute:
        return moved(0, stream + choices, rows * k.n * e);
    case OpKind::PermuteBackward:
        return moved(1, rows * k.n * e + choices, stream);
    case OpKind::Combine:
        return moved(2, rows * k.n * e + 2 * choices + stream, stream);
    default: // CombineBackward
        return moved(4, stream + rows * k.n * e + 2 * choices, rows * k.n * e + choices);
    }
}

// Reads fp32 gradient, momentum and master weights. The matrix for Newton-Schulz is read twice for its norm.
void addMuonWork(Kernel &k, Bytes e)
{
    const Bytes elements = ceilDiv(std::max<std::int64_t>(1, k.batch) * k.m * k.n, std::int64_t{k.parts});
    switch (k.kind) {
    case OpKind::MuonMomentum:
        return setWork(k, CostClass::Optimizer, 5.0 * double(elements), 8 * elements, (4 + e) * elements);
    case OpKind::MuonNormalize:
        return setWork(k, CostClass::Optimizer, 3.0 * double(elements), 2 * e * elements, 2 * e * elements);
    case OpKind::NewtonSchulz:
        return setWork(k, CostClass::Optimizer, 3.0 * double(elements), 2 * e * elements, e * elements);
    default: // MuonUpdate
        return setWork(k, CostClass::Optimizer, 4.0 * double(elements), (4 + e) * elements,
            (4 + (k.type == DType::Bf16 ? 2 : 0)) * elements);
    }
}

// Reads every expert's weights once, and the rows that are sent to the expert.
void addGroupedGemmWork(Kernel &k, Bytes e)
{
    const bool weights = k.form == GemmForm::WeightGradient;
    const Bytes experts = k.batch;
    const Bytes b = weights ? k.k * k.n * e : storedBytes(k, experts * k.n * k.k),
                c = weights ? experts * k.m * k.n * 4 : k.m * k.n * e;
    setWork(k, CostClass::Gemm, 2.0 * double(k.m) * double(k.n) * double(k.k), k.m * k.k * e + b, c);
}

// Sets the work of a kernel that memory bandwidth limits, with this many FLOPs for each of m x n elements.
void addElementwise(Kernel &k, double flopsPerElement, Bytes read, Bytes written)
{
    setWork(k, CostClass::Elementwise, flopsPerElement * double(k.m * k.n), read, written);
}

void addMessageWork(Kernel &k) { setWork(k, CostClass::Communication, 0, k.messageBytes, k.messageBytes); }

void addModelEndWork(Kernel &k, Bytes e)
{
    const Bytes rows = k.m, elements = k.m * k.n, bytes = elements * e;
    switch (k.kind) {
    case OpKind::LoadBatch:
        return setWork(k, CostClass::Elementwise, 0, 0, 2 * rows * 4);
    case OpKind::Embedding:
        return addElementwise(k, 0, rows * 4 + bytes, bytes);
    case OpKind::EmbeddingBackward:
        return addElementwise(k, 1, rows * 4 + bytes + elements * 4, elements * 4);
    case OpKind::AddPositions:
        return addElementwise(k, 1, bytes + k.n * e, bytes);
    case OpKind::AddPositionsBackward:
        return addElementwise(k, 1, bytes, Bytes{k.seq} * k.n * 4);
    case OpKind::LogitStatistics:
        return setWork(k, CostClass::Loss, 3.0 * double(elements), bytes + rows * 4, rows * 12);
    default: // CrossEntropy
        return setWork(k, CostClass::Loss, 5.0 * double(elements), 2 * bytes + rows * 4, bytes);
    }
}

void addNormWork(Kernel &k, Bytes e)
{
    const Bytes rows = k.m, bytes = k.m * k.n * e, weight = k.n * e;
    switch (k.kind) {
    case OpKind::RmsNorm:
        return addElementwise(k, 4, bytes + weight, bytes + rows * 4);
    case OpKind::AddRmsNorm:
        return addElementwise(k, 5, 2 * bytes + weight, 2 * bytes + rows * 4);
    case OpKind::RmsNormBackward:
        return addElementwise(k, 9, 3 * bytes + rows * 4 + weight, bytes + k.n * 4);
    case OpKind::LayerNorm:
        return addElementwise(k, 6, bytes + 2 * weight, bytes + 2 * rows * 4);
    default: // LayerNormBackward
        return addElementwise(k, 11, 3 * bytes + 2 * rows * 4 + weight, bytes + 2 * k.n * 4);
    }
}

// Attention, and what changes or copies its queries and keys.
void addAttentionGroupWork(Kernel &k, Bytes e)
{
    const Bytes bytes = k.m * k.n * e, headsPerToken = k.heads + k.kvHeads;
    switch (k.kind) {
    case OpKind::QkNorm:
    case OpKind::QkNormBackward: {
        const Bytes normed = k.m * headsPerToken * k.headDim;
        const bool forward = k.kind == OpKind::QkNorm;
        return setWork(k, CostClass::Elementwise, (forward ? 4.0 : 9.0) * double(normed),
            (forward ? 1 : 2) * normed * e, (forward ? 2 : 1) * normed * e);
    }
    case OpKind::QkNormSquares:
    case OpKind::QkNormDots: {
        const Bytes summed = k.m * headsPerToken * k.headDim;
        const bool forward = k.kind == OpKind::QkNormSquares;
        return setWork(k, CostClass::Elementwise, (forward ? 2.0 : 3.0) * double(summed),
            (forward ? 1 : 2) * summed * e, 2 * k.m * 4);
    }
    case OpKind::Rope:
    case OpKind::RopeBackward: {
        const Bytes rotated = Bytes{k.batch} * k.seq * headsPerToken * k.headDim;
        return setWork(k, CostClass::Elementwise, 3.0 * double(rotated), rotated * e, rotated * e);
    }
    case OpKind::PackKeys:
    case OpKind::UnpackKeys:
        return addElementwise(k, 0, bytes, bytes);
    default:
        return addAttentionWork(k, e);
    }
}

void addLinearWork(Kernel &k, Bytes e)
{
    const Bytes elements = k.m * k.n, bytes = elements * e;
    switch (k.kind) {
    case OpKind::Gemm:
        return addGemmWork(k, e);
    case OpKind::AddBias:
        return addElementwise(k, 1, bytes + k.n * e, bytes);
    case OpKind::BiasBackward:
        return addElementwise(k, 1, bytes, k.n * 4);
    default: // Quantize reads once for the maximum, once to write
        return addElementwise(k, 3, 2 * bytes, elements * sizeOf(DType::Fp8));
    }
}

void addElementwiseWork(Kernel &k, Bytes e)
{
    const Bytes elements = k.m * k.n, bytes = elements * e;
    switch (k.kind) {
    case OpKind::Scale:
        return addElementwise(k, 1, bytes, bytes);
    case OpKind::SwiGlu:
        return addElementwise(k, 5, 2 * bytes, bytes);
    case OpKind::SwiGluBackward:
        return addElementwise(k, 10, 3 * bytes, 2 * bytes);
    case OpKind::GatedActivation:
        return addElementwise(k, 10, 2 * bytes, bytes);
    case OpKind::GatedActivationBackward:
        return addElementwise(k, 20, 3 * bytes, 2 * bytes);
    case OpKind::Activation:
        return addElementwise(k, 10, bytes, bytes);
    case OpKind::ActivationBackward:
        return addElementwise(k, 20, 2 * bytes, bytes);
    case OpKind::Add:
        return addElementwise(k, 1, 2 * bytes, bytes);
    case OpKind::Zero:
        return addElementwise(k, 0, 0, bytes);
    default: // Cast, between fp32 and bf16
        return addElementwise(k, 0, bytes, elements * (k.type == DType::Fp32 ? 2 : 4));
    }
}

void addExpertWork(Kernel &k, Bytes e)
{
    const Bytes rows = k.m, bytes = k.m * k.n * e;
    switch (k.kind) {
    case OpKind::CountExperts:
        return setWork(k, CostClass::Elementwise, double(rows * k.k), rows * k.k * 4, k.n * 12);
    case OpKind::ReceivedRows:
        return setWork(k, CostClass::Elementwise, 0, bytes, k.n * 4);
    case OpKind::AllToAll:
        return addMessageWork(k);
    case OpKind::GroupedGemm:
        return addGroupedGemmWork(k, e);
    case OpKind::GateRows:
        return addElementwise(k, 2, 2 * bytes + rows * e, bytes);
    case OpKind::GateRowsBackward:
        return addElementwise(k, 4, 2 * bytes + rows * e, bytes + rows * e);
    default:
        return addRoutingWork(k, e);
    }
}

void addOptimizerWork(Kernel &k, Bytes e)
{
    const Bytes elements = k.m * k.n, bytes = elements * e;
    switch (k.kind) {
    case OpKind::SumSquares:
        return setWork(k, CostClass::Optimizer, 2.0 * double(elements), bytes, 4);
    // Reads fp32 gradient, master weights and two moments. Writes all of them except the gradient, and the bf16 copy if
    // there is one.
    case OpKind::AdamW:
        return setWork(k, CostClass::Optimizer, 12.0 * double(elements), 16 * elements,
            12 * elements + (k.type == DType::Bf16 ? 2 * elements : 0));
    case OpKind::Average:
        return setWork(k, CostClass::Optimizer, 3.0 * double(elements), 8 * elements, 4 * elements);
    case OpKind::Exchange:
        return addElementwise(k, 0, 2 * bytes, 2 * bytes);
    default:
        return addMuonWork(k, e);
    }
}

void addSimulatedWork(Kernel &k)
{
    if (k.kind == OpKind::HostCopy)
        k.messageBytes = k.m * k.n; // over the bus, without work of the GPU
    else if (k.kind == OpKind::SendReceive)
        addMessageWork(k);
    // Elementwise has its bytes already, and View does no work.
}

} // namespace

void addWork(Kernel &k)
{
    const Bytes e = sizeOf(k.type);
    switch (opGroup(k.kind)) {
    case OpGroup::ModelEnd:
        return addModelEndWork(k, e);
    case OpGroup::Norm:
        return addNormWork(k, e);
    case OpGroup::Attention:
        return addAttentionGroupWork(k, e);
    case OpGroup::Linear:
        return addLinearWork(k, e);
    case OpGroup::Elementwise:
        return addElementwiseWork(k, e);
    case OpGroup::Expert:
        return addExpertWork(k, e);
    case OpGroup::Optimizer:
        return addOptimizerWork(k, e);
    case OpGroup::Collective:
        return addMessageWork(k);
    case OpGroup::Simulated:
        return addSimulatedWork(k);
    }
}

Flops modelFlops(const Kernel &kernel)
{
    return attentionGemms(kernel.kind) > 0                                     ? fullAttentionFlops(kernel)
           : kernel.cost == CostClass::Optimizer                               ? 0 // Muon's
           : kernel.kind == OpKind::Gemm || kernel.kind == OpKind::GroupedGemm ? kernel.flops
                                                                               : 0;
}

} // namespace slipway
