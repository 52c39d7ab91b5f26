// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Writes the ops of an inference step, and the block of a layer.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plan/inference/inference_step.h"
#include "plan/inference/sizes.h"
#include "plan/plan_builder.h"

namespace slipway::inference {

// y = x W^T. `bits`: stored size of an element of W.
struct StepGemm {
    std::int64_t rows = 0, out = 0, in = 0;
    double bits = 16;
    bool fp8 = false;
    std::int64_t experts = 0; // number of experts whose weights are read; 0: a dense layer
};

struct RowsOf {
    std::int64_t rows = 0;
    int calls = 1; // launches that share the work
};

class StepWriter {
public:
    StepWriter(PlanBuilder &builder, const ModelSpec &decoder, const InferenceLayout &how, const InferenceStep &what)
        : b(builder),
          model(decoder),
          layout(how),
          step(what),
          s(sizesOf(decoder, how.tp))
    {
    }

    PlanBuilder &b;
    const ModelSpec &model;
    const InferenceLayout &layout;
    const InferenceStep &step;
    const Sizes s;

    // Weights and KV caches, which outlive the step.
    BufferId embedding{}, layerWeights{}, head{};
    std::vector<BufferId> caches; // by kind of layer
    std::optional<BufferId> blockTable;
    // Buffers of the step: activations, and the buffers of the embedding and the LM head.
    BufferId tokens{}, x{}, normed{}, logits{}, gatheredLogits{}, probabilities{};
    BufferId qkv{}, attended{}, branch{}, inner{}, product{}, scores{}, copied{};
    BufferId routing{}, expertRows{}, expertInner{}, expertProduct{}, expertOut{}, shared{};

    [[nodiscard]] std::int64_t rows() const { return step.rows(); }
    BufferId buffer(std::string_view name, Bytes bytes, DType type, Role role);
    BufferId temporary(std::string_view name, std::int64_t width) // [rows, width]
    {
        return buffer(name, rows() * width * sizeOf(layout.type), layout.type, Role::Activation);
    }

    // A kernel over rows of `width` elements. If `of` has 0 rows, it covers all rows of the step.
    KernelId rowKernel(OpKind kind, std::int64_t width, const RowsOf &of = {});
    KernelId scaleKernel(double scale);
    KernelId gemm(const StepGemm &gemm);
    KernelId collective(OpKind kind, std::int64_t elements); // among the ranks

    void add(std::string name, KernelId kernel, std::vector<Use> reads, std::vector<Use> writes);
    void norm(const std::string &name, Use from, Use to);
    // Returns the ops that were added so far. They free the buffers that have no later use.
    Block take(std::string name);

private:
    std::vector<Op> m_ops;
    std::vector<BufferId> m_temporary; // freed after their last use in the block
};

// Declares the buffers of a layer's activations. All layers share them.
void declareLayer(StepWriter &writer);
// The block of a layer of the model's `kind`-th kind. It reads and writes x.
Block layerBlock(StepWriter &writer, std::size_t kind);

} // namespace slipway::inference
