// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The steps of a normalizer, pre-tokenizer, post-processor or decoder, one of which may be a "Sequence" of others.
#pragma once

#include <cstddef>

#include <fmt/format.h>

#include "tokenizer/json_fields.h"

namespace slipway {

inline constexpr std::size_t kMostSteps = 64;

// Calls read(step, key, depth) for each step of a sequence, which is the field `name`.
template<typename Read>
void readSequence(JsonFields &fields, std::string_view name, int depth, const Read &read)
{
    constexpr int kDeepestSequence = 8;
    const nlohmann::json *const steps = fields.array(name);
    if (depth == kDeepestSequence)
        fields.refuse(name, fmt::format("is more than {} sequences deep", kDeepestSequence));
    for (std::size_t i = 0; steps && i < steps->size() && !fields.document().error(); ++i)
        read((*steps)[i], fmt::format("{}[{}]", fields.keyOf(name), i), depth + 1);
}

} // namespace slipway
