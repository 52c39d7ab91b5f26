// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "predict/candidate.h"

#include <algorithm>
#include <utility>

#include "config/settings.h"

namespace slipway {

std::optional<double> costOf(const Assessment &a)
{
    const double cost = a.cost.usdPerBillionTokens.value_or(0) / a.cost.goodput;
    return cost > 0 ? std::optional(cost) : std::nullopt;
}

double savedMemory(const Assessment &now, const Assessment &then)
{
    return std::max(0.0, 1 - double(then.memory.peak) / double(now.memory.peak));
}

std::vector<const Gpu *> otherGpus(
    const ResolvedConfig &resolved, const PriceBook &book, const Catalogue &catalogue, std::size_t most)
{
    if (resolved.gpu.isCpu)
        return {};
    const int onNode = std::min(resolved.config.parallel.gpus, resolved.config.parallel.gpusPerNode);
    std::vector<std::pair<double, const Gpu *>> gpus;
    for (const Gpu &gpu : catalogue.gpus) {
        if (gpu.isCpu || gpu.id == resolved.gpu.id)
            continue;
        const auto price = priceOf(book, gpu.id, onNode);
        if (price && price->usdPerGpuHour > 0)
            gpus.emplace_back(-gpu.bf16Flops / price->usdPerGpuHour, &gpu);
    }
    std::sort(gpus.begin(), gpus.end());
    std::vector<const Gpu *> best;
    for (std::size_t i = 0; i < std::min(most, gpus.size()); ++i)
        best.push_back(gpus[i].second);
    return best;
}

Suggestion suggestionOf(
    const RunConfig &asked, const Candidate &candidate, const Assessment &then, Goal goal, double gain)
{
    Suggestion s{.why = candidate.why,
        .peak = then.memory.peak,
        .tokensPerSecond = then.speed.tokensPerSecond,
        .usdPerBillionTokens = then.cost.usdPerBillionTokens,
        .goal = goal,
        .gain = gain};
    for (const SettingChange &change : differences(asked, candidate.config))
        s.change.emplace_back(change.key, change.after);
    return s;
}

} // namespace slipway
