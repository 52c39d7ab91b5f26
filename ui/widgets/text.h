// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Creates labels by their role, so that all pages use the same font sizes and weights.
#pragma once

#include <QLabel>
#include <cstdint>
#include <filesystem>
#include <string>

namespace slipway::ui {

enum class TextKind { Title, Section, Figure, Body, Strong, Small, Muted, Mono };

QFont fontOf(TextKind kind);
QLabel *makeLabel(const QString &text, TextKind kind, QWidget *parent = nullptr);
// Creates a single-line label that is elided if it does not fit. The tooltip shows the whole text.
QLabel *makeElidedLabel(const QString &text, TextKind kind);

QString capitalized(QString text);     // capitalizes only the first letter
QString sentence(const QString &text); // begins with a capital and ends with a full stop; names are unchanged
QString grouped(std::int64_t count);   // such as "1,000"
QString counted(std::int64_t count, const QString &one, const QString &many); // such as "1 run" or "1,000 runs"

// Converts a path as typed by a user, where "~" and "~/" stand for the home folder.
std::filesystem::path pathFrom(const QString &text);
// Expands the home folder in several paths, which are separated by commas.
QString withHome(const QString &paths);

// Formats a tooltip as plain text, even if it looks like HTML markup.
QString tipText(const QString &text);

inline QString qs(const std::string &text) { return QString::fromStdString(text); }
inline QString qs(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

} // namespace slipway::ui
