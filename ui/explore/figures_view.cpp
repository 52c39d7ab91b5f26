// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/explore/figures_view.h"

#include <QGridLayout>

#include "ui/explore/explore_charts.h"
#include "ui/language/core_texts.h"
#include "ui/widgets/card.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

FiguresView::FiguresView(const Catalogue &catalogue, QWidget *parent)
    : QWidget(parent),
      m_catalogue(catalogue),
      m_question(makeLabel({}, TextKind::Muted)),
      m_legend(new Legend(Legend::Form::Flow)),
      m_grid(new QGridLayout)
{
    auto *card = new Card;
    m_question->setWordWrap(true); // in a narrow window, the text needs several lines
    card->body()->addWidget(m_question);
    card->body()->addLayout(m_grid, 1);
    card->body()->addWidget(m_legend);
    m_grid->setSpacing(10);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(card);
}

void FiguresView::show(const std::shared_ptr<const Sweep> &sweep, const SweepFigure &figure)
{
    m_question->setText(coreText(figure.question) + QStringLiteral("  ") +
                        tr("Each point is the best over all settings not shown. Click a point to open it in Plan."));
    m_legend->set(figureLegend(figure, m_catalogue));
    const std::vector<ScatterData> panels = figureData(sweep, figure, m_catalogue);
    while (m_panels.size() < panels.size()) {
        auto *chart = new ScatterChart;
        connect(chart, &ScatterChart::chosen, this, &FiguresView::chosen);
        const auto n = static_cast<int>(m_panels.size());
        m_grid->addWidget(chart, n / 2, n % 2);
        m_panels.push_back(chart);
    }
    for (std::size_t i = 0; i < m_panels.size(); ++i) {
        m_panels[i]->setVisible(i < panels.size());
        if (i < panels.size())
            m_panels[i]->setData(panels[i]);
    }
}

} // namespace slipway::ui
