// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

#include "comm/communicator.h"
#include "exec/backend.h"
#include "exec/live_buffers.h"
#include "exec/op_table.h"
#include "exec/plan_checks.h"
#include "exec/step_order.h"
#include "plan/step_plan.h"

namespace slipway {

// Runs the ops of a plan on a backend: allocates and frees their buffers in the arena as the planner does, looks up
// their operands and launches them. `plan`, `backend` and `communicator` must outlive it.
class StepRunner {
public:
    // `shard`: this rank's shard number. `beforeUpdate` is called before each op that changes weights.
    StepRunner(const StepPlan &plan, Backend &backend, Communicator &communicator, int shard,
        std::function<void()> beforeUpdate);

    // Runs each op of a step once per shape on a micro-batch of zeros, before the weights are initialized. So libraries
    // load kernels from a possibly slow disk, and GEMM algorithms are timed, while no other rank waits.
    void prepare(StepContext context, std::int64_t tokensPerStep);
    // Runs all ops of a step, on the streams of the backend.
    void runStep(StepContext &context, const StagedInput &input);
    // Runs the forward ops. Skips backward ops, but frees what they would have freed.
    void runForward(StepContext &context, const StagedInput &input);
    // Frees what runForward() has left allocated for its caller to read.
    void freeTransient() { m_live.freeTransient(); }

    [[nodiscard]] std::byte *address(const Use &use, int slotIndex, int microBatch) const
    {
        return m_backend.arena().data() + m_live.offset(use, slotIndex, microBatch);
    }
    // Address of a buffer of Scope::Run.
    [[nodiscard]] std::byte *addressOf(std::string_view name) const;
    // Bytes from the first byte of the use to the end of the instance.
    [[nodiscard]] Bytes bytesFrom(const Use &use, int slotIndex) const { return m_live.bytesFrom(use, slotIndex); }

    // Addresses of the loss and the squared gradient norm of the last step.
    [[nodiscard]] const std::byte *loss() const { return m_loss; }
    [[nodiscard]] const std::byte *gradientNorm2() const { return m_gradientNorm2; }
    // Peaks of the arena plus the simultaneous allocations of ops: in the last step, and since the start.
    [[nodiscard]] Bytes allocatedPeak() const { return m_allocatedPeak; }
    [[nodiscard]] Bytes reservedPeak() const { return m_reservedPeak; }

    void setObserver(std::function<void(const OpEvent &)> observer) { m_observer = std::move(observer); }
    [[nodiscard]] bool isObserved() const { return static_cast<bool>(m_observer); }

private:
    void begin();
    void allocate(const Visit &visit);
    void execute(const Visit &visit, StepContext &context, const StagedInput &input);
    [[nodiscard]] OpCall callOf(const Visit &visit, StepContext &context, const StagedInput &input) const;
    void countMemory();
    void notifyObserver(const Visit &visit, bool before) const;

    const StepPlan &m_plan;
    Backend &m_backend;
    Communicator &m_communicator;
    std::function<void()> m_beforeUpdate;
    std::function<void(const OpEvent &)> m_observer;
    BatchShape m_batch;
    LiveBuffers m_live;
    std::vector<OrderedOp> m_order; // one per op of the step
    const std::byte *m_loss = nullptr, *m_gradientNorm2 = nullptr;
    Bytes m_allocatedPeak = 0, m_reservedPeak = 0;
};

} // namespace slipway
