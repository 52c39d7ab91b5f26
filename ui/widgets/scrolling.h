// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

class QScrollArea;
class QWidget;

namespace slipway::ui {

// A scroll area that scrolls vertically, fits the width of its content and has a transparent background.
QScrollArea *makeScrolling(QWidget *content);

} // namespace slipway::ui
