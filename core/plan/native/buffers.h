// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Adds the buffers of a micro-batch to a plan.
#pragma once

#include <string_view>

#include "plan/native/sizes.h"
#include "plan/plan_builder.h"

namespace slipway::native {

struct BufferMaker {
    PlanBuilder &b;
    const Sizes &s;

    [[nodiscard]] BufferId add(
        std::string_view name, Bytes bytes, DType type, bool perLayer, Role role = Role::Activation) const
    {
        return b.buffer({.name = std::string(name),
            .bytes = bytes,
            .type = type,
            .role = role,
            .scope = Scope::MicroBatch,
            .perLayer = perLayer});
    }
    // [tokens, width]. A saved buffer has an instance per layer, which lives until the layer's backward pass. All
    // layers use the same temporary buffer.
    [[nodiscard]] BufferId saved(std::string_view name, std::int64_t width) const
    {
        return add(name, s.tokens * width * sizeOf(s.type), s.type, true);
    }
    [[nodiscard]] BufferId temporary(std::string_view name, std::int64_t width) const
    {
        return add(name, s.tokens * width * sizeOf(s.type), s.type, false);
    }
    // The same for the residual stream: [streamTokens, hidden].
    [[nodiscard]] BufferId savedStream(std::string_view name) const
    {
        return add(name, s.streamTokens * s.hidden * sizeOf(s.type), s.type, true);
    }
    [[nodiscard]] BufferId temporaryStream(std::string_view name) const
    {
        return add(name, s.streamTokens * s.hidden * sizeOf(s.type), s.type, false);
    }
    // fp32 [tokens, perToken].
    [[nodiscard]] BufferId statistics(std::string_view name, bool perLayer, std::int64_t perToken = 1) const
    {
        return add(name, s.tokens * perToken * 4, DType::Fp32, perLayer);
    }
    // fp32 [streamTokens].
    [[nodiscard]] BufferId streamStatistics(std::string_view name, bool perLayer) const
    {
        return add(name, s.streamTokens * 4, DType::Fp32, perLayer);
    }
};

} // namespace slipway::native
