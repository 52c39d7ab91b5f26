// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A report on paper: vectors and searchable text, always light, page numbers, the same on screen and in a file.
#pragma once

#include <QDateTime>
#include <QImage>
#include <QPageSize>
#include <QString>

#include "base/result.h"
#include "report/report.h"

namespace slipway::ui {

struct PdfOptions {
    QPageSize::PageSizeId paper = QPageSize::A4; // or Letter
    QDateTime created = QDateTime::currentDateTimeUtc();
};

// Replaces `path` as a whole or leaves it as it was.
Result<void> writeReportPdf(const Report &report, const QString &path, const PdfOptions &options = {});

// Its pages as a picture, side by side, as tall as the picture; what does not fit beside the first ones is left out.
QImage drawReport(const Report &report, const QSize &size, const PdfOptions &options = {});

} // namespace slipway::ui
