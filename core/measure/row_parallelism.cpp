// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "measure/row_parallelism.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "measure/table_vocabulary.h"

namespace slipway {

namespace {

constexpr std::int64_t kMostRanks = 1'000'000;

// Reads sizes such as "tp=4,pp=2,cp=1,dp=2" into the mesh. Returns dp if it is given.
std::optional<int> readSizes(RowReader &r, std::string_view sizes, Parallelism &p)
{
    const std::array<std::pair<std::string_view, int *>, 6> kAxes{{{"tp", &p.tp}, {"pp", &p.pp}, {"cp", &p.cp},
        {"ep", &p.ep}, {"vp", &p.virtualStages}, {"vpp", &p.virtualStages}}};
    std::optional<int> dataRanks;
    for (const std::string_view each : split(sizes, ',')) {
        const std::string_view pair = trimmed(each), name = trimmed(pair.substr(0, pair.find('=')));
        const auto size =
            name.size() < pair.size() ? parseInteger(trimmed(pair.substr(pair.find('=') + 1))) : std::nullopt;
        const auto axis =
            std::find_if(kAxes.begin(), kAxes.end(), [name](const auto &known) { return known.first == name; });
        if (!size || *size < 1 || *size > 4096)
            r.skip("parallelism has '" + std::string(pair.substr(0, 40)) +
                   "' (accepted: tp=, pp=, cp=, ep=, dp= with a count)");
        else if (name == "dp")
            dataRanks = static_cast<int>(*size);
        else if (axis != kAxes.end())
            *axis->second = static_cast<int>(*size);
        else
            r.assume("parallelism without '" + std::string(pair.substr(0, 40)) + "'");
    }
    return dataRanks;
}

} // namespace

// Reads a cell such as "zero1+tp+pp;tp=4,pp=2,cp=1,dp=2".
void readParallelism(RowReader &r, Parallelism &p)
{
    std::string cell = toLower(r.text("parallelism"));
    std::replace(cell.begin(), cell.end(), '_', '-');
    const std::string_view first = std::string_view(cell).substr(0, cell.find(';'));
    const std::string_view kinds =
        first.find('=') == std::string_view::npos ? first : std::string_view(); // "tp=2,dp=4" names no strategy
    for (const std::string_view part : split(kinds, '+')) {
        const std::string_view name = trimmed(part);
        if (const auto kind = parallelKindOf(name))
            p.kind = *kind;
        else if (name != "tp" && name != "pp" && name != "cp" && name != "ep" && name != "sp" && !name.empty())
            r.skip("parallelism '" + std::string(name.substr(0, 40)) +
                   "' is unknown (accepted: " + enumChoices<ParallelKind>() + ", with +tp, +pp, +cp, +ep)");
    }
    const bool sized = kinds.size() < cell.size();
    const std::optional<int> dataRanks =
        sized ? readSizes(r, std::string_view(cell).substr(kinds.empty() ? 0 : kinds.size() + 1), p) : std::nullopt;
    const std::int64_t modelRanks = std::int64_t{p.tp} * p.pp * p.cp, ranks = modelRanks * dataRanks.value_or(1);
    if (ranks > kMostRanks) {
        r.skip("parallelism has " + std::to_string(ranks) + " ranks");
        p = {};
        return;
    }
    // If no number of GPUs is given, a node with 8 GPUs is assumed.
    const bool unsaid = !r.has("n_gpus") && !sized && p.kind != ParallelKind::None;
    p.gpus = r.count("n_gpus", unsaid ? 8 : static_cast<int>(ranks));
    p.gpusPerNode = r.count("gpus_per_node", std::min(p.gpus, 8));
    if (p.gpus % p.modelParallel() != 0) {
        r.skip(
            "n_gpus " + std::to_string(p.gpus) + " is not a multiple of tp x pp x cp = " + std::to_string(modelRanks));
        return;
    }
    if (dataRanks && *dataRanks != p.dataParallel())
        r.assume("dp " + std::to_string(p.dataParallel()) + " (from n_gpus)");
    if (p.kind == ParallelKind::None && p.gpus > p.modelParallel()) {
        p.kind = cell.empty() ? ParallelKind::FsdpFull : ParallelKind::Ddp;
        r.assume("parallel " + std::string(enumName(p.kind)));
    }
}

} // namespace slipway
