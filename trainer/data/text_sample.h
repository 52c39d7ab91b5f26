// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A part of a text of any size to learn a vocabulary from: lines spread evenly over all of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"

namespace slipway {

class TextSample {
public:
    // Holds all lines while they are no more than `most` bytes, and more than a half of this otherwise.
    explicit TextSample(Bytes most) : m_most(most) {}

    void add(std::string_view text);
    // All lines one after the other.
    [[nodiscard]] std::string take() &&;

private:
    void thinOut();

    Bytes m_most, m_held = 0;
    std::int64_t m_seen = 0, m_every = 1; // lines; each m_every-th is held
    std::vector<std::string> m_lines;
};

} // namespace slipway
