// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/runs/launch_sheet.h"

#include <QApplication>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPointer>
#include <QPushButton>
#include <QThread>
#include <QVBoxLayout>

#include <cmath>
#include <memory>

#include "base/text.h"
#include "config/settings.h"
#include "hosts/shell_quote.h"
#include "ui/theme/style.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/card.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

LaunchSheet::LaunchSheet(RunConfig config, Predict predict, Host &host, const Registry &registry, QWidget *parent)
    : QDialog(parent), m_config(std::move(config)), m_predict(std::move(predict)), m_host(host), m_registry(registry),
      m_predicted(makeLabel({}, TextKind::Body)), m_command(makeLabel({}, TextKind::Mono)), m_checks(makeLabel({}, TextKind::Body)),
      m_problem(new Banner(Pill::Tone::Bad)), m_device(new Banner(Pill::Tone::Warn)), m_launch(new QPushButton(tr("Launch"))),
      m_cancel(new QPushButton(tr("Cancel")))
{
    setWindowTitle(tr("Launch a run"));
    setMinimumWidth(640);
    if (!m_config.training.steps && !m_config.tokens)
        m_config.training.steps = 1000; // a budget of 20 tokens a parameter is a plan for a cluster, not for a first run here
    build();
    refresh();
}

void LaunchSheet::build()
{
    auto *page = new QVBoxLayout(this);
    page->setContentsMargins(20, 16, 20, 16);
    page->setSpacing(12);
    page->addWidget(makeLabel(tr("Launch on this computer"), TextKind::Title));
    page->addWidget(m_problem);
    page->addWidget(m_device);
    page->addWidget(makeFields());

    auto *predicted = new Card(tr("Predicted"));
    m_predicted->setWordWrap(true);
    predicted->body()->addWidget(m_predicted);
    page->addWidget(predicted);

    auto *checks = new Card(tr("Checked"));
    m_checks->setWordWrap(true);
    checks->body()->addWidget(m_checks);
    m_command->setWordWrap(true);
    m_command->setForegroundRole(QPalette::PlaceholderText);
    m_command->setTextInteractionFlags(Qt::TextSelectableByMouse);
    checks->body()->addWidget(m_command);
    page->addWidget(checks);

    auto *buttons = new QHBoxLayout;
    buttons->addWidget(makeLabel(tr("The run goes on when this window is closed."), TextKind::Muted), 1);
    buttons->addWidget(m_cancel);
    buttons->addWidget(m_launch);
    m_launch->setProperty(kPrimary, true);
    m_launch->setDefault(true);
    page->addLayout(buttons);
    connect(m_cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_launch, &QPushButton::clicked, this, &LaunchSheet::launch);
}

QWidget *LaunchSheet::makeFields()
{
    auto *card = new Card(tr("Run"));
    QVBoxLayout *column = card->body();
    add(column, "name", tr("Name"), {}, false);
    m_directory = new Entry;
    m_directory->setHint(tr("a new folder in %1").arg(qs(m_registry.folder().string())));
    column->addWidget(new FieldRow(tr("Run directory"), m_directory));
    connect(m_directory, &Input::edited, this, &LaunchSheet::refresh);
    add(column, "data", tr("Token files"), {}, true);
    add(column, "eval_data", tr("Evaluation data"), {}, true);
    add(column, "tokenizer", tr("Tokenizer"), {}, true);
    add(column, "steps", tr("Steps"), {}, false);
    return card;
}

void LaunchSheet::add(QVBoxLayout *column, const std::string &key, const QString &label, const QString &unit, bool file)
{
    const Setting *setting = findSetting(key);
    if (setting == nullptr)
        return;
    auto *entry = new Entry;
    auto *row = new FieldRow(label, entry, unit);
    row->setToolTip(qs(setting->help));
    entry->setValue(qs(settingText(*setting, m_config)));
    connect(entry, &Input::edited, this, [this, key](const QString &text) { take(key, text); });
    if (file) {
        auto *browse = new QPushButton(tr("Browse…"));
        entry->layout()->addWidget(browse);
        connect(browse, &QPushButton::clicked, this, [this, key, entry, label] {
            const QString path = QFileDialog::getOpenFileName(this, label);
            if (path.isEmpty())
                return;
            entry->setValue(path);
            take(key, path);
        });
    }
    column->addWidget(row);
    m_rows[key] = row;
}

FieldRow *LaunchSheet::row(const std::string &key) const
{
    const auto found = m_rows.find(key);
    return found == m_rows.end() ? nullptr : found->second;
}

std::optional<std::filesystem::path> LaunchSheet::directory() const
{
    const QString text = m_directory->value();
    return text.isEmpty() ? std::nullopt : std::optional<std::filesystem::path>(text.toStdString());
}

void LaunchSheet::take(const std::string &key, const QString &text)
{
    Result<RunConfig> after = applySetting(m_config, key, text.toStdString());
    row(key)->setError(after ? QString() : qs(after.error().what), after ? QString() : qs(after.error().accepted));
    if (after)
        m_config = *std::move(after);
    refresh();
}

void LaunchSheet::refresh()
{
    const Result<Prediction> predicted = m_predict(m_config);
    m_prediction = predicted ? std::optional(*predicted) : std::nullopt;
    m_device->setText(m_config.gpu == "cpu" ? QString()
                                            : tr("The plan is for %1 × %2. Its figures hold only where this computer has them; choose the GPU 'cpu' to plan for its processor.")
                                                  .arg(m_config.parallel.gpus).arg(m_prediction ? qs(m_prediction->gpu.name) : qs(m_config.gpu)));
    showPrediction();
    const Preflight preflight = m_host.preflight(m_config, directory().value_or(m_registry.folder()), m_prediction ? checkpointDiskBytes(*m_prediction) : 0);
    showChecks(preflight);
    m_command->setText(qs(shellQuoted(m_host.trainerCommand(m_config, directory().value_or(m_registry.folder() / "RUN"), false))));
    bool refused = false;
    for (const auto &[key, field] : m_rows)
        refused = refused || !field->error().isEmpty();
    m_launch->setEnabled(preflight.passed() && !refused);
}

void LaunchSheet::showPrediction()
{
    if (!m_prediction) {
        m_predicted->setText(tr("This configuration cannot be predicted."));
        return;
    }
    const Prediction &p = *m_prediction;
    const double steps = m_config.training.steps ? static_cast<double>(*m_config.training.steps)
                                                 : std::ceil(static_cast<double>(p.cost.tokens) / static_cast<double>(m_config.tokensPerStep()));
    QString text = tr("%1 steps of %2 take %3 (P10–P90 %4 – %5).").arg(qs(formatCount(steps)), qs(formatSeconds(p.speed.step)), qs(formatSeconds(steps * p.speed.step)),
        qs(formatSeconds(steps * p.speed.stepP10)), qs(formatSeconds(steps * p.speed.stepP90)));
    text += u' ' + tr("Peak memory %1 of %2; checkpoints take up to %3 of disk.").arg(qs(formatBytes(p.memory.peak)), qs(formatBytes(p.memory.capacity)), qs(formatBytes(checkpointDiskBytes(p))));
    m_predicted->setText(text);
}

void LaunchSheet::showChecks(const Preflight &preflight)
{
    QStringList lines;
    for (const PreflightCheck &check : preflight.checks)
        lines << (check.passed ? QStringLiteral("✓  ") : QStringLiteral("✗  ")) + qs(check.what) + QStringLiteral(": ") + qs(check.detail);
    m_checks->setText(lines.join(u'\n'));
}

void LaunchSheet::launch()
{
    m_launch->setEnabled(false);
    m_launch->setText(tr("Launching…"));
    const LaunchOrder order{.config = m_config, .prediction = m_prediction, .directory = directory()};
    auto outcome = std::make_shared<std::optional<Result<LaunchedRun>>>();
    QThread *thread = QThread::create([order, outcome, &host = m_host, registry = m_registry] { *outcome = launchRun(order, host, registry); });
    const QPointer<LaunchSheet> sheet(this);
    connect(thread, &QThread::finished, qApp, [sheet, outcome, thread] {
        thread->deleteLater();
        if (sheet)
            sheet->finish(**outcome);
    });
    thread->start();
}

void LaunchSheet::finish(const Result<LaunchedRun> &result)
{
    m_launch->setText(tr("Launch"));
    m_launch->setEnabled(true);
    if (!result) {
        m_problem->setText(qs(result.error().message()));
        return;
    }
    Q_EMIT launched(qs(result->directory.string()));
    accept();
}

} // namespace slipway::ui
