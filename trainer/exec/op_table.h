// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The one table from a kind of op to the function that runs it.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "comm/communicator.h"
#include "exec/documents_apart.h"
#include "exec/executor.h"
#include "exec/update_parts.h"
#include "cpu_ops/rope.h"
#include "model/model_spec.h"
#include "plan/step_plan.h"

namespace slipway {

// What ops need besides their operands.
struct StepContext {
    std::span<Communicator *const> groups; // as the plan counts them
    int shard = 0;                         // this rank's part of what is spread over ranks
    const ModelSpec &model;
    std::span<const cpu_ops::RopeTable> ropeTables; // as the model counts its rotations
    std::span<const float> alibiSlopes;             // of the heads; empty: none
    float normEps = 0;
    float zLoss = 0;                                               // weight of the squares of log sum exp
    float lossScale = 0;                                           // 1 / tokens of the step on all ranks
    cpu_ops::SequencePart part;                                    // of each sequence, what this rank has
    std::span<const std::int32_t> tokens, targets, documentStarts; // of the micro-batch at hand, of whole sequences
    OptimizerStep optimizer;
    std::span<const UnitRuns> unitRuns = {}; // of the plan's units
    std::span<const int> shardsPerPart = {}; // of the plan's units: ranks next to each other that have other experts
    float microBatchShare = 1;               // 1 / micro-batches of the step on all ranks
    DocumentTable documents = {};            // of the micro-batch at hand, where the plan keeps them apart
};

// One op with its operands found. Pointers lie in the arena.
struct OpCall {
    static constexpr std::size_t kMaxOperands = 6;

    const Kernel &kernel;
    bool accumulate = false;
    std::size_t readCount = 0;
    std::array<std::byte *, kMaxOperands> reads{}, writes{};

    template<typename T = float>
    [[nodiscard]] const T *read(std::size_t i) const
    {
        return reinterpret_cast<const T *>(reads[i]);
    }
    template<typename T = float>
    [[nodiscard]] T *write(std::size_t i) const
    {
        return reinterpret_cast<T *>(writes[i]);
    }
};

using OpFunction = void (*)(const OpCall &, const StepContext &);

inline Communicator &groupOf(const OpCall &call, const StepContext &context)
{
    return *context.groups[static_cast<std::size_t>(call.kernel.group)];
}

// This rank's part of the kernel's unit.
inline int shardOfUnit(const OpCall &call, const StepContext &context)
{
    const auto unit = static_cast<std::size_t>(call.kernel.unit);
    return context.shardsPerPart.empty() ? context.shard : context.shard / context.shardsPerPart[unit];
}

// Null where this build cannot execute the kind.
OpFunction opFunction(OpKind kind);
// Those of a mixture of experts (expert_ops.cpp); null for others.
OpFunction expertOpFunction(OpKind kind);

} // namespace slipway
