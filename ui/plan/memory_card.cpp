// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/plan/memory_card.h"

#include <QLabel>
#include <QStackedWidget>
#include <QVBoxLayout>

#include "ui/language/local_text.h"
#include "ui/plan/memory_areas.h"
#include "ui/plan/plan_display.h"
#include "ui/plan/textbook_table.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

const QString kStep = QStringLiteral("step"), kFirst = QStringLiteral("first"), kTextbook = QStringLiteral("textbook");

QString noteOf(const FirstSteps &first)
{
    QString line = tr("The line shows the memory that the allocator reserves.");
    if (first.outOfMemory)
        return line + u' ' + tr("The run is out of memory: the chart assumes a GPU with enough memory.");
    if (first.retries > 0)
        return line + u' ' + tr("The allocator has to flush its cache %1 times.").arg(first.retries);
    return line;
}

} // namespace

MemoryCard::MemoryCard(PlanDocument &document, QWidget *parent)
    : Card({}, parent),
      m_document(document),
      m_forms(new SegmentedInput({{kStep, tr("One step"),
                                      tr("Allocated memory after each op of a steady step, by category")},
          {kFirst, tr("First four"),
              tr("Allocated and reserved memory over the first four steps, as in PyTorch's memory viewer")},
          {kTextbook, tr("Textbook"), tr("Textbook formulas and simulation, with the reason for each difference")}})),
      m_chart(new AreaChart),
      m_textbook(new TextbookTable),
      m_views(new QStackedWidget),
      m_note(makeLabel({}, TextKind::Muted))
{
    m_forms->setValue(kStep);
    m_forms->setMinimumWidth(m_forms->sizeHint().width() * 5 / 4); // reserves width because the chosen segment is bold
    connect(m_forms, &SegmentedInput::edited, this, &MemoryCard::refresh);
    addToTitle(m_forms);
    m_views->addWidget(m_chart);
    m_views->addWidget(m_textbook);
    body()->addWidget(m_views, 1);
    body()->addWidget(m_note);
    connect(m_chart, &AreaChart::positionChanged, this, &MemoryCard::instantChanged);
}

MemoryCard::Form MemoryCard::form() const
{
    return m_forms->value() == kTextbook                                   ? Form::Textbook
           : m_forms->value() == kFirst && m_document.planner().firstSteps ? Form::FirstSteps
                                                                           : Form::Step;
}

void MemoryCard::show(Form form)
{
    m_forms->setValue(form == Form::Step ? kStep : form == Form::FirstSteps ? kFirst : kTextbook);
    refresh();
}

void MemoryCard::setStage(std::size_t stage)
{
    m_stage = stage;
    refresh();
}

void MemoryCard::refresh()
{
    const Prediction *prediction = m_document.lastPrediction();
    if (prediction == nullptr || !m_document.outcome())
        return;
    const Form shown = form();
    setTitle(shown == Form::Step         ? tr("Memory over a step")
             : shown == Form::FirstSteps ? tr("First four steps")
                                         : tr("Textbook and simulation"));
    m_chart->setAccessibleName(shown == Form::FirstSteps ? tr("First four steps") : tr("Memory over a step"));
    m_views->setCurrentWidget(shown == Form::Textbook ? static_cast<QWidget *>(m_textbook) : m_chart);
    m_states.clear();
    QString note;
    AreaData areas;
    if (shown == Form::FirstSteps) {
        const Result<FirstSteps> first = m_document.planner().firstSteps(m_document.config(), m_stage);
        if (first) {
            areas = firstStepsAreas(*first);
            for (const FirstSteps::Point &point : first->points)
                m_states.push_back(point.bytes[static_cast<std::size_t>(Role::OptimizerState)] > 0);
            note = noteOf(*first);
            m_perStep = first->points.size() / kFirstSteps;
        }
    } else if (const Result<MemoryOverStep> memory = m_document.memoryOverStep(m_stage)) {
        areas = memoryAreas(*memory, *prediction);
        m_perStep = memory->points.size();
        if (memory->shownMicroBatches < memory->microBatches)
            note = tr("%1 of %2 micro-batches are shown; the others are equal to these.")
                       .arg(memory->shownMicroBatches)
                       .arg(memory->microBatches);
    }
    if (const Bytes host = hostBytes(prediction->memory.host); host > 0)
        note += (note.isEmpty() ? QString() : QStringLiteral(" ")) +
                tr("Offloading takes %1 of host memory on each node.").arg(bytesText(static_cast<double>(host)));
    m_names = areas.positions;
    m_note->setText(note);
    m_note->setVisible(!note.isEmpty());
    if (shown == Form::Textbook)
        m_textbook->set(*prediction);
    m_chart->setData(std::move(areas));
}

std::optional<MemoryCard::Instant> MemoryCard::instant() const
{
    const auto position = m_chart->position();
    if (!position || *position >= m_names.size() || m_perStep == 0)
        return std::nullopt;
    return Instant{.op = *position % m_perStep,
        .name = m_names[*position],
        .statesThere = *position >= m_states.size() || m_states[*position]};
}

} // namespace slipway::ui
