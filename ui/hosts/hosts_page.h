// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QWidget>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "hosts/host.h"
#include "ui/hosts/host_list.h"
#include "ui/widgets/background_tasks.h"
#include "ui/widgets/card.h"

class QAction;
class QLabel;
class QLineEdit;
class QListWidget;
class QPushButton;
class QStackedWidget;
class QTableWidget;

namespace slipway::ui {

class Banner;

// The actions that menus and the buttons of the page trigger.
struct HostsCommands {
    QAction *add, *test, *remove;
};

// Shows the hosts for training runs: their hardware, the processes on their GPUs, and whether the plan could start
// there. Hosts are tested on a worker thread.
class HostsPage : public QWidget {
    Q_OBJECT
public:
    using MakeHost = std::function<Result<std::unique_ptr<Host>>(const std::string &name)>;
    // The request to check a host: the configuration of the Plan page, the run directory, and the disk space for its
    // checkpoints.
    struct PreflightRequest {
        RunConfig config;
        std::filesystem::path directory; // the run directory
        Bytes diskNeeded = 0;
    };
    using CurrentRequest = std::function<PreflightRequest()>;

    HostsPage(HostList list, MakeHost makeHost, CurrentRequest request, QWidget *parent = nullptr);

    [[nodiscard]] const HostsCommands &commands() const { return m_commands; }
    void select(const std::string &name);
    void test(); // tests the selected host
    [[nodiscard]] bool testing() const { return !m_asked.empty(); }
    [[nodiscard]] QTableWidget *gpuTable() const { return m_gpus; }
    [[nodiscard]] QTableWidget *checkTable() const { return m_checks; }
    [[nodiscard]] QListWidget *hostList() const { return m_hosts; }

protected:
    void resizeEvent(QResizeEvent *event) override;
    void changeEvent(QEvent *event) override;

Q_SIGNALS:
    void tested(const QString &host);

private:
    void makeCommands();
    QWidget *makeList();
    QWidget *makeDetail();
    void fillList();
    void showHost();
    void showAnswer(const Preflight &answer);
    void showGpus(const HostFacts &facts);
    void showChecks(const Preflight &answer);
    void fitTables();
    void add();
    void askRemove();
    void remove();
    void onAnswer(const std::string &name, const Result<Preflight> &answer);

    HostList m_list;
    MakeHost m_makeHost;
    CurrentRequest m_request;
    std::map<std::string, Result<Preflight>> m_answers;
    std::map<std::string, QString> m_times;
    std::string m_selected = "local", m_asked;
    HostsCommands m_commands{};
    QListWidget *m_hosts;
    QLineEdit *m_newHost;
    QPushButton *m_remove, *m_test;
    QLabel *m_name, *m_subtitle, *m_facts, *m_noGpu, *m_partitionTitle;
    Pill *m_state;
    Banner *m_problem;
    QStackedWidget *m_stack;
    QTableWidget *m_gpus, *m_checks, *m_partitions;
    // This is the last member, because its destructor waits for tasks that use the other members.
    BackgroundTasks m_background;
};

} // namespace slipway::ui
