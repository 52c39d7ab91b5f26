// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/serve/serve_page.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QFileInfo>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QTimer>
#include <QVBoxLayout>
#include <utility>

#include "base/file.h"
#include "report/serve_report.h"
#include "ui/report/report_pdf.h"
#include "ui/serve/serve_display.h"
#include "ui/widgets/action_button.h"
#include "ui/widgets/page_header.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

constexpr int kPauseMs = 120;      // pause after typing before the prediction
constexpr int kLeastResults = 440; // in pixels; with less, the page shows either the form or the results

// Loads the profiles. If they cannot be read, there are none, and `unread` keeps the error for display.
Frameworks profiles(std::optional<Error> &unread)
{
    Result<Frameworks> read = loadServingFrameworks();
    if (!read)
        unread = read.error();
    return read ? *std::move(read) : Frameworks{};
}

} // namespace

ServePage::ServePage(const Catalogue &catalogue, std::function<RunConfig()> plan, QWidget *parent)
    : QWidget(parent),
      m_catalogue(catalogue),
      m_plan(std::move(plan)),
      m_frameworks(profiles(m_unread)),
      m_outcome(Error{.what = "nothing has been planned yet"}),
      m_form(new ServeForm(catalogue, m_frameworks)),
      m_results(new ServeResults(catalogue)),
      m_split(new FormSplit(m_form, m_results, kLeastResults)),
      m_pause(new QTimer(this)),
      m_prediction(this,
          [this](const Result<ServePrediction> &outcome) {
              m_outcome = outcome;
              m_form->show(outcome);
              m_results->show(outcome);
              showVerdict();
              m_subtitle->setText(outcome ? serveSubtitle(*outcome) : QString());
              refreshCommands();
              Q_EMIT predicted(bool(outcome));
          }),
      m_figure(this,
          [this](const Result<ServeFigure> &figure) {
              m_results->figures().setFigure(figure);
              refreshCommands();
              Q_EMIT drawn();
          }),
      m_export(this)
{
    m_pause->setSingleShot(true);
    m_pause->setInterval(kPauseMs);
    connect(m_pause, &QTimer::timeout, this, &ServePage::compute);
    auto *page = new QVBoxLayout(this);
    page->setContentsMargins(0, 0, 0, 0);
    page->setSpacing(0);
    page->addWidget(makeHeader());
    page->addWidget(m_split, 1);
    connect(m_split, &FormSplit::resultsResized, m_results, &ServeResults::setAvailableWidth);
    connect(m_form, &ServeForm::changed, m_pause, qOverload<>(&QTimer::start));
    connect(m_results, &ServeResults::changeChosen, this,
        [this](const std::vector<std::pair<std::string, std::string>> &settings) { m_form->apply(settings); });
    connect(&m_results->figures(), &ServeFigureCard::chartChosen, this, &ServePage::computeFigure);
    refreshCommands();
}

void ServePage::makeCommands()
{
    const auto exporting = [this](const QString &suffix, Result<FileExport::Write> (ServePage::*prepare)() const) {
        return [this, suffix, prepare] {
            m_export.ask(tr("Export"), QStringLiteral("serving.") + suffix, suffix,
                [this, prepare] { return (this->*prepare)(); });
        };
    };
    connect(&m_export, &FileExport::statusMessage, this, &ServePage::statusMessage);
    ServeCommands &c = m_commands;
    c.fromPlan = makeAction(this, tr("&Take model and GPU from the plan"),
        tr("Plan to serve the model of the Plan page on its GPU"), {}, [this] { open(configOfPlan()); });
    c.cancel = makeAction(
        this, tr("&Cancel the computation"), tr("Stop computing the comparison"), {}, [this] { m_figure.cancel(); });
    c.copy =
        makeAction(this, tr("Copy &as serve-plan command"), tr("Copy these settings as a slipway command"), {}, [this] {
            const QString command = qs(serveCommand(m_form->config()));
            QApplication::clipboard()->setText(command);
            Q_EMIT statusMessage(tr("Copied: %1").arg(command));
        });
    c.pdf = makeAction(this, tr("Report with all comparisons as &PDF…"), tr("Export the report of this server"), {},
        exporting(QStringLiteral("pdf"), &ServePage::pdf));
    c.csv = makeAction(this, tr("Results as CS&V…"), tr("Export the results of this server as one row"), {},
        exporting(QStringLiteral("csv"), &ServePage::csv));
    c.figuresCsv = makeAction(this, tr("All co&mparisons as CSV…"), tr("Export every point of the comparisons"), {},
        exporting(QStringLiteral("csv"), &ServePage::figuresCsv));
}

QWidget *ServePage::makeHeader()
{
    makeCommands();
    QPushButton *fromPlan =
        makeActionButton(m_commands.fromPlan, tr("From the plan"), tr("Take model and GPU from the plan"));
    QPushButton *cancel = makeActionButton(m_commands.cancel, tr("Cancel"), tr("Cancel the computation"));
    QPushButton *copy = makeActionButton(m_commands.copy, tr("Copy command"), tr("Copy as serve-plan command"));
    m_exportButton = new QPushButton(tr("Export"));
    m_exportButton->setToolTip(tr("Export this server"));
    m_exportButton->setAccessibleName(m_exportButton->toolTip());
    auto *menu = new QMenu(m_exportButton);
    for (QAction *action : {m_commands.pdf, m_commands.csv, m_commands.figuresCsv})
        menu->addAction(action);
    m_exportButton->setMenu(menu);
    auto *header = new QWidget;
    const PageHeader top = makePageHeader(tr("Serve"), {fromPlan, cancel, copy, m_exportButton});
    m_subtitle = top.subtitle;
    top.row->setContentsMargins(18, 14, 20, 10);
    header->setLayout(top.row);
    return header;
}

void ServePage::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    if (!m_started)
        open(configOfPlan());
}

ServeConfig ServePage::configOfPlan() const
{
    const RunConfig plan = m_plan();
    ServeConfig config = m_form->config();
    config.run = {};
    config.run.model = plan.model;
    config.run.gpu = plan.gpu;
    config.run.memoryGib = plan.memoryGib;
    config.run.parallel.gpusPerNode = plan.parallel.gpusPerNode;
    config.run.prices = plan.prices;
    return config;
}

void ServePage::open(const ServeConfig &config)
{
    m_form->setConfig(config);
    compute();
}

void ServePage::show(ServeChart chart)
{
    m_split->bring(FormSplit::Part::Results);
    m_results->figures().setChart(chart);
    computeFigure();
}

// A narrow page has the verdict above its parts.
void ServePage::showVerdict()
{
    if (!m_outcome)
        return m_split->setVerdict(tr("Invalid"), Pill::Tone::Bad, {});
    const VerdictDisplay verdict = serveVerdict(*m_outcome);
    m_split->setVerdict(verdict.word, verdict.tone, verdict.sentence);
}

void ServePage::compute()
{
    m_started = true;
    if (m_unread) {
        m_outcome = *m_unread;
        m_results->show(m_outcome);
        showVerdict();
        return refreshCommands();
    }
    m_prediction.start([config = m_form->config(), catalogue = m_catalogue, frameworks = m_frameworks](
                           const auto &) { return predictServing(config, catalogue, frameworks); });
    computeFigure();
}

void ServePage::computeFigure()
{
    m_results->figures().setComputing();
    m_figure.start([chart = m_results->figures().chart(), config = m_form->config(), catalogue = m_catalogue,
                       frameworks = m_frameworks](
                       const auto &cancelled) { return serveFigure(chart, config, catalogue, frameworks, cancelled); });
    refreshCommands();
}

void ServePage::refreshCommands()
{
    for (QAction *action : {m_commands.copy, m_commands.pdf, m_commands.csv, m_commands.figuresCsv})
        action->setEnabled(bool(m_outcome));
    m_exportButton->setEnabled(m_commands.pdf->isEnabled());
    m_commands.cancel->setEnabled(m_figure.running());
}

Result<FileExport::Write> ServePage::csv() const
{
    if (!m_outcome)
        return m_outcome.error();
    return FileExport::ofText([outcome = *m_outcome] { return servePlanCsv(outcome); });
}

std::function<ServePage::Figures(const FileExport::Progress &)> ServePage::figuresWork() const
{
    return [config = m_form->config(), catalogue = m_catalogue, frameworks = m_frameworks](
               const FileExport::Progress &progress) -> Figures {
        constexpr std::size_t kCharts = EnumNames<ServeChart>::names.size();
        std::vector<ServeFigure> figures;
        for (std::size_t i = 0; i < kCharts; ++i) {
            const auto cancelled = [&progress, i] { return !progress(i, kCharts); };
            Result<ServeFigure> figure =
                serveFigure(static_cast<ServeChart>(i), config, catalogue, frameworks, cancelled);
            if (cancelled())
                return FileExport::cancelled();
            if (!figure)
                return figure.error();
            figures.push_back(*std::move(figure));
        }
        return figures;
    };
}

Result<FileExport::Write> ServePage::figuresCsv() const
{
    if (!m_outcome)
        return m_outcome.error();
    return FileExport::Write(
        [compute = figuresWork()](const QString &path, const FileExport::Progress &progress) -> Result<void> {
            const Figures figures = compute(progress);
            return figures ? writeNamedFile(pathFrom(path), serveFiguresCsv(*figures)) : Result<void>(figures.error());
        });
}

Result<FileExport::Write> ServePage::pdf() const
{
    if (!m_outcome)
        return m_outcome.error();
    return FileExport::Write([outcome = *m_outcome, compute = figuresWork(), options = windowPdfOptions()](
                                 const QString &path, const FileExport::Progress &progress) mutable -> Result<void> {
        const Figures figures = compute(progress);
        options.cancelled = [progress] { return !progress(0, 0); };
        return figures ? writeReportPdf(serveReport(outcome, *figures), path, options) : Result<void>(figures.error());
    });
}

} // namespace slipway::ui
