// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Which language the window speaks. Files that it writes do not depend on it.
#pragma once

#include <QString>
#include <array>
#include <string>

namespace slipway::ui {

// As --language and the window's settings name them; "system" follows the desktop.
inline constexpr std::array<const char *, 3> kLanguages{"system", "de", "en"};
// Not a language: every translated text in brackets and 40 % longer, so that tests find texts that nobody translates
// and places that are too narrow.
inline constexpr const char *kPseudoLanguage = "pseudo";

// Loads the translations of `language`, those of Qt included where they are installed, and makes its locale the default
// one. Anything else than the names above is taken as "system". Replaces what an earlier call chose. Needs
// the application, and comes before any widget: texts that are shown already do not change.
void useLanguage(const std::string &language);

// "Open %1…" as the pseudo-language writes it.
QString pseudoText(const QString &text);

} // namespace slipway::ui
