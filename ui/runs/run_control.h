// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Stops and resumes runs, on this machine and on remote hosts. Operations that take seconds over SSH run in the
// background.
#pragma once

#include <QObject>
#include <atomic>
#include <filesystem>
#include <functional>

#include "hosts/host.h"
#include "ui/widgets/background_tasks.h"

class QWidget;

namespace slipway::ui {

struct RunDisplay;

class RunControl : public QObject {
    Q_OBJECT
public:
    RunControl(Host &host, QWidget *page);

    // Escalates with each call: first a stop request, then SIGTERM, then SIGKILL. Does not ask for confirmation.
    Result<void> stop(const std::filesystem::path &directory, bool force);
    // Ends the run within 10 s, with a stop request if possible. Blocks until the run has ended.
    Result<void> stopNow(const std::filesystem::path &directory);
    void startOver() { m_forced = 0; } // called when another run is shown

    void askStop(const RunDisplay &run);
    void resume(const RunDisplay &run);

Q_SIGNALS:
    void working(bool on);
    void changed(); // requests to read the runs again
    void statusMessage(const QString &message);

private:
    void stopInBackground(const std::function<Result<void>()> &work);

    Host &m_host;
    QWidget *m_page;
    std::atomic<int> m_forced = 0; // number of forced stops of the shown run
    // This is the last member, because its destructor waits for tasks that use the other members.
    BackgroundTasks m_background;
};

} // namespace slipway::ui
