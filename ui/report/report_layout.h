// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QPainter>
#include <QRectF>
#include <functional>
#include <vector>

#include "report/report.h"

namespace slipway::ui {

// Where something is: the page from 1, and a box in the device's units.
struct PlaceOnPage {
    int page = 1;
    QRectF box;
};

struct ReportLayout {
    int pages = 0;
    std::vector<PlaceOnPage> sections; // their titles, in the order of the report
    std::vector<PlaceOnPage> contents; // their lines in the contents; empty if the report has none
};

struct PageFrame {
    QRectF page;                    // within the margins, in the device's units
    QString footer;                 // left of the page number
    ReportLayout known;             // of an earlier pass: numbers of pages; 0 pages: not known yet
    std::function<void()> nextPage; // turns to a fresh page
};

// Lays out a report on pages. A report of several sections begins with its contents. Tables break between rows and
// repeat their header. Figures and titles are never split.
ReportLayout layOutReport(QPainter &painter, const PageFrame &frame, const Report &report);

} // namespace slipway::ui
