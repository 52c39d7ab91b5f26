// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/report/report_pdf.h"

#include <QBuffer>
#include <QPainter>
#include <QPdfWriter>

#include "base/file.h"
#include "ui/report/report_layout.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

constexpr int kResolution = 720; // a tenth of a point: fine for text and hairlines

struct Written {
    QByteArray bytes;
    int pages = 0;
};

Written write(const Report &report, const PdfOptions &options, int pages)
{
    Written written;
    QBuffer buffer(&written.bytes);
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    writer.setResolution(kResolution);
    writer.setPageSize(QPageSize(options.paper));
    writer.setPageMargins(QMarginsF(48, 44, 48, 34), QPageLayout::Point);
    writer.setTitle(qs(report.title));
    writer.setCreator(QStringLiteral("Slipway"));
    QPainter painter(&writer);
    const PageFrame frame{.page = QRectF(0, 0, writer.width(), writer.height()),
        .footer = QStringLiteral("Slipway · ") + qs(report.title) + QStringLiteral(" · ") + options.created.toUTC().toString(QStringLiteral("yyyy-MM-dd HH:mm 'UTC'")),
        .pages = pages,
        .nextPage = [&writer] { writer.newPage(); }};
    written.pages = layReport(painter, frame, report);
    painter.end();
    buffer.close();
    return written;
}

} // namespace

Result<void> writeReportPdf(const Report &report, const QString &path, const PdfOptions &options)
{
    // Twice: the first tells how many pages there are.
    const int pages = write(report, options, 0).pages;
    const Written written = write(report, options, pages);
    return writeFileAtomically(std::filesystem::path(path.toStdString()), std::string_view(written.bytes.constData(), static_cast<std::size_t>(written.bytes.size())));
}

} // namespace slipway::ui
