// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

class QAbstractScrollArea;
class QScrollArea;
class QWidget;

namespace slipway::ui {

// Creates a scroll area that scrolls vertically, fits the width of its content and has a transparent background.
QScrollArea *makeScrolling(QWidget *content);

// Makes the wheel scroll the page instead of a table on it, also over the horizontal scroll bar of the table, until the
// table has been clicked.
void passWheel(QAbstractScrollArea &area);

} // namespace slipway::ui
