// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QObject>
#include <QPointer>
#include <functional>
#include <memory>

#include "base/result.h"
#include "ui/widgets/background_tasks.h"

class QProgressDialog;
class QWidget;

namespace slipway::ui {

// Writes files for a page on worker threads. It is a member of the page. During a long export, a dialog shows the
// progress and can cancel it.
class FileExport : public QObject {
    Q_OBJECT
public:
    // Returns false if the user has cancelled the export. The work must then no longer replace a file. `all` is 0 if it
    // is unknown.
    using Progress = std::function<bool(std::size_t done, std::size_t all)>;
    using Write = std::function<Result<void>(const QString &path, const Progress &progress)>;
    // Prepares the work from what the page shows when the file is chosen.
    using Prepare = std::function<Result<Write>()>;

    explicit FileExport(QWidget *page);
    ~FileExport() override; // cancels all exports and waits for them

    // Asks for the file, then prepares and starts the export.
    void ask(const QString &title, const QString &name, const QString &suffix, const Prepare &prepare);
    // `done` is the text that the status bar shows afterwards, with %1 in place of the path.
    void start(const QString &title, const QString &path, const Write &write, const QString &done = {});

    // Writes a text that is created on the worker thread.
    static Write ofText(std::function<std::string()> text);
    static Error cancelled() { return {.what = "the export was cancelled"}; }

Q_SIGNALS:
    void statusMessage(const QString &message);
    void ended(bool written);

private:
    struct State;
    QProgressDialog *makeDialog(const QString &title, const std::shared_ptr<State> &state);

    QWidget *m_page;
    std::vector<std::weak_ptr<State>> m_states; // states of the started exports
    BackgroundTasks m_background;
};

} // namespace slipway::ui
