// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A sample of a text of any size from which a vocabulary is learned: lines evenly distributed over the text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"

namespace slipway {

class TextSample {
public:
    // Keeps all lines up to `most` bytes in total. For longer texts it keeps more than half of `most`.
    explicit TextSample(Bytes most) : m_most(most) {}

    void add(std::string_view text);
    // The concatenated lines.
    [[nodiscard]] std::string take() &&;

private:
    void thinOut();

    Bytes m_most, m_held = 0;
    std::int64_t m_seen = 0, m_every = 1; // lines; each m_every-th line is kept
    std::vector<std::string> m_lines;
};

} // namespace slipway
