// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <cstdint>

namespace slipway::cpu_ops {

// Vocabulary parallelism: a rank has the embedding rows, or the logits, of the token ids [first, first + count).
struct VocabularyShard {
    std::int64_t first = 0, count = 0;
};

} // namespace slipway::cpu_ops
