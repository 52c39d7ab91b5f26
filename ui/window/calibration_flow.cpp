// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/window/calibration_flow.h"

#include <QMessageBox>
#include <QMetaObject>
#include <QPushButton>
#include <QWidget>

#include <sstream>

#include "hardware/user_folder.h"
#include "hardware/user_prices.h"
#include "measure/log_batch.h"
#include "measure/measurement.h"
#include "runs/registry.h"
#include "runs/run_directory.h"
#include "ui/language/core_texts.h"
#include "ui/language/local_text.h"
#include "ui/plan/calibrate_dialog.h"
#include "ui/widgets/message.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

Result<CalibrationOutcome> fitted(const Observation &observation, const Catalogue &catalogue)
{
    return calibrate({observation}, {.id = observation.resolved.gpu.id, .asOf = utcNow().substr(0, 10)}, catalogue);
}

Result<CalibrationOutcome> fittedToRun(const std::filesystem::path &directory)
{
    const Result<Catalogue> catalogue = loadUserCatalogue();
    if (!catalogue)
        return catalogue.error();
    const Result<RunData> run = readRun(directory);
    if (!run)
        return run.error();
    const Result<Observation> observation = observationOf(*run, *catalogue);
    return observation ? fitted(*observation, *catalogue) : Result<CalibrationOutcome>(observation.error());
}

// Returns a warning, or an empty text if the log does not state another batch than the plan.
QString batchWarning(const TrainingLog &log, const RunConfig &config)
{
    const std::optional<BatchConflict> conflict = batchConflict(log.batch, config);
    if (!conflict)
        return {};
    const QString both = conflict->logged.inTokens
                             ? QObject::tr("The log says %1 tokens per step, but the plan has %2.")
                             : QObject::tr("The log says %1 sequences per step, but the plan has %2.");
    return both.arg(localNumber(static_cast<double>(conflict->logged.size), 0),
               localNumber(static_cast<double>(conflict->planned), 0)) +
           u' ' +
           QObject::tr(
               "Cancel, set micro-batch, sequence length, accumulation and GPUs on the Plan page as in the run, "
               "and calibrate again. Otherwise, the constants are wrong.");
}

// `warning` is set where the log does not fit the configuration, also if the fit fails.
Result<CalibrationOutcome> fittedToLog(const std::string &text, const RunConfig &config, QString &warning)
{
    const Result<Catalogue> catalogue = loadUserCatalogue();
    if (!catalogue)
        return catalogue.error();
    std::istringstream stream(text);
    const Result<TrainingLog> log =
        readTrainingLog(stream, QObject::tr("the log").toStdString(), catalogue->frameworks.scriptInterfaceOf({}).log);
    if (!log)
        return log.error();
    const Result<Observation> observation = observationOf(*log, "log", config, *catalogue);
    if (!observation)
        return observation.error();
    warning = batchWarning(*log, observation->resolved.config);
    return fitted(*observation, *catalogue);
}

Result<CalibrationOutcome> fittedToTable(const std::filesystem::path &table)
{
    const Result<Catalogue> catalogue = loadUserCatalogue();
    if (!catalogue)
        return catalogue.error();
    const Result<std::vector<MeasuredRow>> rows = readMeasurements(table, *catalogue);
    if (!rows)
        return rows.error();
    return calibrate(observationsOf(*rows, catalogue->rates.productiveTimeFraction),
        {.id = folderName(table.stem().string()), .asOf = utcNow().substr(0, 10), .leftOut = leftOutRows(*rows)},
        *catalogue);
}

std::string sentenceOf(const CalibrationOutcome &outcome)
{
    return outcome.calibration.devices.empty()
               ? QObject::tr("This run does not change any calibration constant").toStdString()
               : QObject::tr("This run determines the constant: %1")
                     .arg(coreText(titleOf(outcome.calibration.devices[0].constants[0].constant)))
                     .toStdString();
}

} // namespace

CalibrationFlow::CalibrationFlow(QWidget &window, const Catalogue &catalogue)
    : QObject(&window),
      m_window(window),
      m_catalogue(catalogue)
{
}

Result<std::string> CalibrationFlow::ofRun(const std::filesystem::path &run)
{
    const Result<CalibrationOutcome> outcome = fittedToRun(run);
    if (!outcome)
        return outcome.error();
    QMetaObject::invokeMethod(this, [this, shown = *outcome] { show(shown); }, Qt::QueuedConnection);
    return sentenceOf(*outcome);
}

void CalibrationFlow::ofTable(const std::filesystem::path &table)
{
    const auto work = [table] { return fittedToTable(table); };
    m_background.run(this, work, [this](const Result<CalibrationOutcome> &outcome) {
        if (outcome)
            show(*outcome);
        else
            showProblem(&m_window, tr("Calibrate"), problemText(outcome.error()));
    });
}

void CalibrationFlow::ofLog(const RunConfig &config, const QString &plan, const QString &log)
{
    auto *dialog = new LogDialog(plan, &m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &LogDialog::calibrationRequested, this, [this, dialog, config] {
        QString warning;
        const Result<CalibrationOutcome> outcome = fittedToLog(dialog->text(), config, warning);
        if (!outcome) // keeps the pasted text
            return dialog->setProblem(problemText(outcome.error()) + (warning.isEmpty() ? QString() : u'\n' + warning));
        dialog->accept();
        show(*outcome, warning);
    });
    if (!log.isEmpty())
        dialog->setText(log);
    dialog->open();
}

void CalibrationFlow::remove(const QString &name)
{
    auto *box = new QMessageBox(QMessageBox::Question, tr("Remove calibration"),
        tr("Remove the calibration '%1'? This cannot be undone.").arg(name), QMessageBox::Cancel, &m_window);
    box->setTextFormat(Qt::PlainText);
    box->setAttribute(Qt::WA_DeleteOnClose);
    const QPushButton *yes = box->addButton(tr("Remove"), QMessageBox::DestructiveRole);
    box->setDefaultButton(QMessageBox::Cancel);
    connect(yes, &QPushButton::clicked, this, [this, name] {
        const Result<void> gone = removeUserTable(userCalibrationFolder(), "calibration", name.toStdString());
        if (gone)
            Q_EMIT removed(name);
        else
            showProblem(&m_window, tr("Remove calibration"), problemText(gone.error()));
    });
    box->open();
}

void CalibrationFlow::show(const CalibrationOutcome &outcome, const QString &warning)
{
    // Looks at the folder, because another program may have saved calibrations since the catalogue was loaded.
    const auto savedOn = [](const std::string &name) -> std::optional<std::string> {
        const Result<std::filesystem::path> file = yamlFileFor(userCalibrationFolder(), name);
        std::error_code ignored;
        if (!file || !std::filesystem::exists(*file, ignored))
            return std::nullopt;
        const Result<Calibration> saved = readCalibration(*file);
        return saved ? saved->asOf : std::string();
    };
    const auto keep = [](const Calibration &calibration) -> Result<void> {
        const Result<std::filesystem::path> file = writeCalibration(userCalibrationFolder(), calibration);
        return file ? Result<void>() : Result<void>(file.error());
    };
    auto *dialog = new CalibrateDialog(m_catalogue, outcome, keep, savedOn, &m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWarning(warning);
    connect(dialog, &CalibrateDialog::kept, this, &CalibrationFlow::kept);
    dialog->open();
}

} // namespace slipway::ui
