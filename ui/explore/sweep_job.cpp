// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/explore/sweep_job.h"

#include <QElapsedTimer>

namespace slipway::ui {

namespace {

constexpr qint64 kTellEveryMs = 100;

} // namespace

SweepJob::SweepJob(const Catalogue &catalogue, QObject *parent) : QObject(parent), m_catalogue(catalogue)
{
    const auto report = [this](int job, qulonglong done, qulonglong all) {
        if (job == m_job)
            Q_EMIT progressed(done, all);
    };
    connect(this, &SweepJob::counted, this, report, Qt::QueuedConnection);
    connect(this, &SweepJob::computed, this, &SweepJob::takeResult, Qt::QueuedConnection);
}

SweepJob::~SweepJob() { stop(); }

void SweepJob::stop()
{
    if (m_cancelled)
        *m_cancelled = true;
    if (m_thread.joinable())
        m_thread.join(); // waits for a few dozen points at most
}

void SweepJob::start(const RunConfig &base, const Grid &grid)
{
    stop();
    m_cancelled = std::make_shared<std::atomic<bool>>(false);
    m_running = true;
    const int job = ++m_job;
    m_thread = std::thread([this, base, grid, job, catalogue = m_catalogue, cancelled = m_cancelled] {
        QElapsedTimer told;
        told.start();
        const auto explored = std::make_shared<ExploreResult>();
        explored->sequence = sequenceMemory(base, catalogue);
        explored->sweep =
            sweep({.base = base, .grid = grid, .catalogue = catalogue}, [&](std::size_t done, std::size_t all) {
                if (told.elapsed() > kTellEveryMs) {
                    told.restart();
                    Q_EMIT counted(job, done, all);
                }
                return !*cancelled;
            });
        Q_EMIT computed(job, explored);
    });
}

void SweepJob::takeResult(int job, const std::shared_ptr<const ExploreResult> &explored)
{
    if (job != m_job)
        return;
    m_running = false;
    Q_EMIT finished(explored);
}

void SweepJob::cancel()
{
    if (m_cancelled)
        *m_cancelled = true;
}

} // namespace slipway::ui
