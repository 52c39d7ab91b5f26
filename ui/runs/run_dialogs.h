// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QDialog>
#include <map>

#include "runs/alerts.h"
#include "runs/labels.h"
#include "ui/widgets/fields.h"

class QCheckBox;
class QLineEdit;
class QPlainTextEdit;

namespace slipway::ui {

// Edits the tags and notes of one run.
class LabelsDialog : public QDialog {
    Q_OBJECT
public:
    LabelsDialog(const QString &run, const Labels &labels, QWidget *parent = nullptr);
    [[nodiscard]] Labels labels() const;

private:
    QLineEdit *m_tags;
    QPlainTextEdit *m_notes;
};

// Edits the alert thresholds and which alerts are shown.
class AlertRulesDialog : public QDialog {
    Q_OBJECT
public:
    explicit AlertRulesDialog(const AlertRules &rules, QWidget *parent = nullptr);
    [[nodiscard]] std::optional<AlertRules> rules(); // empty if a field is invalid; the field shows why
    void accept() override;
    void restoreDefaults();

private:
    AlertRules m_rules;
    std::vector<std::pair<FieldRow *, double AlertRules::*>> m_rows;
    std::map<AlertKind, QCheckBox *> m_notify;
};

} // namespace slipway::ui
