// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/runs/run_exports.h"

#include <QFileDialog>
#include <QMenu>

#include "base/file.h"
#include "report/compare_report.h"
#include "report/csv.h"
#include "report/html.h"
#include "report/report.h"
#include "runs/run_reader.h"
#include "runs/tensorboard.h"
#include "ui/language/core_texts.h"
#include "ui/report/report_pdf.h"
#include "ui/widgets/message.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

RunExports::RunExports(QWidget *page) : QObject(page), m_page(page) {}

QMenu *RunExports::makeMenu()
{
    auto *menu = new QMenu(m_page);
    const auto add = [&](const QString &text, const QString &suffix, Write write) {
        menu->addAction(text, this, [this, suffix, write] { ask(qs(m_directory.filename().string()), suffix, write); });
    };
    add(tr("Report as PDF…"), QStringLiteral("pdf"), &RunExports::pdf);
    add(tr("Report as HTML…"), QStringLiteral("html"), &RunExports::html);
    add(tr("Steps as CSV…"), QStringLiteral("csv"), &RunExports::csv);
    menu->addAction(tr("TensorBoard events…"), this, &RunExports::askFolder);
    return menu;
}

QMenu *RunExports::makeComparisonMenu()
{
    auto *menu = new QMenu(m_page);
    const auto add = [&](const QString &text, const QString &suffix, Write write) {
        menu->addAction(text, this, [this, suffix, write] { ask(QStringLiteral("comparison"), suffix, write); });
    };
    add(tr("Comparison as PDF…"), QStringLiteral("pdf"), &RunExports::comparisonPdf);
    add(tr("Comparison as HTML…"), QStringLiteral("html"), &RunExports::comparisonHtml);
    add(tr("Comparison as CSV…"), QStringLiteral("csv"), &RunExports::comparisonTable);
    return menu;
}

void RunExports::setCompared(std::vector<std::filesystem::path> directories, std::size_t baseline)
{
    m_compared = std::move(directories);
    m_baseline = baseline;
}

struct RunExports::Compared {
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

Result<RunExports::Compared> RunExports::readCompared() const
{
    Compared compared;
    for (const std::filesystem::path &directory : m_compared) {
        Result<RunData> run = readRun(directory);
        if (!run)
            return run.error();
        compared.runs.push_back(*std::move(run));
    }
    Result<RunComparison> comparison = compareRuns(compared.all(), m_baseline);
    if (!comparison)
        return comparison.error();
    compared.comparison = *std::move(comparison);
    return compared;
}

Result<void> RunExports::comparisonPdf(const QString &path) const
{
    const Result<Compared> read = readCompared();
    return read ? writeReportPdf(comparisonReport(read->comparison, read->all()), path, windowPdfOptions())
                : Result<void>(read.error());
}

Result<void> RunExports::comparisonHtml(const QString &path) const
{
    const Result<Compared> read = readCompared();
    return read ? writeNamedFile(pathFrom(path), reportHtml(comparisonReport(read->comparison, read->all())))
                : Result<void>(read.error());
}

Result<void> RunExports::comparisonTable(const QString &path) const
{
    const Result<Compared> read = readCompared();
    return read ? writeNamedFile(pathFrom(path), comparisonCsv(read->comparison)) : Result<void>(read.error());
}

Result<void> RunExports::pdf(const QString &path) const
{
    const Result<RunData> run = readRun(m_directory);
    return run ? writeReportPdf(runReport(*run), path, windowPdfOptions()) : Result<void>(run.error());
}

Result<void> RunExports::html(const QString &path) const
{
    const Result<RunData> run = readRun(m_directory);
    return run ? writeNamedFile(pathFrom(path), reportHtml(runReport(*run))) : Result<void>(run.error());
}

Result<void> RunExports::csv(const QString &path) const
{
    const Result<RunData> run = readRun(m_directory);
    return run ? writeNamedFile(pathFrom(path), runCsv(*run)) : Result<void>(run.error());
}

Result<void> RunExports::tensorboard(const QString &folder) const
{
    const Result<RunData> run = readRun(m_directory);
    if (!run)
        return run.error();
    const Result<std::filesystem::path> written = writeTensorboard(*run, pathFrom(folder));
    return written ? Result<void>() : Result<void>(written.error());
}

void RunExports::ask(const QString &stem, const QString &suffix, Write write)
{
    const QString name = stem + u'.' + suffix;
    const QString path = QFileDialog::getSaveFileName(m_page, tr("Export run"), name, QStringLiteral("*.") + suffix);
    if (!path.isEmpty())
        tell((this->*write)(path), path, tr("Exported to %1"));
}

void RunExports::askFolder()
{
    const QString folder =
        QFileDialog::getExistingDirectory(m_page, tr("Select a folder for the TensorBoard event file"));
    if (!folder.isEmpty())
        tell(tensorboard(folder), folder, tr("Exported TensorBoard events to %1"));
}

void RunExports::tell(const Result<void> &written, const QString &where, const QString &done)
{
    if (written)
        Q_EMIT statusMessage(done.arg(where));
    else
        showProblem(m_page, tr("The run was not exported"), problemText(written.error()));
}

} // namespace slipway::ui
