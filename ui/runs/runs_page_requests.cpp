// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What the user changes on the Runs page: labels, alert thresholds, a calibration, and runs that are added or imported.
#include <QFileDialog>
#include <QPushButton>

#include "runs/imported_run.h"
#include "ui/language/core_texts.h"
#include "ui/runs/run_dialogs.h"
#include "ui/runs/runs_page.h"
#include "ui/widgets/message.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

void RunsPage::calibrate()
{
    if (!m_shown || !m_calibrate)
        return;
    m_detail->calibrateButton()->setEnabled(false);
    const auto work = [directory = m_shown->directory, calibrate = m_calibrate]() -> Result<std::string> {
        return calibrate(directory);
    };
    m_background.run(this, work, [this](const Result<std::string> &said) {
        m_detail->calibrateButton()->setEnabled(true);
        if (said)
            Q_EMIT statusMessage(qs(*said));
        else
            warn(said.error(), tr("The run was not used for a calibration"));
    });
}

void RunsPage::askLabels()
{
    if (!m_shown)
        return;
    LabelsDialog dialog(m_shown->name, m_shown->labels, this);
    if (dialog.exec() == QDialog::Accepted)
        warn(writeLabels({m_shown->directory}, dialog.labels()), tr("The tags and the notes were not saved"));
    select(std::exchange(m_wanted, {})); // reads the run again
    refresh();
}

void RunsPage::askRules()
{
    AlertRulesDialog dialog(m_rules, this);
    if (dialog.exec() != QDialog::Accepted)
        return;
    m_rules = dialog.rules().value_or(m_rules);
    warn(writeAlertRules(m_rules), tr("The alert thresholds were not saved"));
    Q_EMIT rulesChanged(m_rules);
}

void RunsPage::askImport()
{
    const QStringList files = QFileDialog::getOpenFileNames(
        this, tr("Import metrics of one run"), {}, tr("Metrics (*.csv *.json *.jsonl);;All files (*)"));
    if (files.isEmpty())
        return;
    std::vector<std::filesystem::path> paths;
    for (const QString &file : files)
        paths.emplace_back(file.toStdString());
    importMetrics(paths);
}

Result<void> RunsPage::addRun(const std::filesystem::path &directory)
{
    if (const Result<void> added = m_registry.add(directory); !added)
        return added;
    reveal(directory);
    return {};
}

void RunsPage::importMetrics(const std::vector<std::filesystem::path> &files)
{
    const auto work = [files, registry = m_registry]() -> Result<std::filesystem::path> {
        return importRun({}, files, registry);
    };
    m_background.run(this, work, [this](const Result<std::filesystem::path> &made) {
        if (!made)
            return warn(made.error(), tr("The metrics were not imported"));
        Q_EMIT statusMessage(tr("Imported as %1").arg(qs(made->filename().string())));
        reveal(*made);
    });
}

void RunsPage::warn(const Result<void> &result, const QString &failed)
{
    if (!result)
        showProblem(this, failed, problemText(result.error()));
}

} // namespace slipway::ui
