// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "measure/row_network.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace slipway {

namespace {

// Reads the integer whose last digit is right before `end`. `end` is above 0.
std::optional<std::int64_t> wholeNumberBefore(std::string_view text, std::size_t end)
{
    const std::size_t before = text.find_last_not_of(kDigits, end - 1);
    return parseInteger(text.substr(before + 1, end - before - 1));
}

// Reads links of a generation of InfiniBand, such as "8x NDR". A link of four lanes has this rate; "HDR100" and
// "NDR200" have two lanes. Returns Gbit/s per node, or 0 if the number of links is not given.
double infinibandGbps(const std::string &cell)
{
    constexpr std::array<std::pair<std::string_view, double>, 7> kGenerations{
        {{"hdr100", 100}, {"ndr200", 200}, {"fdr", 56}, {"edr", 100}, {"hdr", 200}, {"ndr", 400}, {"xdr", 800}}};
    for (const auto &[name, each] : kGenerations) {
        const std::size_t at = cell.find(name), times = at == 0 || at == std::string::npos
                                                            ? std::string::npos
                                                            : cell.find_last_not_of(' ', at - 1);
        if (times == std::string::npos || times == 0 || cell[times] != 'x')
            continue;
        const auto gpus = wholeNumberBefore(cell, times);
        if (gpus && *gpus > 0 && *gpus < 100)
            return static_cast<double>(*gpus) * each;
    }
    return 0;
}

} // namespace

// Reads "8x400Gbps/node", "800Gbps/node", "400Gb/s/GPU" or "EFA 400 Gbit/s" anywhere in the cell. A rate without a unit
// of reference is that of a node.
void readNetwork(const RowReader &r, RunConfig &c)
{
    const std::string_view cell = r.text("interconnect");
    std::size_t unit = std::string_view::npos, end = unit;
    for (const std::string_view name : {"Gbps", "Gb/s", "Gbit/s"}) {
        unit = cell.find(name);
        if (unit != std::string_view::npos) {
            end = unit + name.size();
            break;
        }
    }
    const std::size_t last =
        unit == 0 || unit == std::string_view::npos ? std::string_view::npos : cell.find_last_not_of(' ', unit - 1);
    if (last == std::string_view::npos) {
        if (const double gbps = infinibandGbps(toLower(cell)); gbps > 0)
            c.networkGbps = gbps;
        return;
    }
    const std::size_t begin = cell.find_last_not_of(kDigits, last);
    const auto each = wholeNumberBefore(cell, last + 1);
    std::int64_t gpus = toLower(cell.substr(end)).starts_with("/gpu") ? c.parallel.gpusPerNode : 1;
    if (begin != std::string_view::npos && begin > 0 && (cell[begin] == 'x' || cell[begin] == 'X'))
        gpus = wholeNumberBefore(cell, begin).value_or(gpus);
    if (each && *each > 0 && *each < 100'000 && gpus > 0 && gpus < 100)
        c.networkGbps = static_cast<double>(*each * gpus);
}

void assumeNetwork(RowReader &r, const SpeedRates &constants, RunConfig &c, const Gpu &gpu)
{
    const bool isCluster = gpu.arch == "ampere" && hasSwitch(gpu.linkKind);
    if (c.networkGbps || !isCluster || c.parallel.gpus <= c.parallel.gpusPerNode)
        return;
    c.networkGbps = constants.unknownNetworkBandwidthAmpere * 8 / 1e9 * c.parallel.gpusPerNode;
    r.assume("network " + formatExact(*c.networkGbps) + " Gbit/s per node");
}

} // namespace slipway
