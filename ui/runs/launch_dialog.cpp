// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/runs/launch_dialog.h"

#include <QApplication>
#include <QCheckBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPointer>
#include <QPushButton>
#include <QScreen>
#include <QScrollArea>
#include <QThread>
#include <QVBoxLayout>

#include <algorithm>
#include <memory>
#include <utility>

#include "config/settings.h"
#include "hosts/run_moves.h"
#include "hosts/shell_quote.h"
#include "ui/language/core_texts.h"
#include "ui/language/local_text.h"
#include "ui/plan/display_names.h"
#include "ui/runs/launch_display.h"
#include "ui/runs/script_warning.h"
#include "ui/theme/style.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/card.h"
#include "ui/widgets/screen_room.h"
#include "ui/widgets/scrolling.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

constexpr int kPauseMs = 700;                 // time from the last change to the check of a remote host
constexpr std::int64_t kFirstRunSteps = 1000; // a budget of 20 tokens per parameter is too long for a first run
const QString kHere = QStringLiteral("local");

// Runs `work` on a thread, even if the dialog is closed in the meantime. `done` is then not called.
template<typename Work, typename Done>
void runInBackground(LaunchDialog *dialog, Work work, Done done)
{
    const auto answer = std::make_shared<std::optional<decltype(work())>>();
    QThread *thread = QThread::create([answer, work = std::move(work)] { answer->emplace(work()); });
    const QPointer<LaunchDialog> there(dialog);
    QObject::connect(thread, &QThread::finished, qApp, [there, answer, done = std::move(done), thread] {
        thread->deleteLater();
        if (there)
            done(**answer);
    });
    thread->start();
}

// Formats a command as one line for a shell.
std::string commandText(const std::vector<std::string> &words)
{
    return words.size() == 1 ? words.front() : shellQuoted(words);
}

} // namespace

LaunchDialog::LaunchDialog(
    RunConfig config, Predict predict, Host &here, const Registry &registry, LaunchHosts hosts, QWidget *parent)
    : QDialog(parent),
      m_config(std::move(config)),
      m_predict(std::move(predict)),
      m_here(here),
      m_registry(registry),
      m_hosts(std::move(hosts)),
      m_predicted(makeLabel({}, TextKind::Body)),
      m_command(makeLabel({}, TextKind::Mono)),
      m_checks(makeLabel({}, TextKind::Body)),
      m_problem(new Banner(Pill::Tone::Bad)),
      m_device(new Banner(Pill::Tone::Warn)),
      m_note(makeLabel({}, TextKind::Muted)),
      m_launch(new QPushButton(tr("Launch"))),
      m_cancel(new QPushButton(tr("Cancel")))
{
    setWindowTitle(tr("Launch run"));
    setMinimumWidth(withinScreen(*this, {680, 0}).width());
    m_firstRun = !m_config.training.steps && !m_config.tokens;
    if (m_firstRun && !m_config.training.runsScript())
        m_config.training.steps = kFirstRunSteps;
    m_soon.setSingleShot(true);
    connect(&m_soon, &QTimer::timeout, this, &LaunchDialog::ask);
    build();
    refresh();
}

void LaunchDialog::build()
{
    auto *page = new QVBoxLayout(this);
    page->setContentsMargins(20, 16, 20, 16);
    page->setSpacing(12);
    page->addWidget(makeLabel(tr("Launch run"), TextKind::Title));
    page->addWidget(m_problem);
    page->addWidget(m_device);
    auto *content = new QWidget;
    auto *cards = new QVBoxLayout(content);
    cards->setContentsMargins(0, 0, 0, 0);
    cards->setSpacing(12);
    cards->addWidget(makeHostCard());
    cards->addWidget(makeFieldsCard());
    cards->addWidget(makeScriptCard());
    cards->addWidget(makeMovesCard());

    auto *predicted = new Card(tr("Prediction"));
    m_predicted->setWordWrap(true);
    predicted->body()->addWidget(m_predicted);
    cards->addWidget(predicted);

    auto *checks = new Card(tr("Checks and commands"));
    m_checks->setWordWrap(true);
    m_command->setForegroundRole(QPalette::PlaceholderText);
    m_command->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_command->setAccessibleName(tr("Commands"));
    QScrollArea *commands = makeScrolling(m_command); // scrolls because a batch script is long
    commands->setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    commands->setMinimumHeight(90);
    m_command->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    checks->body()->addWidget(m_checks);
    checks->body()->addWidget(commands, 1);
    cards->addWidget(checks, 1);
    page->addWidget(makeScrolling(content), 1);

    auto *buttons = new QHBoxLayout;
    m_note->setWordWrap(true); // The note has a separate line, because a path in it would be cut beside the buttons.
    page->addWidget(m_note);
    buttons->addStretch(1);
    buttons->addWidget(m_cancel);
    buttons->addWidget(m_launch);
    m_launch->setProperty(kPrimary, true);
    m_launch->setDefault(true);
    page->addLayout(buttons);
    connect(m_cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_launch, &QPushButton::clicked, this, &LaunchDialog::launch);
    // The dialog is as high as its content, but never higher than the screen, so that the buttons stay within reach.
    constexpr int kFrame = 60;
    const int rest = page->sizeHint().height() - page->itemAt(3)->sizeHint().height();
    resize(withinScreen(*this, {720, 0}).width(),
        std::min(rest + content->sizeHint().height() + 140, screen()->availableGeometry().height() - kFrame));
}

QWidget *LaunchDialog::makeHostCard()
{
    auto *card = new Card(tr("Host"));
    std::vector<Choice> choices{{kHere, tr("This machine"), {}}};
    for (const std::string &name : m_hosts.names) {
        if (name != kHere.toStdString())
            choices.push_back({qs(name), name == "slurm:local" ? tr("Slurm cluster of this machine") : qs(name), {}});
    }
    m_host = new ComboInput(choices);
    m_host->setValue(kHere);
    card->body()->addWidget(new FieldRow(tr("Host"), m_host));
    m_sbatch = new TextInput;
    m_sbatch->setHint(tr("--partition=gpu --account=mine"));
    m_sbatchRow = new FieldRow(tr("sbatch options"), m_sbatch);
    m_sbatchRow->hide();
    card->body()->addWidget(m_sbatchRow);
    connect(m_host, &Input::edited, this, &LaunchDialog::onHostChanged);
    connect(m_sbatch, &Input::edited, this, &LaunchDialog::onHostChanged);
    return card;
}

QWidget *LaunchDialog::makeFieldsCard()
{
    auto *card = new Card(tr("Run"));
    QVBoxLayout *column = card->body();
    add(column, "name", tr("Name"), {}, false);
    m_directory = new TextInput;
    m_directory->setHint(tr("a new folder in %1").arg(qs(m_registry.folder().string())));
    column->addWidget(new FieldRow(tr("Run directory"), m_directory));
    connect(m_directory, &Input::edited, this, &LaunchDialog::refresh);
    add(column, "data", tr("Token files"), {}, true);
    add(column, "eval_data", tr("Evaluation data"), {}, true);
    add(column, "tokenizer", tr("Tokenizer"), {}, true);
    add(column, "steps", tr("Steps"), {}, false);
    add(column, "time_limit", tr("Time limit"), {}, false);
    add(column, "usd_limit", tr("Budget"), tr("$"), false);
    return card;
}

QWidget *LaunchDialog::makeScriptCard()
{
    auto *card = new Card(tr("Other training script"));
    m_script = new TextInput;
    m_script->setHint(tr("empty for Slipway's trainer, or: torchrun train.py --batch_size 8"));
    auto *row = new FieldRow(tr("Command"), m_script);
    m_script->setValue(qs(commandText(m_config.training.command)));
    card->body()->addWidget(row);
    m_scriptWarning = new ScriptWarning;
    card->body()->addWidget(m_scriptWarning);
    m_rows["command"] = row;
    connect(m_script, &Input::edited, this, [this](const QString &text) {
        m_config.training.command.clear(); // the command is a line that can contain commas
        if (!text.trimmed().isEmpty())
            m_config.training.command = {text.trimmed().toStdString()};
        if (m_firstRun) { // a script itself decides how long it trains
            m_config.training.steps =
                m_config.training.runsScript() ? std::nullopt : std::optional<std::int64_t>(kFirstRunSteps);
            static_cast<TextInput *>(this->row("steps")->input())
                ->setValue(qs(settingText(*findSetting("steps"), m_config)));
        }
        refresh();
    });
    add(card->body(), "framework", tr("Framework"), {}, false);
    add(card->body(), "workdir", tr("Working folder"), {}, false);
    add(card->body(), "log", tr("Log"), {}, false);
    return card;
}

QWidget *LaunchDialog::makeMovesCard()
{
    auto *card = new Card(tr("If the host goes away"));
    m_keep = new QCheckBox(tr("Copy checkpoints to this machine while the run trains"));
    card->body()->addWidget(m_keep);
    m_thenOn = new TextInput;
    m_thenOn->setHint(tr("node8, slurm:cluster"));
    card->body()->addWidget(new FieldRow(tr("Continue on"), m_thenOn));
    m_checkpointsIn = new TextInput;
    m_checkpointsIn->setHint(tr("of another training script, from its working folder"));
    card->body()->addWidget(new FieldRow(tr("Checkpoint folder"), m_checkpointsIn));
    connect(m_keep, &QCheckBox::toggled, this, &LaunchDialog::showButton);
    connect(m_thenOn, &Input::edited, this, &LaunchDialog::showButton);
    connect(m_checkpointsIn, &Input::edited, this, &LaunchDialog::showButton);
    return card;
}

RunMoves LaunchDialog::moves() const
{
    RunMoves moves{.keepCheckpoints = m_keep->isChecked(),
        .checkpointsIn = m_checkpointsIn->value().trimmed().toStdString(),
        .thenOn = {},
        .moves = {}};
    for (const QString &host : m_thenOn->value().split(u',', Qt::SkipEmptyParts))
        moves.thenOn.push_back(host.trimmed().toStdString());
    moves.keepCheckpoints = moves.keepCheckpoints || !moves.thenOn.empty();
    return moves;
}

void LaunchDialog::add(
    QVBoxLayout *column, const std::string &key, const QString &label, const QString &unit, bool file)
{
    const Setting *setting = findSetting(key);
    if (setting == nullptr)
        return;
    auto *entry = new TextInput;
    auto *row = new FieldRow(label, entry, unit);
    row->setToolTip(coreText(setting->help));
    entry->setValue(qs(settingText(*setting, m_config)));
    connect(entry, &Input::edited, this, [this, key](const QString &text) { onFieldEdited(key, text); });
    if (file) {
        auto *browse = new QPushButton(tr("Browse…"));
        entry->layout()->addWidget(browse);
        connect(browse, &QPushButton::clicked, this, [this, key, entry, label] {
            const QString path = QFileDialog::getOpenFileName(this, label);
            if (path.isEmpty())
                return;
            entry->setValue(path);
            onFieldEdited(key, path);
        });
    }
    column->addWidget(row);
    m_rows[key] = row;
}

FieldRow *LaunchDialog::row(const std::string &key) const
{
    const auto found = m_rows.find(key);
    return found == m_rows.end() ? nullptr : found->second;
}

std::optional<std::filesystem::path> LaunchDialog::directory() const
{
    const QString text = m_directory->value();
    return text.isEmpty() ? std::nullopt : std::optional(pathFrom(text));
}

// Returns the name that launchRun() gives a run without a name. Another launch may take the folder before this one.
std::string LaunchDialog::defaultName() const
{
    if (const auto place = directory())
        return (*place / "").parent_path().filename().string();
    const std::string base = folderName(usualRunName(m_config));
    std::string name = base;
    std::error_code ignored;
    for (int number = 2; std::filesystem::exists(m_registry.folder() / name, ignored); ++number)
        name = base + '-' + std::to_string(number);
    return name;
}

void LaunchDialog::onFieldEdited(const std::string &key, const QString &text)
{
    const bool paths = key == "data" || key == "eval_data" || key == "tokenizer";
    const bool asTyped = key == "name" || key == "framework" || key == "workdir" || key == "log";
    Result<RunConfig> after = applySetting(m_config, key,
        (paths        ? withHome(text)
            : asTyped ? text
                      : withPoint(text))
            .toStdString());
    row(key)->setError(after ? QString() : withFieldNames(coreText(after.error().what)),
        after ? QString() : withFieldNames(coreText(after.error().accepted)));
    if (after)
        m_config = *std::move(after);
    m_firstRun = m_firstRun && key != "steps";
    refresh();
}

void LaunchDialog::chooseHost(const std::string &name)
{
    m_host->setValue(qs(name));
    onHostChanged();
}

void LaunchDialog::onHostChanged()
{
    const std::string name = m_host->value().toStdString();
    const bool slurm = name.starts_with("slurm:");
    m_sbatchRow->setVisible(slurm);
    m_elsewhere.reset();
    m_problem->setText({});
    if (m_host->value() != kHere && m_hosts.make) {
        std::vector<std::string> options;
        for (const QString &word : slurm ? m_sbatch->value().split(u' ', Qt::SkipEmptyParts) : QStringList())
            options.push_back(word.toStdString());
        Result<std::unique_ptr<Host>> host = m_hosts.make(name, options);
        if (host)
            m_elsewhere = std::move(*host);
        else
            m_problem->setText(problemText(host.error()));
    }
    refresh();
}

void LaunchDialog::refresh()
{
    const Result<Prediction> predicted = m_predict(m_config);
    m_prediction = predicted ? std::optional(*predicted) : std::nullopt;
    m_device->setText(m_config.gpu == "cpu" || !isHere()
                          ? QString()
                          : tr("The plan assumes %1 × %2. Its predictions apply only if this machine has these GPUs. "
                               "To plan for its processor, choose the last entry of the list 'GPU'.")
                                .arg(m_config.parallel.gpus)
                                .arg(m_prediction ? qs(m_prediction->gpu.name) : qs(m_config.gpu)));
    m_predicted->setText(predictionText(m_config, m_prediction));
    static_cast<TextInput *>(row("name")->input())->setHint(tr("empty for: %1").arg(qs(defaultName())));
    m_scriptWarning->check(m_config);
    m_preflight.reset();
    if (isHere()) { // this machine answers soon, so the last answer stays visible until then
        m_launch->setEnabled(false);
        m_soon.start(0);
        return;
    }
    m_checks->setText(elsewhere() ? tr("Checking %1…").arg(m_host->value()) : QString());
    m_command->setText({});
    showButton();
    if (elsewhere())
        m_soon.start(kPauseMs);
}

bool LaunchDialog::isHere() const { return m_host->value() == kHere; }

std::shared_ptr<Host> LaunchDialog::chosenHost() const
{
    return isHere() ? std::shared_ptr<Host>(std::shared_ptr<Host>(), &m_here) : m_elsewhere; // does not own m_here
}

void LaunchDialog::ask()
{
    const std::shared_ptr<Host> host = chosenHost();
    if (m_asking || !host)
        return; // the check in progress starts the next one
    m_asking = true;
    const RunConfig config = m_config;
    const Bytes disk = m_prediction ? checkpointDiskBytes(*m_prediction) : 0;
    const auto place = directory();
    const std::optional<Seconds> predicted =
        m_prediction ? std::optional(m_prediction->cost.hours * 3600) : std::nullopt;
    const std::string name = config.training.name.empty() ? defaultName() : config.training.name;
    const auto work = [host, config, disk, place, predicted, name, folder = m_registry.folder()]() -> Answer {
        Answer answer{.preflight = host->preflight(config, place.value_or(folder), disk), .commands = {}};
        answer.commands = plannedCommandsText(
            *host, {.config = config, .directory = place.value_or(folder / name), .predicted = predicted});
        return answer;
    };
    const auto done = [this, host, config, place](const Answer &answer) {
        m_asking = false;
        if (host != chosenHost() || config != m_config || place != directory())
            m_soon.start(isHere() ? 0 : kPauseMs); // the answer is outdated
        else
            show(answer);
    };
    // The dialog shares ownership of a remote host, which may not answer for a long time. The host of this machine has
    // another owner, which may delete it. The destructor therefore waits for its checks.
    if (isHere())
        m_checksHere.run(this, work, done);
    else
        runInBackground(this, work, done);
}

void LaunchDialog::show(const Answer &answer)
{
    m_preflight = answer.preflight;
    m_checks->setText(preflightText(answer.preflight));
    m_command->setText(answer.commands);
    showButton();
    Q_EMIT checked();
}

QString LaunchDialog::checksText() const { return m_checks->text(); }
QString LaunchDialog::noteText() const { return m_note->text(); }
QString LaunchDialog::commandsText() const { return m_command->text(); }

// Describes what must change before the run can be launched. Empty if nothing must change.
QString LaunchDialog::obstacle() const
{
    if (std::any_of(m_rows.begin(), m_rows.end(), [](const auto &row) { return !row.second->error().isEmpty(); }))
        return tr("A field above has an error.");
    if (!m_preflight)
        return m_problem->text().isEmpty() ? tr("The host is being checked.") : tr("The host cannot be used.");
    if (const RunMoves wanted = moves(); wanted.any()) {
        const std::string host = elsewhere() ? m_elsewhere->name() : m_here.name();
        if (const Result<void> possible = checkRunMoves(wanted, host, m_config); !possible)
            return problemText(possible.error());
    }
    for (const PreflightCheck &check : m_preflight->checks) {
        if (!check.passed && !check.prediction)
            return tr("Missing: %1").arg(checkText(check));
    }
    return {};
}

void LaunchDialog::showButton()
{
    const QString missing = obstacle();
    const bool onlyPredicted =
        m_preflight && !m_preflight->passed() && m_preflight->passed(PreflightPolicy::IgnorePredictions);
    m_launch->setText(m_launching ? tr("Launching…") : onlyPredicted ? tr("Launch anyway") : tr("Launch"));
    m_launch->setEnabled(m_preflight && missing.isEmpty() && !m_launching);
    m_note->setText(missing.isEmpty() ? tr("The run continues when Slipway is closed.") : missing);
}

void LaunchDialog::launch()
{
    m_launching = true;
    showButton();
    const RunLaunchRequest order{.config = m_config,
        .prediction = m_prediction,
        .directory = directory(),
        .policy = PreflightPolicy::IgnorePredictions,
        .moves = moves(),
        .noPlan = m_prediction ? std::string() : std::string("no prediction: this configuration cannot be planned")};
    const auto work = [order, elsewhere = m_elsewhere, &here = m_here, registry = m_registry]() -> Result<LaunchedRun> {
        return launchRun(order, elsewhere ? *elsewhere : here, registry);
    };
    runInBackground(this, work, [this](const Result<LaunchedRun> &result) { finish(result); });
}

void LaunchDialog::finish(const Result<LaunchedRun> &result)
{
    m_launching = false;
    showButton();
    if (!result) {
        m_problem->setText(problemText(result.error()));
        return;
    }
    Q_EMIT launched(qs(result->directory.string()));
    accept();
}

} // namespace slipway::ui
