// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Labels by their place in the hierarchy, so that every page has the same sizes and weights.
#pragma once

#include <QLabel>
#include <cstdint>
#include <string>

namespace slipway::ui {

enum class TextKind { Title, Section, Figure, Body, Strong, Small, Muted, Mono };

QFont fontOf(TextKind kind);
QLabel *makeLabel(const QString &text, TextKind kind, QWidget *parent = nullptr);
// One line that gives way: dots say that there is more, and all of it stands under the mouse.
QLabel *makeElidedLabel(const QString &text, TextKind kind);

QString grouped(std::int64_t count);                                          // "1,000"
QString counted(std::int64_t count, const QString &one, const QString &many); // "1 run", "1,000 runs"

// For a tooltip: shown as it is, also where a name or a note looks like markup, which tooltips would otherwise follow.
QString tipText(const QString &text);

inline QString qs(const std::string &text) { return QString::fromStdString(text); }
inline QString qs(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

} // namespace slipway::ui
