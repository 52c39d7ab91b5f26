// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The weights of a model, by the names that Transformers gives them in LlamaForCausalLM; what LLaMA lacks is named as
// in Qwen, Gemma and OLMo. Checkpoints use these names for every family; hf_weights.h translates them for files of
// others.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/model_spec.h"
#include "model/parameter_kind.h"

namespace slipway {

// How a weight begins: normal of deviation 0.02; the same divided by sqrt(2 layers) for projections onto the residual
// stream (Radford et al. 2019); constants for norms and biases.
enum class WeightInit : std::uint8_t { Normal, NormalOntoResidual, Ones, Zeros };

struct ModelWeight {
    std::string name;                // "model.norm.weight"; of a layer without its prefix: "self_attn.q_proj.weight"
    std::vector<std::int64_t> shape; // [out, in]; vectors [out]
    WeightInit init = WeightInit::Normal;

    [[nodiscard]] std::int64_t rows() const { return shape[0]; }
    [[nodiscard]] std::int64_t columns() const { return shape.size() > 1 ? shape[1] : 1; }
    bool operator==(const ModelWeight &) const = default;
};

// Weights whose rows our trainer keeps below each other in one tensor, so that one GEMM reads them all.
struct WeightTensor {
    std::string name; // "qkv"
    std::vector<ModelWeight> parts;
    ParameterKind kind = ParameterKind::Matrix;

    [[nodiscard]] std::int64_t rows() const;
    [[nodiscard]] std::int64_t columns() const { return parts.front().columns(); }
    bool operator==(const WeightTensor &) const = default;
};

// Matrices come first.
std::vector<WeightTensor> embeddingTensors(const ModelSpec &model); // "embedding", "positions"
std::vector<WeightTensor> layerTensors(const ModelSpec &model);     // the same in every layer
std::vector<WeightTensor> headTensors(const ModelSpec &model);      // "head" where it is not tied, "final_norm"

// "model.layers.3."
std::string layerPrefix(int layer);

// Every weight once, with its whole name: embedding, layers, head. Their elements are parameterCount().
std::vector<ModelWeight> modelWeights(const ModelSpec &model);

} // namespace slipway
