// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/plan/plan_results.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "ui/widgets/banner.h"
#include "ui/widgets/legend.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

std::vector<LegendEntry> legendOf(const std::vector<PartView> &parts)
{
    std::vector<LegendEntry> entries;
    for (const PartView &part : parts)
        entries.push_back({part.name, part.text, part.share, part.light, part.dark});
    return entries;
}

} // namespace

PlanResults::PlanResults(PlanDocument &document, QWidget *parent)
    : QWidget(parent), m_document(document), m_problem(new Banner(Pill::Tone::Bad)), m_notes(new Banner(Pill::Tone::Warn)),
      m_overStep(new AreaChart), m_suggestions(new SuggestionList)
{
    auto *page = new QVBoxLayout(this);
    page->setContentsMargins(4, 2, 20, 20);
    page->setSpacing(12);
    page->addWidget(m_problem);
    page->addWidget(makeVerdict());
    page->addWidget(makeFigures());

    auto *row = new QHBoxLayout;
    row->setSpacing(12);
    auto *overStep = new Card(tr("Memory over a step"));
    overStep->setHint(tr("allocated after each op, by role"));
    m_overStep->setAccessibleName(tr("Memory over a step"));
    overStep->body()->addWidget(m_overStep, 1);
    row->addWidget(overStep, 58);
    row->addWidget(makeTime(), 42);
    page->addLayout(row, 1);

    auto *change = new Card(tr("What to change"));
    change->setHint(tr("each tried by a plan of its own"));
    change->body()->addWidget(m_suggestions);
    page->addWidget(change);
    page->addWidget(m_notes);

    connect(m_suggestions, &SuggestionList::chosen, this, [this](const SuggestionView &view) {
        const Result<void> applied = m_document.apply(view.settings, view.change);
        if (!applied)
            m_problem->setText(qs(applied.error().message()));
    });
    connect(&m_document, &PlanDocument::changed, this, &PlanResults::refresh);
    refresh();
}

QWidget *PlanResults::makeVerdict()
{
    auto *card = new Card;
    m_verdict = new Pill;
    m_verdict->setLarge(true);
    m_sentence = makeLabel({}, TextKind::Title);
    m_detail = makeLabel({}, TextKind::Muted);
    m_detail->setWordWrap(true);
    m_sentence->setWordWrap(true);
    m_memory = new StackedBar;
    m_memory->setAccessibleName(tr("Memory at the peak"));
    m_memoryLegend = new Legend(Legend::Form::Flow);
    auto *head = new QHBoxLayout;
    head->setSpacing(14);
    head->addWidget(m_verdict, 0, Qt::AlignTop);
    auto *words = new QVBoxLayout;
    words->setSpacing(3);
    words->addWidget(m_sentence);
    words->addWidget(m_detail);
    head->addLayout(words, 1);
    card->body()->addLayout(head);
    card->body()->addWidget(m_memory);
    card->body()->addWidget(m_memoryLegend);
    return card;
}

QWidget *PlanResults::makeFigures()
{
    auto *box = new QWidget;
    auto *row = new QHBoxLayout(box);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(10);
    for (int i = 0; i < 6; ++i) {
        auto *tile = new FigureTile;
        m_tiles.push_back(tile);
        row->addWidget(tile, 1);
    }
    return box;
}

QWidget *PlanResults::makeTime()
{
    auto *card = new Card(tr("Where a step's time goes"));
    m_time = new StackedBar;
    m_time->setAccessibleName(tr("Parts of a step's time"));
    m_timeLegend = new Legend(Legend::Form::List);
    m_origin = makeLabel({}, TextKind::Muted);
    m_origin->setWordWrap(true);
    card->body()->addWidget(m_time);
    card->body()->addWidget(m_timeLegend);
    card->body()->addStretch(1);
    card->body()->addWidget(m_origin);
    card->body()->addWidget(new SourceKey({Source::Predicted, Source::Quoted}));
    return card;
}

void PlanResults::refresh()
{
    if (const Prediction *last = m_document.lastPrediction())
        show(*last);
    const Result<Prediction> &outcome = m_document.outcome();
    if (outcome) {
        m_problem->setText({});
        return;
    }
    QString text = tr("This cannot be planned: %1.").arg(qs(outcome.error().message()));
    if (m_document.lastPrediction() != nullptr)
        text += u' ' + tr("The figures below are of the last choice that could.");
    m_problem->setText(text);
}

void PlanResults::show(const Prediction &prediction)
{
    const PlanView view = planView(prediction);
    m_verdict->set(view.verdict.word, view.verdict.tone);
    m_sentence->setText(view.verdict.sentence);
    m_detail->setText(view.verdict.detail);
    m_memory->setData(memoryBar(prediction));
    m_memoryLegend->set(legendOf(view.memory));
    for (std::size_t i = 0; i < m_tiles.size() && i < view.figures.size(); ++i)
        m_tiles[i]->set(view.figures[i]);
    m_time->setData(timeBar(prediction));
    m_timeLegend->set(legendOf(view.time));
    m_origin->setText(view.origin);
    if (m_document.outcome()) {
        const Result<MemoryOverStep> memory = m_document.memoryOverStep();
        m_overStep->setData(memory ? memoryAreas(*memory, prediction) : AreaData{});
    }
    m_suggestions->set(view.suggestions);
    QStringList notes;
    for (const QString &note : view.notes)
        notes << note;
    m_notes->setText(notes.join(u'\n'));
}

} // namespace slipway::ui
