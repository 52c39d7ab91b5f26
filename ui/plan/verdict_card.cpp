// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/plan/verdict_card.h"

#include <QHBoxLayout>
#include <QLabel>

#include "ui/charts/stacked_bar.h"
#include "ui/widgets/legend.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

VerdictCard::VerdictCard(const QString &memoryName, QWidget *parent)
    : Card({}, parent),
      m_verdict(new Pill),
      m_sentence(makeLabel({}, TextKind::Title)),
      m_detail(makeLabel({}, TextKind::Muted)),
      m_memory(new StackedBar),
      m_legend(new Legend(Legend::Form::Flow))
{
    m_verdict->setLarge(true);
    m_sentence->setWordWrap(true);
    m_detail->setWordWrap(true);
    m_memory->setAccessibleName(memoryName);
    auto *head = new QHBoxLayout;
    head->setSpacing(14);
    head->addWidget(m_verdict, 0, Qt::AlignTop);
    auto *words = new QVBoxLayout;
    words->setSpacing(3);
    words->addWidget(m_sentence);
    words->addWidget(m_detail);
    head->addLayout(words, 1);
    body()->addLayout(head);
    body()->addWidget(m_memory);
    body()->addWidget(m_legend);
}

void VerdictCard::set(const VerdictDisplay &verdict, const BarData &memory)
{
    m_verdict->set(verdict.word, verdict.tone);
    m_sentence->setText(verdict.sentence);
    m_detail->setText(verdict.detail);
    m_memory->setData(memory);
    m_legend->set(partsOf(memory));
}

} // namespace slipway::ui
