// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QDialog>
#include <QTimer>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hosts/launch.h"
#include "hosts/run_moves.h"
#include "predict/prediction.h"
#include "ui/widgets/background_tasks.h"
#include "ui/widgets/fields.h"

class QCheckBox;
class QLabel;
class QPushButton;
class QVBoxLayout;

namespace slipway::ui {

class Banner;
class ScriptWarning;

// The hosts on which runs can be launched.
struct LaunchHosts {
    std::vector<std::string> names; // the names that `make` accepts
    std::function<Result<std::unique_ptr<Host>>(const std::string &name, const std::vector<std::string> &sbatch)> make;
};

// Shows a run before it starts: its host, data, predicted time and cost, preflight checks and commands. With a command
// line, the run executes another training script. The host is checked on a worker thread, because even the GPUs of this
// machine or a script's folder may take seconds to respond. This machine is checked at once, and another host shortly
// after the last change.
class LaunchDialog : public QDialog {
    Q_OBJECT
public:
    using Predict = std::function<Result<Prediction>(const RunConfig &)>;

    LaunchDialog(RunConfig config, Predict predict, Host &here, const Registry &registry, LaunchHosts hosts = {},
        QWidget *parent = nullptr);

    [[nodiscard]] FieldRow *row(const std::string &key) const;
    [[nodiscard]] QPushButton *launchButton() const { return m_launch; }
    [[nodiscard]] const RunConfig &config() const { return m_config; }
    [[nodiscard]] QString checksText() const;
    [[nodiscard]] const ScriptWarning &scriptWarning() const { return *m_scriptWarning; }
    [[nodiscard]] QString noteText() const; // shown beside the button; says why it is disabled
    [[nodiscard]] QString commandsText() const;
    // Returns whether the shown checks do not belong to the current configuration yet.
    [[nodiscard]] bool checking() const { return m_asking || m_soon.isActive(); }
    [[nodiscard]] TextInput *thenOn() const { return m_thenOn; }
    [[nodiscard]] TextInput *checkpointsIn() const { return m_checkpointsIn; }
    [[nodiscard]] RunMoves moves() const; // what happens when the host goes away
    void chooseHost(const std::string &name);
    void launch(); // launches on a worker thread

Q_SIGNALS:
    void checked(); // emitted when the chosen host has answered
    void launched(const QString &directory);

private:
    struct Answer {
        Preflight preflight;
        QString commands;
    };
    void build();
    QWidget *makeHostCard();
    QWidget *makeFieldsCard();
    QWidget *makeScriptCard();
    QWidget *makeMovesCard();
    void add(QVBoxLayout *column, const std::string &key, const QString &label, const QString &unit, bool file);
    void onFieldEdited(const std::string &key, const QString &text);
    void onHostChanged();
    void refresh();
    void ask();
    [[nodiscard]] bool isHere() const;
    [[nodiscard]] std::shared_ptr<Host> chosenHost() const;
    void show(const Answer &answer);
    using QDialog::show;
    [[nodiscard]] QString obstacle() const;
    void showButton();
    void finish(const Result<LaunchedRun> &result);
    [[nodiscard]] bool elsewhere() const { return m_elsewhere != nullptr; }
    [[nodiscard]] std::optional<std::filesystem::path> directory() const;
    [[nodiscard]] std::string defaultName() const;

    RunConfig m_config;
    Predict m_predict;
    Host &m_here;
    const Registry &m_registry;
    LaunchHosts m_hosts;
    // The chosen host. Empty if it is this machine. It executes one request at a time.
    std::shared_ptr<Host> m_elsewhere;
    std::optional<Prediction> m_prediction;
    std::optional<Preflight> m_preflight; // for the current configuration
    std::map<std::string, FieldRow *> m_rows;
    ComboInput *m_host = nullptr;
    TextInput *m_directory = nullptr, *m_sbatch = nullptr, *m_script = nullptr;
    QCheckBox *m_keep = nullptr;
    TextInput *m_thenOn = nullptr, *m_checkpointsIn = nullptr;
    FieldRow *m_sbatchRow = nullptr;
    ScriptWarning *m_scriptWarning = nullptr;
    QLabel *m_predicted, *m_command, *m_checks;
    Banner *m_problem, *m_device;
    QLabel *m_note; // shown beside the button; says why it is disabled
    QPushButton *m_launch, *m_cancel;
    QTimer m_soon;
    bool m_asking = false, m_launching = false;
    BackgroundTasks m_checksHere;
    bool m_firstRun = false; // true if the user has not chosen a training length
};

} // namespace slipway::ui
