// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/window/main_window.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QShortcut>
#include <QStackedWidget>
#include <QStatusBar>
#include <QVBoxLayout>

#include <array>
#include <utility>

#include "hardware/user_prices.h"
#include "hosts/launch.h"
#include "ui/runs/launch_sheet.h"
#include "ui/plan/price_dialog.h"
#include "ui/widgets/message.h"
#include "ui/widgets/text.h"
#include "ui/window/calibration_flow.h"
#include "ui/window/rail_button.h"

namespace slipway::ui {

namespace {

HostsPage::Wanted wantedOf(const PlanDocument &document, const std::filesystem::path &folder)
{
    HostsPage::Wanted wanted{.config = document.config(), .directory = folder / "new"};
    if (const Result<Prediction> &outcome = document.outcome())
        wanted.diskNeeded = checkpointDiskBytes(*outcome);
    return wanted;
}

} // namespace

MainWindow::MainWindow(const WindowParts &parts)
    : m_parts(parts),
      m_pages(new QStackedWidget),
      m_rail(new QButtonGroup(this)),
      m_plan(new PlanPage(parts.document, parts.catalogue)),
      m_explore(new ExplorePage(parts.catalogue, [this] { return m_parts.document.config(); })),
      m_runs(new RunsPage(parts.registry, parts.host)),
      m_hosts(new HostsPage(
          HostList(), [](const std::string &name) { return makeHost(name); },
          [document = &parts.document, folder = parts.registry.folder()] { return wantedOf(*document, folder); }))
{
    setWindowTitle(tr("Slipway"));
    resize(1280, 800);
    setMinimumSize(1040, 640);
    auto *content = new QWidget;
    auto *row = new QHBoxLayout(content);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addWidget(makeRail());
    m_pages->addWidget(m_plan);
    m_pages->addWidget(m_explore);
    m_pages->addWidget(m_runs);
    m_pages->addWidget(m_hosts);
    row->addWidget(m_pages, 1);
    setCentralWidget(content);
    statusBar()->setSizeGripEnabled(false);
    statusBar()->hide();

    connect(m_plan, &PlanPage::launchAsked, this, &MainWindow::launch);
    const auto tell = [this](const QString &message) {
        statusBar()->show();
        statusBar()->showMessage(message, 8000);
    };
    connect(statusBar(), &QStatusBar::messageChanged, this,
        [this](const QString &text) { statusBar()->setVisible(!text.isEmpty()); });
    connect(m_plan, &PlanPage::told, this, tell);
    connect(m_explore, &ExplorePage::told, this, tell);
    connect(m_explore, &ExplorePage::planAsked, this, [this](const RunConfig &config) {
        m_plan->open(config, tr("Open a point"));
        show(Page::Plan);
    });
    connect(m_runs, &RunsPage::told, this, tell);
    connectTables();
}

// The user's own tables: calibrations and price books.
void MainWindow::connectTables()
{
    auto *calibration = new CalibrationFlow(*this);
    m_runs->setCalibrate([calibration](const std::filesystem::path &run) { return calibration->ofRun(run); });
    connect(&m_plan->form(), &PlanForm::logAsked, calibration,
        [this, calibration] { calibration->ofLog(m_parts.document.config()); });
    connect(calibration, &CalibrationFlow::kept, this, [this](const QString &name) {
        reloadTables();
        if (m_parts.document.edit("calibration", name.toStdString()))
            Q_EMIT m_plan->told(tr("The plan takes the calibration '%1' now").arg(name));
    });
    connect(&m_plan->form(), &PlanForm::removalAsked, calibration,
        [this, calibration] { calibration->remove(qs(m_parts.document.config().calibration)); });
    connect(calibration, &CalibrationFlow::removed, this, [this](const QString &name) {
        (void)m_parts.document.edit("calibration", ""); // first: a plan must not name what is gone
        reloadTables();
        Q_EMIT m_plan->told(tr("The calibration '%1' is removed").arg(name));
    });
    const auto editPrices = [this] {
        auto *dialog = new PriceDialog(m_parts.catalogue, userPriceFolder(), this);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        connect(dialog, &PriceDialog::saved, this, [this](const QString &book) {
            reloadTables();
            Q_EMIT m_plan->told(tr("Kept the price book '%1'").arg(book));
        });
        dialog->showBook(qs(m_parts.document.config().prices));
        dialog->open();
    };
    connect(&m_plan->form(), &PlanForm::pricesAsked, this, editPrices);
    connect(m_explore, &ExplorePage::pricesAsked, this, editPrices);
}

void MainWindow::reloadTables()
{
    if (!m_parts.reload)
        return;
    if (const Result<void> read = m_parts.reload(); !read) {
        showProblem(this, tr("That did not work"), qs(read.error().message()));
        return;
    }
    m_plan->form().setChoices(m_parts.catalogue);
    m_parts.document.replan();
}

QWidget *MainWindow::makeRail()
{
    auto *rail = new Rail;
    auto *column = new QVBoxLayout(rail);
    column->setContentsMargins(8, 14, 8, 12);
    column->setSpacing(6);
    const std::array pages{std::pair{RailButton::Icon::Plan, tr("Plan")},
        std::pair{RailButton::Icon::Explore, tr("Explore")}, std::pair{RailButton::Icon::Runs, tr("Runs")},
        std::pair{RailButton::Icon::Hosts, tr("Hosts")}};
    for (std::size_t i = 0; i < pages.size(); ++i) {
        auto *button = new RailButton(pages[i].first, pages[i].second);
        button->setCheckable(true);
        const QKeySequence keys(QStringLiteral("Ctrl+%1").arg(i + 1));
        button->setShortcut(keys);
        button->setToolTip(pages[i].second + QStringLiteral(" (") + keys.toString(QKeySequence::NativeText) + u')');
        m_rail->addButton(button, static_cast<int>(i));
        column->addWidget(button);
    }
    m_rail->button(0)->setChecked(true);
    connect(m_rail, &QButtonGroup::idClicked, this, [this](int page) { show(static_cast<Page>(page)); });
    column->addStretch(1);
    auto *scheme = new RailButton(RailButton::Icon::Scheme, tr("Theme"));
    scheme->setShortcut(QKeySequence(QStringLiteral("Ctrl+Shift+D")));
    scheme->setToolTip(tr("Light or dark (Ctrl+Shift+D)"));
    connect(scheme, &RailButton::clicked, this, &MainWindow::turnScheme);
    column->addWidget(scheme);
    return rail;
}

void MainWindow::show(Page page)
{
    m_rail->button(static_cast<int>(page))->setChecked(true);
    m_pages->setCurrentIndex(static_cast<int>(page));
    // Where the keyboard was is not to be seen any more: Tab goes on into the page.
    if (const QWidget *focused = focusWidget(); focused == nullptr || !m_pages->currentWidget()->isAncestorOf(focused))
        m_pages->currentWidget()->setFocus();
}

void MainWindow::launch(const RunConfig &config)
{
    LaunchPlaces places{.names = {},
        .make = [](const std::string &name, const std::vector<std::string> &sbatch) { return makeHost(name, sbatch); }};
    for (const ListedHost &host : HostList().hosts())
        places.names.push_back(host.name);
    auto *sheet =
        new LaunchSheet(config, m_parts.planner.predict, m_parts.host, m_parts.registry, std::move(places), this);
    sheet->setAttribute(Qt::WA_DeleteOnClose);
    connect(sheet, &LaunchSheet::launched, this, [this](const QString &directory) {
        show(Page::Runs);
        m_runs->select(std::filesystem::path(directory.toStdString()));
        m_runs->refresh();
    });
    sheet->open();
}

void MainWindow::turnScheme() { m_parts.theme.setScheme(m_parts.theme.dark() ? Scheme::Light : Scheme::Dark); }

} // namespace slipway::ui
