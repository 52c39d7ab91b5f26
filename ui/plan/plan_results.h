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
class Card;
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

// Shows the results of a plan: verdict, metrics, memory, step time and suggested changes.
class PlanResults : public QWidget {
    Q_OBJECT
public:
    PlanResults(PlanDocument &document, const Catalogue &catalogue, QWidget *parent = nullptr);
    ~PlanResults() override;

    [[nodiscard]] const Pill &verdict() const;
    [[nodiscard]] SuggestionList &suggestions() const { return *m_suggestions; }
    // Whether a search for more suggestions is still running, or about to start.
    [[nodiscard]] bool isSearching() const { return m_searching; }
    [[nodiscard]] const std::vector<MetricTile *> &tiles() const;
    [[nodiscard]] const LaneChart &timeline() const { return *m_timeline; }
    [[nodiscard]] const LaneChart &stages() const { return *m_stages; }
    [[nodiscard]] const BufferTable &buffers() const { return *m_buffers; }
    [[nodiscard]] OfferTable &offers() const { return *m_offers; }
    [[nodiscard]] MemoryCard &memory() const { return *m_overStep; }
    [[nodiscard]] PlanComparison &comparison() const { return *m_comparison; }
    [[nodiscard]] FrameworkCard &framework() const { return *m_framework; }
    // Returns the pipeline stage whose memory, timeline and buffers are shown: the first, the second, or the last.
    [[nodiscard]] std::size_t stage() const;
    void setStage(std::size_t stage);
    // Sets the error of a field whose text was refused. The results are greyed out while there is an error or the plan
    // is invalid.
    void setRefused(const std::optional<Error> &error);
    // Places the cards side by side if `width` suffices, and otherwise one above the other.
    void setAvailableWidth(int width);

Q_SIGNALS:
    void searchEnded();

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void makeContent();
    void connectTimers();
    QWidget *makeTime();
    QWidget *makeTimeline();
    QWidget *makePipeline();
    QWidget *makeBuffers();
    QWidget *makeOffers();
    [[nodiscard]] int widthSideBySide() const;
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
    QWidget *m_content, *m_veil; // all results except the problem, and the veil that greys them out
    Banner *m_problem, *m_notes;
    VerdictCard *m_verdict;
    QLabel *m_origin;
    StackedBar *m_time;
    Legend *m_timeLegend;
    MemoryCard *m_overStep;
    Card *m_timeCard;
    ComboInput *m_stage;
    SuggestionList *m_suggestions;
    FrameworkCard *m_framework;
    PlanComparison *m_comparison;
    MetricTiles *m_tiles;
    SegmentedInput *m_timeBy;
    LaneChart *m_timeline;
    QWidget *m_pipeline; // the stages of the pipeline side by side
    LaneChart *m_stages;
    QLabel *m_timelineNote;
    BufferTable *m_buffers;
    OfferTable *m_offers;
    QBoxLayout *m_halves; // the memory and time cards
    bool m_searching = false;
    int m_width = 0; // width of the visible area; 0 if it is unknown
    // Each timer refreshes a part of the results after a pause.
    QTimer *m_buffersTimer, *m_timelineTimer, *m_offersTimer, *m_searchTimer;
    std::shared_ptr<std::atomic<bool>> m_searchCancelled = std::make_shared<std::atomic<bool>>(false);
    // This is the last member, because its destructor waits for tasks that use the other members.
    BackgroundTasks m_background;
};

} // namespace slipway::ui
