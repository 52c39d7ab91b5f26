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
#include "ui/widgets/latest_task.h"

class QAction;
class QLabel;
class QPushButton;
class QScrollArea;
class QTimer;

namespace slipway::ui {

// What menus and the buttons of the page trigger.
struct ServeCommands {
    QAction *fromPlan, *cancel, *copy, *pdf, *csv, *figuresCsv;
};

// The Serve page: the settings of a server on the left, its prediction and comparisons on the right. Everything is
// computed on threads; nothing before the page is first shown.
class ServePage : public QWidget {
    Q_OBJECT
public:
    // `plan` returns the current plan, whose model, GPU and prices the page begins with.
    ServePage(const Catalogue &catalogue, std::function<RunConfig()> plan, QWidget *parent = nullptr);

    [[nodiscard]] ServeForm &form() const { return *m_form; }
    [[nodiscard]] ServeResults &results() const { return *m_results; }
    [[nodiscard]] const ServeCommands &commands() const { return m_commands; }
    [[nodiscard]] bool isComputing() const { return m_prediction.running() || m_figure.running(); }

    // Serving the plan's model on its GPU, all else as in the form.
    [[nodiscard]] ServeConfig configOfPlan() const;
    void open(const ServeConfig &config);
    void show(ServeChart chart);
    using QWidget::show;
    // Exports of the server as it is shown now, to be written on any thread.
    [[nodiscard]] Result<FileExport::Write> csv() const;
    [[nodiscard]] Result<FileExport::Write> figuresCsv() const; // all comparisons are computed for these two
    [[nodiscard]] Result<FileExport::Write> pdf() const;

Q_SIGNALS:
    void predicted(bool possible);
    void drawn(); // the comparison
    void statusMessage(const QString &message);

protected:
    void showEvent(QShowEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    using Figures = Result<std::vector<ServeFigure>>;
    void makeCommands();
    QWidget *makeHeader();
    void compute();
    void computeFigure();
    void refreshCommands();
    [[nodiscard]] std::function<Figures(const FileExport::Progress &)> figuresWork() const;

    const Catalogue &m_catalogue;
    std::function<RunConfig()> m_plan;
    std::optional<Error> m_unread; // of the profiles, which reading them sets
    Frameworks m_frameworks;
    Result<ServePrediction> m_outcome;
    bool m_started = false;

    ServeForm *m_form;
    ServeResults *m_results;
    QScrollArea *m_scrolled;
    QLabel *m_subtitle;
    QTimer *m_pause;
    ServeCommands m_commands{};
    QPushButton *m_exportButton;
    LatestTask<Result<ServePrediction>> m_prediction;
    LatestTask<Result<ServeFigure>> m_figure;
    FileExport m_export;
};

} // namespace slipway::ui
