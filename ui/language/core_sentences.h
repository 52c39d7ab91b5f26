// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Translates sentences that core composes from fixed words, names and numbers.
#pragma once

#include <QString>
#include <optional>

namespace slipway::ui {

// Returns the translation, found by the fixed words of the sentence. The texts between them are translated in the same
// way. Returns nothing if no such sentence is known.
std::optional<QString> coreSentence(const QString &text);

} // namespace slipway::ui
