// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QStringList>
#include <QWidget>
#include <functional>

#include "hardware/catalogue.h"
#include "report/report.h"
#include "ui/plan/plan_document.h"
#include "ui/plan/plan_form.h"
#include "ui/plan/plan_results.h"
#include "ui/widgets/file_export.h"
#include "ui/widgets/form_split.h"

class QAction;
class QLabel;
class QMenu;
class QPushButton;
class QScrollArea;

namespace slipway::ui {

// The actions that menus, shortcuts and the buttons of the page trigger.
struct PlanCommands {
    QAction *open, *save, *saveAs;
    QAction *undo, *redo;
    QAction *keep, *back; // plan A of a comparison
    QAction *computation;
    QAction *copy, *pdf, *html, *csv, *trace, *launch; // trace is nullptr if there is no timeline
    QMenu *recent;
};

// The Plan page has the form on the left, the results on the right, and the actions above them.
class PlanPage : public QWidget {
    Q_OBJECT
public:
    PlanPage(PlanDocument &document, const Catalogue &catalogue, QWidget *parent = nullptr);

    [[nodiscard]] PlanForm &form() const { return *m_form; }
    [[nodiscard]] PlanResults &results() const { return *m_results; }
    [[nodiscard]] FormSplit &split() const { return *m_split; }
    [[nodiscard]] const PlanCommands &commands() const { return m_commands; }

    void focusSetting(const std::string &key);                // brings the form into sight
    void open(const RunConfig &config, const QString &label); // also scrolls to the top
    // Opens the plan of another file, with a new undo history. `saved`: the file holds this plan.
    void begin(const RunConfig &config, const QString &file, bool saved = true);
    // None of these functions asks the user a question.
    Result<void> openFile(const QString &path);
    Result<void> saveFile(const QString &path); // adds .yaml if the path has no suffix
    // Exports of the plan as it is now. The returned functions can write on any thread.
    [[nodiscard]] Result<FileExport::Write> pdf() const;
    [[nodiscard]] Result<FileExport::Write> html() const;
    [[nodiscard]] Result<FileExport::Write> csv() const;
    [[nodiscard]] Result<FileExport::Write> trace() const; // a trace of the step for Perfetto

    [[nodiscard]] const QStringList &recentFiles() const { return m_recent; }
    void setRecentFiles(const QStringList &files);
    void rememberFile(const QString &path);
    // Asks whether to save a modified plan, then calls `then` unless the user cancels.
    void confirmDiscard(const std::function<void()> &then);

Q_SIGNALS:
    void openRequested(const QString &path);    // emitted for any file that the user has chosen
    void statusMessage(const QString &message); // shown in the status bar
    void recentFilesChanged();
    void launchRequested(const slipway::RunConfig &config);

private:
    void makeCommands();
    QWidget *makeHeader();
    void refreshHeader();
    void refreshSummary();
    void showVerdict();
    void askOpen();
    void askSave(const std::function<void()> &then);
    void save(const std::function<void()> &then);
    // Returns the folder of the plan's file, or that of the last opened file if the plan has none.
    [[nodiscard]] QString folder() const;
    [[nodiscard]] QString suggestedName(const QString &suffix) const;
    [[nodiscard]] Result<Report> report() const;
    void copyCommand();
    void reportResult(const QString &action, const Result<void> &result, const QString &done);

    PlanDocument &m_document;
    PlanForm *m_form;
    PlanResults *m_results;
    FormSplit *m_split;
    QScrollArea *m_scrolled;
    QLabel *m_subtitle;
    QWidget *m_summary; // verdict, peak and speed, shown while the results that contain them are scrolled out of sight
    Pill *m_summaryVerdict;
    QLabel *m_summaryText;
    PlanCommands m_commands{};
    QStringList m_recent;
    QPushButton *m_exportButton;
    FileExport m_export;
};

} // namespace slipway::ui
