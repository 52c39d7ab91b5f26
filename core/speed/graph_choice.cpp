// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "speed/graph_choice.h"

#include "plan/cuda_graph.h"
#include "speed/kernel_time.h"

namespace slipway {

bool choosesGraph(const StepPlan &plan, const DeviceRates &rates)
{
    if (rates.graphLaunch <= 0 || !canBeGraph(plan))
        return false;
    std::vector<Seconds> times;
    times.reserve(plan.kernels.size());
    for (const Kernel &kernel : plan.kernels)
        times.push_back(kernelTime(kernel, rates) * rates.slowestRankFactor);
    Seconds host = 0, device = 0;
    for (const Segment &segment : plan.schedule) {
        for (const Slot &slot : segment.slots) {
            for (const Op &op : plan.at(slot.block).ops) {
                host += segment.repeat * plan.at(op.kernel).calls * rates.launch;
                device += segment.repeat * times[index(op.kernel)];
            }
        }
    }
    return host > device;
}

void chooseGraphs(std::vector<StepPlan> &stages, const DeviceRates &rates)
{
    for (StepPlan &stage : stages)
        stage.cudaGraph = choosesGraph(stage, rates);
}

} // namespace slipway
