// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/plan/offer_table.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>

#include "base/text.h"
#include "config/settings.h"
#include "ui/language/core_texts.h"
#include "ui/language/local_text.h"
#include "ui/plan/plan_display.h"
#include "ui/plan/display_names.h"
#include "ui/theme/theme_colors.h"
#include "ui/widgets/plain_table.h"
#include "ui/widgets/scrolling.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

constexpr int kShownOffers = 9; // the other rows can be scrolled to

bool isFigure(int column)
{
    return column == OfferTable::Time || column == OfferTable::Speed || column == OfferTable::AsPlanned;
}

} // namespace

OfferTable::OfferTable(const Catalogue &catalogue, QWidget *parent)
    : QWidget(parent),
      m_catalogue(catalogue),
      m_table(makePlainTable({tr("GPU"), tr("Cheapest on demand"), tr("Training time"), tr("Tokens/s"),
                                 tr("Cheapest spot"), tr("Peak memory"), tr("Batch"), tr("Plan's price book")},
          tr("The plan on other GPUs")))
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_table);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->installEventFilter(this);
    passWheel(*m_table);
    for (int column = 0; column < m_table->columnCount(); ++column) {
        if (isFigure(column))
            m_table->horizontalHeaderItem(column)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    }
    connect(m_table, &QTableWidget::cellDoubleClicked, this, [this](int row, int) { applyOffer(row); });
}

bool OfferTable::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent *>(event)->key();
        if (key == Qt::Key_Return || key == Qt::Key_Enter) {
            applyOffer(m_table->currentRow());
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

void OfferTable::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange)
        fill();
    QWidget::changeEvent(event);
}

QString OfferTable::bookTitle(const std::string &id) const
{
    const auto book = std::find_if(m_catalogue.priceBooks.begin(), m_catalogue.priceBooks.end(),
        [&](const PriceBook &one) { return one.id == id; });
    return book == m_catalogue.priceBooks.end() || book->title.empty() ? qs(id) : coreText(book->title);
}

QString OfferTable::priceText(const Offer &offer, const std::optional<Price> &price, bool named) const
{
    if (!price || !offer.runs())
        return QStringLiteral("–");
    QStringList notes; // those of Offer::rentalNote, in the language of the window
    if (!offer.isFullNodeAt(*price))
        notes << (price->gpus == 1 ? tr("listed as single GPUs") : tr("listed by %1").arg(price->gpus));
    if (offer.rentedAt(*price) > offer.config.parallel.gpus)
        notes << tr("rents %1 for %2").arg(offer.rentedAt(*price)).arg(offer.config.parallel.gpus);
    return moneyText(offer.usdAt(*price), false) + (named ? QStringLiteral("  ") + qs(price->book) : QString()) +
           (notes.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(notes.join(QStringLiteral(", "))));
}

void OfferTable::setRow(int row, const Offer &offer)
{
    const RunConfig &c = offer.config;
    const bool own = c.gpu == m_planned.gpu;
    QTableWidgetItem *name = setCell(*m_table, row, GpuName, qs(offer.gpuName));
    QFont font = m_table->font();
    font.setWeight(own ? QFont::DemiBold : QFont::Normal);
    name->setFont(font);
    if (!offer.skipped.empty()) {
        for (int column = GpuName + 1; column < m_table->columnCount(); ++column)
            setCell(*m_table, row, column, {}, isFigure(column));
        return; // the reason is added when the columns have their widths
    }
    const bool runs = offer.runs();
    const QString peak =
        tr("%1 of %2").arg(bytesText(static_cast<double>(offer.peak)), bytesText(static_cast<double>(offer.capacity)));
    QTableWidgetItem *memory = setCell(*m_table, row, Memory,
        runs ? (offer.verdict == Verdict::Tight ? tr("tight: %1") : QStringLiteral("%1")).arg(peak)
             : tr("out of memory: %1").arg(peak));
    const bool warns = runs && offer.verdict == Verdict::Tight;
    memory->setData(Qt::ForegroundRole,
        runs && !warns ? QVariant()
                       : QVariant(QBrush(themeColor(runs ? ThemeColor::Warn : ThemeColor::Bad, palette()))));
    QString step = QStringLiteral("%1 × %2").arg(c.microBatch).arg(c.gradAccum);
    if (c.recomputeOrNone() != m_planned.recomputeOrNone())
        step += tr(", recomputation: %1").arg(inSentence(valueName("recompute", qs(enumName(c.recomputeOrNone())))));
    setCell(*m_table, row, Step, step)
        ->setToolTip(tr("Micro-batch × accumulation steps. The tokens per step are the same on every GPU."));
    QTableWidgetItem *speed =
        setCell(*m_table, row, Speed, runs ? localText(formatCount(offer.tokensPerSecond)) : QStringLiteral("–"), true);
    if (runs)
        speed->setToolTip(tr("Predicted step time: %1 (P10 %2, P90 %3)")
                .arg(localText(formatSeconds(offer.step)), localText(formatSeconds(offer.stepP10)),
                    localText(formatSeconds(offer.stepP90))));
    setCell(*m_table, row, Time, runs ? localText(formatSeconds(offer.hours * 3600)) : QStringLiteral("–"), true);
    for (const auto &[column, price] :
        {std::pair(AsPlanned, &offer.asPlanned), std::pair(Cheapest, &offer.cheapest), std::pair(Spot, &offer.spot)}) {
        QTableWidgetItem *cell =
            setCell(*m_table, row, column, priceText(offer, *price, column != AsPlanned), column == AsPlanned);
        cell->setData(Qt::ForegroundRole, {}); // the row may have shown the reason why a GPU was left out
        if (*price)
            cell->setToolTip(tipText(tr("%1: %2 per GPU-hour as of %3. Source: %4")
                    .arg(bookTitle((*price)->book), moneyText((*price)->usdPerGpuHour, false),
                        localDate((*price)->asOf), qs((*price)->source))));
    }
}

void OfferTable::set(const RunConfig &planned, bool relative, std::vector<Offer> offers)
{
    m_planned = planned;
    m_offers = std::move(offers);
    m_table->setRowCount(static_cast<int>(m_offers.size()));
    m_relative = relative;
    fill();
    showRows(*m_table, std::clamp(m_table->rowCount(), 1, kShownOffers));
}

void OfferTable::fill()
{
    for (int row = 0; row < m_table->rowCount(); ++row)
        setRow(row, m_offers[static_cast<std::size_t>(row)]);
    m_table->clearSpans();
    std::vector<int> columns;
    for (int column = 0; column < ColumnCount; ++column) {
        if (column != AsPlanned || !m_relative) // a price book of ratios has no dollar prices
            columns.push_back(column);
    }
    fitColumns(*m_table, columns);
    for (int row = 0; row < m_table->rowCount(); ++row) {
        const std::string &skipped = m_offers[static_cast<std::size_t>(row)].skipped;
        if (skipped.empty())
            continue;
        // The reason spans all columns of figures, which are empty. In a single column, a sentence would push the other
        // columns out of sight.
        m_table->setSpan(row, GpuName + 1, 1, m_table->columnCount() - GpuName - 1);
        setCell(*m_table, row, GpuName + 1, withFieldNames(coreText(skipped)))
            ->setForeground(themeColor(ThemeColor::Muted, palette()));
    }
}

void OfferTable::applyOffer(int row)
{
    if (row < 0 || static_cast<std::size_t>(row) >= m_offers.size() ||
        !m_offers[static_cast<std::size_t>(row)].skipped.empty())
        return;
    const Offer &offer = m_offers[static_cast<std::size_t>(row)];
    RunConfig config = offer.config;
    if (!offer.asPlanned && (offer.cheapest || offer.spot))
        config.prices =
            // The plan's own price book has no price for this GPU.
            (offer.cheapest ? offer.cheapest : offer.spot)->book;
    SettingTexts changes;
    for (const SettingChange &change : differences(m_planned, config))
        changes.emplace_back(change.key, change.after);
    if (!changes.empty())
        Q_EMIT chosen(changes, tr("GPU → %1").arg(qs(offer.gpuName)));
}

} // namespace slipway::ui
