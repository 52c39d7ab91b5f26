// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QDialog>
#include <functional>
#include <optional>
#include <string>

#include "measure/calibrate.h"

class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;
class QTableWidget;

namespace slipway::ui {

class Banner;

// Shows the prediction errors of each run before and after a calibration, and saves it under a name on request.
class CalibrateDialog : public QDialog {
    Q_OBJECT
public:
    // Saves the calibration.
    using Keep = std::function<Result<void>(const Calibration &)>;
    // Returns the date of the calibration that is saved under a name: empty if its file cannot be read.
    using SavedOn = std::function<std::optional<std::string>(const std::string &name)>;
    CalibrateDialog(
        const Catalogue &catalogue, CalibrationOutcome outcome, Keep keep, SavedOn savedOn, QWidget *parent = nullptr);

    void setName(const QString &name);
    [[nodiscard]] QPushButton *keepButton() const { return m_keepButton; }
    [[nodiscard]] QTableWidget *table() const { return m_table; }
    [[nodiscard]] QString problem() const;
    void setWarning(const QString &text); // an empty text hides the warning
    [[nodiscard]] QString warning() const;

Q_SIGNALS:
    void kept(const QString &name);

private:
    QWidget *makeTable();
    QWidget *makeConstants() const;
    // Names the GPU and the framework as the Plan page does.
    [[nodiscard]] QString deviceText(const std::string &gpu, const std::string &framework) const;
    void keep(); // asks first if this replaces another calibration
    void save(const std::string &name);

    const Catalogue &m_catalogue;
    CalibrationOutcome m_outcome;
    Keep m_keep;
    SavedOn m_savedOn;
    Banner *m_warning;
    QTableWidget *m_table = nullptr;
    QLineEdit *m_name;
    QLabel *m_problem;
    QPushButton *m_keepButton;
};

// Takes the pasted training log of the configuration on the Plan page.
class LogDialog : public QDialog {
    Q_OBJECT
public:
    static constexpr Bytes kLargest = 32 * kMiB; // larger logs require the command line
    explicit LogDialog(const QString &configuration, QWidget *parent = nullptr);
    void setText(const QString &text);
    [[nodiscard]] std::string text() const;
    void setProblem(const QString &text); // an empty text hides the problem
    [[nodiscard]] QString problem() const;

Q_SIGNALS:
    void calibrationRequested(); // the dialog stays open until accept()

private:
    void askFile();

    QPlainTextEdit *m_text;
    QLabel *m_problem;
};

} // namespace slipway::ui
