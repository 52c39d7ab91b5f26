// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "trainer_fixtures.h"

namespace slipway::testing {

// Every token follows from the one before but for a tenth of them.
inline Batch learnable(std::int64_t tokens, std::int64_t vocab, std::uint64_t seed)
{
    Batch batch = randomBatch(tokens, static_cast<int>(vocab), seed);
    for (std::size_t i = 0; i + 1 < batch.tokens.size(); ++i) {
        if (batch.tokens[i + 1] % 10 != 0)
            batch.tokens[i + 1] = static_cast<std::int32_t>((batch.tokens[i] * 5 + 3) % vocab);
        batch.targets[i] = batch.tokens[i + 1];
    }
    return batch;
}

} // namespace slipway::testing
