// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The layers of a decoder with LibTorch, on any device, in fp32 or bf16. Statistics, scores and sums are fp32.
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

// All weights of a model by our names, on the device and in the type of `as`.
class TorchWeights {
public:
    TorchWeights(const std::vector<HfWeight> &weights, const at::TensorOptions &as);
    [[nodiscard]] at::Tensor at(const std::string &name) const;   // throws std::logic_error if the model lacks it
    [[nodiscard]] at::Tensor find(const std::string &name) const; // undefined if the model lacks it
    // Concatenated by rows. A missing bias is zeros; undefined if all are missing.
    [[nodiscard]] at::Tensor stacked(const std::vector<std::string> &names) const;

private:
    std::map<std::string, at::Tensor, std::less<>> m_tensors;
};

struct TorchLinear {
    at::Tensor weight, bias; // undefined: no bias
    static TorchLinear of(const TorchWeights &weights, const std::vector<std::string> &names);
    [[nodiscard]] at::Tensor apply(const at::Tensor &x) const;
};

struct TorchNorm {
    NormModule kind;
    at::Tensor weight, bias;                                   // undefined weight: ones; undefined bias: zeros
    [[nodiscard]] at::Tensor apply(const at::Tensor &x) const; // over the last dimension
};

// What the attention of a step reads in addition to its weights. Rows are tokens.
struct TorchRows {
    at::Tensor positions;                 // [rows], int64
    at::Tensor slots;                     // [rows], int64: slot of a row's key, block number x block size + offset
    at::Tensor tables, sequences, places; // int32, see fused_ops::PagedAttention
};

// Cosines and sines [positions, half] of the model's RoPE tables, and ALiBi's slopes, undefined without ALiBi.
struct TorchTables {
    std::vector<std::pair<at::Tensor, at::Tensor>> ropes;
    at::Tensor slopes;
};

class TorchAttention {
public:
    TorchAttention(const ModelSpec &model, const TorchWeights &weights, int layer);
    // keys and values: [blocks, block, kvHeads, headDim] of this layer.
    [[nodiscard]] at::Tensor apply(const at::Tensor &x, const TorchRows &rows, const TorchTables &tables,
        at::Tensor keys, at::Tensor values, const fused_ops::Table &kernels) const;

private:
    void norm(at::Tensor &q, at::Tensor &k) const;
    void rotate(at::Tensor &heads, const TorchRows &rows, const TorchTables &tables) const;

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
    [[nodiscard]] at::Tensor apply(const at::Tensor &x) const;

private:
    [[nodiscard]] at::Tensor dense(const TorchLinear &up, const TorchLinear &down, const at::Tensor &x) const;
    [[nodiscard]] at::Tensor routed(const at::Tensor &x) const;

    MlpModule m_module;
    ExpertsModule m_experts;
    std::vector<TorchLinear> m_up, m_down; // one, or one per expert
    TorchLinear m_router, m_sharedUp, m_sharedDown, m_sharedGate;
};

} // namespace slipway
