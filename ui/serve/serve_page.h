// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QWidget>
#include <functional>
#include <optional>
#include <vector>

#include "ui/serve/serve_figure_card.h"
#include "ui/serve/serve_form.h"
#include "ui/serve/serve_results.h"
#include "ui/widgets/file_export.h"
#include "ui/widgets/form_split.h"
#include "ui/widgets/latest_task.h"

class QAction;
class QLabel;
class QPushButton;
class QTimer;

namespace slipway::ui {

// The actions that menus and the buttons of the page trigger.
struct ServeCommands {
    QAction *fromPlan, *cancel, *copy, *pdf, *csv, *figuresCsv;
};

// The Serve page shows the settings of a server on the left, and its prediction and comparisons on the right.
// Everything is computed on threads, and nothing is computed before the page is first shown.
class ServePage : public QWidget {
    Q_OBJECT
public:
    // `plan` returns the current plan, which provides the initial model, GPU and prices.
    ServePage(const Catalogue &catalogue, std::function<RunConfig()> plan, QWidget *parent = nullptr);

    [[nodiscard]] ServeForm &form() const { return *m_form; }
    [[nodiscard]] ServeResults &results() const { return *m_results; }
    [[nodiscard]] FormSplit &split() const { return *m_split; }
    [[nodiscard]] const ServeCommands &commands() const { return m_commands; }
    [[nodiscard]] bool isComputing() const { return m_prediction.running() || m_figure.running(); }

    // Returns a configuration that serves the plan's model on the plan's GPU, with all other settings as in the form.
    [[nodiscard]] ServeConfig configOfPlan() const;
    void open(const ServeConfig &config);
    void show(ServeChart chart);
    using QWidget::show;
    // Exports of the server as it is shown now. The returned functions can write on any thread.
    [[nodiscard]] Result<FileExport::Write> csv() const;
    // This export and the next one compute all comparisons.
    [[nodiscard]] Result<FileExport::Write> figuresCsv() const;
    [[nodiscard]] Result<FileExport::Write> pdf() const;

Q_SIGNALS:
    void predicted(bool possible);
    void drawn(); // emitted after the comparison was drawn
    void statusMessage(const QString &message);

protected:
    void showEvent(QShowEvent *event) override;

private:
    using Figures = Result<std::vector<ServeFigure>>;
    void makeCommands();
    QWidget *makeHeader();
    void showVerdict();
    void compute();
    void computeFigure();
    void refreshCommands();
    [[nodiscard]] std::function<Figures(const FileExport::Progress &)> figuresWork() const;

    const Catalogue &m_catalogue;
    std::function<RunConfig()> m_plan;
    std::optional<Error> m_unread; // set if reading the profiles failed
    Frameworks m_frameworks;
    Result<ServePrediction> m_outcome;
    bool m_started = false;

    ServeForm *m_form;
    ServeResults *m_results;
    FormSplit *m_split;
    QLabel *m_subtitle;
    QTimer *m_pause;
    ServeCommands m_commands{};
    QPushButton *m_exportButton;
    LatestTask<Result<ServePrediction>> m_prediction;
    LatestTask<Result<ServeFigure>> m_figure;
    FileExport m_export;
};

} // namespace slipway::ui
