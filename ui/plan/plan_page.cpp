// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/plan/plan_page.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>

#include "base/file.h"
#include "base/text.h"
#include "config/config_io.h"
#include "report/csv.h"
#include "report/html.h"
#include "report/report.h"
#include "ui/language/local_text.h"
#include "ui/report/report_pdf.h"
#include "ui/plan/computation_dialog.h"
#include "ui/plan/display_names.h"
#include "ui/plan/plan_comparison.h"
#include "ui/plan/plan_display.h"
#include "ui/plan/script_dialog.h"
#include "ui/theme/style.h"
#include "ui/widgets/action_button.h"
#include "ui/widgets/card.h"
#include "ui/widgets/first_focus.h"
#include "ui/widgets/message.h"
#include "ui/widgets/page_header.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

constexpr const char *kDiscardQuestion = "discard"; // object name of the dialog
constexpr int kLeastResults = 510; // in pixels; with less, the page shows either the form or the results
constexpr int kWideHeader = 1150;  // the header has space for the verdict in words

constexpr qsizetype kMostRecent = 10;

QString withSuffix(const QString &path, const QString &suffix)
{
    return QFileInfo(path).suffix().isEmpty() ? path + u'.' + suffix : path;
}

} // namespace

PlanPage::PlanPage(PlanDocument &document, const Catalogue &catalogue, QWidget *parent)
    : QWidget(parent),
      m_document(document),
      m_form(new PlanForm(document, catalogue)),
      m_results(new PlanResults(document, catalogue)),
      m_split(new FormSplit(m_form, m_results, kLeastResults)),
      m_export(this)
{
    auto *page = new QVBoxLayout(this);
    page->setContentsMargins(0, 0, 0, 0);
    page->setSpacing(0);
    page->addWidget(makeHeader());
    m_scrolled = &m_split->resultsArea();
    connect(m_scrolled->verticalScrollBar(), &QScrollBar::valueChanged, this, &PlanPage::refreshSummary);
    connect(m_split, &FormSplit::resultsResized, this, [this](int width) {
        m_results->setAvailableWidth(width);
        refreshSummary();
    });
    page->addWidget(m_split, 1);
    if (const FieldRow *model = m_form->row("model"))
        setFirstFocus(*this, *model->input()->focusProxy()); // a plan begins with the model
    connect(m_form, &PlanForm::scriptRequested, this,
        [this, &catalogue] { (new ScriptDialog(m_document, catalogue.frameworks, this))->open(); });
    connect(&m_document, &PlanDocument::changed, this, &PlanPage::refreshHeader);
    connect(m_form, &PlanForm::refusedChanged, this, [this] {
        const std::map<std::string, Error> &refused = m_form->refused();
        m_results->setRefused(refused.empty() ? std::nullopt : std::optional(refused.begin()->second));
        refreshHeader();
    });
    connect(&m_document.undoStack(), &QUndoStack::indexChanged, this,
        &PlanPage::refreshHeader); // called after the change, when the undo stack is up to date
    refreshHeader();
}

// Shows the verdict in the header while its card is scrolled out of sight. A narrow page always has it above its parts.
void PlanPage::refreshSummary()
{
    const QWidget &verdict = m_results->verdict();
    const int y = m_scrolled->verticalScrollBar()->value();
    m_summaryText->setVisible(width() > kWideHeader); // else it would keep a narrower window from showing the page
    m_summary->setVisible(!m_split->isNarrow() && y > verdict.mapTo(m_results, verdict.rect().bottomLeft()).y());
}

void PlanPage::focusSetting(const std::string &key)
{
    m_split->bring(FormSplit::Part::Form);
    m_form->focusSetting(key);
}

void PlanPage::makeCommands()
{
    const auto exporting = [this](const QString &title, const QString &suffix,
                               Result<FileExport::Write> (PlanPage::*prepare)() const) {
        return [this, title, suffix, prepare] {
            m_export.ask(title, suggestedName(suffix), suffix, [this, prepare] { return (this->*prepare)(); });
        };
    };
    connect(&m_export, &FileExport::statusMessage, this, &PlanPage::statusMessage);
    PlanCommands &c = m_commands;
    c.open = makeAction(this, tr("&Open…"),
        tr("Open a plan, a grid, a model's config.json, a run directory, metrics, prices, measurements or a log"),
        QKeySequence::Open, [this] { askOpen(); });
    c.recent = new QMenu(tr("Open &recent"), this);
    c.recent->setEnabled(false);
    c.save = makeAction(this, tr("&Save plan"), tr("Save the plan"), QKeySequence::Save, [this] { save([] {}); });
    c.saveAs = makeAction(this, tr("Save plan &as…"), tr("Save the plan under another name"),
        QKeySequence(QStringLiteral("Ctrl+Shift+S")), [this] { askSave([] {}); });
    c.undo = makeAction(this, tr("&Undo"), {}, {}, [this] { m_document.undoStack().undo(); });
    c.redo = makeAction(
        this, tr("&Redo"), {}, QKeySequence(QStringLiteral("Ctrl+Shift+Z")), [this] { m_document.undoStack().redo(); });
    PlanComparison &comparison = m_results->comparison();
    c.keep = makeAction(this, tr("&Keep as plan A"), tr("Compare later changes with the plan as it is now"),
        QKeySequence(QStringLiteral("Ctrl+B")), [&comparison] { comparison.keep(); });
    c.back = makeAction(
        this, tr("&Back to plan A"), tr("Edit plan A again"), {}, [&comparison] { comparison.restoreFirst(); });
    c.back->setEnabled(false);
    connect(&comparison, &PlanComparison::keptChanged, this, [this] {
        m_commands.back->setEnabled(m_results->comparison().isKept());
        m_scrolled->verticalScrollBar()->setValue(0); // the comparison is at the top
        if (m_results->comparison().isKept())
            m_split->bring(FormSplit::Part::Form); // the next step is to change a setting
    });
    c.computation = makeAction(this, tr("How the &figures are computed…"),
        tr("Formula, numbers and inputs of every figure"), QKeySequence(QStringLiteral("Ctrl+I")), [this] {
            if (const Prediction *last = m_document.lastPrediction())
                (new ComputationDialog(*last, this))->open();
        });
    c.copy = makeAction(
        this, tr("&Copy as command"), tr("Copy the plan as a slipway command"), {}, [this] { copyCommand(); });
    c.pdf = makeAction(this, tr("Report as &PDF…"), tr("Export the report of this plan"), {},
        exporting(tr("Report as PDF"), QStringLiteral("pdf"), &PlanPage::pdf));
    c.html = makeAction(this, tr("Report as &HTML…"), tr("Export the report as a single self-contained file"), {},
        exporting(tr("Report as HTML"), QStringLiteral("html"), &PlanPage::html));
    c.csv = makeAction(this, tr("Results as CS&V…"), tr("Export the results of this plan"), {},
        exporting(tr("Results as CSV"), QStringLiteral("csv"), &PlanPage::csv));
    if (m_document.planner().timeline)
        c.trace = makeAction(this, tr("Step &timeline as Chrome trace…"), tr("Export the timeline for Perfetto"), {},
            exporting(tr("Step timeline as Chrome trace"), QStringLiteral("json"), &PlanPage::trace));
    c.launch = makeAction(this, tr("&Launch…"), tr("Launch this run"), QKeySequence(QStringLiteral("Ctrl+Return")),
        [this] { Q_EMIT launchRequested(m_document.config()); });
}

QWidget *PlanPage::makeHeader()
{
    makeCommands();
    QPushButton *undo = makeActionButton(m_commands.undo, QStringLiteral("↶"), tr("Undo"));
    QPushButton *redo = makeActionButton(m_commands.redo, QStringLiteral("↷"), tr("Redo"));
    for (QPushButton *button : {undo, redo}) {
        button->setProperty(kQuiet, true);
        button->setFont(fontOf(TextKind::Title));
        button->setFixedWidth(36);
        button->setFocusPolicy(
            Qt::TabFocus); // a focused button that its shortcut disables would pass the focus on and scroll the page
    }
    QPushButton *keep = makeActionButton(m_commands.keep, tr("Keep as A"), m_commands.keep->toolTip());
    QPushButton *copy = makeActionButton(m_commands.copy, tr("Copy command"), tr("Copy the plan as a slipway command"));
    m_exportButton = new QPushButton(tr("Export"));
    m_exportButton->setToolTip(tr("Export this plan"));
    m_exportButton->setAccessibleName(m_exportButton->toolTip());
    auto *menu = new QMenu(m_exportButton);
    for (QAction *action : {m_commands.pdf, m_commands.html, m_commands.csv, m_commands.trace}) {
        if (action)
            menu->addAction(action);
    }
    m_exportButton->setMenu(menu);
    QPushButton *launch = makeActionButton(m_commands.launch, tr("Launch…"), tr("Launch this run"));
    launch->setProperty(kPrimary, true);
    m_summary = new QWidget;
    m_summaryVerdict = new Pill;
    m_summaryText = makeLabel({}, TextKind::Strong);
    auto *summary = new QHBoxLayout(m_summary);
    summary->setContentsMargins(0, 0, 8, 0);
    summary->addWidget(m_summaryVerdict);
    summary->addWidget(m_summaryText);
    m_summary->hide();
    auto *header = new QWidget;
    const PageHeader top = makePageHeader(tr("Plan"), {m_summary, undo, redo, keep, copy, m_exportButton, launch});
    m_subtitle = top.subtitle;
    top.row->setContentsMargins(18, 14, 20, 10);
    header->setLayout(top.row);
    return header;
}

void PlanPage::setRecentFiles(const QStringList &files)
{
    m_recent = files.mid(0, kMostRecent);
    m_commands.recent->clear();
    for (const QString &file : m_recent) {
        const QAction *entry = m_commands.recent->addAction(QString(file).replace(u'&', QStringLiteral("&&")));
        connect(entry, &QAction::triggered, this, [this, file] { Q_EMIT openRequested(file); });
    }
    m_commands.recent->setEnabled(!m_recent.isEmpty());
    Q_EMIT recentFilesChanged();
}

void PlanPage::rememberFile(const QString &path)
{
    QStringList files = m_recent;
    files.removeAll(path);
    files.prepend(path);
    setRecentFiles(files);
}

void PlanPage::refreshHeader()
{
    const QUndoStack &undo = m_document.undoStack();
    m_commands.undo->setEnabled(undo.canUndo());
    m_commands.redo->setEnabled(undo.canRedo());
    m_commands.undo->setToolTip(undo.canUndo() ? tr("Undo: %1").arg(undo.undoText()) : tr("Nothing to undo"));
    m_commands.redo->setToolTip(undo.canRedo() ? tr("Redo: %1").arg(undo.redoText()) : tr("Nothing to redo"));
    const bool valid = m_document.outcome() && m_form->refused().empty();
    for (QAction *action : {m_commands.keep, m_commands.copy, m_commands.pdf, m_commands.html, m_commands.csv,
             m_commands.trace, m_commands.launch}) {
        if (action)
            action->setEnabled(valid);
    }
    m_exportButton->setEnabled(valid);
    if (!valid) { // the last valid plan is not the one in the form
        m_subtitle->clear();
        m_summaryVerdict->set(tr("Invalid"), Pill::Tone::Bad);
        m_summaryText->clear();
        m_split->setVerdict(m_summaryVerdict->text(), Pill::Tone::Bad, {});
        return;
    }
    if (const Prediction *last = m_document.lastPrediction()) {
        const PlanDisplay view = planDisplay(*last);
        m_subtitle->setText(view.model + tr(" on ") + view.hardware);
        m_summaryVerdict->set(view.verdict.word, view.verdict.tone);
        m_summaryText->setText(tr("%1 of %2")
                                   .arg(bytesText(static_cast<double>(last->memory.peak)),
                                       bytesText(static_cast<double>(last->memory.capacity))) +
                               QStringLiteral(" · ") +
                               tr("%1 tokens/s").arg(localText(formatCount(last->speed.tokensPerSecond))));
        m_split->setVerdict(view.verdict.word, view.verdict.tone, m_summaryText->text());
    }
}

Result<void> PlanPage::openFile(const QString &path)
{
    const std::filesystem::path file = std::filesystem::absolute(pathFrom(path));
    Result<RunConfig> config = readRunConfig(file);
    if (!config)
        return config.error();
    const QString name = qs(file.string());
    if (name == m_document.file()) {
        open(*config, tr("Open %1").arg(qs(file.filename().string())));
        m_document.setFile(name);
    } else {
        begin(*config, name);
    }
    rememberFile(name);
    return {};
}

void PlanPage::begin(const RunConfig &config, const QString &file, bool saved)
{
    m_document.begin(config, file, saved);
    showVerdict();
}

void PlanPage::open(const RunConfig &config, const QString &label)
{
    m_document.replace(config, label);
    showVerdict();
}

void PlanPage::showVerdict()
{
    m_split->bring(FormSplit::Part::Results);
    m_scrolled->verticalScrollBar()->setValue(0);
}

Result<void> PlanPage::saveFile(const QString &path)
{
    const QString file = qs(std::filesystem::absolute(pathFrom(withSuffix(path, QStringLiteral("yaml")))).string());
    if (const Result<void> written = writeRunConfig(file.toStdString(), m_document.config()); !written)
        return written;
    m_document.setFile(file);
    rememberFile(file);
    return {};
}

Result<Report> PlanPage::report() const
{
    const Result<Prediction> &outcome = m_document.outcome();
    if (!outcome)
        return outcome.error();
    const Result<MemoryOverStep> memory = m_document.memoryOverStep();
    const auto &offersOf = m_document.planner().offers;
    const Result<std::vector<Offer>> offers = offersOf ? offersOf(m_document.config()) : std::vector<Offer>();
    return planReport(*outcome, memory ? std::optional(*memory) : std::nullopt, offers.valueOr({}));
}

Result<FileExport::Write> PlanPage::pdf() const
{
    Result<Report> made = report();
    if (!made)
        return made.error();
    return FileExport::Write([report = *std::move(made), options = windowPdfOptions()](
                                 const QString &path, const FileExport::Progress &progress) mutable {
        options.cancelled = [progress] { return !progress(0, 0); };
        return writeReportPdf(report, path, options);
    });
}

Result<FileExport::Write> PlanPage::html() const
{
    Result<Report> made = report();
    if (!made)
        return made.error();
    return FileExport::ofText([report = *std::move(made)] { return reportHtml(report); });
}

Result<FileExport::Write> PlanPage::csv() const
{
    const Result<Prediction> &outcome = m_document.outcome();
    if (!outcome)
        return outcome.error();
    return FileExport::ofText([prediction = *outcome] { return planCsv(prediction); });
}

Result<FileExport::Write> PlanPage::trace() const
{
    Result<Timeline> timeline = m_document.planner().timeline(m_document.config(), m_results->stage());
    if (!timeline)
        return timeline.error();
    return FileExport::ofText([timeline = *std::move(timeline)] { return chromeTrace(timeline, "Predicted step"); });
}

QString PlanPage::folder() const
{
    const QString &last = m_document.file().isEmpty() && !m_recent.isEmpty() ? m_recent.front() : m_document.file();
    return last.isEmpty() ? QString() : QFileInfo(last).path();
}

void PlanPage::askOpen()
{
    const QString path = QFileDialog::getOpenFileName(this, tr("Open"), folder(),
        tr("Plans and other files (*.yaml *.yml *.json *.jsonl *.csv *.log *.txt *.out);;All files (*)"));
    if (!path.isEmpty())
        Q_EMIT openRequested(path);
}

void PlanPage::save(const std::function<void()> &then)
{
    if (m_document.file().isEmpty())
        return askSave(then);
    const Result<void> saved = saveFile(m_document.file());
    reportResult(tr("Save configuration"), saved, tr("Saved %1").arg(m_document.file()));
    if (saved)
        then();
}

void PlanPage::askSave(const std::function<void()> &then)
{
    auto *dialog = new QFileDialog(this, tr("Save configuration"), folder(), tr("Run configurations (*.yaml *.yml)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("yaml"));
    dialog->selectFile(m_document.file().isEmpty() ? QStringLiteral("plan.yaml") : m_document.file());
    connect(dialog, &QFileDialog::fileSelected, this, [this, then](const QString &path) {
        const Result<void> saved = saveFile(path);
        reportResult(tr("Save configuration"), saved, tr("Saved %1").arg(m_document.file()));
        if (saved)
            then();
    });
    dialog->open();
}

void PlanPage::confirmDiscard(const std::function<void()> &then)
{
    if (!m_document.isModified())
        return then();
    for (QMessageBox *earlier : findChildren<QMessageBox *>(QString::fromLatin1(kDiscardQuestion)))
        earlier->reject(); // only the latest question counts, and a question below another one could not be answered
    const QString name =
        m_document.file().isEmpty() ? tr("the untitled plan") : QFileInfo(m_document.file()).fileName();
    auto *box = new QMessageBox(QMessageBox::Question, tr("Unsaved changes"), tr("Save the changes to %1?").arg(name),
        QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, this);
    box->setObjectName(QString::fromLatin1(kDiscardQuestion));
    box->setTextFormat(Qt::PlainText);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setDefaultButton(QMessageBox::Save);
    connect(box->button(QMessageBox::Save), &QAbstractButton::clicked, this, [this, then] { save(then); });
    connect(box->button(QMessageBox::Discard), &QAbstractButton::clicked, this, then);
    box->open();
}

// Suggests "plan.pdf" in the folder of plan.yaml.
QString PlanPage::suggestedName(const QString &suffix) const
{
    const QString &file = m_document.file();
    const QString name = (file.isEmpty() ? QStringLiteral("plan") : QFileInfo(file).completeBaseName()) + u'.' + suffix;
    return folder().isEmpty() ? name : folder() + u'/' + name;
}

void PlanPage::copyCommand()
{
    QApplication::clipboard()->setText(qs(planCommand(m_document.config())));
    Q_EMIT statusMessage(tr("Copied: %1").arg(qs(planCommand(m_document.config()))));
}

void PlanPage::reportResult(const QString &action, const Result<void> &result, const QString &done)
{
    if (result)
        Q_EMIT statusMessage(done);
    else
        showProblem(this, action, fieldMessage(result.error()));
}

} // namespace slipway::ui
