// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QObject>
#include <atomic>
#include <memory>
#include <thread>

#include "explore/sequence_memory.h"
#include "explore/sweep.h"

namespace slipway::ui {

// The results that the Explore page shows, computed on a worker thread.
struct ExploreResult {
    Sweep sweep;
    SequenceMemory sequence;
};

// Runs one sweep at a time on a worker thread. Starting another sweep cancels the running one, and late results of a
// cancelled sweep are dropped.
class SweepJob : public QObject {
    Q_OBJECT
public:
    explicit SweepJob(const Catalogue &catalogue, QObject *parent = nullptr);
    ~SweepJob() override;

    void start(const RunConfig &base, const Grid &grid);
    // Cancels the sweep. finished() then delivers the results so far.
    void cancel();
    [[nodiscard]] bool running() const { return m_running; }

Q_SIGNALS:
    void progressed(qulonglong done, qulonglong all);
    void finished(const std::shared_ptr<const slipway::ui::ExploreResult> &explored);
    // Emitted by the worker thread. The two signals above follow on the object's own thread.
    void counted(int job, qulonglong done, qulonglong all);
    void computed(int job, const std::shared_ptr<const slipway::ui::ExploreResult> &explored);

private:
    void stop();
    void takeResult(int job, const std::shared_ptr<const ExploreResult> &explored);

    const Catalogue &m_catalogue;
    std::thread m_thread;
    std::shared_ptr<std::atomic<bool>> m_cancelled;
    int m_job = 0;
    bool m_running = false;
};

} // namespace slipway::ui
