// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Reads runs beside the window's thread: the registry for the table, one run in full. Lives on a thread of its own; talks
// by signals with values.
#pragma once

#include <QFileSystemWatcher>
#include <QObject>
#include <QTimer>
#include <filesystem>
#include <map>
#include <memory>

#include "runs/registry.h"
#include "ui/runs/run_view.h"

namespace slipway::ui {

class RunsWatcher : public QObject {
    Q_OBJECT
public:
    explicit RunsWatcher(Registry registry);

    // On its own thread only.
    void start();
    void select(const QString &directory); // empty: none
    void readNow();

Q_SIGNALS:
    void listChanged(const std::vector<slipway::ui::RunRow> &rows);
    void runChanged(const std::shared_ptr<const slipway::ui::RunView> &run);
    void logAppended(const QString &text, bool restarted);

private:
    struct Known {
        std::unique_ptr<RunReader> reader; // none once the run has ended: its row will not change
        RunRow row;
        std::filesystem::file_time_type changed;
    };
    void readList();
    void readSelected();

    Registry m_registry;
    std::map<std::filesystem::path, Known> m_known;
    std::vector<RunRow> m_rows;
    std::unique_ptr<RunReader> m_selected;
    QFileSystemWatcher *m_files;
    QTimer *m_listTimer, *m_runTimer, *m_soon;
    bool m_toldSelected = false;
};

} // namespace slipway::ui
