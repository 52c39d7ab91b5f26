// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The sentences that core_sentences.cpp translates. They are listed here because core does not use Qt and cannot mark
// its texts for translation.
#pragma once

#include <span>

namespace slipway::ui {

// Returns the sentences as core writes them, with %1, %2 in place of names, numbers or further sentences.
std::span<const char *const> coreSentenceList();

} // namespace slipway::ui
