// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Stops and resumes runs, on this machine and elsewhere. What takes seconds over ssh is done in the background.
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

    // Escalates with each call: a stop request, then SIGTERM, then SIGKILL. Does not ask for confirmation.
    Result<void> stop(const std::filesystem::path &directory, bool force);
    // Ends the run within 10 s, by a stop request if possible. Blocks until then.
    Result<void> stopSoon(const std::filesystem::path &directory);
    void startOver() { m_forced = 0; } // another run is shown

    void askStop(const RunDisplay &run);
    void resume(const RunDisplay &run);

Q_SIGNALS:
    void working(bool on);
    void changed(); // the runs must be read again
    void statusMessage(const QString &message);

private:
    void stopInBackground(const std::function<Result<void>()> &work);

    Host &m_host;
    QWidget *m_page;
    std::atomic<int> m_forced = 0; // number of forced stops of the shown run
    BackgroundTasks m_background;  // last member: its destructor waits for work that uses the others
};

} // namespace slipway::ui
