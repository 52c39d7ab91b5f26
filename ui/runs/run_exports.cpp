// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/runs/run_exports.h"

#include <QAction>
#include <QFileDialog>
#include <QMenu>

#include "base/file.h"
#include "report/compare_report.h"
#include "report/csv.h"
#include "report/html.h"
#include "report/report.h"
#include "runs/registry_entry.h"
#include "runs/tensorboard.h"
#include "ui/widgets/action_button.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

RunExports::RunExports(Registry registry, QWidget *page)
    : QObject(page),
      m_page(page),
      m_pdf(makeAction(page, tr("R&eport as PDF…"), tr("Export the report of the shown run or comparison"), {},
          [this] { askShown(QStringLiteral("pdf"), &RunReports::pdf, &RunReports::comparisonPdf); })),
      m_html(makeAction(page, tr("Report as &HTML…"),
          tr("Export the report of the shown run or comparison as a single self-contained file"), {},
          [this] { askShown(QStringLiteral("html"), &RunReports::html, &RunReports::comparisonHtml); })),
      m_csv(makeAction(page, tr("Figures as C&SV…"),
          tr("Export the steps of the shown run, or the table of the comparison"), {},
          [this] { askShown(QStringLiteral("csv"), &RunReports::csv, &RunReports::comparisonTable); })),
      m_listCsv(makeAction(page, tr("L&ist of runs as CSV…"),
          tr("Export the runs and the columns that the list shows, in its order"), {},
          [this] {
              m_export.ask(tr("Export list of runs"), QStringLiteral("runs.csv"), QStringLiteral("csv"), m_list);
          })),
      m_export(page)
{
    m_reports.registry = std::move(registry);
    setAvailable(false);
    m_listCsv->setEnabled(false);
    connect(&m_export, &FileExport::statusMessage, this, &RunExports::statusMessage);
}

QMenu *RunExports::makeMenu()
{
    auto *menu = new QMenu(m_page);
    const auto add = [&](const QString &text, const QString &suffix, Write write) {
        menu->addAction(text, this, [this, suffix, write] { askRun(suffix, write); });
    };
    add(tr("Report as PDF…"), QStringLiteral("pdf"), &RunReports::pdf);
    add(tr("Report as HTML…"), QStringLiteral("html"), &RunReports::html);
    add(tr("Steps as CSV…"), QStringLiteral("csv"), &RunReports::csv);
    menu->addAction(tr("TensorBoard events…"), this, &RunExports::askFolder);
    return menu;
}

QMenu *RunExports::makeComparisonMenu()
{
    auto *menu = new QMenu(m_page);
    const auto add = [&](const QString &text, const QString &suffix, Write write) {
        menu->addAction(text, this, [this, suffix, write] { askComparison(suffix, write); });
    };
    add(tr("Comparison as PDF…"), QStringLiteral("pdf"), &RunReports::comparisonPdf);
    add(tr("Comparison as HTML…"), QStringLiteral("html"), &RunReports::comparisonHtml);
    add(tr("Comparison as CSV…"), QStringLiteral("csv"), &RunReports::comparisonTable);
    return menu;
}

void RunExports::setAvailable(bool available)
{
    m_pdf->setEnabled(available);
    m_html->setEnabled(available);
    m_csv->setEnabled(available);
}

void RunExports::setRun(const std::filesystem::path &directory)
{
    m_reports.directory = directory;
    m_reports.compared.clear();
}

void RunExports::setCompared(std::vector<std::filesystem::path> directories, std::size_t baseline)
{
    m_reports.compared = std::move(directories);
    m_reports.baseline = baseline;
}

struct RunReports::Compared {
    std::vector<RunData> runs;
    RunComparison comparison;

    [[nodiscard]] std::vector<const RunData *> all() const
    {
        std::vector<const RunData *> pointers;
        for (const RunData &run : runs)
            pointers.push_back(&run);
        return pointers;
    }
};

Result<RunData> RunReports::read(const std::filesystem::path &run) const
{
    Result<RunData> data = readRun(run);
    if (data)
        data->name = nameInFolder(data->name, entryName(registry, run));
    return progress(0, 0) ? std::move(data) : Result<RunData>(FileExport::cancelled());
}

PdfOptions RunReports::pdfOptions() const
{
    PdfOptions options = windowPdfOptions();
    options.cancelled = [this] { return !progress(0, 0); };
    return options;
}

Result<RunReports::Compared> RunReports::readCompared() const
{
    Compared read;
    for (const std::filesystem::path &one : compared) {
        Result<RunData> run = this->read(one);
        if (!run)
            return run.error();
        read.runs.push_back(*std::move(run));
    }
    Result<RunComparison> comparison = compareRuns(read.all(), baseline);
    if (!comparison)
        return comparison.error();
    read.comparison = *std::move(comparison);
    return read;
}

Result<void> RunReports::comparisonPdf(const QString &path) const
{
    const Result<Compared> read = readCompared();
    return read ? writeReportPdf(comparisonReport(read->comparison, read->all()), path, pdfOptions())
                : Result<void>(read.error());
}

Result<void> RunReports::comparisonHtml(const QString &path) const
{
    const Result<Compared> read = readCompared();
    return read ? writeNamedFile(pathFrom(path), reportHtml(comparisonReport(read->comparison, read->all())))
                : Result<void>(read.error());
}

Result<void> RunReports::comparisonTable(const QString &path) const
{
    const Result<Compared> read = readCompared();
    return read ? writeNamedFile(pathFrom(path), comparisonCsv(read->comparison)) : Result<void>(read.error());
}

Result<void> RunReports::pdf(const QString &path) const
{
    const Result<RunData> run = read(directory);
    return run ? writeReportPdf(runReport(*run), path, pdfOptions()) : Result<void>(run.error());
}

Result<void> RunReports::html(const QString &path) const
{
    const Result<RunData> run = read(directory);
    return run ? writeNamedFile(pathFrom(path), reportHtml(runReport(*run))) : Result<void>(run.error());
}

Result<void> RunReports::csv(const QString &path) const
{
    const Result<RunData> run = read(directory);
    return run ? writeNamedFile(pathFrom(path), runCsv(*run)) : Result<void>(run.error());
}

Result<void> RunReports::tensorboard(const QString &folder) const
{
    const Result<RunData> run = read(directory);
    if (!run)
        return run.error();
    const Result<std::filesystem::path> written = writeTensorboard(*run, pathFrom(folder));
    return written ? Result<void>() : Result<void>(written.error());
}

FileExport::Write RunExports::work(Write write) const
{
    return [reports = m_reports, write](const QString &path, const FileExport::Progress &progress) mutable {
        reports.progress = progress;
        return (reports.*write)(path);
    };
}

void RunExports::askRun(const QString &suffix, Write write)
{
    const QString stem = qs(entryName(m_reports.registry, m_reports.directory));
    m_export.ask(tr("Export run"), stem + u'.' + suffix, suffix, [this, write] { return work(write); });
}

void RunExports::askComparison(const QString &suffix, Write write)
{
    m_export.ask(tr("Export comparison"), u"comparison." + suffix, suffix, [this, write] { return work(write); });
}

void RunExports::askShown(const QString &suffix, Write ofRun, Write ofComparison)
{
    if (m_reports.compared.empty())
        askRun(suffix, ofRun);
    else
        askComparison(suffix, ofComparison);
}

void RunExports::askFolder()
{
    const QString folder =
        QFileDialog::getExistingDirectory(m_page, tr("Select a folder for the TensorBoard event file"));
    if (!folder.isEmpty())
        m_export.start(
            tr("Export run"), folder, work(&RunReports::tensorboard), tr("Exported TensorBoard events to %1"));
}

} // namespace slipway::ui
