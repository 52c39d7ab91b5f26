// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/hosts/hosts_page.h"

#include <QAction>
#include <QEvent>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMessageBox>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedWidget>
#include <QTableWidget>
#include <QTime>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "ui/language/core_texts.h"
#include "ui/language/local_text.h"
#include "ui/plan/display_names.h"
#include "ui/theme/theme_colors.h"
#include "ui/theme/style.h"
#include "ui/widgets/action_button.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/page_header.h"
#include "ui/widgets/plain_table.h"
#include "ui/widgets/scrolling.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

constexpr int kLeastList = 170, kUsualList = 270, kLeastName = 110, kLeastListHeight = 56; // in pixels

// Makes the table as high as all its rows, so that the page scrolls instead of each table. A long text takes several
// lines.
void fitRows(QTableWidget &table)
{
    fitColumns(table);
    table.setWordWrap(true);
    table.resizeRowsToContents();
    table.setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    table.setFixedHeight(std::max(table.horizontalHeader()->height(), table.horizontalHeader()->sizeHint().height()) +
                         table.verticalHeader()->length() + 6);
}

QString shownName(const std::string &name)
{
    return name == "local"         ? tr("This machine")
           : name == "slurm:local" ? tr("Slurm cluster of this machine")
                                   : qs(name);
}

QString percent(const std::optional<double> &value)
{
    return value ? QString::number(*value, 'f', 0) + QStringLiteral(" %") : QStringLiteral("–");
}

// Formats the processes, such as "ada: python 12.1 GiB; 2 processes of yours". Other users come first.
QString processesText(const HostGpu &gpu)
{
    QStringList others;
    int ours = 0;
    for (const GpuProcess &process : gpu.processes) {
        if (process.ours) {
            ++ours;
            continue;
        }
        QString text = process.user.empty() ? tr("unknown user") : qs(process.user);
        text += QStringLiteral(": ") + qs(process.name);
        if (process.used)
            text += u' ' + localText(formatBytes(*process.used));
        others << text;
    }
    if (ours > 0)
        others << (ours == 1 ? tr("1 process of yours") : tr("%1 processes of yours").arg(ours));
    return others.isEmpty() ? tr("none") : others.join(QStringLiteral("; "));
}

bool othersCompute(const HostGpu &gpu)
{
    return std::any_of(
        gpu.processes.begin(), gpu.processes.end(), [](const GpuProcess &process) { return !process.ours; });
}

QString factsText(const HostFacts &facts)
{
    QStringList lines;
    const auto add = [&lines](const QString &name, const QString &value) {
        lines << QStringLiteral("<tr><td style='padding-right:18px'>%1</td><td>%2</td></tr>")
                     .arg(name.toHtmlEscaped(), value.toHtmlEscaped());
    };
    add(tr("Operating system"), qs(facts.system));
    add(tr("Processor"), tr("%1 cores, %2 memory").arg(facts.cores).arg(localText(formatBytes(facts.memory))));
    add(tr("Disk"), facts.diskProblem.empty()
                        ? tr("%1 free in %2").arg(localText(formatBytes(facts.diskFree)), qs(facts.home))
                        : coreText(facts.diskProblem));
    add(tr("Driver"), facts.driver.empty() ? tr("no NVIDIA driver") : tr("NVIDIA %1").arg(qs(facts.driver)));
    add(tr("Trainer"), !facts.trainerVersion.empty()   ? tr("%1 in %2").arg(qs(facts.trainerVersion), qs(facts.trainer))
                       : !facts.trainerProblem.empty() ? coreText(facts.trainerProblem)
                                                       : tr("not found"));
    if (std::abs(facts.clockSkew) >= 1)
        add(tr("Clock"), facts.clockSkew > 0
                             ? tr("%1 ahead of this machine").arg(localText(formatSeconds(facts.clockSkew)))
                             : tr("%1 behind this machine").arg(localText(formatSeconds(-facts.clockSkew))));
    return QStringLiteral("<table>") + lines.join(QString()) + QStringLiteral("</table>");
}

} // namespace

HostsPage::HostsPage(HostList list, MakeHost makeHost, CurrentRequest request, QWidget *parent)
    : QWidget(parent),
      m_list(std::move(list)),
      m_makeHost(std::move(makeHost)),
      m_request(std::move(request)),
      m_hosts(new QListWidget),
      m_newHost(new QLineEdit),
      m_name(makeLabel({}, TextKind::Title)),
      m_subtitle(makeLabel({}, TextKind::Muted)),
      m_facts(makeLabel({}, TextKind::Body)),
      m_noGpu(makeLabel(tr("No GPU is visible on this host."), TextKind::Muted)),
      m_partitionTitle(makeLabel(tr("Partitions"), TextKind::Section)),
      m_state(new Pill),
      m_problem(new Banner(Pill::Tone::Bad)),
      m_stack(new QStackedWidget),
      m_gpus(makePlainTable({tr("GPU"), tr("Name"), tr("Memory in use"), tr("Utilization"), tr("Power"),
                                tr("Temperature"), tr("Processes")},
          tr("GPUs"))),
      m_checks(makePlainTable({tr("Check"), tr("Result"), tr("Details")}, tr("Preflight"))),
      m_partitions(
          makePlainTable({tr("Partition"), tr("State"), tr("Nodes"), tr("GPUs"), tr("Time limit")}, tr("Partitions")))
{
    makeCommands();
    auto *page = new QVBoxLayout(this);
    page->setContentsMargins(18, 14, 20, 16);
    page->setSpacing(10);
    const PageHeader header = makePageHeader(tr("Hosts"), {m_test});
    header.subtitle->setText(tr("Machines for training runs: this machine, SSH hosts and Slurm clusters"));
    page->addLayout(header.row);
    auto *row = new QHBoxLayout;
    row->setSpacing(14);
    row->addWidget(makeList(), 3);
    row->addWidget(makeDetail(), 7);
    page->addLayout(row, 1);
    fillList();
    showHost();
}

void HostsPage::makeCommands()
{
    HostsCommands &c = m_commands;
    c.add = makeAction(this, tr("&Add a host…"), tr("An alias from ~/.ssh/config, user@host, or slurm:alias"), {},
        [this] { m_newHost->setFocus(Qt::ShortcutFocusReason); });
    c.test = makeAction(this, tr("&Test the connection"),
        tr("Show the hardware of the selected host, and what is missing to launch the plan"), {}, [this] { test(); });
    c.remove = makeAction(
        this, tr("&Remove the host…"), tr("Remove the selected host from the list"), {}, [this] { askRemove(); });
    m_test = makeActionButton(c.test, tr("Test connection"), {});
    m_remove = makeActionButton(c.remove, tr("Remove"), {});
}

QWidget *HostsPage::makeList()
{
    auto *card = new Card;
    card->setMinimumWidth(kLeastList);
    card->setMaximumWidth(kUsualList);
    m_hosts->setFrameShape(QFrame::NoFrame);
    m_hosts->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff); // long names are elided, and the tip has them
    m_hosts->setMinimumHeight(kLeastListHeight);
    m_hosts->setAccessibleName(tr("Hosts"));
    card->body()->addWidget(m_hosts, 1);
    m_newHost->setPlaceholderText(tr("user@host"));
    m_newHost->setToolTip(tr("An alias from ~/.ssh/config, user@host, or slurm:alias"));
    m_newHost->setAccessibleName(tr("Host to add"));
    m_newHost->setTextMargins(8, 0, 4, 0);
    auto *add = new QPushButton(tr("Add"));
    m_newHost->setMinimumWidth(kLeastName);
    auto *entry = new QWidget;
    auto *row = new FlowLayout(6, entry); // the button is below in a narrow window
    row->setFillsLines(true);
    row->addWidget(m_newHost);
    row->addWidget(add);
    card->body()->addWidget(entry);
    card->body()->addWidget(m_remove);
    connect(add, &QPushButton::clicked, this, &HostsPage::add);
    connect(m_newHost, &QLineEdit::returnPressed, this, &HostsPage::add);
    m_hosts->setContextMenuPolicy(Qt::ActionsContextMenu);
    m_hosts->addActions({m_commands.test, m_commands.remove});
    connect(m_hosts, &QListWidget::currentRowChanged, this, [this](int at) {
        if (at < 0)
            return;
        m_selected = m_hosts->item(at)->data(Qt::UserRole).toString().toStdString();
        showHost();
    });
    return card;
}

QWidget *HostsPage::makeDetail()
{
    auto *box = new QWidget;
    auto *column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(10);
    auto *head = new QHBoxLayout;
    auto *words = new QVBoxLayout;
    words->setSpacing(1);
    auto *title = new QHBoxLayout;
    title->setSpacing(10);
    title->addWidget(m_name);
    title->addWidget(m_state);
    title->addStretch(1);
    words->addLayout(title);
    words->addWidget(m_subtitle);
    head->addLayout(words, 1);
    m_test->setProperty(kPrimary, true);
    column->addLayout(head);
    column->addWidget(m_problem);

    auto *empty = makeLabel(tr("Not tested yet. The connection test shows the hardware of this host, the processes on "
                               "its GPUs and what is missing to launch the plan. It changes nothing on the host."),
        TextKind::Muted);
    empty->setAlignment(Qt::AlignCenter);
    empty->setWordWrap(true);
    m_stack->addWidget(empty);
    auto *answer = new QWidget;
    auto *parts = new QVBoxLayout(answer);
    parts->setContentsMargins(0, 0, 0, 0);
    parts->setSpacing(10);
    auto *facts = new Card(tr("System"));
    m_facts->setTextFormat(Qt::RichText);
    m_facts->setWordWrap(true); // paths can be long
    m_facts->setTextInteractionFlags(Qt::TextSelectableByMouse);
    facts->body()->addWidget(m_facts);
    parts->addWidget(facts);
    auto *gpus = new Card(tr("GPUs"));
    gpus->body()->addWidget(m_gpus);
    gpus->body()->addWidget(m_noGpu);
    gpus->body()->addWidget(m_partitionTitle);
    gpus->body()->addWidget(m_partitions);
    parts->addWidget(gpus);
    auto *checks = new Card(tr("Launch checks for the current plan"));
    checks->body()->addWidget(m_checks);
    parts->addWidget(checks);
    parts->addStretch(1);
    m_stack->addWidget(makeScrolling(answer));
    m_stack->addWidget(new QWidget); // the empty page below the reason why the host did not answer
    column->addWidget(m_stack, 1);
    return box;
}

void HostsPage::fillList()
{
    const std::string selected = m_selected;
    m_hosts->clear();
    for (const ListedHost &host : m_list.hosts()) {
        auto *item = new QListWidgetItem(shownName(host.name), m_hosts);
        item->setData(Qt::UserRole, qs(host.name));
        item->setData(Qt::UserRole + 1, host.added);
        item->setToolTip(tipText(tr("%1 (%2)").arg(shownName(host.name), coreText(host.source))));
        if (host.name == selected)
            m_hosts->setCurrentItem(item);
    }
    if (m_hosts->currentRow() < 0)
        m_hosts->setCurrentRow(0);
}

void HostsPage::select(const std::string &name)
{
    for (int row = 0; row < m_hosts->count(); ++row) {
        if (m_hosts->item(row)->data(Qt::UserRole).toString().toStdString() == name)
            m_hosts->setCurrentRow(row);
    }
}

void HostsPage::add()
{
    if (m_newHost->text().trimmed().isEmpty())
        return;
    const std::string name = m_newHost->text().trimmed().toStdString();
    const Result<void> added = m_list.add(name);
    m_problem->setText(added ? QString() : problemText(added.error()));
    if (!added)
        return;
    m_newHost->clear();
    m_selected = name;
    fillList();
}

void HostsPage::askRemove()
{
    auto *box = new QMessageBox(QMessageBox::Question, tr("Remove host"),
        tr("Remove %1 from the list?\n\nIts runs and its files stay.").arg(shownName(m_selected)), QMessageBox::Cancel,
        this);
    box->setTextFormat(Qt::PlainText);
    box->setAttribute(Qt::WA_DeleteOnClose);
    const QPushButton *yes = box->addButton(tr("Remove"), QMessageBox::DestructiveRole);
    box->setDefaultButton(QMessageBox::Cancel);
    connect(yes, &QPushButton::clicked, this, &HostsPage::remove);
    box->open();
}

void HostsPage::remove()
{
    const Result<void> removed = m_list.remove(m_selected);
    m_problem->setText(removed ? QString() : problemText(removed.error()));
    m_answers.erase(m_selected);
    fillList();
}

void HostsPage::test()
{
    if (!m_asked.empty())
        return;
    m_asked = m_selected;
    showHost();
    const auto work = [name = m_selected, make = m_makeHost, request = m_request()]() -> Result<Preflight> {
        const Result<std::unique_ptr<Host>> host = make(name);
        if (!host)
            return host.error();
        Preflight answer = (*host)->preflight(request.config, request.directory, request.diskNeeded);
        if (!answer.facts) {
            // A preflight that stopped early has no facts. Querying them shows whether the host can be reached at all.
            Result<HostFacts> facts = (*host)->facts();
            if (!facts)
                return facts.error();
            answer.facts = *std::move(facts);
        }
        return answer;
    };
    m_background.run(
        this, work, [this, name = m_selected](const Result<Preflight> &answer) { onAnswer(name, answer); });
}

void HostsPage::onAnswer(const std::string &name, const Result<Preflight> &answer)
{
    m_asked.clear();
    m_answers.insert_or_assign(name, answer);
    m_times[name] = QTime::currentTime().toString(QStringLiteral("HH:mm:ss"));
    showHost();
    Q_EMIT tested(qs(name));
}

void HostsPage::showHost()
{
    const auto answer = m_answers.find(m_selected);
    const bool asking = m_asked == m_selected;
    m_name->setText(shownName(m_selected));
    m_commands.test->setEnabled(m_asked.empty());
    m_test->setText(asking ? tr("Testing…") : answer == m_answers.end() ? tr("Test connection") : tr("Test again"));
    const QListWidgetItem *item = m_hosts->currentItem();
    m_commands.remove->setEnabled(item && item->data(Qt::UserRole + 1).toBool());
    m_remove->setVisible(m_commands.remove->isEnabled());
    const bool answered = answer != m_answers.end() && answer->second;
    m_problem->setText(answer != m_answers.end() && !answer->second ? problemText(answer->second.error()) : QString());
    m_stack->setCurrentIndex(answered ? 1 : answer == m_answers.end() ? 0 : 2);
    if (asking)
        m_state->set(tr("Testing"), Pill::Tone::Accent);
    else if (answer == m_answers.end())
        m_state->set(tr("Not tested"), Pill::Tone::Neutral);
    else if (!answered)
        m_state->set(tr("No answer"), Pill::Tone::Bad);
    else
        m_state->set(answer->second->passed() ? tr("Ready") : tr("Not ready"),
            answer->second->passed() ? Pill::Tone::Good : Pill::Tone::Warn);
    m_subtitle->setText(answer == m_answers.end() ? QString() : tr("tested at %1").arg(m_times[m_selected]));
    if (answered)
        showAnswer(*answer->second);
}

void HostsPage::showAnswer(const Preflight &answer)
{
    m_subtitle->setText(
        tr("%1@%2 · tested at %3").arg(qs(answer.facts->user), qs(answer.facts->hostName), m_times[m_selected]));
    m_facts->setText(factsText(*answer.facts));
    showGpus(*answer.facts);
    showChecks(answer);
    QTimer::singleShot(0, this, &HostsPage::fitTables); // called later, when the tables have their width
}

void HostsPage::fitTables()
{
    for (QTableWidget *table : {m_gpus, m_partitions, m_checks})
        fitRows(*table);
}

void HostsPage::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    QTimer::singleShot(0, this, &HostsPage::fitTables);
}

void HostsPage::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange)
        showHost(); // the cells have the colors of the old theme
    QWidget::changeEvent(event);
}

void HostsPage::showGpus(const HostFacts &facts)
{
    m_gpus->setVisible(!facts.gpus.empty());
    m_noGpu->setVisible(facts.gpus.empty());
    m_gpus->setRowCount(static_cast<int>(facts.gpus.size()));
    for (int row = 0; row < m_gpus->rowCount(); ++row) {
        const HostGpu &gpu = facts.gpus[static_cast<std::size_t>(row)];
        setCell(*m_gpus, row, 0, QString::number(gpu.index));
        setCell(*m_gpus, row, 1, qs(gpu.name));
        setCell(
            *m_gpus, row, 2, tr("%1 of %2").arg(localText(formatBytes(gpu.used)), localText(formatBytes(gpu.memory))));
        setCell(*m_gpus, row, 3, percent(gpu.utilisation));
        setCell(*m_gpus, row, 4,
            gpu.powerWatts ? QString::number(*gpu.powerWatts, 'f', 0) + QStringLiteral(" W") : QStringLiteral("–"));
        setCell(*m_gpus, row, 5,
            gpu.temperatureC ? QString::number(*gpu.temperatureC, 'f', 0) + QStringLiteral(" °C")
                             : QStringLiteral("–"));
        setCell(*m_gpus, row, 6, processesText(gpu))
            ->setForeground(themeColor(othersCompute(gpu) ? ThemeColor::Warn : ThemeColor::Text, palette()));
    }
    m_partitions->setVisible(!facts.partitions.empty());
    m_partitionTitle->setVisible(!facts.partitions.empty());
    m_partitions->setRowCount(static_cast<int>(facts.partitions.size()));
    for (int row = 0; row < m_partitions->rowCount(); ++row) {
        const SlurmPartition &partition = facts.partitions[static_cast<std::size_t>(row)];
        setCell(*m_partitions, row, 0,
            partition.isDefault ? tr("%1 (default)").arg(qs(partition.name)) : qs(partition.name));
        setCell(*m_partitions, row, 1, qs(partition.state));
        setCell(*m_partitions, row, 2, QString::number(partition.nodes));
        setCell(*m_partitions, row, 3, partition.gres.empty() ? tr("none") : qs(partition.gres));
        setCell(
            *m_partitions, row, 4, partition.timeLimit ? localText(formatSeconds(*partition.timeLimit)) : tr("none"));
    }
}

void HostsPage::showChecks(const Preflight &answer)
{
    m_checks->setRowCount(static_cast<int>(answer.checks.size()));
    for (int row = 0; row < m_checks->rowCount(); ++row) {
        const PreflightCheck &check = answer.checks[static_cast<std::size_t>(row)];
        setCell(*m_checks, row, 0, coreText(check.what));
        QTableWidgetItem *result = setCell(*m_checks, row, 1,
            !check.passed   ? tr("✗ Failed")
            : check.warning ? tr("! Warning")
                            : tr("✓ Passed"));
        result->setForeground(themeColor(!check.passed   ? ThemeColor::Bad
                                         : check.warning ? ThemeColor::Warn
                                                         : ThemeColor::Good,
            palette()));
        setCell(*m_checks, row, 2, capitalized(withFieldNames(coreText(check.detail))));
    }
}

} // namespace slipway::ui
