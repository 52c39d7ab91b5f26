// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hosts/slurm_gres.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/text.h"

namespace slipway {

namespace {

// Returns the fields of each GPU entry, such as "gpu", "a100", "4". Text in parentheses may contain commas.
std::vector<std::vector<std::string_view>> gpuParts(std::string_view gres)
{
    std::vector<std::vector<std::string_view>> parts;
    while (!gres.empty()) {
        const std::size_t end = std::min(gres.find_first_of(",("), gres.size());
        const std::string_view part = trimmed(gres.substr(0, end));
        std::size_t next = end;
        if (end < gres.size() && gres[end] == '(')
            next = std::min(gres.find(')', end), gres.size() - 1) + 1;
        next = next < gres.size() && gres[next] == ',' ? next + 1 : next;
        if (part == "gpu" || part.starts_with("gpu:"))
            parts.push_back(split(part, ':'));
        gres.remove_prefix(std::max<std::size_t>(next, 1));
    }
    return parts;
}

} // namespace

int gresCount(std::string_view gres)
{
    constexpr std::int64_t kMost = 1000; // per node: a larger number cannot be right
    std::int64_t count = 0;
    for (const std::vector<std::string_view> &part : gpuParts(gres)) {
        const std::int64_t said = part.size() < 2 ? 1 : parseInteger(part.back()).value_or(1);
        count = std::min(count + std::clamp<std::int64_t>(said, 0, kMost), kMost);
    }
    return static_cast<int>(count);
}

std::string gresType(std::string_view gres)
{
    for (const std::vector<std::string_view> &part : gpuParts(gres)) {
        if (part.size() > 2 || (part.size() == 2 && !parseInteger(part[1])))
            return std::string(part[1]);
    }
    return {};
}

} // namespace slipway
