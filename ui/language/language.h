// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Sets the language of the window. The files that it writes do not depend on the language.
#pragma once

#include <QString>
#include <array>
#include <string>

namespace slipway::ui {

// The values of --language and of the window's setting. "system" follows the desktop.
inline constexpr std::array<const char *, 3> kLanguages{"system", "de", "en"};
// A pseudo-language for tests. It puts every translated text in brackets and makes it 40% longer, so that tests find
// texts that are not translated and widgets that are too narrow.
inline constexpr const char *kPseudoLanguage = "pseudo";

// Loads the translations of `language`, including those of Qt if they are installed, and makes its locale the default
// one. Any value other than the names above is treated as "system". Replaces the language of an earlier call. Call it
// after creating the application and before creating any widget, because texts that are already shown do not change.
void useLanguage(const std::string &language);

// Returns the English texts of which `shown` is a translation that the window has used, separated by spaces, or `shown`
// itself. Users may search by them, because guides and other programs use the English terms.
QString englishText(const QString &shown);

// Returns a text such as "Open %1…" as the pseudo-language writes it.
QString pseudoText(const QString &text);

} // namespace slipway::ui
