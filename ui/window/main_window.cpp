// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/window/main_window.h"

#include <QAction>
#include <QApplication>
#include <QButtonGroup>
#include <QCloseEvent>
#include <QDropEvent>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QScrollArea>
#include <QStatusBar>
#include <QVBoxLayout>

#include <array>
#include <utility>

#include "base/file.h"
#include "config/settings.h"
#include "cost/price_import.h"
#include "hardware/user_prices.h"
#include "hosts/launch.h"
#include "ui/language/core_texts.h"
#include "ui/runs/launch_dialog.h"
#include "ui/runs/run_actions.h"
#include "ui/plan/calibrate_dialog.h"
#include "ui/plan/display_names.h"
#include "ui/plan/price_dialog.h"
#include "ui/widgets/message.h"
#include "ui/widgets/screen_room.h"
#include "ui/widgets/scrolling.h"
#include "ui/widgets/text.h"
#include "ui/window/calibration_flow.h"
#include "ui/window/draft.h"
#include "ui/window/file_kind.h"
#include "ui/window/menus.h"
#include "ui/window/navigation_rail.h"
#include "ui/window/single_instance.h"
#include "ui/window/welcome_page.h"
#include "ui/window/window_settings.h"

namespace slipway::ui {

namespace {

constexpr int kLeastWidth = 720, kLeastHeight = 400, kUsualWidth = 1280, kUsualHeight = 800, kStatusMs = 8000;
constexpr qsizetype kMostDropped = 50; // enough for a folder of runs, but not for a whole disk
constexpr QKeyCombination kExportKeys = Qt::CTRL | Qt::Key_E, kExportListKeys = Qt::CTRL | Qt::SHIFT | Qt::Key_E;

HostsPage::PreflightRequest preflightRequest(const PlanDocument &document, const std::filesystem::path &folder)
{
    HostsPage::PreflightRequest request{.config = document.config(), .directory = folder / "new"};
    if (const Result<Prediction> &outcome = document.outcome())
        request.diskNeeded = checkpointDiskBytes(*outcome);
    return request;
}

// Names the plan by its model, hardware and software, as the Plan page does.
QString planName(const PlanDocument &document)
{
    const RunConfig &config = document.config();
    const Result<Prediction> &outcome = document.outcome();
    return QObject::tr("%1 on %2 × %3, %4")
        .arg(outcome ? coreText(outcome->model.name) : qs(config.model.name))
        .arg(config.parallel.gpus)
        .arg(qs(outcome ? outcome->gpu.name : config.gpu),
            valueName("framework", qs(settingText(*findSetting("framework"), config))));
}

} // namespace

MainWindow::MainWindow(const WindowParts &parts)
    : m_parts(parts),
      m_pages(new QStackedWidget),
      m_navigation(new QButtonGroup(this)),
      m_plan(new PlanPage(parts.document, parts.catalogue)),
      m_explore(new ExplorePage(parts.catalogue, [this] { return m_parts.document.config(); })),
      m_runs(new RunsPage(parts.registry, parts.host)),
      m_hosts(new HostsPage(
          HostList(), [](const std::string &name) { return makeHost(name); },
          [document = &parts.document, folder = parts.registry.folder()] {
              return preflightRequest(*document, folder);
          })),
      m_serve(new ServePage(parts.catalogue, [this] { return m_parts.document.config(); })),
      m_welcome(new WelcomePage(parts.catalogue)),
      m_menus(new WindowMenus(*this)),
      m_drafts(new DraftKeeper(parts.document, parts.drafts, this))
{
    setAcceptDrops(true);
    qApp->installEventFilter(this);
    resize(withinScreen(*this, {kUsualWidth, kUsualHeight}));
    setMinimumSize(withinScreen(*this, {kLeastWidth, kLeastHeight}));
    auto *content = new QWidget;
    auto *row = new QHBoxLayout(content);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addWidget(makeNavigationRail());
    m_pages->addWidget(m_plan);
    m_pages->addWidget(m_explore);
    m_pages->addWidget(m_runs);
    m_pages->addWidget(m_hosts);
    m_pages->addWidget(m_serve);
    m_pages->addWidget(m_welcome);
    QScrollArea *area = makeScrolling(m_pages); // scrolls if the window is smaller than the minimum size of a page
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    row->addWidget(area, 1);
    setCentralWidget(content);
    statusBar()->setSizeGripEnabled(false);
    statusBar()->hide();

    connect(m_plan, &PlanPage::launchRequested, this, &MainWindow::launch);
    connect(statusBar(), &QStatusBar::messageChanged, this,
        [this](const QString &text) { statusBar()->setVisible(!text.isEmpty()); });
    connect(m_plan, &PlanPage::statusMessage, this, &MainWindow::showStatus);
    connect(m_explore, &ExplorePage::statusMessage, this, &MainWindow::showStatus);
    connect(m_explore, &ExplorePage::planRequested, this, [this](const RunConfig &config) {
        m_plan->open(config, tr("Open grid point"));
        show(Page::Plan);
    });
    connect(m_serve, &ServePage::statusMessage, this, &MainWindow::showStatus);
    connect(m_runs, &RunsPage::statusMessage, this, &MainWindow::showStatus);
    connect(m_runs, &RunsPage::launchRequested, this, &MainWindow::launch);
    connect(m_runs, &RunsPage::planRequested, this, [this](const RunConfig &config, const QString &run) {
        m_plan->open(config, tr("Open the plan of %1").arg(run));
        show(Page::Plan);
    });
    connect(m_drafts, &DraftKeeper::failed, this, &MainWindow::showStatus);
    connect(m_menus, &WindowMenus::schemeRequested, this, &MainWindow::toggleScheme);
    connect(m_plan, &PlanPage::openRequested, this, &MainWindow::openPath);
    connect(&m_parts.document, &PlanDocument::fileChanged, this, &MainWindow::refreshTitle);
    connect(&m_parts.document.undoStack(), &QUndoStack::cleanChanged, this, &MainWindow::refreshTitle);
    connectTables();
    connectWelcome();
    refreshTitle();
}

void MainWindow::showStatus(const QString &message)
{
    statusBar()->show();
    statusBar()->showMessage(message, kStatusMs);
}

void MainWindow::connectWelcome()
{
    connect(m_welcome, &WelcomePage::planRequested, this, [this](const QString &model, const QString &gpu) {
        const Result<void> begun = m_parts.document.apply(
            {{"model", model.toStdString()}, {"gpu", gpu.toStdString()}}, tr("%1 on %2").arg(model, gpu));
        if (!begun)
            showProblem(this, tr("Plan"), fieldMessage(begun.error()));
        show(Page::Plan);
    });
    connect(m_welcome, &WelcomePage::openRequested, this, [this](const QString &path) {
        show(Page::Plan);
        openPath(path);
    });
    connect(m_welcome, &WelcomePage::logRequested, this, [this] {
        show(Page::Plan);
        m_calibration->ofLog(m_parts.document.config(), planName(m_parts.document));
    });
    connect(m_welcome, &WelcomePage::guideRequested, this, [this] { m_menus->showGuide(); });
    connect(m_welcome, &WelcomePage::skipped, this, [this] { show(Page::Plan); });
}

// Connects changes of the user's tables, which are calibrations and price books.
void MainWindow::connectTables()
{
    CalibrationFlow *calibration = m_calibration = new CalibrationFlow(*this, m_parts.catalogue);
    m_runs->setCalibrate([calibration](const std::filesystem::path &run) { return calibration->ofRun(run); });
    connect(&m_plan->form(), &PlanForm::logRequested, calibration,
        [this, calibration] { calibration->ofLog(m_parts.document.config(), planName(m_parts.document)); });
    connect(calibration, &CalibrationFlow::kept, this, [this](const QString &name) {
        reloadTables();
        if (m_parts.document.edit("calibration", name.toStdString()))
            Q_EMIT m_plan->statusMessage(tr("The plan now uses the calibration '%1'").arg(name));
    });
    connect(&m_plan->form(), &PlanForm::removalRequested, calibration,
        [this, calibration] { calibration->remove(qs(m_parts.document.config().calibration)); });
    connect(calibration, &CalibrationFlow::removed, this, [this](const QString &name) {
        // This comes first, so that the plan does not refer to a deleted calibration.
        (void)m_parts.document.edit("calibration", "");
        reloadTables();
        Q_EMIT m_plan->statusMessage(tr("Removed the calibration '%1'").arg(name));
    });
    const auto showPrices = [this] { editPrices(qs(m_parts.document.config().prices)); };
    connect(&m_plan->form(), &PlanForm::pricesRequested, this, showPrices);
    connect(m_explore, &ExplorePage::pricesRequested, this, showPrices);
}

void MainWindow::editPrices(const QString &book, const std::filesystem::path &list)
{
    auto *dialog = new PriceDialog(m_parts.catalogue, userPriceFolder(), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &PriceDialog::saved, this, [this](const QString &saved) {
        reloadTables();
        Q_EMIT m_plan->statusMessage(tr("Saved the price book '%1'").arg(saved));
    });
    dialog->showBook(book);
    dialog->open();
    if (!list.empty())
        dialog->importList(list, priceBookNameFor(list));
}

void MainWindow::openPath(const QString &path)
{
    const Result<RecognizedFile> file = recognizeFile(pathFrom(path));
    if (!file)
        return showProblem(this, tr("Open"), problemText(file.error()));
    const QString name = qs(file->path.string());
    Result<void> opened = Result<void>();
    switch (file->kind) {
    case FileKind::Configuration:
        return m_plan->confirmDiscard([this, name] { openPlan(name); });
    case FileKind::Model:
        opened = m_parts.document.edit("model", file->path.string());
        show(Page::Plan);
        break;
    case FileKind::Grid:
        opened = m_explore->openGrid(name);
        show(Page::Explore);
        break;
    case FileKind::Run:
        opened = m_runs->addRun(file->path);
        show(Page::Runs);
        break;
    case FileKind::Metrics:
        m_runs->importMetrics({file->path});
        show(Page::Runs);
        break;
    case FileKind::PriceList:
        editPrices({}, file->path);
        break;
    case FileKind::Measurements:
        m_calibration->ofTable(file->path);
        break;
    case FileKind::Log:
        if (const Result<std::string> log = readFile(file->path, LogDialog::kLargest))
            m_calibration->ofLog(m_parts.document.config(), planName(m_parts.document), qs(*log));
        else
            opened = log.error();
        break;
    }
    if (opened)
        m_plan->rememberFile(name);
    else
        showProblem(this, tr("Open"), fieldMessage(opened.error()));
}

void MainWindow::takeOver(const OpenRequest &request)
{
    setWindowState(windowState() & ~Qt::WindowMinimized);
    raise();
    activateWindow(); // called before a question about a file, which must stay above the window
    if (const std::optional<Page> page = pageNamed(request.page))
        show(*page);
    if (QWidget *dialog = QApplication::activeModalWidget()) {
        dialog->raise(); // some window managers do not keep the dialog above its window
        dialog->activateWindow();
    }
    openPaths(request.files);
}

void MainWindow::openPaths(const QStringList &paths)
{
    m_waiting << paths;
    openWaiting();
}

void MainWindow::openWaiting()
{
    while (!m_waiting.isEmpty() && !m_blocked)
        openPath(m_waiting.takeFirst());
}

bool MainWindow::event(QEvent *event)
{
    if (event->type() == QEvent::WindowBlocked || event->type() == QEvent::WindowUnblocked) {
        m_blocked = event->type() == QEvent::WindowBlocked;
        // The call is queued, so that it runs after the dialog has acted.
        QMetaObject::invokeMethod(this, &MainWindow::openWaiting, Qt::QueuedConnection);
    }
    // Return that nothing has used presses the button that has the focus. Qt does so in dialogs only.
    if (event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent *>(event)->key();
        auto *button = qobject_cast<QAbstractButton *>(focusWidget());
        if ((key == Qt::Key_Return || key == Qt::Key_Enter) && button != nullptr && button->isEnabled()) {
            button->click();
            return true;
        }
    }
    return QMainWindow::event(event);
}

bool MainWindow::offerDraft()
{
    const std::vector<std::filesystem::path> left = m_drafts->leftBehind();
    if (left.empty())
        return false;
    const Result<Draft> draft = readDraft(left.front());
    if (!draft) {
        std::error_code ignored;
        // Under its name it would be reported at every start. A newer version may have written it, so it is kept.
        std::filesystem::rename(left.front(), left.front().string() + ".unreadable", ignored);
        showStatus(tr("A draft could not be read: %1").arg(coreText(draft.error().what)));
        return false;
    }
    const QString name = draft->file.isEmpty() ? tr("a plan without a file") : QFileInfo(draft->file).fileName();
    auto *box = new QMessageBox(QMessageBox::Question, tr("Restore the draft"),
        tr("Slipway ended before the changes to %1 were saved. Restore them?").arg(name), QMessageBox::NoButton, this);
    box->setTextFormat(Qt::PlainText);
    box->setAttribute(Qt::WA_DeleteOnClose);
    QPushButton *restore = box->addButton(tr("Restore"), QMessageBox::AcceptRole);
    const QPushButton *discard = box->addButton(tr("Discard"), QMessageBox::DestructiveRole);
    QPushButton *later = box->addButton(tr("Ask again later"), QMessageBox::RejectRole);
    box->setDefaultButton(restore);
    box->setEscapeButton(later);
    connect(restore, &QPushButton::clicked, this, [this, draft = *draft, path = left.front()] {
        m_plan->begin(draft.config, draft.file, false);
        show(Page::Plan);
        m_drafts->update(); // this window now keeps the draft
        std::error_code ignored;
        std::filesystem::remove(path, ignored);
    });
    connect(discard, &QPushButton::clicked, this, [path = left.front()] {
        std::error_code ignored;
        std::filesystem::remove(path, ignored);
    });
    box->open();
    return true;
}

void MainWindow::openPlan(const QString &path)
{
    show(Page::Plan);
    if (const Result<void> opened = m_plan->openFile(path); !opened)
        showProblem(this, tr("Open"), fieldMessage(opened.error()));
}

void MainWindow::refreshTitle()
{
    const QString &file = m_parts.document.file();
    setWindowTitle(tr("%1[*] – Slipway").arg(file.isEmpty() ? tr("Untitled plan") : QFileInfo(file).fileName()));
    setWindowFilePath(file);
    setWindowModified(m_parts.document.isModified());
}

void MainWindow::closeEvent(QCloseEvent *event)
{
    if (m_mayClose || !m_parts.document.isModified()) {
        m_drafts->forget();
        return QMainWindow::closeEvent(event);
    }
    event->ignore();
    m_plan->confirmDiscard([this] {
        m_mayClose = true;
        close();
    });
}

// This filters events of the whole application, because text fields and charts would handle a drop themselves or refuse
// it.
bool MainWindow::eventFilter(QObject *watched, QEvent *event)
{
    const QEvent::Type type = event->type();
    if (type == QEvent::ShortcutOverride && qobject_cast<QLineEdit *>(watched) != nullptr) {
        const QKeyCombination keys = static_cast<QKeyEvent *>(event)->keyCombination();
        if (keys == kExportKeys || keys == kExportListKeys) {
            event->ignore(); // a line edit would use the keys to go to the end of its text, or to select up to it
            return true;
        }
    }
    if (type != QEvent::DragEnter && type != QEvent::DragMove && type != QEvent::Drop)
        return QMainWindow::eventFilter(watched, event);
    const auto *widget = qobject_cast<QWidget *>(watched);
    auto *drop = static_cast<QDropEvent *>(event);
    const QList<QUrl> files = drop->mimeData()->urls();
    if (widget == nullptr || widget->window() != this || files.isEmpty() || !files.front().isLocalFile())
        return QMainWindow::eventFilter(watched, event);
    drop->acceptProposedAction();
    if (type == QEvent::Drop) // queued, so that a dialog does not keep the sender of the drop waiting
        QMetaObject::invokeMethod(this, [this, files] { openDropped(files); }, Qt::QueuedConnection);
    return true;
}

void MainWindow::openDropped(const QList<QUrl> &files)
{
    QStringList paths;
    for (const QUrl &file : files.mid(0, kMostDropped)) {
        if (file.isLocalFile())
            paths << file.toLocalFile();
    }
    openPaths(paths);
    if (files.size() > kMostDropped)
        showStatus(tr("Opened the first %1 of %2 files").arg(kMostDropped).arg(files.size()));
}

void MainWindow::reloadTables()
{
    if (!m_parts.reload)
        return;
    if (const Result<void> read = m_parts.reload(); !read) {
        showProblem(this, tr("The tables could not be reloaded"), problemText(read.error()));
        return;
    }
    m_plan->form().setChoices(m_parts.catalogue);
    m_parts.document.replan();
}

QWidget *MainWindow::makeNavigationRail()
{
    auto *rail = new NavigationRail;
    auto *column = new QVBoxLayout(rail);
    column->setContentsMargins(8, 14, 8, 12);
    column->setSpacing(6);
    const std::array pages{std::pair{NavigationButton::Icon::Plan, tr("Plan")},
        std::pair{NavigationButton::Icon::Explore, tr("Explore")}, std::pair{NavigationButton::Icon::Runs, tr("Runs")},
        std::pair{NavigationButton::Icon::Hosts, tr("Hosts")}, std::pair{NavigationButton::Icon::Serve, tr("Serve")}};
    for (std::size_t i = 0; i < pages.size(); ++i) {
        auto *button = new NavigationButton(pages[i].first, pages[i].second);
        button->setCheckable(true);
        const QKeySequence keys(QStringLiteral("Ctrl+%1").arg(i + 1)); // shortcut of the View menu
        button->setToolTip(pages[i].second + QStringLiteral(" (") + keys.toString(QKeySequence::NativeText) + u')');
        m_navigation->addButton(button, static_cast<int>(i));
        column->addWidget(button);
    }
    m_navigation->button(0)->setChecked(true);
    connect(m_navigation, &QButtonGroup::idClicked, this, [this](int page) { show(static_cast<Page>(page)); });
    column->addStretch(1);
    auto *scheme = new NavigationButton(NavigationButton::Icon::Scheme, tr("Theme"));
    scheme->setToolTip(tr("Switch between the light and the dark theme (Ctrl+Shift+D)"));
    connect(scheme, &NavigationButton::clicked, this, &MainWindow::toggleScheme);
    column->addWidget(scheme);
    return rail;
}

void MainWindow::show(Page page)
{
    QWidget *shown = m_pages->widget(static_cast<int>(page));
    const bool fresh = shown->focusWidget() == nullptr; // the page never had the focus
    m_navigation->setExclusive(false);                  // no button is checked on the welcome page
    for (QAbstractButton *button : m_navigation->buttons())
        button->setChecked(m_navigation->id(button) == static_cast<int>(page));
    m_navigation->setExclusive(true);
    // Hidden pages are ignored, so that they do not make the visible page scroll.
    for (int i = 0; i < m_pages->count(); ++i) {
        const auto policy = i == static_cast<int>(page) ? QSizePolicy::Preferred : QSizePolicy::Ignored;
        m_pages->widget(i)->setSizePolicy(policy, policy);
    }
    m_pages->setCurrentIndex(static_cast<int>(page));
    // The focused widget is hidden now. The page gets the focus, so that Tab continues on it.
    if (const QWidget *focused = focusWidget(); fresh || focused == nullptr || !shown->isAncestorOf(focused))
        shown->setFocus();
    Q_EMIT pageShown(page);
}

void MainWindow::launch(const RunConfig &config)
{
    LaunchHosts places{.names = {},
        .make = [](const std::string &name, const std::vector<std::string> &sbatch) { return makeHost(name, sbatch); }};
    for (const ListedHost &host : HostList().hosts())
        places.names.push_back(host.name);
    auto *sheet =
        new LaunchDialog(config, m_parts.planner.predict, m_parts.host, m_parts.registry, std::move(places), this);
    sheet->setAttribute(Qt::WA_DeleteOnClose);
    connect(sheet, &LaunchDialog::launched, this, [this](const QString &directory) {
        show(Page::Runs);
        m_runs->select(std::filesystem::path(directory.toStdString()));
        m_runs->refresh();
    });
    sheet->open();
}

void MainWindow::toggleScheme() { m_parts.theme.setScheme(m_parts.theme.dark() ? Scheme::Light : Scheme::Dark); }

} // namespace slipway::ui
