// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/runs/run_control.h"

#include <QMessageBox>
#include <QPushButton>

#include <csignal>

#include "hosts/launch.h"
#include "hosts/stop_run.h"
#include "runs/remote_run.h"
#include "runs/script_rules.h"
#include "ui/language/core_texts.h"
#include "ui/runs/run_display.h"
#include "ui/widgets/message.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

RunControl::RunControl(Host &host, QWidget *page) : QObject(page), m_host(host), m_page(page) {}

Result<void> RunControl::stop(const std::filesystem::path &directory, bool force)
{
    const RunPaths paths{directory};
    const int harder = m_forced == 0 ? SIGTERM : SIGKILL;
    m_forced += force ? 1 : 0;
    const auto act = [&](Host &host) { return force ? host.signalGroup(paths, harder) : host.requestStop(paths); };
    if (!isRemoteRun(paths))
        return act(m_host);
    const Result<std::unique_ptr<Host>> host = hostOfRun(directory);
    return host ? act(**host) : Result<void>(host.error());
}

Result<void> RunControl::stopNow(const std::filesystem::path &directory)
{
    const Result<std::unique_ptr<Host>> elsewhere =
        isRemoteRun({directory}) ? hostOfRun(directory) : Result<std::unique_ptr<Host>>(std::unique_ptr<Host>());
    if (!elsewhere)
        return elsewhere.error();
    const Result<RunStatus> ended = stopRun(directory, *elsewhere ? **elsewhere : m_host);
    return ended ? Result<void>() : Result<void>(ended.error());
}

void RunControl::askStop(const RunDisplay &run)
{
    const bool force = run.state == RunState::Stopping;
    const bool script = !force && hasScriptRules({run.directory}); // scripts read no stop request
    const QString question =
        script ? tr("Stop %1?\n\nThe training script receives the stop signal of its framework. If it does not end in "
                    "time, it is killed. Progress since its last checkpoint may then be lost.")
        : !force ? tr("Stop %1?\n\nThe run finishes its step, writes a checkpoint and ends. You can resume it "
                      "later.\n\n'Stop within 10 s' kills the run if that takes longer. Progress since the last "
                      "checkpoint is then lost.")
        : m_forced == 0
            ? tr("Force %1 to stop?\n\nThe run receives SIGTERM. It tries to write a checkpoint before it ends.")
            : tr("Kill %1?\n\nProgress since its last checkpoint is lost.");
    QMessageBox box(QMessageBox::Question, tr("Stop"), question.arg(run.name), QMessageBox::Cancel, m_page);
    box.setTextFormat(Qt::PlainText); // the name of a run may look like HTML
    const QPushButton *const within =
        force || script ? nullptr : box.addButton(tr("Stop within 10 s"), QMessageBox::AcceptRole);
    const QPushButton *const yes = box.addButton(script          ? tr("Stop")
                                                 : !force        ? tr("Stop after checkpoint")
                                                 : m_forced == 0 ? tr("Force stop")
                                                                 : tr("Kill"),
        QMessageBox::AcceptRole);
    box.setDefaultButton(QMessageBox::Cancel);
    const std::filesystem::path directory = run.directory; // a copy: the question may outlive `run`
    box.exec();
    if ((within != nullptr && box.clickedButton() == within) || (script && box.clickedButton() == yes))
        stopInBackground([this, directory] { return stopNow(directory); });
    else if (box.clickedButton() == yes)
        stopInBackground([this, directory, force] { return stop(directory, force); });
}

void RunControl::stopInBackground(const std::function<Result<void>()> &work)
{
    Q_EMIT working(true);
    m_background.run(this, work, [this](const Result<void> &stopped) {
        Q_EMIT working(false);
        if (!stopped)
            showProblem(m_page, tr("The run was not stopped"), problemText(stopped.error()));
        Q_EMIT changed();
    });
}

void RunControl::resume(const RunDisplay &run)
{
    Q_EMIT working(true);
    const auto work = [directory = run.directory, &host = m_host]() -> Result<LaunchedRun> {
        if (!isRemoteRun({directory}))
            return resumeRun(directory, host);
        const Result<std::unique_ptr<Host>> elsewhere = hostOfRun(directory);
        return elsewhere ? resumeRun(directory, **elsewhere) : Result<LaunchedRun>(elsewhere.error());
    };
    m_background.run(this, work, [this, name = run.name](const Result<LaunchedRun> &resumed) {
        Q_EMIT working(false);
        if (resumed)
            Q_EMIT statusMessage(tr("Resumed %1").arg(name));
        else
            showProblem(m_page, tr("The run was not resumed"), problemText(resumed.error()));
        Q_EMIT changed();
    });
}

} // namespace slipway::ui
