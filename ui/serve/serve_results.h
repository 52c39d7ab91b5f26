// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QWidget>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "serve/serve_prediction.h"
#include "ui/widgets/card.h"

class QTableWidget;

namespace slipway::ui {

class Banner;
class MetricTile;
class MetricTiles;
class ServeFigureCard;
class SuggestionList;
class VerdictCard;

// Shows the prediction for a server: memory, speed, load, prices, the GPUs needed over time, suggestions, and
// comparisons.
class ServeResults : public QWidget {
    Q_OBJECT
public:
    explicit ServeResults(const Catalogue &catalogue, QWidget *parent = nullptr);

    void show(const Result<ServePrediction> &outcome); // after an error, the last results stay, greyed out
    using QWidget::show;
    void setAvailableWidth(int width); // a narrow page has fewer tiles per row

    [[nodiscard]] ServeFigureCard &figures() const { return *m_figures; }
    [[nodiscard]] const std::vector<MetricTile *> &tiles() const;
    [[nodiscard]] SuggestionList &suggestions() const { return *m_suggestions; }
    [[nodiscard]] QTableWidget &load() const { return *m_load; }
    [[nodiscard]] QTableWidget &prices() const { return *m_prices; }
    [[nodiscard]] QTableWidget &gpus() const { return *m_gpus; }
    [[nodiscard]] QString problem() const;
    [[nodiscard]] QString verdict() const;

Q_SIGNALS:
    void changeChosen(const std::vector<std::pair<std::string, std::string>> &settings);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    Card *makeTableCard(const QString &title, const QString &hint, QTableWidget *table);
    void showPrediction(const ServePrediction &prediction);
    void fillLoad(const ServePrediction &prediction);
    void fillPrices(const ServePrediction &prediction);
    void fillGpus(const ServePrediction &prediction);

    const Catalogue &m_catalogue;
    QWidget *m_content, *m_veil;
    Banner *m_problem, *m_notes;
    VerdictCard *m_verdict;
    MetricTiles *m_tiles;
    QTableWidget *m_load, *m_prices, *m_gpus;
    Card *m_loadCard = nullptr, *m_priceCard = nullptr, *m_gpuCard = nullptr, *m_change = nullptr;
    SuggestionList *m_suggestions;
    ServeFigureCard *m_figures;
    bool m_hasResults = false;
};

} // namespace slipway::ui
