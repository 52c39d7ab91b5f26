// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/report/report_pdf.h"

#include <QBuffer>
#include <QLocale>
#include <QPainter>
#include <QPdfWriter>
#include <QSettings>

#include "base/file.h"
#include "ui/report/pdf_outline.h"
#include "ui/report/report_layout.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

constexpr int kResolution = 720; // per inch; a tenth of a point is precise enough for text and hairlines

const QMarginsF kMargins(48, 44, 48, 34); // points

QString footerOf(const Report &report, const PdfOptions &options)
{
    return QStringLiteral("Slipway · ") + qs(report.title) + QStringLiteral(" · ") +
           options.created.toUTC().toString(QStringLiteral("yyyy-MM-dd HH:mm 'UTC'"));
}

struct Written {
    QByteArray bytes;
    ReportLayout layout;
};

Written write(const Report &report, const PdfOptions &options, const ReportLayout &known)
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
        .known = known,
        .nextPage = [&writer] { writer.newPage(); }};
    written.layout = layOutReport(painter, frame, report);
    painter.end();
    buffer.close();
    return written;
}

// Converts a box to points on a page whose y axis points upwards, as in PDF.
QRectF onPaper(const QRectF &box, const PdfOptions &options)
{
    constexpr double kUnit = kResolution / 72.0;
    const double height = QPageSize(options.paper).size(QPageSize::Point).height();
    return {kMargins.left() + box.left() / kUnit, height - kMargins.top() - box.bottom() / kUnit, box.width() / kUnit,
        box.height() / kUnit};
}

PdfAdditions additionsOf(const Report &report, const PdfOptions &options, const ReportLayout &layout)
{
    constexpr double kAbove = 8; // white space in points above a title that is the target of a link
    PdfAdditions additions{.title = qs(report.title),
        .subject = qs(report.headline),
        .keywords = QStringLiteral("Slipway, LLM training, ") + qs(report.subtitle),
        .created = options.created};
    for (std::size_t i = 0; i < layout.sections.size(); ++i)
        additions.headings.push_back({qs(report.sections[i].title), layout.sections[i].page,
            onPaper(layout.sections[i].box, options).bottom() + kAbove});
    for (std::size_t i = 0; i < layout.contents.size(); ++i)
        additions.links.push_back({layout.contents[i].page, onPaper(layout.contents[i].box, options), i});
    return additions;
}

} // namespace

std::optional<QPageSize::PageSizeId> paperNamed(const QString &name)
{
    if (name.compare(QStringLiteral("a4"), Qt::CaseInsensitive) == 0)
        return QPageSize::A4;
    if (name.compare(QStringLiteral("letter"), Qt::CaseInsensitive) == 0)
        return QPageSize::Letter;
    return std::nullopt;
}

PdfOptions windowPdfOptions()
{
    const QPageSize::PageSizeId usual =
        QLocale::system().measurementSystem() == QLocale::ImperialUSSystem ? QPageSize::Letter : QPageSize::A4;
    return {.paper = paperNamed(QSettings().value(QString::fromLatin1(kPaperSetting)).toString()).value_or(usual)};
}

Result<void> writeReportPdf(const Report &report, const QString &path, const PdfOptions &options)
{
    const auto isCancelled = [&options] { return options.cancelled && options.cancelled(); };
    // The report is laid out twice. The first pass counts the pages and finds where the sections begin.
    const ReportLayout counted = write(report, options, {}).layout;
    if (isCancelled())
        return Error{.what = "the export was cancelled"};
    const Written written = write(report, options, counted);
    if (isCancelled())
        return Error{.what = "the export was cancelled"};
    const QByteArray complete = withAdditions(written.bytes, additionsOf(report, options, written.layout));
    const QByteArray &bytes = complete.isEmpty() ? written.bytes : complete;
    return writeNamedFile(std::filesystem::path(path.toStdString()),
        std::string_view(bytes.constData(), static_cast<std::size_t>(bytes.size())));
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
        .known = write(report, options, {}).layout,
        .nextPage = [&] {
            painter.translate(width + gap, 0);
            sheet();
        }};
    layOutReport(painter, frame, report);
    return picture;
}

} // namespace slipway::ui
