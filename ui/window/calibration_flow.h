// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QObject>
#include <filesystem>
#include <functional>
#include <string>

#include "base/result.h"
#include "config/run_config.h"
#include "measure/calibrate.h"
#include "ui/widgets/background_tasks.h"

class QWidget;

namespace slipway::ui {

// Fits a calibration to a run or to a pasted log, shows its effect, and saves it on request.
class CalibrationFlow : public QObject {
    Q_OBJECT
public:
    CalibrationFlow(QWidget &window, const Catalogue &catalogue);

    // Fits on the calling thread, which may be any thread. The dialog opens on the GUI thread. Returns a status
    // message.
    Result<std::string> ofRun(const std::filesystem::path &run);
    // Asks for a training log of this configuration, which `plan` names.
    void ofLog(const RunConfig &config, const QString &plan, const QString &log = {});
    // Fits to the rows of a measurement table, on a worker thread.
    void ofTable(const std::filesystem::path &table);
    // Asks for confirmation, because undo does not restore a removed calibration.
    void remove(const QString &name);

Q_SIGNALS:
    // Emitted when a calibration was saved in the user's folder.
    void kept(const QString &name);
    void removed(const QString &name);

private:
    void show(const CalibrationOutcome &outcome, const QString &warning = {});

    QWidget &m_window;
    const Catalogue &m_catalogue;
    // This is the last member, because its destructor waits for tasks that use the other members.
    BackgroundTasks m_background;
};

} // namespace slipway::ui
