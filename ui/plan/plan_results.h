// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QWidget>
#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "ui/plan/plan_document.h"
#include "ui/plan/suggestion_list.h"
#include "ui/widgets/background_tasks.h"

class QBoxLayout;
class QLabel;
class QTimer;

namespace slipway::ui {

class Banner;
class BufferTable;
class FrameworkCard;
class LaneChart;
class Legend;
class MemoryCard;
class MetricTiles;
class OfferTable;
class PlanComparison;
class ComboInput;
class SegmentedInput;
class VerdictCard;

// The results of a plan: verdict, metrics, memory, step time and suggested changes.
class PlanResults : public QWidget {
    Q_OBJECT
public:
    PlanResults(PlanDocument &document, const Catalogue &catalogue, QWidget *parent = nullptr);
    ~PlanResults() override;

    [[nodiscard]] const Pill &verdict() const;
    [[nodiscard]] SuggestionList &suggestions() const { return *m_suggestions; }
    [[nodiscard]] const std::vector<MetricTile *> &tiles() const;
    [[nodiscard]] const LaneChart &timeline() const { return *m_timeline; }
    [[nodiscard]] const LaneChart &stages() const { return *m_stages; }
    [[nodiscard]] const BufferTable &buffers() const { return *m_buffers; }
    [[nodiscard]] OfferTable &offers() const { return *m_offers; }
    [[nodiscard]] MemoryCard &memory() const { return *m_overStep; }
    [[nodiscard]] PlanComparison &comparison() const { return *m_comparison; }
    [[nodiscard]] FrameworkCard &framework() const { return *m_framework; }
    // The pipeline stage whose memory, timeline and buffers are shown: the first, the second, or the last.
    [[nodiscard]] std::size_t stage() const;
    void setStage(std::size_t stage);
    // The error of a field whose text was refused. While there is one, or the plan is invalid, the results are greyed.
    void setRefused(const std::optional<Error> &error);
    // Puts the cards side by side if `width` suffices, else one above the other.
    void setAvailableWidth(int width);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    QWidget *makeTime();
    QWidget *makeTimeline();
    QWidget *makePipeline();
    QWidget *makeBuffers();
    QWidget *makeOffers();
    [[nodiscard]] int widthSideBySide() const;
    [[nodiscard]] int tileColumns(int width) const;
    void refreshStages();
    void refreshTime();
    void refreshTimeline();
    void refreshBuffers();
    void refreshOffers();
    void searchSettings();
    void refreshSuggestions();
    void refresh();
    void refreshProblem();
    void show(const Prediction &prediction);

    PlanDocument &m_document;
    const Catalogue &m_catalogue;
    std::optional<Error> m_refused;
    QWidget *m_content, *m_veil; // all but the problem; the veil greys it
    Banner *m_problem, *m_notes;
    VerdictCard *m_verdict;
    QLabel *m_origin;
    StackedBar *m_time;
    Legend *m_timeLegend;
    MemoryCard *m_overStep;
    ComboInput *m_stage;
    SuggestionList *m_suggestions;
    FrameworkCard *m_framework;
    PlanComparison *m_comparison;
    MetricTiles *m_tiles;
    SegmentedInput *m_timeBy;
    LaneChart *m_timeline;
    QWidget *m_pipeline; // its stages side by side
    LaneChart *m_stages;
    QLabel *m_timelineNote;
    BufferTable *m_buffers;
    OfferTable *m_offers;
    QBoxLayout *m_halves; // memory and time
    int m_width = 0;      // of the visible area; 0: unknown
    // Each refreshes a part after a pause.
    QTimer *m_buffersTimer, *m_timelineTimer, *m_offersTimer, *m_searchTimer;
    std::shared_ptr<std::atomic<bool>> m_searchCancelled = std::make_shared<std::atomic<bool>>(false);
    BackgroundTasks m_background; // last member: its destructor waits for work that uses the others
};

} // namespace slipway::ui
