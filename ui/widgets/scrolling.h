// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

class QAbstractScrollArea;
class QScrollArea;
class QWidget;

namespace slipway::ui {

// A scroll area that scrolls vertically, fits the width of its content and has a transparent background.
QScrollArea *makeScrolling(QWidget *content);

// Of a table inside a page that scrolls: the wheel scrolls the page, until the table has been clicked.
void passWheel(QAbstractScrollArea &area);

} // namespace slipway::ui
