// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QDialog>
#include <functional>
#include <map>
#include <string>

#include "hosts/launch.h"
#include "predict/prediction.h"
#include "ui/widgets/fields.h"

class QGridLayout;
class QLabel;
class QPushButton;
class QVBoxLayout;

namespace slipway::ui {

class Banner;

// What is about to start, before it does: where, with which command and data, what is predicted, what is missing.
class LaunchSheet : public QDialog {
    Q_OBJECT
public:
    using Predict = std::function<Result<Prediction>(const RunConfig &)>;

    LaunchSheet(RunConfig config, Predict predict, Host &host, const Registry &registry, QWidget *parent = nullptr);

    [[nodiscard]] FieldRow *row(const std::string &key) const;
    [[nodiscard]] QPushButton *launchButton() const { return m_launch; }
    [[nodiscard]] const RunConfig &config() const { return m_config; }
    void launch(); // starts it beside the window's thread

Q_SIGNALS:
    void launched(const QString &directory);

private:
    void build();
    QWidget *makeFields();
    void add(QVBoxLayout *column, const std::string &key, const QString &label, const QString &unit, bool file);
    void take(const std::string &key, const QString &text);
    void refresh();
    void showChecks(const Preflight &preflight);
    void showPrediction();
    void finish(const Result<LaunchedRun> &result);
    [[nodiscard]] std::optional<std::filesystem::path> directory() const;

    RunConfig m_config;
    Predict m_predict;
    Host &m_host;
    const Registry &m_registry;
    std::optional<Prediction> m_prediction;
    std::map<std::string, FieldRow *> m_rows;
    Entry *m_directory = nullptr;
    QLabel *m_predicted, *m_command, *m_checks;
    Banner *m_problem, *m_device;
    QPushButton *m_launch, *m_cancel;
};

} // namespace slipway::ui
