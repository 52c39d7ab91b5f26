// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/serve/serve_results.h"

#include <QEvent>
#include <QHeaderView>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>

#include "base/text.h"
#include "ui/language/core_texts.h"
#include "ui/language/local_text.h"
#include "ui/plan/display_names.h"
#include "ui/plan/plan_display.h"
#include "ui/plan/suggestion_list.h"
#include "ui/plan/verdict_card.h"
#include "ui/serve/serve_display.h"
#include "ui/serve/serve_figure_card.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/metric_tiles.h"
#include "ui/widgets/plain_table.h"
#include "ui/widgets/scrolling.h"
#include "ui/widgets/text.h"
#include "ui/widgets/veil.h"

namespace slipway::ui {

namespace {

constexpr int kTiles = 8, kWideColumns = 4, kMostRows = 8;

struct TableColumn {
    QString name;
    bool number = true;
};

QTableWidget *makeNumbers(const std::vector<TableColumn> &columns, const QString &name)
{
    QStringList names;
    for (const TableColumn &column : columns)
        names << column.name;
    QTableWidget *table = makePlainTable(names, name);
    for (std::size_t c = 0; c < columns.size(); ++c)
        table->horizontalHeaderItem(static_cast<int>(c))
            ->setTextAlignment(Qt::AlignVCenter | (columns[c].number ? Qt::AlignRight : Qt::AlignLeft));
    table->setVerticalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    passWheel(*table);
    return table;
}

// Sets the rows and makes the table as high as they are, so that it needs no scroll bar of its own. A narrow table has
// the first columns of `order`.
void setRows(QTableWidget &table, const std::vector<QStringList> &rows, const std::vector<int> &order)
{
    table.setRowCount(static_cast<int>(rows.size()));
    for (int r = 0; r < table.rowCount(); ++r) {
        for (int c = 0; c < table.columnCount(); ++c)
            setCell(table, r, c, rows[static_cast<std::size_t>(r)][c], c > 0);
    }
    fitColumns(table, order);
    showRows(table, std::min(kMostRows, table.rowCount()));
}

} // namespace

ServeResults::ServeResults(const Catalogue &catalogue, QWidget *parent)
    : QWidget(parent),
      m_catalogue(catalogue),
      m_content(new QWidget),
      m_veil(new Veil(m_content)),
      m_problem(new Banner(Pill::Tone::Bad)),
      m_notes(new Banner(Pill::Tone::Warn)),
      m_verdict(new VerdictCard(tr("Memory of one GPU"))),
      m_tiles(new MetricTiles(kTiles)),
      m_load(makeNumbers({{tr("Time"), false}, {tr("P50")}, {tr("P99")}}, tr("Times under load"))),
      m_prices(
          makeNumbers({{tr("Price book"), false}, {tr("Per hour")}, {tr("Per 1M tokens")}, {tr("With the best batch")}},
              tr("Prices"))),
      m_gpus(makeNumbers({{tr("GPU"), false}, {tr("Batch")}, {tr("First token")}, {tr("Per token")}, {tr("Per hour")},
                             {tr("Per 1M tokens")}},
          tr("GPUs that meet the latency targets"))),
      m_suggestions(new SuggestionList),
      m_figures(new ServeFigureCard)
{
    auto *page = new QVBoxLayout(this);
    page->setContentsMargins(4, 2, 20, 20);
    page->setSpacing(12);
    page->addWidget(m_problem);
    page->addWidget(m_content, 1);
    page->addStretch(0); // without results, the problem does not fill the page
    auto *content = new QVBoxLayout(m_content);
    content->setContentsMargins(0, 0, 0, 0);
    content->setSpacing(12);
    content->addWidget(m_verdict);
    content->addWidget(m_tiles);
    m_change = new Card(tr("Suggested changes"));
    m_change->setHint(tr("each one verified by its own plan"));
    m_change->body()->addWidget(m_suggestions);
    content->addWidget(m_change);
    content->addWidget(m_figures, 1);
    m_loadCard = makeTableCard(tr("Under load"), tr("requests arrive at random"), m_load);
    m_gpuCard = makeTableCard(tr("GPUs that meet the latency targets"), tr("lowest cost first"), m_gpus);
    m_priceCard = makeTableCard(tr("Cost"), tr("of output tokens"), m_prices);
    for (Card *card : {m_loadCard, m_gpuCard, m_priceCard})
        content->addWidget(card);
    content->addWidget(m_notes);
    for (QWidget *later : std::initializer_list<QWidget *>{m_change, m_loadCard, m_gpuCard, m_priceCard})
        later->hide();
    setAvailableWidth(0);
    m_content->installEventFilter(this);
    m_content->hide();
    m_veil->hide();
    connect(m_suggestions, &SuggestionList::chosen, this,
        [this](const SuggestionDisplay &view) { Q_EMIT changeChosen(view.settings); });
    connect(m_figures, &ServeFigureCard::chosen, this, &ServeResults::changeChosen);
}

Card *ServeResults::makeTableCard(const QString &title, const QString &hint, QTableWidget *table)
{
    auto *card = new Card(title);
    card->setHint(hint);
    card->body()->addWidget(table);
    return card;
}

void ServeResults::setAvailableWidth(int width)
{
    const QMargins margins = layout()->contentsMargins();
    const int inside = width - margins.left() - margins.right();
    int columns = kWideColumns;
    while (columns > 1 && width > 0 && m_tiles->widthOf(columns) > inside)
        columns /= 2;
    m_tiles->setColumns(columns);
    m_figures->setAvailableWidth(inside);
}

const std::vector<MetricTile *> &ServeResults::tiles() const { return m_tiles->tiles(); }
QString ServeResults::verdict() const { return m_verdict->verdict().text(); }
QString ServeResults::problem() const { return m_problem->text(); }

void ServeResults::show(const Result<ServePrediction> &outcome)
{
    m_content->setEnabled(bool(outcome));
    m_veil->setVisible(!outcome);
    m_veil->raise();
    if (outcome) {
        m_problem->setText({});
        showPrediction(*outcome);
        return;
    }
    QString text = tr("This server cannot be planned. %1").arg(fieldMessage(outcome.error()));
    if (m_hasResults)
        text += u' ' + tr("The results below are those of the last valid settings.");
    m_problem->setText(text);
}

bool ServeResults::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_content && event->type() == QEvent::Resize)
        m_veil->setGeometry(m_content->rect());
    return QWidget::eventFilter(watched, event);
}

void ServeResults::showPrediction(const ServePrediction &p)
{
    m_hasResults = true;
    m_content->show();
    m_verdict->set(serveVerdict(p), serveMemoryBar(p));
    m_tiles->set(serveMetrics(p));
    m_suggestions->set(serveSuggestions(p, m_catalogue));
    m_change->setVisible(!p.suggestions.empty());
    fillLoad(p);
    fillPrices(p);
    fillGpus(p);
    QStringList notes;
    for (const std::string &note : p.notes)
        notes << coreText(note);
    m_notes->setText(notes.join(u'\n'));
}

void ServeResults::fillLoad(const ServePrediction &p)
{
    m_loadCard->setVisible(p.load.has_value());
    if (!p.load)
        return;
    const LoadResult &r = p.load->result;
    m_loadCard->setHint((p.load->saturated ? tr("%1 of at most %2 requests/s; %3 sequences at once; requests queue up")
                                           : tr("%1 of at most %2 requests/s; %3 sequences at once on average"))
            .arg(localText(QString::number(p.load->requestsPerSecond, 'g', 4)),
                localText(QString::number(p.load->mostRequestsPerSecond, 'g', 4)), localNumber(r.meanBatch, 1)));
    const auto row = [](const QString &name, const Percentiles &times) {
        return QStringList{name, localText(formatSeconds(times.p50)), localText(formatSeconds(times.p99))};
    };
    setRows(*m_load,
        {row(tr("Time to first token"), r.ttft), row(tr("Time per output token"), r.tpot),
            row(tr("Request latency"), r.latency)},
        {0, 1, 2});
}

namespace {

// Instances with more GPUs than the server uses are rented as a whole.
QString perHour(Usd usd, int rented, int used)
{
    const QString money = localText(formatUsd(usd));
    return rented > used ? ServeResults::tr("%1 for %2 rented GPUs").arg(money).arg(rented) : money;
}

} // namespace

void ServeResults::fillPrices(const ServePrediction &p)
{
    m_priceCard->setVisible(!p.prices.empty());
    const auto money = [](const std::optional<Usd> &usd) {
        return usd ? localText(formatUsd(*usd)) : QStringLiteral("–");
    };
    // The titles of the shipped books of spot prices say that they are.
    const auto bookName = [this](const std::string &id, bool spot) {
        const QString title = namedValue("prices", id, &m_catalogue);
        return spot && title == qs(id) ? tr("%1 (spot)").arg(title) : title;
    };
    std::vector<QStringList> rows;
    for (const ServePrice &price : p.prices)
        rows.push_back({bookName(price.price.book, price.price.spot),
            perHour(price.usdPerHour, price.rented, p.serving.ranks()), money(price.atBatch), money(price.atBest)});
    setRows(*m_prices, rows, {0, 2, 1, 3});
}

void ServeResults::fillGpus(const ServePrediction &p)
{
    const bool asked = p.serving.config.ttft || p.serving.config.tpot;
    m_gpuCard->setVisible(asked);
    m_gpuCard->setHint(p.gpuChoices.empty() ? tr("no GPU with a price meets the targets") : tr("lowest cost first"));
    std::vector<QStringList> rows;
    for (const GpuChoice &gpu : p.gpuChoices)
        rows.push_back({QStringLiteral("%1 × %2").arg(gpu.tp).arg(qs(gpu.name)), QString::number(gpu.batch),
            localText(formatSeconds(gpu.ttft)), localText(formatSeconds(gpu.tpot)),
            perHour(gpu.usdPerHour, gpu.rented, gpu.tp), localText(formatUsd(gpu.usdPerMillionTokens))});
    setRows(*m_gpus, rows, {0, 5, 1, 2, 3, 4});
}

} // namespace slipway::ui
