// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Maps each kind of op to the function that runs it on the CPU.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "comm/communicator.h"
#include "exec/document_tables.h"
#include "exec/executor.h"
#include "exec/update_ranges.h"
#include "cpu_ops/rope.h"
#include "model/model_spec.h"
#include "plan/step_plan.h"

namespace slipway {

// What ops need in addition to their operands.
struct StepContext {
    std::span<Communicator *const> groups; // in the order of StepPlan::groups
    int shard = 0;                         // number of this rank's shard
    const ModelSpec &model;
    std::span<const cpu_ops::RopeTable> ropeTables; // indexed by Kernel::rope
    std::span<const float> alibiSlopes;             // per head; empty: no ALiBi
    float normEps = 0;
    float zLoss = 0;                                               // weight of the z-loss
    float lossScale = 0;                                           // 1 / (tokens of the step on all ranks)
    cpu_ops::SequenceShard sequenceShard;                          // the part of each sequence that this rank has
    std::span<const std::int32_t> tokens, targets, documentStarts; // of the current micro-batch, for full sequences
    OptimizerStep optimizer;
    std::span<const UnitRuns> unitRuns = {}; // per unit of the plan
    std::span<const int> ranksPerShard = {}; // per unit of the plan: number of consecutive ranks with different experts
    std::span<const ParameterUnit> units = {};
    float microBatchShare = 1;    // 1 / (micro-batches of the step x ranks that route the same tokens)
    DocumentTable documents = {}; // of the current micro-batch, if the plan separates documents
};

// One op with the addresses of its operands in the arena.
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

// This rank's shard number in the kernel's unit.
inline int shardOfUnit(const OpCall &call, const StepContext &context)
{
    const auto unit = static_cast<std::size_t>(call.kernel.unit);
    return context.ranksPerShard.empty() ? context.shard : context.shard / context.ranksPerShard[unit];
}

// Null for kinds that the CPU does not execute: casts and fp8, and ops of simulated frameworks.
OpFunction opFunction(OpKind kind);

} // namespace slipway
