// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/runs/run_detail.h"

#include <QAction>
#include <QHeaderView>
#include <QLabel>
#include <QApplication>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QTabWidget>
#include <QTableWidget>
#include <QVBoxLayout>
#include <QVariant>
#include <algorithm>

#include "ui/theme/theme_colors.h"
#include "ui/theme/style.h"
#include "ui/widgets/action_button.h"
#include "ui/widgets/action_row.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/metric_tiles.h"
#include "ui/widgets/plain_table.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

constexpr int kLogLines = 5000, kTiles = 6, kLeastTabHeight = 340;

QPlainTextEdit *plainText(const QString &name)
{
    auto *edit = new QPlainTextEdit;
    edit->setReadOnly(true);
    edit->setFrameShape(QFrame::NoFrame);
    edit->setFont(fontOf(TextKind::Mono));
    edit->setAccessibleName(name);
    edit->setLineWrapMode(QPlainTextEdit::NoWrap);
    return edit;
}

// Fits the columns again only if a cell has grown or rows were added. Measuring every cell four times a second would be
// noticeable.
void fitWhereItGrew(QTableWidget &table)
{
    constexpr const char *kFitted = "fittedTo";
    constexpr int kLooked = 50; // number of rows that are measured
    QVariantList now{table.rowCount()};
    for (int column = 0; column < table.columnCount(); ++column) {
        qsizetype longest = 0;
        for (int row = 0; row < std::min(table.rowCount(), kLooked); ++row)
            longest = std::max(longest, table.item(row, column)->text().size());
        now << longest;
    }
    const QVariantList before = table.property(kFitted).toList();
    const bool fits = before.size() == now.size() && before[0] == now[0] &&
                      std::equal(now.begin(), now.end(), before.begin(),
                          [](const QVariant &a, const QVariant &b) { return a.toLongLong() <= b.toLongLong(); });
    if (fits)
        return;
    fitColumns(table);
    table.setProperty(kFitted, now);
}

} // namespace

RunDetail::RunDetail(QWidget *parent)
    : QWidget(parent),
      m_name(makeElidedLabel({}, TextKind::Title)), // a long name must not make the page wider
      m_subtitle(makeElidedLabel({}, TextKind::Muted)),
      m_tags(makeElidedLabel({}, TextKind::Muted)),
      m_state(new Pill),
      m_alerts(new Banner(Pill::Tone::Warn)),
      m_tiles(new MetricTiles(kTiles)),
      m_stop(new QPushButton(tr("Stop…"))),
      m_resume(new QPushButton(tr("Resume"))),
      m_export(new QPushButton(tr("Export"))),
      m_calibrate(new QPushButton(tr("Calibrate with this run"))),
      m_rules(new QPushButton(tr("Alert thresholds…"))),
      m_labels(makeAction(this, tr("Tags and notes…"), tr("Edit the tags and notes of the run"), {}, [] {})),
      m_monitor(new Monitor),
      m_log(plainText(tr("Log"))),
      m_config(plainText(tr("Configuration"))),
      m_logSearch(new QLineEdit),
      m_logMatches(makeLabel({}, TextKind::Muted))
{
    auto *page = new QVBoxLayout(this);
    page->setContentsMargins(0, 0, 0, 0);
    page->setSpacing(10);
    page->addWidget(makeHead());
    page->addWidget(m_alerts);
    m_tiles->followWidth(); // long figures must not make the page wider than the window
    page->addWidget(m_tiles);
    page->addWidget(makeTabs(), 1);
}

QWidget *RunDetail::makeHead()
{
    auto *head = new QWidget;
    auto *row = new QHBoxLayout(head);
    row->setContentsMargins(2, 0, 0, 0);
    row->setSpacing(10);
    auto *words = new QVBoxLayout;
    words->setSpacing(1);
    auto *title = new QHBoxLayout;
    title->setSpacing(10);
    title->addWidget(m_name);
    title->addWidget(m_state);
    m_tags->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    title->addWidget(m_tags, 1);
    words->addLayout(title);
    m_subtitle->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    words->addWidget(m_subtitle);
    row->addLayout(words, 1);
    m_stop->setProperty(kDanger, true);
    m_stop->setToolTip(tr("Write a checkpoint and stop the run"));
    m_resume->setToolTip(tr("Continue from the last checkpoint"));
    row->addWidget(new ActionRow({makeActionButton(m_labels, tr("Tags and notes…"), {}), m_stop, m_resume, m_export}));
    return head;
}

QWidget *RunDetail::makeTabs()
{
    m_tabs = new QTabWidget;
    m_tabs->setDocumentMode(true);
    m_tabs->setMinimumHeight(kLeastTabHeight); // in a low window, the page scrolls to a whole chart or several rows
    m_log->setMaximumBlockCount(kLogLines);
    m_events = makePlainTable({tr("Time"), tr("Event"), tr("Details")}, tr("Events"));
    m_tabs->addTab(m_monitor, tr("Charts"));
    m_tabs->addTab(makeComparison(), tr("Predicted vs. measured"));
    m_tabs->addTab(makeAlerts(), tr("Alerts"));
    for (const auto &[widget, name] : {std::pair<QWidget *, QString>{makeLog(), tr("Log")}, {m_events, tr("Events")},
             {m_config, tr("Configuration")}}) {
        auto *card = new Card;
        card->body()->addWidget(widget);
        m_tabs->addTab(card, name);
    }
    return m_tabs;
}

QWidget *RunDetail::makeLog()
{
    auto *box = new QWidget;
    auto *column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    auto *row = new QHBoxLayout;
    m_logSearch->setPlaceholderText(tr("Search the log"));
    m_logSearch->setAccessibleName(tr("Search the log"));
    m_logSearch->setClearButtonEnabled(true);
    m_logSearch->setMaximumWidth(320);
    row->addWidget(m_logSearch, 1);
    for (const auto &[text, tip, backward] :
        {std::tuple(QStringLiteral("↑"), tr("Previous match (Shift+Return)"), true),
            std::tuple(QStringLiteral("↓"), tr("Next match (Return)"), false)}) {
        auto *button = new QPushButton(text);
        button->setToolTip(tip);
        button->setAccessibleName(tip);
        button->setFixedWidth(34);
        connect(button, &QPushButton::clicked, this, [this, back = backward] { stepInLog(back); });
        row->addWidget(button);
    }
    row->addWidget(m_logMatches);
    row->addStretch(1);
    column->addLayout(row);
    column->addWidget(m_log, 1);
    connect(m_logSearch, &QLineEdit::textChanged, this, [this] {
        m_log->moveCursor(QTextCursor::End); // the search begins at the end, which matters most in a log
        stepInLog(true);
    });
    connect(m_logSearch, &QLineEdit::returnPressed, this,
        [this] { stepInLog(QApplication::keyboardModifiers().testFlag(Qt::ShiftModifier)); });
    return box;
}

QString RunDetail::logMatches() const { return m_logMatches->text(); }

// Marks every match and counts the matches.
void RunDetail::searchLog()
{
    QList<QTextEdit::ExtraSelection> marks;
    const QString words = m_logSearch->text();
    int current = 0;
    if (!words.isEmpty()) {
        const QTextCursor at = m_log->textCursor();
        for (QTextCursor match = m_log->document()->find(words); !match.isNull();
            match = m_log->document()->find(words, match)) {
            QTextEdit::ExtraSelection mark;
            mark.cursor = match;
            mark.format.setBackground(themeColor(ThemeColor::WarnWash, palette()));
            marks << mark;
            if (match.selectionStart() == at.selectionStart() && at.hasSelection())
                current = static_cast<int>(marks.size());
        }
    }
    m_log->setExtraSelections(marks);
    m_logMatches->setText(words.isEmpty()   ? QString()
                          : marks.isEmpty() ? tr("No match in the last %L1 lines").arg(m_log->blockCount())
                                            : tr("%1 of %2").arg(current).arg(marks.size()));
}

void RunDetail::stepInLog(bool backward)
{
    const QString words = m_logSearch->text();
    const QTextDocument::FindFlags flags = backward ? QTextDocument::FindBackward : QTextDocument::FindFlags();
    if (!words.isEmpty() && !m_log->find(words, flags)) { // continues at the other end of the log
        m_log->moveCursor(backward ? QTextCursor::End : QTextCursor::Start);
        m_log->find(words, flags);
    }
    searchLog();
}

QWidget *RunDetail::makeComparison()
{
    auto *card = new Card;
    m_comparisons =
        makePlainTable({tr("Quantity"), tr("Predicted"), tr("P10–P90"), tr("Measured"), tr("Measured ÷ predicted")},
            tr("Predicted vs. measured"));
    auto *foot = new QHBoxLayout;
    foot->addStretch(1);
    m_calibrate->setToolTip(tr("Fit the constants that this run determines, for better predictions on this GPU"));
    foot->addWidget(m_calibrate);
    card->body()->addWidget(m_comparisons, 1);
    card->body()->addLayout(foot);
    return card;
}

QWidget *RunDetail::makeAlerts()
{
    auto *card = new Card;
    m_alertTable = makePlainTable({tr("Alert"), tr("Since"), tr("Until"), tr("Step"), tr("Details")}, tr("Alerts"));
    auto *foot = new QHBoxLayout;
    QLabel *where =
        makeLabel(tr("Alerts are evaluated on this machine, from the run directory only."), TextKind::Muted);
    where->setWordWrap(true);
    foot->addWidget(where, 1);
    foot->addWidget(m_rules);
    card->body()->addWidget(m_alertTable, 1);
    card->body()->addLayout(foot);
    return card;
}

void RunDetail::show(Tab tab) { m_tabs->setCurrentIndex(static_cast<int>(tab)); }

void RunDetail::show(const std::shared_ptr<const RunDisplay> &shown)
{
    const RunDisplay &run = *shown;
    m_name->setText(run.name);
    m_subtitle->setText(
        run.stateDetail.isEmpty() ? run.subtitle : run.stateDetail + QStringLiteral(" · ") + run.subtitle);
    m_state->set(stateName(run.state), stateTone(run.state));
    QStringList labels;
    for (const std::string &tag : run.labels.tags)
        labels << u'#' + qs(tag);
    if (!run.labels.notes.empty())
        labels << qs(run.labels.notes).simplified();
    m_tags->setText(labels.join(QStringLiteral("  ")));
    QStringList alerts;
    if (!run.failure.isEmpty())
        alerts << run.failure;
    for (const AlertDisplay &alert : run.alerts) {
        if (alert.lasts)
            alerts << alert.message;
    }
    if (!run.problems.isEmpty())
        alerts << run.problems;
    m_alerts->setText(alerts.join(u'\n'));
    m_tiles->set(run.figures);
    m_monitor->show(shown);
    showTables(run);
    showAlerts(run);
    showActions(run);
}

void RunDetail::showAlerts(const RunDisplay &run)
{
    m_tabs->setTabText(
        static_cast<int>(Tab::Alerts), run.alerts.empty() ? tr("Alerts") : tr("Alerts (%1)").arg(run.alerts.size()));
    m_alertTable->setRowCount(static_cast<int>(run.alerts.size()));
    for (int row = 0; row < m_alertTable->rowCount(); ++row) {
        const AlertDisplay &alert = run.alerts[static_cast<std::size_t>(row)];
        setCell(*m_alertTable, row, 0, alert.kind);
        setCell(*m_alertTable, row, 1, alert.since);
        setCell(*m_alertTable, row, 2,
            !alert.lasts            ? alert.until
            : isTerminal(run.state) ? tr("end of the run")
                                    : tr("ongoing"));
        setCell(*m_alertTable, row, 3, QString::number(alert.step), true);
        setCell(*m_alertTable, row, 4, alert.message);
    }
    fitWhereItGrew(*m_alertTable);
}

void RunDetail::showTables(const RunDisplay &run)
{
    m_comparisons->setRowCount(static_cast<int>(run.comparisons.size()));
    for (int row = 0; row < m_comparisons->rowCount(); ++row) {
        const ComparisonDisplay &comparison = run.comparisons[static_cast<std::size_t>(row)];
        setCell(*m_comparisons, row, 0, comparison.name);
        setCell(*m_comparisons, row, 1, comparison.predicted);
        setCell(*m_comparisons, row, 2, comparison.range);
        setCell(*m_comparisons, row, 3, comparison.measured);
        setCell(
            *m_comparisons, row, 4, comparison.outside ? comparison.ratio + tr("  (out of range)") : comparison.ratio);
    }
    fitWhereItGrew(*m_comparisons);
    m_events->setRowCount(static_cast<int>(run.events.size()));
    for (int row = 0; row < m_events->rowCount(); ++row) {
        const EventDisplay &event = run.events[static_cast<std::size_t>(row)];
        setCell(*m_events, row, 0, event.time);
        setCell(*m_events, row, 1, event.kind);
        setCell(*m_events, row, 2, event.message);
    }
    fitWhereItGrew(*m_events);
    if (m_config->toPlainText() != run.configText)
        m_config->setPlainText(run.configText);
}

void RunDetail::showActions(const RunDisplay &run)
{
    const bool going =
        run.state == RunState::Running || run.state == RunState::Queued || run.state == RunState::Stopping;
    m_stop->setVisible(going);
    m_stop->setText(run.state == RunState::Stopping ? tr("Force stop…") : tr("Stop…"));
    m_resume->setVisible(isTerminal(run.state) && run.state != RunState::Succeeded && !run.imported);
}

void RunDetail::appendLog(const QString &text, bool restarted)
{
    if (restarted)
        m_log->clear();
    if (text.isEmpty())
        return;
    QScrollBar *bar = m_log->verticalScrollBar();
    const bool atEnd = bar->value() >= bar->maximum() - 2; // otherwise the position is kept for the reader
    QTextCursor end(m_log->document());
    end.movePosition(QTextCursor::End);
    end.insertText(text);
    if (!m_logSearch->text().isEmpty())
        searchLog();
    if (atEnd)
        bar->setValue(bar->maximum());
}

} // namespace slipway::ui
