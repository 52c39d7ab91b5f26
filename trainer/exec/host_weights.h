// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <cstddef>
#include <future>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "exec/backend.h"
#include "exec/mapped_memory.h"
#include "exec/step_runner.h"
#include "exec/weight_views.h"
#include "plan/step_plan.h"

namespace slipway {

// This rank's weights for the host. Views point into the arena if the host can read it and it has no padding. Otherwise
// they point into copies, which this class transfers to and from the device. `plan`, `backend` and `runner` must
// outlive it.
class HostWeights {
public:
    // Reserves address space for the copies, whose pages are allocated when they are written. Empty if views need no
    // copies. `views`: of all weights; `onHost`: whether the host can read the arena.
    static Result<std::optional<MappedMemory>> mapCopies(
        const StepPlan &plan, const std::vector<WeightView> &views, bool onHost);
    // Sets the pointers of `views`.
    HostWeights(const StepPlan &plan, Backend &backend, const StepRunner &runner, std::vector<WeightView> views,
        std::optional<MappedMemory> copies);

    [[nodiscard]] const std::vector<WeightView> &views() const { return m_views; }
    [[nodiscard]] bool areCopies() const { return m_copies.has_value(); }

    enum class States { Weights, All }; // Weights suffices for a new arena, which is zero, as initial states are
    // Copies to the device. Does nothing if views are not copies.
    void upload(const WeightView &weight, States states);
    // Frees the pages of the copies, which then read as zeros.
    void release() const;

    // Copies the weights as of beginDownload() to the host. Any thread may call finishDownload() while steps continue.
    void beginDownload();
    void finishDownload();
    // Must be called before weights change: waits for a download in progress.
    void waitForDownload();

private:
    [[nodiscard]] std::byte *placeOf(const WeightState &state, const WeightView &weight) const
    {
        return m_runner.address(state.place, weight.layer, 0);
    }

    const StepPlan &m_plan;
    Backend &m_backend;
    const StepRunner &m_runner;
    std::vector<WeightView> m_views;
    std::optional<MappedMemory> m_copies; // of the weights and their optimizer states
    std::promise<void> m_downloaded;      // set by finishDownload()
    std::future<void> m_downloading;
};

} // namespace slipway
