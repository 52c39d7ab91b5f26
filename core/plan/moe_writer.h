// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What moe_layer.cpp and moe_loop.cpp share: the kernels of experts on a tape.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plan/moe_layer.h"

namespace slipway {

class ExpertWriter {
public:
    ExpertWriter(Tape &tape, PlanBuilder &builder, const ModelSpec &model, const FrameworkRecipe &recipe,
        const SimulatedSizes &sizes, const LayerParts &parts)
        : m_tape(tape),
          m_b(builder),
          m_model(model),
          m_r(recipe),
          m_s(sizes),
          m_e(parts.experts),
          m_router(parts.weights),
          m_w(parts.expertWeights),
          m_castsWeights(recipe.castWeights),
          m_type(recipe.compute),
          m_gemmInput(recipe.gemmInput)
    {
        // torch._grouped_mm is not among the ops that autocast casts: all that Transformers' experts do is fp32 then.
        if (m_e.eagerModules && m_e.grouped && m_castsWeights) {
            m_type = m_gemmInput = DType::Fp32;
            m_castsWeights = false;
        }
    }

    Value dispatched(Value normed); // rows go to the ranks that hold their experts, and back
    Value looped(Value normed);     // each expert takes its rows out of the stream and adds to it

private:
    // So many rows for each of so many experts; one after another, or one kernel for all.
    struct Rows {
        std::int64_t each = 0, experts = 0;
        bool grouped = true;
        [[nodiscard]] std::int64_t all() const { return each * experts; }
    };

    Value router(Value normed, int launches, bool hostWaits);

    // One GEMM over the rows of each expert. `name` is unique in the layer.
    Value gemm(Value x, const std::string &name, std::int64_t out, std::int64_t in, const Rows &rows);
    // Up to the input of the last GEMM; `routing`: its weights go into the activation's kernel.
    Value activated(Value x, const std::string &prefix, const Rows &rows, std::optional<Value> routing);
    Value weighted(Value rows, Value routing, const std::string &name, std::int64_t count, DType type);

    // A kernel that moves rows of the model's width: so many read and written, and on the way back.
    Value moved(
        Value x, const std::string &name, std::int64_t to, DType type, std::int64_t backRead, std::int64_t backWritten);
    Value exchanged(Value x, const std::string &name, OpKind kind, OpKind back, std::int64_t to, DType type,
        Bytes message, GroupId group);
    Value cast(Value x, const std::string &name, std::int64_t rows, DType from, DType to);
    Value castWeight(const std::string &name, std::int64_t elements);

    Value tensor(const std::string &name, std::int64_t elements, DType type)
    {
        return m_tape.tensor(name, elements * sizeOf(type), Role::Activation, type);
    }
    KernelId bytesKernel(double read, double written, std::int32_t calls = 1, bool hostWaits = false)
    {
        return m_b.kernel({.kind = OpKind::Elementwise,
            .type = m_r.compute,
            .calls = calls,
            .hostWaits = hostWaits,
            .bytesRead = static_cast<Bytes>(read),
            .bytesWritten = static_cast<Bytes>(written)});
    }
    [[nodiscard]] bool fusedEngine() const { return m_r.fusedGateUp; }

    Tape &m_tape;
    PlanBuilder &m_b;
    const ModelSpec &m_model;
    const FrameworkRecipe &m_r;
    const SimulatedSizes &m_s;
    const ExpertSizes &m_e;
    const SimulatedWeights &m_router, &m_w;
    bool m_castsWeights;
    DType m_type, m_gemmInput; // of the experts' tensors, and of their GEMMs' operands
};

} // namespace slipway
