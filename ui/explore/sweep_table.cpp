// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/explore/sweep_table.h"

#include <QHeaderView>
#include <QTimer>

#include <algorithm>
#include <numeric>
#include <vector>

#include "ui/explore/point_delegate.h"
#include "ui/explore/sweep_model.h"

namespace slipway::ui {

namespace {

constexpr int kRowsMeasured = 300, kOrderArrow = 24, kMargins = 18;

} // namespace

SweepTable::SweepTable(SweepModel &model, QWidget *parent) : QTableView(parent)
{
    setTabKeyNavigation(false);
    setModel(&model);
    setItemDelegate(new PointDelegate(this));
    setSortingEnabled(true);
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setSelectionMode(QAbstractItemView::SingleSelection);
    setShowGrid(false);
    setAlternatingRowColors(true);
    setFrameShape(QFrame::NoFrame);
    verticalHeader()->hide();
    verticalHeader()->setDefaultSectionSize(26);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setStretchLastSection(true);
    setAccessibleName(tr("Grid points"));
    connect(horizontalHeader(), &QHeaderView::sortIndicatorChanged, this, &SweepTable::fitColumns);
}

// Distributes the spare width over all columns.
void SweepTable::fitColumns()
{
    const int columns = model()->columnCount();
    const QFontMetrics metrics(horizontalHeader()->font());
    std::vector<int> widths;
    for (int c = 0; c < columns; ++c) {
        const bool sorted = horizontalHeader()->sortIndicatorSection() == c;
        int width = metrics.horizontalAdvance(model()->headerData(c, Qt::Horizontal, Qt::DisplayRole).toString()) +
                    (sorted ? kOrderArrow : 0);
        for (int row = 0; row < std::min(kRowsMeasured, model()->rowCount()); ++row)
            width = std::max(
                width, metrics.horizontalAdvance(model()->data(model()->index(row, c), Qt::DisplayRole).toString()));
        widths.push_back(std::max(width + kMargins, sorted ? horizontalHeader()->sectionSizeHint(c) : 0));
    }
    const int needed = std::accumulate(widths.begin(), widths.end(), 0);
    const int spare = std::max(0, viewport()->width() - needed) / std::max(1, columns);
    horizontalHeader()->setStretchLastSection(needed <= viewport()->width()); // a stretched last section would be cut
    for (int c = 0; c < columns; ++c)
        setColumnWidth(c, widths[static_cast<std::size_t>(c)] + spare);
}

void SweepTable::resizeEvent(QResizeEvent *event)
{
    QTableView::resizeEvent(event);
    QTimer::singleShot(0, this, &SweepTable::fitColumns);
}

} // namespace slipway::ui
