// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A report on paper: vector graphics, searchable text, light colors and page numbers, on screen as in the file.
#pragma once

#include <QDateTime>
#include <QImage>
#include <QPageSize>
#include <QString>
#include <functional>
#include <optional>

#include "base/result.h"
#include "report/report.h"

namespace slipway::ui {

struct PdfOptions {
    QPageSize::PageSizeId paper = QPageSize::A4; // or Letter
    QDateTime created = QDateTime::currentDateTimeUtc();
    std::function<bool()> cancelled = {}; // then nothing is written
};

inline constexpr const char *kPaperSetting = "reports/paper"; // a4, letter, or absent: as the system

// "a4" or "letter", in any case; else empty.
std::optional<QPageSize::PageSizeId> paperNamed(const QString &name);

// For reports that the window exports: the paper chosen there, else the one that the system's country uses.
PdfOptions windowPdfOptions();

// Writes `path` atomically: an error leaves the old file unchanged.
Result<void> writeReportPdf(const Report &report, const QString &path, const PdfOptions &options = {});

// Draws the first pages side by side into a picture of the given size, as many as fit.
QImage drawReport(const Report &report, const QSize &size, const PdfOptions &options = {});

} // namespace slipway::ui
