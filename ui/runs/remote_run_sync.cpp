// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/runs/remote_run_sync.h"

#include <utility>

#include <QTimer>

#include "ui/language/core_texts.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

constexpr int kBetweenMs = 3000; // pause between the end of a round and the next one

} // namespace

void RemoteRunSync::start()
{
    m_timer = new QTimer(this);
    m_timer->setSingleShot(true);
    connect(m_timer, &QTimer::timeout, this, &RemoteRunSync::refresh);
    refresh();
}

void RemoteRunSync::refresh()
{
    std::vector<std::filesystem::path> directories, kept;
    for (const KnownRun &run : m_registry.list()) {
        const bool ended = isTerminal(run.status.state);
        if (!ended)
            directories.push_back(run.directory);
        if (!ended || run.status.state == RunState::Lost || run.status.state == RunState::Preempted)
            kept.push_back(run.directory);
    }
    QString message;
    for (const Error &error : m_refresher.refresh(directories))
        message = problemText(error);
    for (const std::filesystem::path &directory : kept) {
        if (const RunKeeper::Outcome outcome = m_keeper.update(directory); !outcome.problem.empty())
            message = qs(directory.filename().string() + ": " + outcome.problem);
    }
    if (!message.isEmpty() && message != m_lastMessage)
        Q_EMIT failed(message);
    m_lastMessage = std::move(message);
    m_timer->start(kBetweenMs);
}

} // namespace slipway::ui
