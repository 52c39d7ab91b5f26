// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Texts and numbers in the language of the window. All numbers that it shows go through here; what is written to files
// does not.
#pragma once

#include <QDateTime>
#include <QString>
#include <string>

namespace slipway::ui {

// The translation of a text of a free function. lupdate files it under the name of this namespace. Classes of Qt have
// their own.
QString tr(const char *text, const char *comment = nullptr);

// A number or name that core formats for readers of English ("1.97B", "$1,234.50", "3.2 days").
QString localText(const std::string &text);
QString localText(const QString &text);
QString localNumber(double value, int decimals);

// Days and times: "2026-11-23" from a file, and a moment of this machine's clock.
QString localDate(const std::string &iso8601);
QString localMinute(const QDateTime &time);

// A name as a word of a sentence: in lower case where the language writes nouns so.
QString inSentence(const QString &name);

// A number as typed, with a point for its decimals: "1,5" becomes "1.5". "1,500" may mean either and stays; "0,500"
// means a half. Lists such as "1,2,3" stay.
QString withPoint(const QString &typed);

} // namespace slipway::ui
