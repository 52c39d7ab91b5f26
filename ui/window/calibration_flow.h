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

class QWidget;

namespace slipway::ui {

// From a finished run or a pasted log to a kept calibration: fits, shows before and after, keeps it under a name.
class CalibrationFlow : public QObject {
    Q_OBJECT
public:
    explicit CalibrationFlow(QWidget &window);

    // Fits on the calling thread, which may be any; the dialog opens on the window's. Gives a sentence for the status
    // line.
    Result<std::string> ofRun(const std::filesystem::path &run);
    // Asks for the log that the configuration printed.
    void ofLog(const RunConfig &config);
    // Asks first: what is removed does not come back by undo.
    void remove(const QString &name);

Q_SIGNALS:
    void kept(const QString &name); // it is in the user's folder now
    void removed(const QString &name);

private:
    void show(const CalibrationOutcome &outcome);

    QWidget &m_window;
};

} // namespace slipway::ui
