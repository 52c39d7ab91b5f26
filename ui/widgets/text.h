// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Labels by their role, so that all pages use the same font sizes and weights.
#pragma once

#include <QLabel>
#include <cstdint>
#include <filesystem>
#include <string>

namespace slipway::ui {

enum class TextKind { Title, Section, Figure, Body, Strong, Small, Muted, Mono };

QFont fontOf(TextKind kind);
QLabel *makeLabel(const QString &text, TextKind kind, QWidget *parent = nullptr);
// A single line that is elided if it does not fit. The tooltip shows the whole text.
QLabel *makeElidedLabel(const QString &text, TextKind kind);

QString capitalized(QString text);     // its first letter only
QString sentence(const QString &text); // begins in upper case and ends with a full stop; names keep their letters
QString grouped(std::int64_t count);   // "1,000"
QString counted(std::int64_t count, const QString &one, const QString &many); // "1 run", "1,000 runs"

// A path as a user types it: "~" and "~/" stand for the home folder.
std::filesystem::path pathFrom(const QString &text);
// The same for each of several paths with commas between them.
QString withHome(const QString &paths);

// A tooltip as plain text, even if it looks like HTML markup.
QString tipText(const QString &text);

inline QString qs(const std::string &text) { return QString::fromStdString(text); }
inline QString qs(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

} // namespace slipway::ui
