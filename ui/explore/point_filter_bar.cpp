// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/explore/point_filter_bar.h"

#include <QPushButton>

#include <algorithm>

#include "ui/plan/display_names.h"
#include "ui/plan/plan_display.h"
#include "ui/theme/style.h"
#include "ui/widgets/fields.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/text.h"
#include "ui/widgets/value_filter.h"

namespace slipway::ui {

namespace {

constexpr std::size_t kMostValues = 1000; // most values in one list

QStringList namesOfValues(const GridAxis &axis, const Catalogue &catalogue)
{
    QStringList names;
    for (std::size_t i = 0; i < std::min(axis.values.size(), kMostValues); ++i)
        names << namedValue(axis.key, axis.values[i], &catalogue);
    return names;
}

} // namespace

PointFilterBar::PointFilterBar(const Catalogue &catalogue, QWidget *parent)
    : QWidget(parent),
      m_catalogue(catalogue),
      m_row(new FlowLayout(8, this))
{
}

void PointFilterBar::setGrid(const Grid &grid)
{
    while (const QLayoutItem *item = m_row->takeAt(0)) {
        item->widget()->deleteLater();
        delete item;
    }
    m_values.clear();
    for (std::size_t axis = 0; axis < grid.axes.size(); ++axis) {
        if (grid.axes[axis].values.size() < 2)
            continue;
        auto *values = new ValueFilter(settingName(grid.axes[axis].key), namesOfValues(grid.axes[axis], m_catalogue));
        connect(values, &ValueFilter::edited, this, [this, axis, values] {
            PointFilter filter = m_filter;
            filter.values[axis] = values->chosen();
            if (values->chosen().empty())
                filter.values.erase(axis);
            setFilter(filter);
        });
        m_values.emplace_back(axis, values);
        m_row->addWidget(values);
    }
    m_shown = new SegmentedInput(
        {{QStringLiteral("0"), tr("All"), {}}, {QStringLiteral("1"), tr("Fits"), tr("Points that fit into memory")},
            {QStringLiteral("2"), tr("Pareto front"), tr("Points that no other point within the filters beats")}});
    connect(m_shown, &SegmentedInput::edited, this, [this](const QString &value) {
        PointFilter filter = m_filter;
        filter.shown = static_cast<ShownPoints>(value.toInt());
        setFilter(filter);
    });
    m_shown->setMinimumWidth(m_shown->sizeHint().width() * 14 / 10);
    m_row->addWidget(m_shown);
    m_clear = new QPushButton(tr("Clear all filters"));
    m_clear->setProperty(kQuiet, true);
    connect(m_clear, &QPushButton::clicked, this, &PointFilterBar::clear);
    m_row->addWidget(m_clear);
    m_filter = {};
    m_shown->setValue(QStringLiteral("0"));
    m_clear->setEnabled(false);
}

ValueFilter *PointFilterBar::valuesOf(std::size_t axis) const
{
    const auto found =
        std::find_if(m_values.begin(), m_values.end(), [axis](const auto &one) { return one.first == axis; });
    return found == m_values.end() ? nullptr : found->second;
}

void PointFilterBar::clear()
{
    for (const auto &[axis, values] : m_values)
        values->setChosen({});
    if (m_shown)
        m_shown->setValue(QStringLiteral("0"));
    setFilter({});
}

void PointFilterBar::setFilter(const PointFilter &filter)
{
    m_filter = filter;
    if (m_clear)
        m_clear->setEnabled(filter != PointFilter{});
    Q_EMIT changed();
}

} // namespace slipway::ui
