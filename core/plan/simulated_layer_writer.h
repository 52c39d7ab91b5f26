// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/model_spec.h"
#include "plan/framework_recipe.h"
#include "plan/plan_builder.h"
#include "plan/simulated_layer.h"
#include "plan/tape.h"

namespace slipway {

// Properties of a bandwidth-bound kernel.
struct BytesKernelOptions {
    CostClass cost = CostClass::Elementwise;
    std::int32_t calls = 1;
    bool synchronizesHost = false;
    bool mixed = false;
};

// Records a part of a simulated layer. It has the tape, the recipe and the sizes, and the kernels that all parts have
// in common. Widths are elements per token. Bandwidth-bound kernels are described by the bytes that they read and
// write. All arguments of the constructor must outlive the object.
class LayerWriter {
public:
    LayerWriter(Tape &tape, PlanBuilder &builder, const ModelSpec &model, const FrameworkRecipe &recipe,
        const SimulatedSizes &sizes, const SimulatedWeights &weights)
        : m_tape(tape),
          m_b(builder),
          m_model(model),
          m_r(recipe),
          m_s(sizes),
          m_w(weights)
    {
    }

protected:
    struct ElementwiseOptions {
        std::vector<Value> saves = {};
        double readScale = 1;
    };

    // Width of the residual stream. With sequence parallelism, a rank keeps a shard.
    [[nodiscard]] std::int64_t streamWidth() const
    {
        return m_r.sequenceParallel ? ceilDiv(m_s.hidden, m_s.tp) : m_s.hidden;
    }

    // Bytes of a tensor [tokens, width]; without a type, in the type in which GEMMs compute.
    [[nodiscard]] double bytesOf(std::int64_t width, DType type) const
    {
        return double(m_s.tokens * width * sizeOf(type));
    }
    [[nodiscard]] double bytesOf(std::int64_t width) const { return bytesOf(width, m_r.compute); }

    Value tensor(const std::string &name, std::int64_t width, DType type)
    {
        return elementsTensor(name, m_s.tokens * width, type);
    }
    // A tensor whose rows need not be the tokens.
    Value elementsTensor(const std::string &name, std::int64_t elements, DType type)
    {
        return m_tape.tensor(name, elements * sizeOf(type), Role::Activation, type);
    }
    Value bytesTensor(const std::string &name, Bytes bytes)
    {
        return m_tape.tensor(name, bytes, Role::Activation, DType::Fp32);
    }

    KernelId bytesKernel(double read, double written, DType type, const BytesKernelOptions &options = {})
    {
        return m_b.kernel({.kind = OpKind::Elementwise,
            .type = type,
            .cost = options.cost,
            .calls = options.calls,
            .synchronizesHost = options.synchronizesHost,
            .mixed = options.mixed,
            .bytesRead = static_cast<Bytes>(read),
            .bytesWritten = static_cast<Bytes>(written)});
    }
    KernelId bytesKernel(double read, double written, const BytesKernelOptions &options = {})
    {
        return bytesKernel(read, written, m_r.compute, options);
    }
    KernelId mixedKernel(double read, double written, DType type)
    {
        return bytesKernel(read, written, type, {.mixed = true});
    }
    // An elementwise kernel over [tokens, width]; `reads` and `writes` count tensors.
    KernelId widthKernel(
        std::int64_t width, DType type, double reads, double writes, const BytesKernelOptions &options = {})
    {
        return bytesKernel(reads * bytesOf(width, type), writes * bytesOf(width, type), type, options);
    }
    // A GEMM with a weight, in fp8 if the recipe says so. `activation`: in its epilogue.
    KernelId gemmKernel(GemmForm form, std::int64_t m, std::int64_t n, std::int64_t k, bool activation = false)
    {
        return m_b.kernel({.kind = OpKind::Gemm,
            .type = m_r.gemmInput,
            .form = form,
            .cost = CostClass::Gemm,
            .m = m,
            .n = n,
            .k = k,
            .activation = activation});
    }
    // Runs nothing. Used for the gradient of an input that another kernel computes.
    KernelId viewKernel(DType type) { return m_b.kernel({.kind = OpKind::View, .type = type}); }

    Value cast(Value x, const std::string &name, std::int64_t width, DType from, DType to,
        RecomputeOp group = RecomputeOp::Activation);
    // Autocast's copy of a weight in the type in which GEMMs compute. Autocast's cache and the backward pass keep it.
    Value castWeight(
        const std::string &name, const Use &weight, std::int64_t elements, const BytesKernelOptions &options);

    // One kernel over [tokens, width] in `type`, and one kernel per input in the backward pass.
    Value elementwise(const std::vector<Value> &inputs, const std::string &name, std::int64_t width, DType type,
        const ElementwiseOptions &options);

    Tape &m_tape;
    PlanBuilder &m_b;
    const ModelSpec &m_model;
    const FrameworkRecipe &m_r;
    const SimulatedSizes &m_s;
    const SimulatedWeights &m_w;
};

} // namespace slipway
