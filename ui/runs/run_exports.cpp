// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/runs/run_exports.h"

#include <QFileDialog>
#include <QMenu>

#include "base/file.h"
#include "report/csv.h"
#include "report/html.h"
#include "report/report.h"
#include "runs/run_reader.h"
#include "runs/tensorboard.h"
#include "ui/report/report_pdf.h"
#include "ui/widgets/message.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

RunExports::RunExports(QWidget *page) : QObject(page), m_page(page) {}

QMenu *RunExports::makeMenu()
{
    auto *menu = new QMenu(m_page);
    const auto add = [&](const QString &text, const QString &suffix, Write write) {
        menu->addAction(text, this, [this, suffix, write] { ask(suffix, write); });
    };
    add(tr("Report as PDF…"), QStringLiteral("pdf"), &RunExports::pdf);
    add(tr("Report as HTML…"), QStringLiteral("html"), &RunExports::html);
    add(tr("Steps as CSV…"), QStringLiteral("csv"), &RunExports::csv);
    menu->addAction(tr("TensorBoard events…"), this, &RunExports::askFolder);
    return menu;
}

Result<void> RunExports::pdf(const QString &path) const
{
    const Result<RunData> run = readRun(m_directory);
    return run ? writeReportPdf(runReport(*run), path) : Result<void>(run.error());
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

void RunExports::ask(const QString &suffix, Write write)
{
    const QString name = qs(m_directory.filename().string()) + u'.' + suffix;
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
        showProblem(m_page, tr("The run was not exported"), qs(written.error().message()));
}

} // namespace slipway::ui
