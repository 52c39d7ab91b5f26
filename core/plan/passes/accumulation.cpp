// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Gradient accumulation: the micro-batches run one after another. The first one starts the sum of gradients. The last
// one is marked as the end of the sum, if ranks reduce gradients at that point.
#include "plan/passes/strategies.h"

namespace slipway::native {

namespace {

class Accumulation : public Strategy {
public:
    explicit Accumulation(bool lastDiffers) : m_lastDiffers(lastDiffers) {}

    bool schedule(StepPlan &plan, MicroBatchSlots &slots) const override
    {
        const std::int64_t n = plan.gradAccum, middle = m_lastDiffers ? n - 2 : n - 1;
        const auto add = [&](std::int64_t repeat, MicroBatchKind kind) {
            plan.schedule.push_back({.slots = slots.both(kind), .repeat = static_cast<std::int32_t>(repeat)});
        };
        add(1, {.first = true, .last = n == 1});
        if (middle > 0)
            add(middle, {.first = false, .last = false});
        if (m_lastDiffers && n > 1)
            add(1, {.first = false, .last = true});
        return true;
    }

private:
    bool m_lastDiffers;
};

} // namespace

StrategyPointer accumulation(const StrategyParts &parts)
{
    const DataParallelism &data = parts.layout.data;
    const bool onceAStep = !data.everyMicroBatch, tensor = parts.layout.sizes.tensorRanks > 1;
    return std::make_unique<Accumulation>(
        (data.ranks > 1 && (onceAStep || data.replicas > 1)) || (tensor && onceAStep));
}

} // namespace slipway::native
