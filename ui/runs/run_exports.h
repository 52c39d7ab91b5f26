// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Writes the shown run as a report, a table or TensorBoard events.
#pragma once

#include <QObject>
#include <filesystem>
#include <vector>

#include "base/result.h"
#include "runs/registry.h"
#include "runs/run_reader.h"
#include "ui/report/report_pdf.h"
#include "ui/widgets/file_export.h"

class QAction;
class QMenu;
class QWidget;

namespace slipway::ui {

// Writes the reports of one run, or of several runs that are compared. Each export reads the current state of the runs.
// The struct is copied, so that a worker thread has its own copy.
struct RunReports {
    Registry registry; // gives the names that the list shows
    std::filesystem::path directory;
    std::vector<std::filesystem::path> compared;
    std::size_t baseline = 0;
    FileExport::Progress progress = [](std::size_t, std::size_t) { return true; };

    Result<void> pdf(const QString &path) const;
    Result<void> html(const QString &path) const;
    Result<void> csv(const QString &path) const; // one row for each step
    Result<void> tensorboard(const QString &folder) const;
    Result<void> comparisonPdf(const QString &path) const;
    Result<void> comparisonHtml(const QString &path) const;
    Result<void> comparisonTable(const QString &path) const; // CSV: one row for each setting and figure

private:
    struct Compared;
    [[nodiscard]] Result<RunData> read(const std::filesystem::path &run) const; // fails if the export was cancelled
    [[nodiscard]] Result<Compared> readCompared() const;
    [[nodiscard]] PdfOptions pdfOptions() const;
};

// The menus that export runs. Reading and drawing a long run takes seconds, so a worker thread does it.
class RunExports : public QObject {
    Q_OBJECT
public:
    RunExports(Registry registry, QWidget *page);

    void setRun(const std::filesystem::path &directory);
    void setCompared(std::vector<std::filesystem::path> directories, std::size_t baseline);
    [[nodiscard]] const RunReports &reports() const { return m_reports; }
    QMenu *makeMenu(); // each entry asks for a file and then writes it
    QMenu *makeComparisonMenu();
    // The actions of the Runs menu. They export what is shown: the run, or the comparison.
    [[nodiscard]] QAction *pdfCommand() const { return m_pdf; }
    [[nodiscard]] QAction *htmlCommand() const { return m_html; }
    [[nodiscard]] QAction *csvCommand() const { return m_csv; }
    void setAvailable(bool available); // whether a run is shown
    // The action that exports the list of runs as `prepare` returns it when the file is chosen.
    [[nodiscard]] QAction *listCommand() const { return m_listCsv; }
    void setList(FileExport::Prepare prepare) { m_list = std::move(prepare); }

Q_SIGNALS:
    void statusMessage(const QString &message);

private:
    using Write = Result<void> (RunReports::*)(const QString &) const;
    void askRun(const QString &suffix, Write write);
    void askComparison(const QString &suffix, Write write);
    void askShown(const QString &suffix, Write ofRun, Write ofComparison);
    void askFolder();
    [[nodiscard]] FileExport::Write work(Write write) const;

    QWidget *m_page;
    RunReports m_reports;
    QAction *m_pdf, *m_html, *m_csv, *m_listCsv;
    FileExport::Prepare m_list;
    FileExport m_export;
};

} // namespace slipway::ui
