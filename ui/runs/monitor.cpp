// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/runs/monitor.h"

#include <QEvent>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>

#include <algorithm>

#include "base/text.h"
#include "ui/language/local_text.h"
#include "ui/runs/chart_window.h"
#include "ui/runs/run_legend.h"
#include "ui/theme/style.h"
#include "ui/theme/theme_colors.h"
#include "ui/widgets/card.h"
#include "ui/widgets/fields.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/legend.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

constexpr int kCardHeight = 212, kMostHeight = 340, kNarrowest = 330, kArrowAndMargins = 48;

QString pointsText(const LineChart &chart)
{
    const auto count = [](std::size_t points) { return localText(formatCount(static_cast<double>(points))); };
    return chart.allPoints() > chart.drawnPoints() && chart.drawnPoints() > 0
               ? Monitor::tr("%1 of %2 points").arg(count(chart.drawnPoints()), count(chart.allPoints()))
               : QString();
}

} // namespace

Monitor::Monitor(QWidget *parent)
    : QWidget(parent),
      m_key(new RunLegend),
      m_area(new QScrollArea),
      m_board(new QWidget),
      m_nothing(makeLabel({}, TextKind::Muted)),
      m_grid(new QGridLayout(m_board))
{
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(8);
    column->addWidget(makeControls());
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setAlignment(Qt::AlignTop);
    m_grid->setSpacing(10);
    m_area->setWidget(m_board);
    m_area->setWidgetResizable(true);
    m_area->setFrameShape(QFrame::NoFrame);
    m_area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_area->viewport()->setAutoFillBackground(false);
    m_area->viewport()->installEventFilter(this);
    m_board->setAutoFillBackground(false);
    m_nothing->setAlignment(Qt::AlignCenter);
    column->addWidget(m_nothing);
    auto *row = new QHBoxLayout;
    row->setSpacing(10);
    row->addWidget(m_area, 1);
    row->addWidget(m_key);
    m_key->hide();
    column->addLayout(row, 1);
    m_content.isShown = [this](std::size_t run) { return m_key->isShown(run); };
    connect(m_key, &RunLegend::chosenChanged, this, &Monitor::build);
    connect(m_key, &RunLegend::emphasized, this, &Monitor::emphasize);
    makePanels();
    m_next.setSingleShot(true);
    m_next.setInterval(0);
    connect(&m_next, &QTimer::timeout, this, &Monitor::drawNext);
    connect(m_area->verticalScrollBar(), &QScrollBar::valueChanged, this, [this] { m_next.start(); });
}

QWidget *Monitor::makeControls()
{
    auto *bar = new QWidget;
    auto *lines = new FlowLayout(10, bar);
    lines->setContentsMargins(2, 8, 2, 0);
    m_axisChoice = new SegmentedInput({{QStringLiteral("step"), tr("Step"), tr("Over finished steps")},
        {QStringLiteral("tokens"), tr("Tokens"), tr("Over tokens seen")},
        {QStringLiteral("time"), tr("Time"), tr("Over time since the first step, including pauses")},
        {QStringLiteral("usd"), tr("$"), tr("Over billed cost: price × time")}});
    const std::vector<Choice> smoothings{{QStringLiteral("-1"), tr("Automatic"), {}},
        {QStringLiteral("0"), tr("Off"), {}}, {QStringLiteral("5"), tr("5 steps"), {}},
        {QStringLiteral("20"), tr("20 steps"), {}}, {QStringLiteral("100"), tr("100 steps"), {}},
        {QStringLiteral("500"), tr("500 steps"), {}}};
    m_smoothing = new ComboInput(smoothings);
    int widest = 0;
    for (const Choice &choice : smoothings)
        widest = std::max(widest, m_smoothing->fontMetrics().horizontalAdvance(choice.shown));
    m_smoothing->setMinimumWidth(widest + kArrowAndMargins); // so that no choice is cut
    m_smoothing->setToolTip(tr("Bias-corrected exponential moving average. The weight of a value halves after this "
                               "number of steps. The unsmoothed values stay visible."));
    m_smoothing->setAccessibleName(tr("Smoothing"));
    m_axisChoice->setAccessibleName(tr("X axis"));
    m_scaleChoice = new SegmentedInput({{QStringLiteral("linear"), tr("Linear"), {}},
        {QStringLiteral("log"), tr("Log"), tr("Loss, gradient norm and learning rate on a logarithmic axis")}});
    m_scaleChoice->setAccessibleName(tr("Loss scale"));
    int height = 0;
    const auto add = [lines, &height](const QString &name, QWidget *widget) {
        auto *named = new QWidget; // name and control wrap together
        auto *row = new QHBoxLayout(named);
        row->setContentsMargins(0, 0, 8, 0);
        row->setSpacing(10);
        row->addWidget(makeLabel(name, TextKind::Muted));
        row->addWidget(widget);
        lines->addWidget(named);
        height = std::max(height, named->sizeHint().height());
    };
    add(tr("X axis"), m_axisChoice);
    add(tr("Smoothing"), m_smoothing);
    add(tr("Loss scale"), m_scaleChoice);
    QLabel *hint = makeLabel(tr("Ctrl+scroll to zoom, drag to pan, double-click to reset"), TextKind::Muted);
    hint->setWhatsThis(tr("With the keyboard in a chart: + and − zoom, 0 resets the view, and the arrow keys move the "
                          "cursor (with Ctrl in larger steps)."));
    m_axisChoice->setFixedWidth(236);
    m_scaleChoice->setFixedWidth(124);
    hint->setMinimumHeight(height); // in the middle of the line
    lines->addWidget(hint);         // below the controls in a narrow window
    m_axisChoice->setValue(QStringLiteral("step"));
    m_smoothing->setValue(QStringLiteral("-1"));
    m_scaleChoice->setValue(QStringLiteral("linear"));
    connect(m_axisChoice, &Input::edited, this,
        [this](const QString &value) { setAxis(enumFromName<XAxis>(value.toStdString()).value_or(XAxis::Step)); });
    connect(m_smoothing, &Input::edited, this, [this](const QString &value) { setHalfLife(value.toDouble()); });
    connect(m_scaleChoice, &Input::edited, this,
        [this](const QString &value) { setLogarithmic(value == QStringLiteral("log")); });
    return bar;
}

void Monitor::makePanels()
{
    for (MonitorChart &what : monitorCharts()) {
        Panel panel{.what = std::move(what)};
        panel.card = new Card(panel.what.title, m_board);
        panel.chart = new LineChart;
        panel.legend = new Legend(Legend::Form::Flow);
        panel.points = makeLabel({}, TextKind::Muted);
        panel.card->addToTitle(panel.points);
        auto *larger = new QPushButton(QStringLiteral("⤢"));
        larger->setProperty(kQuiet, true);
        larger->setFixedSize(26, 22);
        larger->setFocusPolicy(Qt::TabFocus);
        larger->setToolTip(tr("Show this chart in a window of its own, and export it"));
        larger->setAccessibleName(tr("Enlarge %1").arg(panel.what.title));
        panel.card->addToTitle(larger);
        connect(larger, &QPushButton::clicked, this, [this, first = panel.what.quantities.front()] { enlarge(first); });
        panel.card->body()->setSpacing(2);
        panel.card->body()->addWidget(panel.chart, 1);
        panel.card->body()->addWidget(panel.legend);
        panel.card->setFixedHeight(kCardHeight);
        panel.card->hide();
        panel.card->installEventFilter(this);
        panel.chart->setQuantity(panel.what.title, panel.what.text, panel.what.fromZero, panel.what.scale);
        panel.chart->setBytes(panel.what.bytes);
        link(panel.chart);
        connect(panel.chart, &LineChart::redrawn, panel.points,
            [chart = panel.chart, label = panel.points] { label->setText(pointsText(*chart)); });
        m_panels.push_back(std::move(panel));
    }
}

void Monitor::link(LineChart *chart)
{
    connect(chart, &LineChart::zoomed, this, [this, chart](const std::optional<CurveRange> &range) {
        for (const Panel &other : m_panels) {
            if (other.chart != chart)
                other.chart->follow(range);
        }
    });
    connect(chart, &LineChart::cursorMoved, this, [this, chart](std::optional<double> x) {
        for (const Panel &other : m_panels) {
            if (other.chart != chart)
                other.chart->followCursor(x);
        }
    });
}

void Monitor::show(const std::shared_ptr<const RunDisplay> &run) { compare({{run->name, run}}); }

void Monitor::compare(std::vector<Overlay> runs)
{
    const auto sameRun = [](const Overlay &a, const Overlay &b) {
        return a.run->series == b.run->series && a.name == b.name;
    };
    std::vector<SeriesKey> keys;
    for (const Overlay &run : runs) {
        if (run.run->series) {
            const std::vector<SeriesKey> more = run.run->series->keys();
            keys.insert(keys.end(), more.begin(), more.end());
        }
    }
    const bool same = keys == m_content.keys &&
                      std::equal(runs.begin(), runs.end(), m_content.runs.begin(), m_content.runs.end(), sameRun);
    const bool sameBands = same && runs.size() == 1 && runs[0].run->bands == m_content.runs[0].run->bands &&
                           runs[0].run->restarts == m_content.runs[0].run->restarts &&
                           runs[0].run->superseded == m_content.runs[0].run->superseded;
    m_content.runs = std::move(runs);
    m_content.keys = std::move(keys);
    QStringList names;
    for (const Overlay &run : m_content.runs)
        names << run.name;
    m_key->setRuns(names);
    m_key->setVisible(names.size() > 1);
    if (!same || (m_content.runs.size() == 1 && !sameBands))
        build();
    for (Panel &panel : m_panels)
        panel.stale = panel.lines > 0;
    if (same && (m_content.runs.size() > 1 || sameBands)) {
        for (const Panel &panel : m_panels) {
            if (panel.window)
                panel.window->grow();
        }
    }
    m_next.start();
}

void Monitor::setAxis(XAxis axis)
{
    m_axisChoice->setValue(qs(enumName(axis)));
    if (m_content.axis == axis)
        return;
    m_content.axis = axis;
    build();
    drawSeen();
}

void Monitor::setHalfLife(double steps)
{
    m_smoothing->setValue(QString::number(steps));
    m_content.halfLife = steps;
    build(); // rebuilds the legends, because they name the smoothed line
    drawSeen();
}

void Monitor::setLogarithmic(bool on)
{
    m_scaleChoice->setValue(on ? QStringLiteral("log") : QStringLiteral("linear"));
    m_logarithmic = on;
    for (const Panel &panel : m_panels)
        panel.chart->setLogarithmic(on && panel.what.logarithmic);
    for (const Panel &panel : m_panels) {
        if (panel.window)
            panel.window->setContent(contentOf(panel));
    }
}

void Monitor::build()
{
    for (Panel &panel : m_panels)
        buildPanel(panel);
    place();
    m_next.start();
}

void Monitor::buildPanel(Panel &panel)
{
    const std::vector<ChartLine> lines = m_content.overlayLines(panel.what);
    panel.lines = lines.size();
    panel.card->setVisible(!lines.empty());
    // The list of runs names several lines. A single one could be of any run.
    const bool hasLegend = m_content.runs.size() == 1 || lines.size() == 1;
    panel.legend->setVisible(hasLegend);
    panel.card->setTitle(m_content.titleOf(panel.what));
    if (panel.window)
        panel.window->setContent(contentOf(panel));
    if (lines.empty()) {
        panel.chart->setLines({});
        return;
    }
    panel.chart->setLinesDeferred({}); // avoids redrawing a hidden chart during the following changes
    m_content.setUp(panel.what, *panel.chart);
    if (hasLegend)
        panel.legend->set(m_content.legend(panel.what, lines));
    panel.chart->setLinesDeferred(m_content.allLines(panel.what));
    panel.stale = true;
}

ChartContent Monitor::contentOf(const Panel &panel) const
{
    const std::vector<ChartLine> lines = m_content.allLines(panel.what);
    const QString name = m_content.runs.size() == 1 ? m_content.runs[0].name
                         : lines.size() == 1        ? lines[0].name
                                                    : QString();
    const QString run = name.isEmpty() ? QString() : name + QStringLiteral(" · ");
    return {run + m_content.titleOf(panel.what), axisTitle(m_content.axis), lines,
        [this, what = panel.what, lines](LineChart &chart) {
            chart.setQuantity(what.title, what.text, what.fromZero, what.scale);
            chart.setBytes(what.bytes);
            chart.setLogarithmic(m_logarithmic && what.logarithmic);
            m_content.setUp(what, chart);
            m_content.setDots(what, chart);
            chart.setLines(lines);
        }};
}

ChartWindow *Monitor::enlarge(Panel &panel)
{
    if (!panel.window) {
        panel.window = new ChartWindow(contentOf(panel), this);
        panel.window->setAttribute(Qt::WA_DeleteOnClose);
        connect(panel.window, &ChartWindow::statusMessage, this, &Monitor::statusMessage);
    }
    panel.window->show();
    panel.window->raise();
    return panel.window;
}

ChartWindow *Monitor::enlarge(Quantity quantity)
{
    const auto has = [quantity](const Panel &panel) {
        const std::vector<Quantity> &all = panel.what.quantities;
        return panel.lines > 0 && std::find(all.begin(), all.end(), quantity) != all.end();
    };
    const auto panel = std::find_if(m_panels.begin(), m_panels.end(), has);
    return panel == m_panels.end() ? nullptr : enlarge(*panel);
}

void Monitor::place()
{
    const int columns = std::clamp(m_area->viewport()->width() / kNarrowest, 1, 3);
    int at = 0;
    for (const Panel &panel : m_panels)
        m_grid->removeWidget(panel.card);
    const auto shown =
        std::count_if(m_panels.begin(), m_panels.end(), [](const Panel &panel) { return panel.lines > 0; });
    const int height = cardHeight((static_cast<int>(shown) + columns - 1) / columns);
    for (const Panel &panel : m_panels) {
        if (panel.lines == 0)
            continue;
        panel.card->setFixedHeight(height);
        m_grid->addWidget(panel.card, at / columns, at % columns);
        ++at;
    }
    for (int column = 0; column < 4; ++column)
        m_grid->setColumnStretch(column, column < columns ? 1 : 0);
    m_grid->setRowStretch(m_grid->rowCount(), 0);
    const bool steps = std::any_of(m_content.runs.begin(), m_content.runs.end(),
        [](const Overlay &one) { return one.run->series && one.run->series->size() > 0; });
    const bool none = m_content.runs.size() > 1 && shown == 0 && m_content.axis != XAxis::Cost;
    m_nothing->setText(none    ? tr("All runs are hidden. Check a run to show it.")
                       : steps ? tr("No hourly price is set. Choose another x axis.")
                               : tr("No steps yet. The measurements of each step appear here."));
    m_nothing->setVisible(at == 0);
}

// Returns the height at which all rows fit into a tall window. In a low window, each chart keeps its minimum height.
int Monitor::cardHeight(int rows) const
{
    const int room = m_area->viewport()->height() - (rows - 1) * m_grid->spacing();
    return std::clamp(room / std::max(rows, 1), kCardHeight, kMostHeight);
}

void Monitor::emphasize(const QString &run)
{
    for (const Panel &panel : m_panels)
        panel.chart->setEmphasis(run);
}

bool Monitor::eventFilter(QObject *watched, QEvent *event)
{
    const bool resized = event->type() == QEvent::Resize && watched == m_area->viewport();
    if (resized)
        place();
    // A chart is also painted when a page around the monitor scrolls it into view.
    if (resized || event->type() == QEvent::Paint)
        m_next.start();
    return QWidget::eventFilter(watched, event);
}

void Monitor::draw(Panel &panel)
{
    panel.stale = false;
    m_content.setDots(panel.what, *panel.chart);
    panel.chart->refresh();
}

bool Monitor::mustDraw(const Panel &panel) { return panel.stale && !panel.chart->visibleRegion().isEmpty(); }

void Monitor::drawNext()
{
    if (const auto panel = std::find_if(m_panels.begin(), m_panels.end(), mustDraw); panel != m_panels.end()) {
        draw(*panel);
        m_next.start();
    }
}

void Monitor::drawSeen()
{
    for (Panel &panel : m_panels) {
        if (mustDraw(panel))
            draw(panel);
    }
}

bool Monitor::isDrawn() const { return std::none_of(m_panels.begin(), m_panels.end(), mustDraw); }

void Monitor::drawAll()
{
    for (Panel &panel : m_panels) {
        if (panel.lines > 0)
            draw(panel);
    }
}

std::vector<LineChart *> Monitor::shownCharts() const
{
    std::vector<LineChart *> charts;
    for (const Panel &panel : m_panels) {
        if (panel.lines > 0)
            charts.push_back(panel.chart);
    }
    return charts;
}

LineChart *Monitor::chart(Quantity quantity) const
{
    for (const Panel &panel : m_panels) {
        if (panel.lines > 0 && std::find(panel.what.quantities.begin(), panel.what.quantities.end(), quantity) !=
                                   panel.what.quantities.end())
            return panel.chart;
    }
    return nullptr;
}

} // namespace slipway::ui
