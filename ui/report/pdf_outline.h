// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Adds to a PDF file what Qt's PDF writer does not support: an outline, links within the document, and metadata about
// its creation. They are appended as an incremental update (ISO 32000-1, 7.5.6), so the pages stay as Qt wrote them.
#pragma once

#include <QByteArray>
#include <QDateTime>
#include <QRectF>
#include <QString>
#include <vector>

namespace slipway::ui {

struct PdfHeading {
    QString title;
    int page = 1;
    double top = 0; // points from the lower edge of the page
};

struct PdfLink {
    int page = 1;
    QRectF area; // in points; y is measured from the lower edge of the page
    std::size_t heading = 0;
};

struct PdfAdditions {
    QString title, subject, keywords;
    QDateTime created;
    std::vector<PdfHeading> headings;
    std::vector<PdfLink> links;
};

// Empty if `pdf` does not have the structure of files from Qt's writer.
QByteArray withAdditions(const QByteArray &pdf, const PdfAdditions &additions);

} // namespace slipway::ui
