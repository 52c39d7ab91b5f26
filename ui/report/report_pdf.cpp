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

const QMarginsF kMargins(48, 44, 48, 34); // points

QString footerOf(const Report &report, const PdfOptions &options)
{
    return QStringLiteral("Slipway · ") + qs(report.title) + QStringLiteral(" · ") +
           options.created.toUTC().toString(QStringLiteral("yyyy-MM-dd HH:mm 'UTC'"));
}

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
    writer.setPageMargins(kMargins, QPageLayout::Point);
    writer.setTitle(qs(report.title));
    writer.setCreator(QStringLiteral("Slipway"));
    QPainter painter(&writer);
    const PageFrame frame{.page = QRectF(0, 0, writer.width(), writer.height()),
        .footer = footerOf(report, options),
        .pages = pages,
        .nextPage = [&writer] { writer.newPage(); }};
    written.pages = layOutReport(painter, frame, report);
    painter.end();
    buffer.close();
    return written;
}

} // namespace

Result<void> writeReportPdf(const Report &report, const QString &path, const PdfOptions &options)
{
    // Lays out twice: the first pass counts the pages.
    const int pages = write(report, options, 0).pages;
    const Written written = write(report, options, pages);
    return writeNamedFile(std::filesystem::path(path.toStdString()),
        std::string_view(written.bytes.constData(), static_cast<std::size_t>(written.bytes.size())));
}

QImage drawReport(const Report &report, const QSize &size, const PdfOptions &options)
{
    constexpr double kPointsPerMetre = 72 / 0.0254;
    const QSizeF paper = QPageSize(options.paper).size(QPageSize::Point);
    const double unit = size.height() / paper.height(), width = paper.width() * unit, gap = 12;
    QImage picture(size, QImage::Format_RGB32);
    picture.setDotsPerMeterX(qRound(unit * kPointsPerMetre));
    picture.setDotsPerMeterY(qRound(unit * kPointsPerMetre));
    picture.fill(QColor(0xd8, 0xdb, 0xe0));
    QPainter painter(&picture);
    painter.setRenderHint(QPainter::Antialiasing);
    const auto sheet = [&] { painter.fillRect(QRectF(0, 0, width, size.height()), Qt::white); };
    sheet();
    const PageFrame frame{.page = QRectF(0, 0, width, size.height()).marginsRemoved(kMargins * unit),
        .footer = footerOf(report, options),
        .pages = write(report, options, 0).pages,
        .nextPage = [&] {
            painter.translate(width + gap, 0);
            sheet();
        }};
    layOutReport(painter, frame, report);
    return picture;
}

} // namespace slipway::ui
