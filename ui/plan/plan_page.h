// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QWidget>

#include "hardware/catalogue.h"
#include "ui/plan/plan_document.h"
#include "ui/plan/plan_form.h"
#include "ui/plan/plan_results.h"

class QLabel;
class QPushButton;
class QScrollArea;

namespace slipway::ui {

// The Plan page: the form on the left, the results on the right, the actions above.
class PlanPage : public QWidget {
    Q_OBJECT
public:
    PlanPage(PlanDocument &document, const Catalogue &catalogue, QWidget *parent = nullptr);

    [[nodiscard]] PlanForm &form() const { return *m_form; }
    [[nodiscard]] PlanResults &results() const { return *m_results; }

    void open(const RunConfig &config, const QString &label); // and scrolls to the top
    // None of these asks the user anything.
    Result<void> openFile(const QString &path);
    Result<void> saveFile(const QString &path) const;
    Result<void> exportPdf(const QString &path) const;
    Result<void> exportCsv(const QString &path) const;
    Result<void> exportTrace(const QString &path) const; // of the step, for Perfetto

Q_SIGNALS:
    void statusMessage(const QString &message); // for the status line
    void launchRequested(const slipway::RunConfig &config);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    QWidget *makeHeader();
    QPushButton *action(const QString &text, const QString &tip, const QKeySequence &keys);
    void refreshHeader();
    void askOpen();
    void askSave();
    void askExport(const QString &title, const QString &suffix, Result<void> (PlanPage::*write)(const QString &) const);
    void copyCommand();
    void reportResult(const QString &action, const Result<void> &result, const QString &done);

    PlanDocument &m_document;
    PlanForm *m_form;
    PlanResults *m_results;
    QScrollArea *m_scrolled;
    QLabel *m_subtitle;
    QPushButton *m_undo, *m_redo, *m_launch, *m_export;
};

} // namespace slipway::ui
