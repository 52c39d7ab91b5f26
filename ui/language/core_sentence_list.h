// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What core_sentences.cpp finds translations of: core cannot mark its texts, because it does not know Qt.
#pragma once

#include <span>

namespace slipway::ui {

// As core writes them, with %1, %2 where it puts names, numbers or further sentences.
std::span<const char *const> coreSentenceList();

} // namespace slipway::ui
