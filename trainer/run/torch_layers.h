// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The layers of a decoder with LibTorch, on any device, in fp32 or bf16. Statistics, scores and sums are fp32. A decode
// step has so little arithmetic that it is launch-bound on a GPU. So a layer consists of few operations, uses our fused
// kernels where they support the module, and does not wait for the device, except for the experts of tokens.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <ATen/core/Tensor.h>

#include "fused_ops/fused_ops.h"
#include "model/model_spec.h"
#include "state/hf_weights.h"

namespace slipway {

// All weights of a model by our names, on the device and in the type that `as` specifies.
class TorchWeights {
public:
    TorchWeights(const std::vector<HfWeight> &weights, const at::TensorOptions &as);
    [[nodiscard]] at::Tensor at(const std::string &name) const;   // throws std::logic_error if the model lacks it
    [[nodiscard]] at::Tensor find(const std::string &name) const; // undefined if the model lacks it
    // The weights concatenated by rows. A missing bias counts as zeros; undefined if all are missing.
    [[nodiscard]] at::Tensor stacked(const std::vector<std::string> &names) const;

private:
    std::map<std::string, at::Tensor, std::less<>> m_tensors;
};

class TorchLinear {
public:
    TorchLinear() = default;
    TorchLinear(const at::Tensor &weight, const at::Tensor &bias); // undefined bias: none
    static TorchLinear of(const TorchWeights &weights, const std::vector<std::string> &names);
    [[nodiscard]] bool defined() const { return m_transposed.defined(); }
    [[nodiscard]] at::Tensor apply(const at::Tensor &x) const; // x [rows, inputs]

private:
    at::Tensor m_transposed, m_bias; // a view of the weight, [inputs, outputs]
};

class TorchNorm {
public:
    TorchNorm() = default;
    // An undefined weight means ones, an undefined bias zeros.
    TorchNorm(const NormModule &kind, const at::Tensor &weight, const at::Tensor &bias);
    // Normalizes over the last dimension.
    [[nodiscard]] at::Tensor apply(const at::Tensor &x, const fused_ops::Table &kernels) const;

private:
    NormModule m_kind;
    at::Tensor m_weight, m_bias;
    at::Tensor m_factor; // factor of the normalized values, in fp32
};

// Consecutive rows of a step. Those that begin a sequence attend to each other alone, so they need no cache.
struct TorchSegment {
    std::int64_t first = 0, count = 0;
    bool beginsSequence = false;
};

// What the attention of a step reads in addition to its weights. Rows are tokens.
struct TorchRows {
    std::vector<TorchSegment> segments;      // cover all rows, in order
    at::Tensor slots;                        // [rows], int64: slot of a row's key, block number x block size + offset
    at::Tensor tables, sequences, positions; // int32, see fused_ops::PagedAttention
    // Cosines and sines [rows, half] of the tables that rotate only a part of a head. Undefined for other tables, which
    // the fused kernel reads itself.
    std::vector<std::pair<at::Tensor, at::Tensor>> angles;
};

// Cosines and sines [positions, half] of the model's RoPE tables, and ALiBi's slopes, undefined without ALiBi.
struct TorchTables {
    std::vector<std::pair<at::Tensor, at::Tensor>> ropes;
    at::Tensor slopes;
    [[nodiscard]] bool rotatesWholeHeads(std::size_t rope, std::int64_t headDim) const
    {
        return 2 * ropes[rope].first.size(1) == headDim;
    }
};

class TorchAttention {
public:
    TorchAttention(const ModelSpec &model, const TorchWeights &weights, int layer);
    // cache: keys and values of this layer, [2, blocks, block, kvHeads, headDim].
    [[nodiscard]] at::Tensor apply(const at::Tensor &x, const TorchRows &rows, const TorchTables &tables,
        const at::Tensor &cache, const fused_ops::Table &kernels) const;

private:
    // In place, for qkv [rows, heads + 2 kvHeads, headDim].
    void norm(const at::Tensor &qkv, const fused_ops::Table &kernels) const;
    void rotate(
        const at::Tensor &qkv, const TorchRows &rows, const TorchTables &tables, const fused_ops::Table &kernels) const;

    // Of some rows, into out [rows, heads x headDim]: among themselves, or over the cache of their sequences.
    void attendWithin(
        const TorchSegment &segment, const at::Tensor &qkv, const TorchTables &tables, const at::Tensor &out) const;
    void attendToCache(const TorchSegment &segment, const at::Tensor &qkv, const TorchRows &rows,
        const TorchTables &tables, const at::Tensor &cache, const at::Tensor &out,
        const fused_ops::Table &kernels) const;

    AttentionModule m_module;
    LayerKind m_kind;
    float m_scale;
    TorchLinear m_qkv, m_o;
    std::optional<TorchNorm> m_qNorm, m_kNorm;
};

// An MLP, or the experts in its place.
class TorchMlp {
public:
    TorchMlp(const ModelSpec &model, const TorchWeights &weights, const std::string &name);
    [[nodiscard]] at::Tensor apply(const at::Tensor &x, const fused_ops::Table &kernels) const;

private:
    [[nodiscard]] at::Tensor dense(
        const TorchLinear &up, const TorchLinear &down, const at::Tensor &x, const fused_ops::Table &kernels) const;
    [[nodiscard]] at::Tensor routed(const at::Tensor &x, const fused_ops::Table &kernels) const;

    MlpModule m_module;
    ExpertsModule m_experts;
    std::vector<TorchLinear> m_up, m_down; // one, or one per expert
    TorchLinear m_router, m_sharedUp, m_sharedDown, m_sharedGate;
};

struct TorchLayer {
    TorchAttention attention;
    TorchMlp mlp;
    std::optional<TorchNorm> attentionNorm, attentionPostNorm, mlpNorm, mlpPostNorm;
};

} // namespace slipway
