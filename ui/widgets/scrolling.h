// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

class QScrollArea;
class QWidget;

namespace slipway::ui {

// What is higher than its place scrolls, on the ground that is behind it. As wide as its place.
QScrollArea *makeScrolling(QWidget *content);

} // namespace slipway::ui
