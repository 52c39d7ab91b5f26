// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/runs/runs_watcher.h"

#include <future>
#include <utility>

#include "runs/registry_entry.h"
#include "ui/language/core_texts.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

// File notifications arrive at once. The timers detect what the notifications miss: changes on network file systems,
// and processes that died.
constexpr int kListMs = 2000, kRunMs = 1000, kSoonMs = 250;

} // namespace

RunsWatcher::RunsWatcher(Part part, Registry registry, AlertRules rules)
    : m_part(part),
      m_registry(std::move(registry)),
      m_index(m_registry),
      m_rules(std::move(rules)),
      m_files(new QFileSystemWatcher(this)),
      m_listTimer(new QTimer(this)),
      m_runTimer(new QTimer(this)),
      m_soon(new QTimer(this))
{
    m_soon->setSingleShot(true);
    m_soon->setInterval(kSoonMs);
    connect(m_listTimer, &QTimer::timeout, this, &RunsWatcher::readList);
    connect(m_runTimer, &QTimer::timeout, this, [this] {
        readSelected();
        readCompared();
    });
    connect(m_soon, &QTimer::timeout, this, &RunsWatcher::readSelected);
    const auto soon = [this] {
        if (!m_soon->isActive())
            m_soon->start(); // several steps within the interval cause one redraw
    };
    connect(m_files, &QFileSystemWatcher::fileChanged, this, soon);
    connect(m_files, &QFileSystemWatcher::directoryChanged, this, soon);
}

void RunsWatcher::start()
{
    if (m_part == Part::List)
        m_listTimer->start(kListMs);
    else
        m_runTimer->start(kRunMs);
    readNow();
}

void RunsWatcher::readNow()
{
    if (m_part == Part::List)
        readList();
    else
        readSelected();
}

void RunsWatcher::rebuild()
{
    m_index.rebuild();
    readNow();
}

void RunsWatcher::setRules(const AlertRules &rules)
{
    m_rules = rules;
    m_selectedAnnounced = false;
    readNow();
}

void RunsWatcher::readList()
{
    std::vector<RunRow> rows;
    for (const RunEntry &entry : m_index.list())
        rows.push_back(runRow(entry));
    disambiguateNames(rows);
    if (m_index.inMemory() && !std::exchange(m_indexAnnounced, true))
        Q_EMIT failed(qs(m_index.problem()));
    m_index.forEachLive([this](const RunData &run) {
        if (m_chosen != run.paths.directory)
            noteAlerts(run, summaryOf(run));
    });
    if (rows == m_rows && !rows.empty())
        return;
    m_rows = std::move(rows);
    Q_EMIT listChanged(m_rows);
}

void RunsWatcher::noteAlerts(const RunData &run, const RunSummary &summary)
{
    const auto now = std::chrono::system_clock::now();
    const std::vector<Alert> alerts = alertsOf(run, summary, now, m_rules);
    for (const Alert &alert : m_index.noteAlerts(run.paths.directory, alerts, toIso8601(now))) {
        if (!isTerminal(run.state()) || alert.kind == AlertKind::Lost) // there are no notifications for runs that ended
                                                                       // earlier
            Q_EMIT alertRaised(qs(nameInFolder(run.name, entryName(m_registry, run.paths.directory))),
                alertName(alert.kind), alertSentence(alert.message));
    }
}

void RunsWatcher::Followed::update(const RunChange &change)
{
    const RunData &run = reader->run();
    if (!series || change.restarted)
        series = std::make_shared<RunSeries>();
    if (run.prediction && !run.prediction->cost.relative)
        series->setUsdPerHour(run.prediction->cost.usdPerHour);
    if (change.metrics)
        series->setUnbilled(unbilledPauses(run));
    // Summarizing a million steps is slow, so at most a tenth of the time is spent on it.
    const auto begin = std::chrono::steady_clock::now();
    const bool sumUp = begin >= summarizeAfter || change.status || change.config;
    auto summed = std::async(sumUp ? std::launch::async : std::launch::deferred, [&run] { return summaryOf(run); });
    const std::size_t from = std::min(change.metrics ? change.metricsFrom : run.metrics.size(), series->size());
    series->follow(run.metrics, from);
    if (change.restarted || supersededSteps != run.superseded.size()) {
        superseded = supersededSeries(run.superseded, *series);
        supersededSteps = run.superseded.size();
    }
    if (!sumUp)
        return;
    summary = summed.get();
    summarizeAfter = std::chrono::steady_clock::now() + 10 * (std::chrono::steady_clock::now() - begin);
}

void RunsWatcher::select(const QString &directory)
{
    m_chosen = directory.toStdString();
    if (m_part == Part::List)
        return;
    if (const QStringList old = m_files->files() + m_files->directories(); !old.isEmpty())
        m_files->removePaths(old);
    m_selectedAnnounced = false;
    m_selected = {};
    m_compared.clear();
    if (directory.isEmpty())
        return;
    m_selected = follow(directory);
    m_files->addPath(directory);
    m_files->addPath(directory + QStringLiteral("/metrics.jsonl"));
    readSelected();
}

void RunsWatcher::readSelected()
{
    if (!m_selected.reader)
        return;
    const Result<RunChange> change = m_selected.reader->poll();
    if (!change)
        return reportUnreadable(change.error());
    const bool isBack = std::exchange(m_selected.unreadable, false);
    const RunData &run = m_selected.reader->run();
    const bool continues =
        !isTerminal(run.state()); // while nothing changes, only the time shows that a run has stalled
    if (m_selectedAnnounced && !change->any() && !continues && !isBack)
        return;
    const QString metrics = qs(run.paths.metrics().string());
    if (!m_files->files().contains(metrics))
        m_files->addPath(metrics); // the file is new or was replaced
    if (change->log || change->restarted || !m_selectedAnnounced)
        Q_EMIT logAppended(QString::fromStdString(change->logText), !m_selectedAnnounced || change->restarted);
    m_selectedAnnounced = true;
    m_selected.update(*change);
    noteAlerts(run, m_selected.summary);
    const std::shared_ptr<RunDisplay> view = displayOfSelected();
    view->superseded = m_selected.superseded;
    Q_EMIT runChanged(view);
}

RunsWatcher::Followed RunsWatcher::follow(const QString &directory) const
{
    const std::filesystem::path path(directory.toStdString());
    Followed followed;
    followed.reader = std::make_unique<RunReader>(path);
    followed.entry = entryName(m_registry, path);
    return followed;
}

std::string RunsWatcher::Followed::name() const { return nameInFolder(reader->run().name, entry); }

std::shared_ptr<RunDisplay> RunsWatcher::displayOfSelected()
{
    const RunData &run = m_selected.reader->run();
    auto view = std::make_shared<RunDisplay>(runDisplay(run, m_selected.summary, m_selected.series,
        m_index.alerts(run.paths.directory), std::chrono::system_clock::now()));
    view->name = qs(m_selected.name());
    return view;
}

// Keeps showing the last state, together with the reason why it is not updated.
void RunsWatcher::reportUnreadable(const Error &error)
{
    if (!m_selectedAnnounced || std::exchange(m_selected.unreadable, true))
        return;
    const std::shared_ptr<RunDisplay> view = displayOfSelected();
    view->failure = tr("The run can no longer be read; its last state is shown. %1").arg(problemText(error));
    Q_EMIT runChanged(view);
}

void RunsWatcher::compare(const QStringList &directories, int baseline)
{
    select({});
    for (const QString &directory : directories)
        m_compared.push_back(follow(directory));
    m_baseline = baseline;
    m_comparedAnnounced = false;
    readCompared();
}

void RunsWatcher::readCompared()
{
    if (m_compared.empty())
        return;
    bool changed = !m_comparedAnnounced;
    const auto data = std::make_shared<CompareData>();
    for (Followed &followed : m_compared) {
        const Result<RunChange> change = followed.reader->poll();
        if (!change) {
            m_compared.clear();
            Q_EMIT failed(problemText(change.error()));
            return;
        }
        changed = changed || change->any();
        followed.update(*change);
    }
    if (!changed)
        return;
    m_comparedAnnounced = true;
    std::vector<const RunData *> sources;
    std::vector<std::string> names;
    for (const Followed &followed : m_compared) {
        sources.push_back(&followed.reader->run());
        names.push_back(followed.name());
        data->runs.push_back(std::make_shared<const RunDisplay>(runDisplay(
            followed.reader->run(), followed.summary, followed.series, {}, std::chrono::system_clock::now())));
    }
    Result<RunComparison> comparison = compareRuns(sources, static_cast<std::size_t>(m_baseline));
    if (!comparison) {
        Q_EMIT failed(problemText(comparison.error()));
        return;
    }
    data->comparison = std::move(*comparison);
    data->comparison.names = std::move(names);
    Q_EMIT compareRead(data);
}

} // namespace slipway::ui
