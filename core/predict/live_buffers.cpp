// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "predict/live_buffers.h"

#include <algorithm>

#include "plan/walk.h"
#include "predict/predict.h"
#include "predict/op_location.h"

namespace slipway {

Result<std::vector<LiveBuffer>> buffersAt(
    const RunConfig &config, const Catalogue &catalogue, std::size_t instant, std::size_t stage)
{
    const Result<RunPlan> plan = planOf(config, catalogue);
    if (!plan)
        return plan.error();
    return buffersAt(stageOf(*plan, stage), instant);
}

std::vector<LiveBuffer> buffersAt(const StepPlan &plan, std::size_t instant)
{
    std::vector<int> alive(plan.buffers.size(), 0);
    for (std::size_t b = 0; b < plan.buffers.size(); ++b) {
        if (plan.buffers[b].scope == Scope::Run)
            alive[b] = plan.buffers[b].perLayer ? plan.layers : 1;
    }
    std::vector<int> atInstant;
    std::size_t n = 0;
    forEachOp(plan, Repetitions::Once, [&](const Visit &v) {
        for (const Use &use : v.op.allocations)
            ++alive[index(use.buffer)];
        if (n++ == instant)
            atInstant = alive;
        for (const Use &use : v.op.frees)
            --alive[index(use.buffer)];
    });
    std::vector<LiveBuffer> buffers;
    for (std::size_t b = 0; b < atInstant.size(); ++b) {
        const Buffer &buffer = plan.buffers[b];
        if (atInstant[b] > 0)
            buffers.push_back({.name = buffer.name,
                .role = buffer.role,
                .type = buffer.type,
                .scope = buffer.scope,
                .instances = atInstant[b],
                .bytes = atInstant[b] * buffer.bytes});
    }
    std::stable_sort(
        buffers.begin(), buffers.end(), [](const LiveBuffer &a, const LiveBuffer &b) { return a.bytes > b.bytes; });
    return buffers;
}

} // namespace slipway
