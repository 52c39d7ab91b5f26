// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/plan/plan_page.h"

#include <QApplication>
#include <QClipboard>
#include <QEvent>
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
#include "report/report.h"
#include "ui/report/report_pdf.h"
#include "ui/plan/display_names.h"
#include "ui/plan/plan_display.h"
#include "ui/theme/style.h"
#include "ui/widgets/card.h"
#include "ui/widgets/message.h"
#include "ui/widgets/page_header.h"
#include "ui/widgets/scrolling.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

constexpr int kFormWidth = 358;
constexpr int kWideHeader = 1150; // room for the verdict in words

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
      m_results(new PlanResults(document, catalogue))
{
    auto *page = new QVBoxLayout(this);
    page->setContentsMargins(0, 0, 0, 0);
    page->setSpacing(0);
    page->addWidget(makeHeader());
    auto *columns = new QHBoxLayout;
    columns->setSpacing(0);
    QScrollArea *form = makeScrolling(m_form);
    form->setFixedWidth(kFormWidth);
    columns->addWidget(form);
    m_scrolled = makeScrolling(m_results);
    m_scrolled->setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    m_scrolled->viewport()->installEventFilter(this);
    connect(m_scrolled->verticalScrollBar(), &QScrollBar::valueChanged, this, [this](int y) {
        const QWidget &verdict = m_results->verdict();
        m_summaryText->setVisible(width() > kWideHeader);
        m_summary->setVisible(y > verdict.mapTo(m_results, verdict.rect().bottomLeft()).y());
    });
    columns->addWidget(m_scrolled, 1);
    page->addLayout(columns, 1);
    connect(&m_document, &PlanDocument::changed, this, &PlanPage::refreshHeader);
    connect(m_form, &PlanForm::refusedChanged, this, [this] {
        const std::map<std::string, Error> &refused = m_form->refused();
        m_results->setRefused(refused.empty() ? std::nullopt : std::optional(refused.begin()->second));
        refreshHeader();
    });
    connect(&m_document.undoStack(), &QUndoStack::indexChanged, this,
        &PlanPage::refreshHeader); // after the change, when the undo stack is up to date
    refreshHeader();
}

bool PlanPage::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_scrolled->viewport() && event->type() == QEvent::Resize)
        m_results->setAvailableWidth(m_scrolled->viewport()->width());
    return QWidget::eventFilter(watched, event);
}

QPushButton *PlanPage::action(const QString &text, const QString &tip, const QKeySequence &keys)
{
    auto *button = new QPushButton(text);
    button->setToolTip(
        keys.isEmpty() ? tip : tip + QStringLiteral(" (") + keys.toString(QKeySequence::NativeText) + u')');
    button->setShortcut(keys);
    button->setAccessibleName(tip);
    return button;
}

QWidget *PlanPage::makeHeader()
{
    m_undo = action(QStringLiteral("↶"), tr("Undo"), QKeySequence::Undo);
    m_redo = action(QStringLiteral("↷"), tr("Redo"), QKeySequence::Redo);
    for (QPushButton *button : {m_undo, m_redo}) {
        button->setProperty(kQuiet, true);
        button->setFont(fontOf(TextKind::Title));
        button->setFixedWidth(36);
        button->setFocusPolicy(
            Qt::TabFocus); // a button disabled by its own shortcut would pass the focus on and scroll the page
    }
    connect(m_undo, &QPushButton::clicked, &m_document.undoStack(), &QUndoStack::undo);
    connect(m_redo, &QPushButton::clicked, &m_document.undoStack(), &QUndoStack::redo);
    QPushButton *file = action(tr("File"), tr("Open and save plans"), {});
    file->setMenu(makeFileMenu(file));
    m_copy = action(
        tr("Copy command"), tr("Copy the plan as a slipway command"), QKeySequence(QStringLiteral("Ctrl+Shift+C")));
    m_export = action(tr("Export"), tr("Export this plan"), {});
    auto *menu = new QMenu(m_export);
    menu->addAction(tr("Report as PDF…"), QKeySequence(QStringLiteral("Ctrl+P")), this,
        [this] { askExport(tr("Report as PDF"), QStringLiteral("pdf"), &PlanPage::exportPdf); });
    menu->addAction(tr("Results as CSV…"), QKeySequence(QStringLiteral("Ctrl+E")), this,
        [this] { askExport(tr("Results as CSV"), QStringLiteral("csv"), &PlanPage::exportCsv); });
    if (m_document.planner().timeline)
        menu->addAction(tr("Step timeline as Chrome trace…"), this,
            [this] { askExport(tr("Step timeline as Chrome trace"), QStringLiteral("json"), &PlanPage::exportTrace); });
    m_export->setMenu(menu);
    m_launch = action(tr("Launch…"), tr("Launch this run"), QKeySequence(QStringLiteral("Ctrl+Return")));
    m_launch->setProperty(kPrimary, true);
    connect(m_copy, &QPushButton::clicked, this, &PlanPage::copyCommand);
    connect(m_launch, &QPushButton::clicked, this, [this] { Q_EMIT launchRequested(m_document.config()); });
    m_summary = new QWidget;
    m_summaryVerdict = new Pill;
    m_summaryText = makeLabel({}, TextKind::Strong);
    auto *summary = new QHBoxLayout(m_summary);
    summary->setContentsMargins(0, 0, 8, 0);
    summary->addWidget(m_summaryVerdict);
    summary->addWidget(m_summaryText);
    m_summary->hide();
    auto *header = new QWidget;
    const PageHeader top = makePageHeader(tr("Plan"), {m_summary, m_undo, m_redo, file, m_copy, m_export, m_launch});
    m_subtitle = top.subtitle;
    top.row->setContentsMargins(18, 14, 20, 10);
    header->setLayout(top.row);
    return header;
}

QMenu *PlanPage::makeFileMenu(QWidget *parent)
{
    auto *menu = new QMenu(parent);
    menu->addAction(tr("Open…"), QKeySequence(QKeySequence::Open), this, &PlanPage::askOpen);
    m_recentMenu = menu->addMenu(tr("Open recent"));
    m_recentMenu->setEnabled(false);
    menu->addSeparator();
    menu->addAction(tr("Save"), QKeySequence(QKeySequence::Save), this, [this] { save([] {}); });
    menu->addAction(tr("Save as…"), QKeySequence(QStringLiteral("Ctrl+Shift+S")), this, [this] { askSave([] {}); });
    return menu;
}

void PlanPage::setRecentFiles(const QStringList &files)
{
    m_recent = files.mid(0, kMostRecent);
    m_recentMenu->clear();
    for (const QString &file : m_recent) {
        QAction *entry = m_recentMenu->addAction(QString(file).replace(u'&', QStringLiteral("&&")));
        connect(entry, &QAction::triggered, this, [this, file] { Q_EMIT openRequested(file); });
    }
    m_recentMenu->setEnabled(!m_recent.isEmpty());
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
    QUndoStack &undo = m_document.undoStack();
    m_undo->setEnabled(undo.canUndo());
    m_redo->setEnabled(undo.canRedo());
    m_undo->setToolTip(undo.canUndo() ? tr("Undo: %1 (Ctrl+Z)").arg(undo.undoText()) : tr("Nothing to undo"));
    m_redo->setToolTip(undo.canRedo() ? tr("Redo: %1 (Ctrl+Shift+Z)").arg(undo.redoText()) : tr("Nothing to redo"));
    const bool valid = m_document.outcome() && m_form->refused().empty();
    for (QPushButton *button : {m_copy, m_export, m_launch})
        button->setEnabled(valid);
    if (const Prediction *last = m_document.lastPrediction()) {
        const PlanDisplay view = planDisplay(*last);
        m_subtitle->setText(view.model + tr(" on ") + view.hardware);
        m_summaryVerdict->set(view.verdict.word, view.verdict.tone);
        m_summaryText->setText(tr("%1 of %2")
                                   .arg(bytesText(static_cast<double>(last->memory.peak)),
                                       bytesText(static_cast<double>(last->memory.capacity))) +
                               QStringLiteral(" · ") +
                               tr("%1 tokens/s").arg(qs(formatCount(last->speed.tokensPerSecond))));
    }
}

Result<void> PlanPage::openFile(const QString &path)
{
    const std::filesystem::path file = std::filesystem::absolute(pathFrom(path));
    Result<RunConfig> config = readRunConfig(file);
    if (!config)
        return config.error();
    open(*config, tr("Open %1").arg(qs(file.filename().string())));
    m_document.setFile(qs(file.string()));
    rememberFile(m_document.file());
    return {};
}

void PlanPage::open(const RunConfig &config, const QString &label)
{
    m_document.replace(config, label);
    m_scrolled->verticalScrollBar()->setValue(0); // the verdict first
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

Result<void> PlanPage::exportPdf(const QString &path) const
{
    const Result<Prediction> &outcome = m_document.outcome();
    if (!outcome)
        return outcome.error();
    const Result<MemoryOverStep> memory = m_document.memoryOverStep();
    const auto &offersOf = m_document.planner().offers;
    const Result<std::vector<Offer>> offers = offersOf ? offersOf(m_document.config()) : std::vector<Offer>();
    return writeReportPdf(
        planReport(*outcome, memory ? std::optional(*memory) : std::nullopt, offers.valueOr({})), path);
}

Result<void> PlanPage::exportCsv(const QString &path) const
{
    const Result<Prediction> &outcome = m_document.outcome();
    return outcome ? writeNamedFile(pathFrom(path), planCsv(*outcome)) : Result<void>(outcome.error());
}

Result<void> PlanPage::exportTrace(const QString &path) const
{
    const Result<Timeline> timeline = m_document.planner().timeline(m_document.config(), m_results->stage());
    return timeline ? writeNamedFile(pathFrom(path), chromeTrace(*timeline, "Predicted step"))
                    : Result<void>(timeline.error());
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
    const QString name = m_document.file().isEmpty() ? tr("the plan") : QFileInfo(m_document.file()).fileName();
    auto *box = new QMessageBox(QMessageBox::Question, tr("Unsaved changes"), tr("Save the changes to %1?").arg(name),
        QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, this);
    box->setTextFormat(Qt::PlainText);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setDefaultButton(QMessageBox::Save);
    connect(box->button(QMessageBox::Save), &QAbstractButton::clicked, this, [this, then] { save(then); });
    connect(box->button(QMessageBox::Discard), &QAbstractButton::clicked, this, then);
    box->open();
}

// "plan.pdf" beside plan.yaml.
QString PlanPage::suggestedName(const QString &suffix) const
{
    const QString &file = m_document.file();
    const QString name = (file.isEmpty() ? QStringLiteral("plan") : QFileInfo(file).completeBaseName()) + u'.' + suffix;
    return folder().isEmpty() ? name : folder() + u'/' + name;
}

void PlanPage::askExport(
    const QString &title, const QString &suffix, Result<void> (PlanPage::*write)(const QString &) const)
{
    const QString path =
        QFileDialog::getSaveFileName(this, title, suggestedName(suffix), QStringLiteral("*.") + suffix);
    if (!path.isEmpty())
        reportResult(
            title, (this->*write)(withSuffix(path, suffix)), tr("Exported to %1").arg(withSuffix(path, suffix)));
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
