// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/runs/runs_watcher.h"

#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

// Files tell of changes at once; the timers find what they do not tell (network file systems, a process that has died).
constexpr int kListMs = 2000, kRunMs = 1000, kSoonMs = 250;

} // namespace

RunsWatcher::RunsWatcher(Registry registry)
    : m_registry(std::move(registry)), m_files(new QFileSystemWatcher(this)), m_listTimer(new QTimer(this)), m_runTimer(new QTimer(this)), m_soon(new QTimer(this))
{
    m_soon->setSingleShot(true);
    m_soon->setInterval(kSoonMs);
    connect(m_listTimer, &QTimer::timeout, this, &RunsWatcher::readList);
    connect(m_runTimer, &QTimer::timeout, this, &RunsWatcher::readSelected);
    connect(m_soon, &QTimer::timeout, this, &RunsWatcher::readSelected);
    const auto soon = [this] {
        if (!m_soon->isActive())
            m_soon->start(); // many steps a second are one redraw
    };
    connect(m_files, &QFileSystemWatcher::fileChanged, this, soon);
    connect(m_files, &QFileSystemWatcher::directoryChanged, this, soon);
}

void RunsWatcher::start()
{
    m_listTimer->start(kListMs);
    m_runTimer->start(kRunMs);
    readNow();
}

void RunsWatcher::readNow()
{
    readList();
    readSelected();
}

void RunsWatcher::readList()
{
    std::map<std::filesystem::path, Known> known;
    std::vector<RunRow> rows;
    for (const KnownRun &run : m_registry.list()) {
        const auto before = m_known.find(run.directory);
        Known entry = before == m_known.end() ? Known{} : std::move(before->second);
        const bool settled = before != m_known.end() && isTerminal(entry.row.state) && entry.changed == run.changed;
        if (!settled) {
            if (!entry.reader)
                entry.reader = std::make_unique<RunReader>(run.directory);
            if (const Result<RunChange> change = entry.reader->poll(); !change)
                continue;
            entry.row = runRow(entry.reader->run());
            entry.changed = run.changed;
            if (isTerminal(entry.row.state))
                entry.reader.reset();
        }
        rows.push_back(entry.row);
        known.emplace(run.directory, std::move(entry));
    }
    m_known = std::move(known);
    if (rows == m_rows && !rows.empty())
        return;
    m_rows = rows;
    Q_EMIT listChanged(m_rows);
}

void RunsWatcher::select(const QString &directory)
{
    if (const QStringList old = m_files->files() + m_files->directories(); !old.isEmpty())
        m_files->removePaths(old);
    m_toldSelected = false;
    m_selected.reset();
    if (directory.isEmpty())
        return;
    m_selected = std::make_unique<RunReader>(std::filesystem::path(directory.toStdString()));
    m_files->addPath(directory);
    m_files->addPath(directory + QStringLiteral("/metrics.jsonl"));
    readSelected();
}

void RunsWatcher::readSelected()
{
    if (!m_selected)
        return;
    const Result<RunChange> change = m_selected->poll();
    if (!change || (m_toldSelected && !change->any()))
        return;
    const QString metrics = qs(m_selected->run().paths.metrics().string());
    if (!m_files->files().contains(metrics))
        m_files->addPath(metrics); // it was not there yet, or was replaced
    if (change->log || change->restarted || !m_toldSelected)
        Q_EMIT logAppended(QString::fromStdString(change->logText), !m_toldSelected || change->restarted);
    m_toldSelected = true;
    Q_EMIT runChanged(std::make_shared<const RunView>(runView(m_selected->run(), std::chrono::system_clock::now())));
}

} // namespace slipway::ui
