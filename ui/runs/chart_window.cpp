// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/runs/chart_window.h"

#include <QBuffer>
#include <QMenu>
#include <QPainter>
#include <QPushButton>
#include <QSvgGenerator>
#include <QVBoxLayout>

#include "base/file.h"
#include "base/text.h"
#include "report/csv.h"
#include "ui/language/core_texts.h"
#include "ui/widgets/message.h"
#include "ui/widgets/page_header.h"
#include "ui/widgets/save_path.h"
#include "ui/widgets/screen_room.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

constexpr QSize kPicture(1200, 720);
constexpr int kPictureScale = 2; // exported pictures have twice the size, so that they are sharp in print

Result<void> writeBytes(const QString &path, const QByteArray &bytes)
{
    return writeNamedFile(pathFrom(path), std::string_view(bytes.constData(), static_cast<std::size_t>(bytes.size())));
}

// Makes the buckets so narrow that each holds one point. If points are too close for that, the last point of a bucket
// represents it.
std::vector<EnvelopeBucket> pointsOf(const Curve &curve, const CurveRange &range)
{
    std::vector<EnvelopeBucket> buckets;
    for (const std::size_t finer : {2, 16, 128}) {
        buckets = curve.buckets(finer * curve.size() + 2, range, 0);
        if (buckets.size() >= curve.size())
            break;
    }
    return buckets;
}

} // namespace

ChartWindow::ChartWindow(ChartContent content, QWidget *parent)
    : QDialog(parent),
      m_content(std::move(content)),
      m_chart(new LineChart)
{
    setWindowFlag(Qt::WindowMaximizeButtonHint);
    resize(withinScreen(*this, {1000, 640}));
    setWindowTitle(m_content.title);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(18, 14, 18, 14);
    auto *exported = new QPushButton(tr("Export"));
    auto *menu = new QMenu(exported);
    menu->addAction(tr("Picture as SVG…"), this, [this] { askExport(QStringLiteral("svg"), &ChartWindow::exportSvg); });
    menu->addAction(tr("Picture as PNG…"), this, [this] { askExport(QStringLiteral("png"), &ChartWindow::exportPng); });
    menu->addAction(tr("Points as CSV…"), this, [this] { askExport(QStringLiteral("csv"), &ChartWindow::exportCsv); });
    exported->setMenu(menu);
    const PageHeader header = makePageHeader(m_content.title, {exported});
    header.subtitle->setText(tr("Ctrl+scroll to zoom, drag to pan, double-click to reset"));
    column->addLayout(header.row);
    column->addWidget(m_chart, 1);
    m_chart->setAccessibleName(m_content.title);
    m_content.setUp(*m_chart);
}

void ChartWindow::setContent(ChartContent content)
{
    const CurveRange shown{m_chart->shownFrom(), m_chart->shownTo()};
    const bool sameAxis = content.xTitle == m_content.xTitle;
    m_content = std::move(content);
    m_content.setUp(*m_chart);
    if (!sameAxis || shown.from >= shown.to)
        m_chart->showAll();
}

void ChartWindow::paintLight(QPainter &painter) const
{
    LineChart paper;
    paper.setFixedScheme(false);
    paper.resize(kPicture);
    m_content.setUp(paper);
    paper.follow(CurveRange{m_chart->shownFrom(), m_chart->shownTo()});
    paper.refresh();
    painter.fillRect(QRect(QPoint(), kPicture), Qt::white);
    painter.setPen(Qt::black);
    painter.setFont(fontOf(TextKind::Section));
    constexpr int kTitle = 34;
    painter.drawText(QRect(16, 0, kPicture.width() - 32, kTitle), Qt::AlignVCenter | Qt::AlignLeft, m_content.title);
    paper.paintTo(painter, QRectF(0, kTitle, kPicture.width(), kPicture.height() - kTitle));
}

Result<void> ChartWindow::exportSvg(const QString &path) const
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QSvgGenerator svg;
    svg.setOutputDevice(&buffer);
    svg.setSize(kPicture);
    svg.setViewBox(QRect(QPoint(), kPicture));
    svg.setTitle(m_content.title);
    QPainter painter(&svg);
    paintLight(painter);
    painter.end();
    return writeBytes(path, bytes);
}

Result<void> ChartWindow::exportPng(const QString &path) const
{
    QImage picture(kPicture * kPictureScale, QImage::Format_RGB32);
    QPainter painter(&picture);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.scale(kPictureScale, kPictureScale);
    paintLight(painter);
    painter.end();
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    if (!picture.save(&buffer, "PNG"))
        return Error{.what = "the picture could not be drawn", .where = path.toStdString(), .fault = Fault::Outside};
    return writeBytes(path, bytes);
}

Result<void> ChartWindow::exportCsv(const QString &path) const
{
    std::string text = "line," + csvText(m_content.xTitle.toStdString()) + ",value\r\n";
    for (const ChartLine &line : m_content.lines) {
        const std::optional<CurveRange> range = line.curve ? line.curve->range() : std::nullopt;
        if (!range)
            continue;
        for (const EnvelopeBucket &bucket : pointsOf(*line.curve, *range)) {
            text += csvText(line.name.isEmpty() ? m_content.title.toStdString() : line.name.toStdString());
            text += ',' + formatExact(bucket.x) + ',' + (bucket.points > 0 ? formatExact(bucket.last) : "nan") + "\r\n";
        }
    }
    return writeNamedFile(pathFrom(path), text);
}

void ChartWindow::askExport(const QString &suffix, Result<void> (ChartWindow::*write)(const QString &) const)
{
    askSavePath(
        this, tr("Export chart"), QStringLiteral("chart.") + suffix, suffix, [this, write](const QString &path) {
            if (const Result<void> written = (this->*write)(path); !written)
                showProblem(this, tr("Export chart"), problemText(written.error()));
            else
                Q_EMIT statusMessage(tr("Exported to %1").arg(path));
        });
}

} // namespace slipway::ui
