// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "base/unknown_name.h"

#include <fmt/format.h>

#include "base/text.h"

namespace slipway {

Error unknownName(std::string_view kind, std::string_view name, std::span<const std::string> known, std::string where,
    std::string accepted)
{
    static constexpr std::size_t shown = 60;
    Error error{.what = fmt::format("unknown {} '{}'", kind, name.substr(0, shown)),
        .where = std::move(where),
        .accepted = std::move(accepted)};
    if (const auto near = nearestName(name, known))
        error.what += fmt::format("; did you mean {}?", *near);
    return error;
}

Error unknownName(std::string_view kind, std::string_view name, std::span<const std::string> known, std::string where)
{
    return unknownName(kind, name, known, std::move(where), fmt::format("{}", fmt::join(known, ", ")));
}

std::vector<std::string> nearestNames(std::string_view name, std::span<const std::string> candidates, std::size_t most)
{
    std::vector<std::string> left(candidates.begin(), candidates.end()), near;
    for (auto next = nearestName(name, left); next && near.size() < most; next = nearestName(name, left)) {
        std::erase(left, *next);
        near.push_back(*std::move(next));
    }
    return near;
}

} // namespace slipway
