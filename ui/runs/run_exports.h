// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Writes the run that is shown as a report, a table or TensorBoard events.
#pragma once

#include <QObject>
#include <filesystem>
#include <vector>

#include "base/result.h"

class QMenu;
class QWidget;

namespace slipway::ui {

class RunExports : public QObject {
    Q_OBJECT
public:
    explicit RunExports(QWidget *page);

    void setRun(const std::filesystem::path &directory) { m_directory = directory; }
    void setCompared(std::vector<std::filesystem::path> directories, std::size_t baseline);
    QMenu *makeMenu(); // asks for a file, then writes it
    QMenu *makeComparisonMenu();

    Result<void> pdf(const QString &path) const;
    Result<void> html(const QString &path) const;
    Result<void> csv(const QString &path) const; // one row for each step
    Result<void> tensorboard(const QString &folder) const;
    Result<void> comparisonPdf(const QString &path) const;
    Result<void> comparisonHtml(const QString &path) const;
    Result<void> comparisonTable(const QString &path) const; // CSV: one row for each setting and figure

Q_SIGNALS:
    void statusMessage(const QString &message);

private:
    using Write = Result<void> (RunExports::*)(const QString &) const;
    void ask(const QString &stem, const QString &suffix, Write write);
    // Reads the compared runs again, as they are now.
    struct Compared;
    [[nodiscard]] Result<Compared> readCompared() const;
    void askFolder();
    void tell(const Result<void> &written, const QString &where, const QString &done);

    QWidget *m_page;
    std::filesystem::path m_directory;
    std::vector<std::filesystem::path> m_compared;
    std::size_t m_baseline = 0;
};

} // namespace slipway::ui
