// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QPainter>
#include <QRectF>
#include <functional>
#include <vector>

#include "report/report.h"

namespace slipway::ui {

// A location in the document: the page number, starting at 1, and a box in the device's units.
struct PlaceOnPage {
    int page = 1;
    QRectF box;
};

struct ReportLayout {
    int pages = 0;
    std::vector<PlaceOnPage> sections; // locations of the titles, in the order of the report
    std::vector<PlaceOnPage> contents; // locations of the lines in the table of contents; empty if the report has none
};

struct PageFrame {
    QRectF page;                    // within the margins, in the device's units
    QString footer;                 // shown to the left of the page number
    ReportLayout known;             // page numbers from an earlier pass; 0 pages if there was none
    std::function<void()> nextPage; // starts a new page
};

// Lays out a report on pages. A report of several sections begins with a table of contents. Tables break between rows
// and repeat their header. Figures and titles are never split.
ReportLayout layOutReport(QPainter &painter, const PageFrame &frame, const Report &report);

} // namespace slipway::ui
