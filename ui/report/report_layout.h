// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QPainter>
#include <QRectF>
#include <functional>

#include "report/report.h"

namespace slipway::ui {

struct PageFrame {
    QRectF page;                    // within the margins, in the device's units
    QString footer;                 // left of the page number
    int pages = 0;                  // the total; 0: not known yet
    std::function<void()> nextPage; // turns to a fresh page
};

// Lays out a report on pages and returns their number. Tables break between rows and repeat their header. Figures and
// titles are never split.
int layOutReport(QPainter &painter, const PageFrame &frame, const Report &report);

} // namespace slipway::ui
