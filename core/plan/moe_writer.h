// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Records the kernels of experts on a tape, for moe_layer.cpp and moe_loop.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plan/moe_layer.h"
#include "plan/simulated_layer_writer.h"

namespace slipway {

class ExpertWriter : private LayerWriter {
public:
    // `writer`: of the layer. Its weights include those of the router.
    ExpertWriter(const LayerWriter &writer, const LayerParts &parts)
        : LayerWriter(writer),
          m_e(parts.experts),
          m_expertWeights(parts.expertWeights),
          m_castsWeights(m_r.castWeights),
          m_type(m_r.compute),
          m_gemmInput(m_r.gemmInput)
    {
        // Autocast does not cast the inputs of torch._grouped_mm, so Transformers' experts compute in fp32.
        if (m_e.eagerModules && m_e.grouped && m_castsWeights) {
            m_type = m_gemmInput = DType::Fp32;
            m_castsWeights = false;
        }
    }

    Value dispatchedExperts(Value normed); // rows are sent to the ranks of their experts, and back
    Value expertLoop(Value normed);        // one expert after another gathers its rows and adds its result

private:
    // `each` rows per expert, in one grouped kernel or in one kernel per expert.
    struct Rows {
        std::int64_t each = 0, experts = 0;
        bool grouped = true;
        [[nodiscard]] std::int64_t all() const { return each * experts; }
    };

    Value router(Value normed, int launches, bool synchronizesHost);

    // One GEMM over the rows of each expert. `name` is unique in the layer.
    Value gemm(Value x, const std::string &name, std::int64_t out, std::int64_t in, const Rows &rows);
    Value withBias(Value x, const std::string &name, std::int64_t out, const Rows &rows);
    // Returns the input of the last GEMM. `routing`: the activation's kernel multiplies by its weights.
    Value activated(Value x, const std::string &prefix, const Rows &rows, std::optional<Value> routing);
    Value weighted(Value rows, Value routing, const std::string &name, std::int64_t count, DType type);

    // A kernel that moves rows of the model's width. `backRead`, `backWritten`: rows in the backward pass.
    Value moved(
        Value x, const std::string &name, std::int64_t to, DType type, std::int64_t backRead, std::int64_t backWritten);
    Value exchanged(Value x, const std::string &name, OpKind kind, OpKind back, std::int64_t to, DType type,
        Bytes message, GroupId group);
    Value castRows(Value x, const std::string &name, std::int64_t rows, DType from, DType to);

    // One iteration of the loop over experts. It may stand for several experts, each with kernels of its own.
    struct Iteration {
        std::string prefix; // of the names of the tensors and kernels
        Rows rows;
        [[nodiscard]] std::int32_t calls() const { return static_cast<std::int32_t>(rows.experts); }
    };
    Value tokenPositions(
        const Iteration &iteration, Value routing); // the positions of the tokens that chose its experts
    Value gatherRows(const Iteration &iteration, Value normed, Value positions);
    Value expertMlp(const Iteration &iteration, Value taken);
    Value expertActivation(const Iteration &iteration, const std::string &kind, const std::vector<Value> &inputs);
    Value scatterAdd(const Iteration &iteration, Value out, Value result, Value positions);

    [[nodiscard]] bool fusedEngine() const { return m_r.fusedGateUp; }

    const ExpertSizes &m_e;
    const SimulatedWeights &m_expertWeights;
    bool m_castsWeights;
    DType m_type, m_gemmInput; // of the experts' tensors, and of their GEMMs' operands
};

} // namespace slipway
