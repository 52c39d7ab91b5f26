// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Writes a report for print, with vector graphics, searchable text, light colors and page numbers. The preview on
// screen looks the same as the file.
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
    std::function<bool()> cancelled = {}; // if this returns true, nothing is written
};

// Its value is a4 or letter. Without a value, the system's paper size is used.
inline constexpr const char *kPaperSetting = "reports/paper";

// Parses "a4" or "letter" in any case. Empty for any other name.
std::optional<QPageSize::PageSizeId> paperNamed(const QString &name);

// Returns the options for reports that the window exports: the paper size chosen there, or the one that is usual in the
// system's country.
PdfOptions windowPdfOptions();

// Writes `path` atomically. After an error, the old file is unchanged.
Result<void> writeReportPdf(const Report &report, const QString &path, const PdfOptions &options = {});

// Draws as many of the first pages as fit side by side into a picture of the given size.
QImage drawReport(const Report &report, const QSize &size, const PdfOptions &options = {});

} // namespace slipway::ui
