// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QWidget>
#include <vector>

#include "predict/offers.h"
#include "ui/plan/plan_document.h"

class QTableWidget;

namespace slipway::ui {

// Shows the plan's step on every GPU that has a price: memory, speed and cost. A double click or Enter selects a GPU.
class OfferTable : public QWidget {
    Q_OBJECT
public:
    enum Column {
        GpuName,
        Cheapest,
        Time,
        Speed,
        Spot,
        Memory,
        Step,
        AsPlanned,
        ColumnCount
    }; // the most important columns come first, because small windows show only these
    explicit OfferTable(const Catalogue &catalogue, QWidget *parent = nullptr);

    void set(const RunConfig &planned, bool relative, std::vector<Offer> offers);
    [[nodiscard]] const QTableWidget &table() const { return *m_table; }
    void applyOffer(int row);

Q_SIGNALS:
    void chosen(const slipway::SettingTexts &changes, const QString &label);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;
    void changeEvent(QEvent *event) override; // updates colored texts after a change of the theme

private:
    void fill();
    void setRow(int row, const Offer &offer);
    [[nodiscard]] QString priceText(const Offer &offer, const std::optional<Price> &price, bool named) const;
    [[nodiscard]] QString bookTitle(const std::string &id) const;

    const Catalogue &m_catalogue;
    QTableWidget *m_table;
    RunConfig m_planned;
    bool m_relative = false; // whether the plan's price book has ratios instead of dollars
    std::vector<Offer> m_offers;
};

} // namespace slipway::ui
