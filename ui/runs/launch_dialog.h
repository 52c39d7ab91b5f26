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

// Shows a run before it starts: its host, data, predicted time and cost, preflight checks and commands. A command line
// makes it a run of another training script. The host is checked on a worker thread: this machine at once, because even
// its GPUs or a script's folder may take seconds to answer, and another one shortly after the last change.
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
    [[nodiscard]] QString noteText() const; // beside the button: why it is disabled
    [[nodiscard]] QString commandsText() const;
    // Whether the shown checks are not yet those of the configuration.
    [[nodiscard]] bool checking() const { return m_asking || m_soon.isActive(); }
    [[nodiscard]] TextInput *thenOn() const { return m_thenOn; }
    [[nodiscard]] TextInput *checkpointsIn() const { return m_checkpointsIn; }
    [[nodiscard]] RunMoves moves() const; // what happens when the host goes away
    void chooseHost(const std::string &name);
    void launch(); // on a worker thread

Q_SIGNALS:
    void checked(); // the chosen host has answered
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
    [[nodiscard]] std::string usualName() const;

    RunConfig m_config;
    Predict m_predict;
    Host &m_here;
    const Registry &m_registry;
    LaunchHosts m_hosts;
    std::shared_ptr<Host> m_elsewhere; // the chosen host; empty: this machine. One question at a time
    std::optional<Prediction> m_prediction;
    std::optional<Preflight> m_preflight; // of the configuration as it is now
    std::map<std::string, FieldRow *> m_rows;
    ComboInput *m_host = nullptr;
    TextInput *m_directory = nullptr, *m_sbatch = nullptr, *m_script = nullptr;
    QCheckBox *m_keep = nullptr;
    TextInput *m_thenOn = nullptr, *m_checkpointsIn = nullptr;
    FieldRow *m_sbatchRow = nullptr;
    ScriptWarning *m_scriptWarning = nullptr;
    QLabel *m_predicted, *m_command, *m_checks;
    Banner *m_problem, *m_device;
    QLabel *m_note; // beside the button: why it is disabled
    QPushButton *m_launch, *m_cancel;
    QTimer m_soon;
    bool m_asking = false, m_launching = false;
    BackgroundTasks m_checksHere;
    bool m_firstRun = false; // nobody has said how long it is to train
};

} // namespace slipway::ui
