// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Texts and numbers in the language of the window. All numbers that the window shows are formatted here. Numbers that
// are written to files are not.
#pragma once

#include <QDateTime>
#include <QString>
#include <string>

namespace slipway::ui {

// Translates a text of a free function. lupdate uses the name of this namespace as the context. Classes of Qt have
// their own tr().
QString tr(const char *text, const char *comment = nullptr);

// Converts a number or name that core formats for English readers ("1.97B", "$1,234.50", "3.2 days").
QString localText(const std::string &text);
QString localText(const QString &text);
QString localNumber(double value, int decimals);

// Format a date from a file, such as "2026-11-23" or "2025-10 to 2026", and a point in time of this machine's clock.
QString localDate(const std::string &iso8601);
QString localMinute(const QDateTime &time);

// Returns a name as a word within a sentence. It is in lower case if the language writes nouns in lower case.
QString inSentence(const QString &name);

// Converts a typed number to a decimal point: "1,5" becomes "1.5". "1,500" is ambiguous and is kept, but "0,500"
// becomes "0.500". Lists such as "1,2,3" are kept.
QString withPoint(const QString &typed);

} // namespace slipway::ui
