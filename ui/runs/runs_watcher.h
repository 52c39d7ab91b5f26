// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Reads runs on a worker thread. One watcher reads the index for the table, and another one reads the selected or
// compared runs, so that a long list does not delay the charts. The watchers and the window exchange values through
// signals. They share only the series, which have their own lock.
#pragma once

#include <QFileSystemWatcher>
#include <QObject>
#include <QStringList>
#include <QTimer>
#include <chrono>
#include <filesystem>
#include <memory>
#include <vector>

#include "runs/compare.h"
#include "runs/run_index.h"
#include "ui/runs/run_display.h"

namespace slipway::ui {

// Several runs and their comparison.
struct CompareData {
    std::vector<std::shared_ptr<const RunDisplay>> runs;
    RunComparison comparison;
};

class RunsWatcher : public QObject {
    Q_OBJECT
public:
    enum class Part { List, Chosen };
    RunsWatcher(Part part, Registry registry, AlertRules rules = {});

    // Call these functions only on the watcher's thread.
    void start();
    void select(const QString &directory); // an empty path selects no run
    void compare(const QStringList &directories, int baseline);
    void readNow();
    void rebuild(); // rebuilds the index from the run directories
    void setRules(const slipway::AlertRules &rules);

Q_SIGNALS:
    void listChanged(const std::vector<slipway::ui::RunRow> &rows);
    void runChanged(const std::shared_ptr<const slipway::ui::RunDisplay> &run);
    void compareRead(const std::shared_ptr<const slipway::ui::CompareData> &data);
    void failed(const QString &message);
    void logAppended(const QString &text, bool restarted);
    void alertRaised(const QString &run, const QString &kind, const QString &message);

private:
    // A run that is followed for its charts.
    struct Followed {
        std::unique_ptr<RunReader> reader;
        std::string entry; // the name of its entry in the list
        std::shared_ptr<RunSeries> series;
        std::vector<std::shared_ptr<const RunSeries>> superseded;
        std::size_t supersededSteps = 0;
        RunSummary summary;
        std::chrono::steady_clock::time_point summarizeAfter{};
        bool unreadable = false; // whether the run cannot be read and this was already reported
        void update(const RunChange &change);
        [[nodiscard]] std::string name() const; // the name that the list shows
    };
    [[nodiscard]] Followed follow(const QString &directory) const;
    [[nodiscard]] std::shared_ptr<RunDisplay> displayOfSelected();
    void readList();
    void readSelected();
    void readCompared();
    void reportUnreadable(const Error &error);
    void noteAlerts(const RunData &run, const RunSummary &summary);

    Part m_part;
    Registry m_registry;
    RunIndex m_index;
    // Part::List leaves the alerts of this run to Part::Chosen.
    std::filesystem::path m_chosen;
    AlertRules m_rules;
    std::vector<RunRow> m_rows;
    Followed m_selected;
    std::vector<Followed> m_compared;
    int m_baseline = 0;
    QFileSystemWatcher *m_files;
    QTimer *m_listTimer, *m_runTimer, *m_soon;
    bool m_selectedAnnounced = false, m_comparedAnnounced = false, m_indexAnnounced = false;
};

} // namespace slipway::ui

Q_DECLARE_METATYPE(std::shared_ptr<const slipway::ui::CompareData>)
Q_DECLARE_METATYPE(slipway::AlertRules)
