// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/explore/heat_view.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "ui/charts/heat_map.h"
#include "ui/explore/explore_charts.h"
#include "ui/explore/sweep_model.h"
#include "ui/plan/display_names.h"
#include "ui/widgets/fields.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

std::size_t axisOr(const Grid &grid, std::string_view key, std::size_t fallback)
{
    return grid.axisOf(key).value_or(std::min(fallback, grid.axes.size() - 1));
}

} // namespace

HeatView::HeatView(const Catalogue &catalogue, QWidget *parent)
    : Card({}, parent),
      m_catalogue(catalogue),
      m_map(new HeatMap),
      m_choices(new QHBoxLayout)
{
    m_choices->setSpacing(8);
    body()->addLayout(m_choices);
    body()->addWidget(m_map, 1);
    connect(m_map, &HeatMap::chosen, this, &HeatView::chosen);
}

void HeatView::setGrid(const Grid &grid, bool relativePrices)
{
    while (const QLayoutItem *item = m_choices->takeAt(0)) {
        if (item->widget())
            item->widget()->deleteLater();
        delete item;
    }
    std::vector<Choice> axes;
    for (std::size_t i = 0; i < grid.axes.size(); ++i) {
        if (grid.axes[i].values.size() > 1 && grid.axes[i].values.size() <= 64)
            axes.push_back({QString::number(i), settingName(grid.axes[i].key), {}});
    }
    m_figure = new ComboInput({{QStringLiteral("0"), tokensPerPriceName(relativePrices), {}},
        {QStringLiteral("1"), tr("Tokens/s per GPU"), {}}, {QStringLiteral("2"), tr("MFU"), {}},
        {QStringLiteral("3"), tr("Peak memory"), {}}});
    m_rows = new ComboInput(axes);
    m_columns = new ComboInput(axes);
    m_figure->setValue(QStringLiteral("0"));
    if (!axes.empty()) {
        m_rows->setValue(QString::number(axisOr(grid, "micro_batch", axes.front().value.toULong())));
        m_columns->setValue(QString::number(axisOr(grid, "gpus", axes.back().value.toULong())));
    }
    for (const auto &[name, picker] : std::initializer_list<std::pair<QString, ComboInput *>>{
             {tr("Best"), m_figure}, {tr("Rows"), m_rows}, {tr("Columns"), m_columns}}) {
        m_choices->addWidget(makeLabel(name, TextKind::Muted));
        picker->setMinimumWidth(150);
        m_choices->addWidget(picker);
        m_choices->addSpacing(10);
        connect(picker, &ComboInput::edited, this, &HeatView::edited);
    }
    m_choices->addWidget(makeElidedLabel(tr("over all other settings within the filters"), TextKind::Muted), 1);
}

void HeatView::show(const std::shared_ptr<const Sweep> &sweep, const std::vector<std::size_t> &points)
{
    if (!m_rows || m_rows->value().isEmpty() || m_columns->value().isEmpty())
        return;
    m_map->setData(heatData(sweep, points,
        {.rows = m_rows->value().toULong(),
            .columns = m_columns->value().toULong(),
            .figure = static_cast<HeatFigure>(m_figure->value().toInt())},
        m_catalogue));
}

} // namespace slipway::ui
