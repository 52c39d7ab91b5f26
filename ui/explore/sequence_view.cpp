// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/explore/sequence_view.h"

#include <QGridLayout>

#include "ui/explore/explore_charts.h"
#include "ui/widgets/card.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

constexpr int kColumns = 3;

} // namespace

SequenceView::SequenceView(QWidget *parent)
    : QWidget(parent),
      m_setting(makeLabel({}, TextKind::Muted)),
      m_grid(new QGridLayout)
{
    auto *card = new Card;
    auto *legend = new Legend(Legend::Form::Flow);
    legend->set(roleLegend());
    m_setting->setWordWrap(true); // in a narrow window, the text needs several lines
    card->body()->addWidget(m_setting);
    card->body()->addLayout(m_grid, 1);
    card->body()->addWidget(legend);
    m_grid->setSpacing(8);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(card);
}

void SequenceView::show(const SequenceMemory &memory, const QString &setting)
{
    m_memory = memory;
    m_setting->setText(setting);
    const std::vector<ColumnData> panels = sequenceData(m_memory);
    while (m_panels.size() < panels.size()) {
        auto *chart = new ColumnChart;
        const std::size_t n = m_panels.size();
        connect(chart, &ColumnChart::chosen, this,
            [this, n](std::size_t column) { Q_EMIT chosen(m_memory.panels[n].bars[column].config); });
        m_grid->addWidget(chart, static_cast<int>(n) / kColumns, static_cast<int>(n) % kColumns);
        m_panels.push_back(chart);
    }
    for (std::size_t i = 0; i < panels.size(); ++i)
        m_panels[i]->setData(panels[i]);
}

} // namespace slipway::ui
