// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/plan/plan_results.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QResizeEvent>
#include <QTimer>
#include <QVBoxLayout>

#include "ui/charts/lane_chart.h"
#include "ui/plan/display_names.h"
#include "ui/plan/buffer_table.h"
#include "ui/plan/framework_card.h"
#include "ui/plan/memory_card.h"
#include "ui/plan/offer_table.h"
#include "ui/plan/plan_comparison.h"
#include "ui/plan/timeline_chart.h"
#include "ui/plan/verdict_card.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/fields.h"
#include "ui/widgets/legend.h"
#include "ui/widgets/metric_tiles.h"
#include "ui/widgets/text.h"
#include "ui/widgets/veil.h"

namespace slipway::ui {

namespace {

// These parts are refreshed after a pause, so that typing stays fast.
constexpr int kTiles = 6;
constexpr int kBuffersAfterMs = 90, kTimelineAfterMs = 150, kOffersAfterMs = 350, kSearchAfterMs = 60;

} // namespace

PlanResults::PlanResults(PlanDocument &document, const Catalogue &catalogue, QWidget *parent)
    : QWidget(parent),
      m_document(document),
      m_catalogue(catalogue),
      m_content(new QWidget),
      m_veil(new Veil(m_content)),
      m_problem(new Banner(Pill::Tone::Bad)),
      m_notes(new Banner(Pill::Tone::Warn)),
      m_verdict(new VerdictCard(tr("Peak memory by category"))),
      m_overStep(new MemoryCard(document)),
      m_stage(new ComboInput({})),
      m_suggestions(new SuggestionList),
      m_framework(new FrameworkCard(document, catalogue)),
      m_comparison(new PlanComparison(document, catalogue)),
      m_tiles(new MetricTiles(kTiles)),
      m_buffersTimer(new QTimer(this)),
      m_timelineTimer(new QTimer(this)),
      m_offersTimer(new QTimer(this)),
      m_searchTimer(new QTimer(this))
{
    makeContent();
    connect(m_suggestions, &SuggestionList::chosen, this, [this](const SuggestionDisplay &view) {
        const Result<void> applied = m_document.apply(view.settings, view.change);
        if (!applied)
            m_problem->setText(fieldMessage(applied.error()));
    });
    connect(&m_document, &PlanDocument::changed, this, &PlanResults::refresh);
    connect(&m_document, &PlanDocument::suggestionsChanged, this, &PlanResults::refreshSuggestions);
    connectTimers();
    refresh();
    refreshTimeline();
    refreshBuffers();
    refreshOffers();
    m_searchTimer->start();
}

void PlanResults::makeContent()
{
    auto *page = new QVBoxLayout(this);
    page->setContentsMargins(4, 2, 20, 20);
    page->setSpacing(12);
    page->addWidget(m_problem);
    page->addWidget(m_content, 1);
    auto *content = new QVBoxLayout(m_content);
    content->setContentsMargins(0, 0, 0, 0);
    content->setSpacing(12);
    content->addWidget(m_verdict);
    content->addWidget(m_tiles);
    content->addWidget(m_comparison);

    m_halves = new QHBoxLayout;
    m_halves->setSpacing(12);
    m_halves->addWidget(m_overStep, 58);
    m_halves->addWidget(makeTime(), 42);
    content->addLayout(m_halves, 1);

    auto *change = new Card(tr("Suggested changes"));
    change->setHint(tr("each one verified by a full plan"));
    change->body()->addWidget(m_suggestions);
    content->addWidget(change);
    content->addWidget(m_framework);
    content->addWidget(makeOffers());
    content->addWidget(makeTimeline());
    content->addWidget(makeBuffers());
    content->addWidget(m_notes);
    m_content->installEventFilter(this);
    m_veil->hide();
}

// Each timer starts again with each change, so that only the last of several changes in a row costs time.
void PlanResults::connectTimers()
{
    for (const auto &[timer, milliseconds] :
        {std::pair(m_buffersTimer, kBuffersAfterMs), std::pair(m_timelineTimer, kTimelineAfterMs),
            std::pair(m_offersTimer, kOffersAfterMs), std::pair(m_searchTimer, kSearchAfterMs)}) {
        timer->setSingleShot(true);
        timer->setInterval(milliseconds);
    }
    connect(m_overStep, &MemoryCard::instantChanged, m_buffersTimer, qOverload<>(&QTimer::start));
    connect(m_buffersTimer, &QTimer::timeout, this, &PlanResults::refreshBuffers);
    connect(&m_document, &PlanDocument::changed, m_timelineTimer, qOverload<>(&QTimer::start));
    connect(m_timelineTimer, &QTimer::timeout, this, &PlanResults::refreshTimeline);
    connect(&m_document, &PlanDocument::changed, m_offersTimer, qOverload<>(&QTimer::start));
    connect(m_offersTimer, &QTimer::timeout, this, &PlanResults::refreshOffers);
    connect(&m_document, &PlanDocument::changed, this, [this] {
        *m_searchCancelled = true;
        m_searchTimer->start();
    });
    connect(m_searchTimer, &QTimer::timeout, this, &PlanResults::searchSettings);
}

const Pill &PlanResults::verdict() const { return m_verdict->verdict(); }
const std::vector<MetricTile *> &PlanResults::tiles() const { return m_tiles->tiles(); }

PlanResults::~PlanResults() { *m_searchCancelled = true; }

// The first suggestions are shown at once. The search runs later, because it takes longer than a frame.
void PlanResults::searchSettings()
{
    if (!m_document.planner().searchSettings || !m_document.outcome())
        return;
    const auto cancelled = m_searchCancelled = std::make_shared<std::atomic<bool>>(false);
    const auto work = [search = m_document.planner().searchSettings(m_document.config()), cancelled] {
        return search([cancelled] { return cancelled->load(); });
    };
    m_background.run(this, work, [this, cancelled](const Result<SettingsSearch> &found) {
        if (*cancelled) // a search for a later plan follows
            return;
        m_searching = false;
        if (found && m_document.outcome())
            m_document.setSuggestions(mergedSuggestions(*found, m_document.outcome()->suggestions));
        else
            refreshSuggestions();
        Q_EMIT searchEnded();
    });
}

void PlanResults::refreshSuggestions()
{
    if (!m_document.outcome())
        return;
    const PlanDisplay view = planDisplay(*m_document.outcome(), &m_catalogue);
    m_suggestions->set(view.suggestions, view.nothingFits, m_searching);
}

// Returns the width that the two middle cards need side by side.
int PlanResults::widthSideBySide() const
{
    return m_halves->itemAt(0)->minimumSize().width() + m_halves->itemAt(1)->minimumSize().width() +
           m_halves->spacing();
}

void PlanResults::setAvailableWidth(int width)
{
    m_width = width;
    const QMargins margins = layout()->contentsMargins();
    const int inside = width - margins.left() - margins.right();
    if (inside <= 0)
        return;
    for (Card *half : {static_cast<Card *>(m_overStep), m_timeCard})
        half->fitTitle(QWIDGETSIZE_MAX); // the cards are only side by side if their titles are in one line
    const bool apart = widthSideBySide() > inside;
    m_halves->setDirection(apart ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
    for (Card *half : {static_cast<Card *>(m_overStep), m_timeCard})
        half->fitTitle(apart ? inside : QWIDGETSIZE_MAX);
    m_tiles->setColumns(m_tiles->columnsWithin(inside));
}

QWidget *PlanResults::makeTime()
{
    auto *card = m_timeCard = new Card(tr("Step time breakdown"));
    m_time = new StackedBar;
    m_time->setAccessibleName(tr("Step time by kernel type"));
    m_timeLegend = new Legend(Legend::Form::List);
    m_origin = makeLabel({}, TextKind::Muted);
    m_origin->setWordWrap(true);
    m_timeBy = new SegmentedInput(
        {{QStringLiteral("category"), tr("By kernel"), tr("GEMM, attention, communication and other kernels")},
            {QStringLiteral("phase"), tr("By phase"), tr("Forward, backward, recomputation, optimizer")}});
    m_timeBy->setValue(QStringLiteral("category"));
    connect(m_timeBy, &SegmentedInput::edited, this, &PlanResults::refreshTime);
    card->addToTitle(m_timeBy);
    card->body()->addWidget(m_time);
    card->body()->addWidget(m_timeLegend);
    card->body()->addStretch(1);
    card->body()->addWidget(m_origin);
    card->body()->addWidget(new SourceLegend({Source::Predicted, Source::Quoted}));
    return card;
}

QWidget *PlanResults::makeTimeline()
{
    auto *card = new Card(tr("Step timeline"));
    card->setHint(tr("one lane per stream; click, then scroll to zoom; drag to pan; double-click to reset"));
    m_stage->setMinimumWidth(130);
    m_stage->setAccessibleName(tr("Pipeline stage"));
    m_stage->setToolTip(tr("Pipeline stage whose memory and timeline are shown"));
    connect(m_stage, &ComboInput::edited, this, [this] { setStage(stage()); });
    card->addToTitle(m_stage);
    m_timeline = new LaneChart;
    m_timeline->setAccessibleName(tr("Step timeline"));
    m_timelineNote = makeLabel({}, TextKind::Muted);
    auto *legend = new Legend(Legend::Form::Flow);
    legend->set(timelineLegend());
    card->body()->addWidget(m_timeline);
    card->body()->addWidget(legend);
    card->body()->addWidget(m_timelineNote);
    card->body()->addWidget(makePipeline());
    if (!m_document.planner().timeline)
        card->hide(); // showing it here, without a parent, would open a window
    return card;
}

QWidget *PlanResults::makePipeline()
{
    m_pipeline = new QWidget;
    auto *column = new QVBoxLayout(m_pipeline);
    column->setContentsMargins({});
    column->addWidget(makeLabel(tr("Pipeline stages of a step, with their bubbles"), TextKind::Muted));
    m_stages = new LaneChart;
    m_stages->setAccessibleName(tr("Pipeline stages"));
    auto *legend = new Legend(Legend::Form::Flow);
    legend->set(pipelineLegend());
    column->addWidget(m_stages);
    column->addWidget(legend);
    m_pipeline->hide();
    return m_pipeline;
}

QWidget *PlanResults::makeBuffers()
{
    auto *card = new Card(tr("Live buffers"));
    card->setHint(tr("at the cursor in the memory chart, or at its peak; click the chart to pin a point"));
    m_buffers = new BufferTable;
    card->body()->addWidget(m_buffers);
    if (!m_document.planner().buffersAt)
        card->hide(); // showing it here, without a parent, would open a window
    return card;
}

QWidget *PlanResults::makeOffers()
{
    auto *card = new Card(tr("Which GPU to rent"));
    card->setHint(tr("the same step on every GPU with a price, lowest cost first; double-click a row to use its GPU"));
    m_offers = new OfferTable(m_catalogue);
    connect(m_offers, &OfferTable::chosen, this, [this](const SettingTexts &changes, const QString &label) {
        if (const Result<void> applied = m_document.apply(changes, label); !applied)
            m_problem->setText(fieldMessage(applied.error()));
    });
    card->body()->addWidget(m_offers);
    card->body()->addWidget(new SourceLegend({Source::Predicted, Source::Quoted}));
    if (!m_document.planner().offers)
        card->hide(); // showing it here, without a parent, would open a window
    return card;
}

void PlanResults::refreshOffers()
{
    if (!m_document.planner().offers || !m_document.outcome())
        return;
    Result<std::vector<Offer>> offers = m_document.planner().offers(m_document.config());
    if (offers)
        m_offers->set(
            m_document.lastPrediction()->config, m_document.lastPrediction()->cost.relative, *std::move(offers));
}

void PlanResults::refreshTime()
{
    const Prediction *prediction = m_document.lastPrediction();
    if (prediction == nullptr)
        return;
    const BarData bar = m_timeBy->value() == QStringLiteral("phase") ? phaseBar(*prediction) : timeBar(*prediction);
    m_timeLegend->set(partsOf(bar));
    m_time->setData(bar);
}

void PlanResults::refreshTimeline()
{
    if (!m_document.planner().timeline || !m_document.outcome())
        return;
    Result<Timeline> timeline = m_document.planner().timeline(m_document.config(), stage());
    if (!timeline)
        return;
    const auto kept = std::make_shared<const Timeline>(*std::move(timeline));
    m_timeline->setData(timelineLanes(kept));
    const QString note = timelineNote(*kept);
    m_timelineNote->setText(note);
    m_timelineNote->setVisible(!note.isEmpty());
    m_stages->setData(pipelineLanes(kept));
    m_pipeline->setVisible(!kept->stageIntervals.empty());
}

void PlanResults::refreshBuffers()
{
    const auto instant = m_overStep->instant();
    if (!m_document.planner().buffersAt || !m_document.outcome() || !instant)
        return;
    Result<std::vector<LiveBuffer>> buffers = m_document.planner().buffersAt(m_document.config(), instant->op, stage());
    if (!buffers)
        return;
    if (!instant->statesThere)
        std::erase_if(*buffers, [](const LiveBuffer &buffer) { return buffer.role == Role::OptimizerState; });
    m_buffers->set(instant->name, *std::move(buffers));
}

std::size_t PlanResults::stage() const { return m_stage->value().toULongLong(); }

void PlanResults::setStage(std::size_t stage)
{
    m_stage->setValue(QString::number(stage));
    m_overStep->setStage(stage);
    refreshTimeline();
    refreshBuffers();
}

// Offers the first, the second and the last stage. The second represents all stages between the first and the last:
// they differ at most by a layer and by the number of their micro-batches in flight.
void PlanResults::refreshStages()
{
    const int stages = m_document.config().parallel.pp;
    std::vector<Choice> choices{{QStringLiteral("0"), tr("Stage 1 of %1").arg(stages), {}}};
    if (stages > 2)
        choices.push_back({QStringLiteral("1"), tr("Stage 2 of %1").arg(stages),
            tr("Represents all stages between the first and the last; some may have one layer less")});
    if (stages > 1)
        choices.push_back({QString::number(stages > 2 ? 2 : 1), tr("Stage %1 of %1").arg(stages), {}});
    const std::size_t shown = std::min(stage(), choices.size() - 1);
    m_stage->setChoices(choices);
    m_stage->setVisible(stages > 1);
    if (shown != stage())
        m_overStep->setStage(shown);
    m_stage->setValue(QString::number(shown));
}

void PlanResults::refresh()
{
    m_searching = m_document.planner().searchSettings && m_document.outcome();
    if (const Prediction *last = m_document.lastPrediction())
        show(*last);
    refreshProblem();
}

void PlanResults::setRefused(const std::optional<Error> &error)
{
    m_refused = error;
    refreshProblem();
}

void PlanResults::refreshProblem()
{
    const Result<Prediction> &outcome = m_document.outcome();
    const bool valid = outcome && !m_refused;
    m_content->setEnabled(valid);
    m_veil->setVisible(!valid);
    m_veil->raise();
    if (valid) {
        m_problem->setText({});
        return;
    }
    QString text = m_refused ? fieldMessage(*m_refused)
                             : tr("This configuration cannot be planned. %1").arg(fieldMessage(outcome.error()));
    if (m_document.lastPrediction() != nullptr)
        text += u' ' + tr("The results below are those of the last valid configuration.");
    m_problem->setText(text);
}

bool PlanResults::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_content && event->type() == QEvent::Resize)
        m_veil->setGeometry(m_content->rect());
    return QWidget::eventFilter(watched, event);
}

void PlanResults::show(const Prediction &prediction)
{
    const PlanDisplay view = planDisplay(prediction, &m_catalogue);
    m_verdict->set(view.verdict, memoryBar(prediction));
    m_tiles->set(view.figures);
    setAvailableWidth(m_width);
    refreshTime();
    m_origin->setText(view.origin);
    if (m_document.outcome()) {
        refreshStages();
        m_overStep->refresh();
    }
    m_suggestions->set(view.suggestions, view.nothingFits, m_searching);
    QStringList notes;
    for (const QString &note : view.notes)
        notes << note;
    m_notes->setText(notes.join(u'\n'));
}

} // namespace slipway::ui
