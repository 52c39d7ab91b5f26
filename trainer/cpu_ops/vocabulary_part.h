// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <cstdint>

namespace slipway::cpu_ops {

// The ids whose rows of the table, or whose logits, a rank has: [first, first + count).
struct VocabularyPart {
    std::int64_t first = 0, count = 0;
};

} // namespace slipway::cpu_ops
