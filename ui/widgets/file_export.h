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

// Writes files of a page on worker threads; a member of the page. While one takes long, a dialog shows how far it is
// and can cancel it.
class FileExport : public QObject {
    Q_OBJECT
public:
    // False: the user has cancelled, and no file may take the place of another any more. `all` is 0 if it is unknown.
    using Progress = std::function<bool(std::size_t done, std::size_t all)>;
    using Write = std::function<Result<void>(const QString &path, const Progress &progress)>;
    // Makes the work from what the page shows when the file is chosen.
    using Prepare = std::function<Result<Write>()>;

    explicit FileExport(QWidget *page);
    ~FileExport() override; // cancels, and waits

    // Asks for the file first.
    void ask(const QString &title, const QString &name, const QString &suffix, const Prepare &prepare);
    // `done`: what the status line says of the path.
    void start(const QString &title, const QString &path, const Write &write, const QString &done = {});

    // Writes a text that is made on the worker thread.
    static Write ofText(std::function<std::string()> text);
    static Error cancelled() { return {.what = "the export was cancelled"}; }

Q_SIGNALS:
    void statusMessage(const QString &message);
    void ended(bool written);

private:
    struct State;
    QProgressDialog *makeDialog(const QString &title, const std::shared_ptr<State> &state);

    QWidget *m_page;
    std::vector<std::weak_ptr<State>> m_states; // of what was started
    BackgroundTasks m_background;
};

} // namespace slipway::ui
