// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Writes the run that is shown as a report, a table or TensorBoard events.
#pragma once

#include <QObject>
#include <filesystem>

#include "base/result.h"

class QMenu;
class QWidget;

namespace slipway::ui {

class RunExports : public QObject {
    Q_OBJECT
public:
    explicit RunExports(QWidget *page);

    void setRun(const std::filesystem::path &directory) { m_directory = directory; }
    QMenu *makeMenu(); // asks for a file, then writes it

    Result<void> pdf(const QString &path) const;
    Result<void> html(const QString &path) const;
    Result<void> csv(const QString &path) const; // one row for each step
    Result<void> tensorboard(const QString &folder) const;

Q_SIGNALS:
    void statusMessage(const QString &message);

private:
    using Write = Result<void> (RunExports::*)(const QString &) const;
    void ask(const QString &suffix, Write write);
    void askFolder();
    void tell(const Result<void> &written, const QString &where, const QString &done);

    QWidget *m_page;
    std::filesystem::path m_directory;
};

} // namespace slipway::ui
