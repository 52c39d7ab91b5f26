// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/form_split.h"

#include <QApplication>
#include <QLabel>
#include <QResizeEvent>
#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>

#include <algorithm>

#include "ui/widgets/fields.h"
#include "ui/widgets/scrolling.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

constexpr int kFormWidth = 358, kResultsMargin = 14;

const QString kForm = QStringLiteral("form"), kResults = QStringLiteral("results");

// Returns the widget of `part` that had the focus last, or the first one that can have it.
QWidget *focusableIn(QWidget &part)
{
    if (QWidget *last = part.focusWidget(); last != nullptr && part.isAncestorOf(last) && last->isVisible())
        return last;
    for (QWidget *next = part.nextInFocusChain(); next != &part; next = next->nextInFocusChain()) {
        if (part.isAncestorOf(next) && next->isVisible() && next->isEnabled() && (next->focusPolicy() & Qt::TabFocus))
            return next;
    }
    return nullptr;
}

} // namespace

FormSplit::FormSplit(QWidget *form, QWidget *results, int leastResults, QWidget *parent)
    : QWidget(parent),
      m_form(form),
      m_results(results),
      m_bar(makeBar()),
      m_formArea(makeScrolling(form)),
      m_resultsArea(makeScrolling(results)),
      m_columns(new QHBoxLayout),
      m_leastResults(leastResults)
{
    // The form is wider in languages with longer words.
    m_formWidth =
        std::max(kFormWidth, form->minimumSizeHint().width() + m_formArea->verticalScrollBar()->sizeHint().width());
    auto *page = new QVBoxLayout(this);
    page->setContentsMargins(0, 0, 0, 0);
    page->setSpacing(0);
    page->addWidget(m_bar);
    m_columns->setSpacing(0);
    m_columns->addWidget(m_formArea);
    m_columns->addWidget(m_resultsArea, 1);
    page->addLayout(m_columns, 1);
    m_resultsArea->setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    m_resultsArea->viewport()->installEventFilter(this);
    arrange();
}

QWidget *FormSplit::makeBar()
{
    m_switch = new SegmentedInput({{kForm, tr("Settings"), tr("Show the settings")},
        {kResults, tr("Results"), tr("Show the results of these settings")}});
    m_switch->setAccessibleName(tr("Settings or results"));
    m_switch->setValue(kForm);
    m_switch->setMinimumWidth(m_switch->sizeHint().width() * 6 / 5); // the chosen segment is bold
    connect(m_switch, &SegmentedInput::edited, this,
        [this](const QString &value) { bring(value == kForm ? Part::Form : Part::Results); });
    m_verdict = new Pill;
    m_verdict->hide(); // until there is a verdict
    m_figures = makeElidedLabel({}, TextKind::Strong);
    auto *bar = new QWidget;
    auto *row = new QHBoxLayout(bar);
    row->setContentsMargins(18, 0, 20, 8);
    row->setSpacing(10);
    row->addWidget(m_switch);
    row->addWidget(m_verdict);
    row->addWidget(m_figures, 1);
    return bar;
}

void FormSplit::setVerdict(const QString &word, Pill::Tone tone, const QString &figures)
{
    m_verdict->set(word, tone);
    m_verdict->setVisible(!word.isEmpty());
    m_figures->setText(figures);
}

void FormSplit::bring(Part part)
{
    m_part = part;
    m_switch->setValue(part == Part::Form ? kForm : kResults);
    arrange();
}

void FormSplit::switchPart()
{
    const QWidget *focused = QApplication::focusWidget();
    const bool inForm = m_narrow ? m_part == Part::Form : focused == nullptr || !m_results->isAncestorOf(focused);
    bring(inForm ? Part::Results : Part::Form);
    if (QWidget *next = focusableIn(inForm ? *m_results : *m_form))
        next->setFocus(Qt::ShortcutFocusReason);
}

void FormSplit::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    const bool narrow = event->size().width() < m_formWidth + m_leastResults;
    if (narrow == m_narrow)
        return;
    m_narrow = narrow;
    // What the user works on stays in sight.
    const QWidget *focused = narrow ? QApplication::focusWidget() : nullptr;
    if (focused != nullptr && m_form->isAncestorOf(focused))
        bring(Part::Form);
    else if (focused != nullptr && m_results->isAncestorOf(focused))
        bring(Part::Results);
    else
        arrange();
}

void FormSplit::arrange()
{
    m_bar->setVisible(m_narrow);
    // Beside the form, the results have a smaller margin than the page.
    m_columns->setContentsMargins(m_narrow && m_part == Part::Results ? kResultsMargin : 0, 0, 0, 0);
    m_formArea->setMinimumWidth(m_narrow ? 0 : m_formWidth);
    m_formArea->setMaximumWidth(m_narrow ? QWIDGETSIZE_MAX : m_formWidth);
    m_formArea->setVisible(!m_narrow || m_part == Part::Form);
    m_resultsArea->setVisible(!m_narrow || m_part == Part::Results);
}

bool FormSplit::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_resultsArea->viewport() && event->type() == QEvent::Resize)
        Q_EMIT resultsResized(m_resultsArea->viewport()->width());
    return QWidget::eventFilter(watched, event);
}

} // namespace slipway::ui
