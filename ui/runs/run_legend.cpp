// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/runs/run_legend.h"

#include <QEvent>
#include <QListWidget>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/theme/series_mark.h"
#include "ui/theme/theme_colors.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

constexpr int kWidth = 250;
constexpr int kMarkWidth = 26, kMarkHeight = 12;

} // namespace

RunLineStyle runLineStyle(std::size_t n)
{
    return {seriesColor(n, false), seriesColor(n, true), seriesDash(n + n / kSeriesHues)};
}

QPixmap runMark(std::size_t n, const QWidget &on)
{
    const double ratio = on.devicePixelRatioF();
    QPixmap mark(QSize(kMarkWidth, kMarkHeight) * ratio);
    mark.setDevicePixelRatio(ratio);
    mark.fill(Qt::transparent);
    const RunLineStyle style = runLineStyle(n);
    QPainter painter(&mark);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(isDark(on.palette()) ? style.dark : style.light, 2.4, style.style, Qt::FlatCap));
    painter.drawLine(QPointF(1, kMarkHeight / 2.0), QPointF(kMarkWidth - 1, kMarkHeight / 2.0));
    return mark;
}

RunLegend::RunLegend(QWidget *parent) : QWidget(parent), m_list(new QListWidget)
{
    setFixedWidth(kWidth);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(6);
    m_list->setAccessibleName(tr("Runs in the charts"));
    m_list->setToolTip(tr("Check a run to show it. The selected run is highlighted."));
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setIconSize({kMarkWidth, kMarkHeight});
    m_list->setFont(fontOf(TextKind::Small));
    m_list->setTextElideMode(Qt::ElideMiddle); // runs of a sweep differ at the end of their names
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setMouseTracking(true);
    m_list->viewport()->installEventFilter(this);
    m_list->installEventFilter(this);
    auto *all = new QPushButton(tr("Show or hide all"));
    column->addWidget(m_list, 1);
    column->addWidget(all);
    connect(all, &QPushButton::clicked, this, &RunLegend::toggleAll);
    connect(m_list, &QListWidget::itemEntered, this,
        [this](QListWidgetItem *item) { Q_EMIT emphasized(item->data(Qt::UserRole).toString()); });
    connect(m_list, &QListWidget::currentItemChanged, this,
        [this](QListWidgetItem *item) { Q_EMIT emphasized(item ? item->data(Qt::UserRole).toString() : QString()); });
    connect(m_list, &QListWidget::itemChanged, this, &RunLegend::chosenChanged);
}

void RunLegend::setRuns(const QStringList &names)
{
    if (names == m_names)
        return;
    m_names = names;
    const QSignalBlocker quiet(m_list);
    m_list->clear();
    for (const QString &name : names) {
        auto *item = new QListWidgetItem(name, m_list);
        item->setData(Qt::UserRole, name);
        item->setToolTip(tipText(name));
        item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
        item->setCheckState(Qt::Checked);
    }
    drawMarks();
}

void RunLegend::drawMarks()
{
    const QSignalBlocker quiet(m_list);
    for (int row = 0; row < m_list->count(); ++row)
        m_list->item(row)->setIcon(runMark(static_cast<std::size_t>(row), *this));
}

bool RunLegend::isShown(std::size_t run) const
{
    const QListWidgetItem *const item = m_list->item(static_cast<int>(run));
    return item == nullptr || item->checkState() == Qt::Checked;
}

void RunLegend::toggleAll()
{
    bool all = true;
    for (int row = 0; row < m_list->count(); ++row)
        all = all && m_list->item(row)->checkState() == Qt::Checked;
    {
        const QSignalBlocker quiet(m_list);
        for (int row = 0; row < m_list->count(); ++row)
            m_list->item(row)->setCheckState(all ? Qt::Unchecked : Qt::Checked);
    }
    m_list->viewport()->update();
    Q_EMIT chosenChanged();
}

void RunLegend::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange)
        drawMarks();
    QWidget::changeEvent(event);
}

bool RunLegend::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::Leave || event->type() == QEvent::FocusOut) {
        const QListWidgetItem *const item = m_list->hasFocus() ? m_list->currentItem() : nullptr;
        Q_EMIT emphasized(item ? item->data(Qt::UserRole).toString() : QString());
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace slipway::ui
