// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "exec/bf16_collectives.h"

#include <algorithm>
#include <vector>

#include <c10/util/BFloat16.h>

namespace slipway {
namespace {

std::vector<std::uint16_t> ofAllRanks(Communicator &group, std::span<const std::uint16_t> own)
{
    std::vector<std::uint16_t> all(own.size() * static_cast<std::size_t>(group.size()));
    group.allGather(std::as_bytes(own), std::as_writable_bytes(std::span(all)));
    return all;
}

// The sum of element `i`, which is in the shard of rank `owner`, where the ring ends.
std::uint16_t sumAlongRing(std::span<const std::uint16_t> all, std::size_t each, std::size_t i, std::size_t owner)
{
    const std::size_t ranks = all.size() / each;
    const auto of = [&](std::size_t step) {
        return c10::BFloat16(all[(owner + step) % ranks * each + i], c10::BFloat16::from_bits());
    };
    c10::BFloat16 sum = of(1);
    for (std::size_t step = 2; step <= ranks; ++step)
        sum = static_cast<float>(sum) + static_cast<float>(of(step));
    return sum.x;
}

} // namespace

void allReduceBf16(Communicator &group, std::span<std::uint16_t> data)
{
    const std::vector<std::uint16_t> all = ofAllRanks(group, data);
    const std::size_t ranks = static_cast<std::size_t>(group.size()), part = (data.size() + ranks - 1) / ranks;
    for (std::size_t i = 0; i < data.size(); ++i)
        data[i] = sumAlongRing(all, data.size(), i, i / part);
}

void reduceScatterBf16(Communicator &group, std::span<const std::uint16_t> all, std::span<std::uint16_t> own)
{
    const std::vector<std::uint16_t> everyones = ofAllRanks(group, all);
    const auto rank = static_cast<std::size_t>(group.rank());
    for (std::size_t i = 0; i < own.size(); ++i)
        own[i] = sumAlongRing(everyones, all.size(), rank * own.size() + i, rank);
}

} // namespace slipway
