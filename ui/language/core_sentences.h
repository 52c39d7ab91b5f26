// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Sentences that core puts together from fixed words, names and numbers.
#pragma once

#include <QString>
#include <optional>

namespace slipway::ui {

// The translation, found by the fixed words of the sentence; what stands between them is translated alike. Empty: no
// such sentence is known.
std::optional<QString> coreSentence(const QString &text);

} // namespace slipway::ui
