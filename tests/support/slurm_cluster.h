// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A real Slurm on this machine, of one node or of several that are daemons side by side, with a munge of its own, on
// free ports.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/text.h"
#include "hosts/child_process.h"
#include "runs/liveness.h"
#include "support/daemon.h"
#include "support/temporary_directory.h"
#include "support/wait_until.h"

namespace slipway {

class SlurmCluster {
public:
    // One for all tests of a program that ask for it: it takes seconds to start. A new one where the controller was
    // taken away: it would give numbers of jobs again that the node remembers.
    static SlurmCluster &shared()
    {
        static std::unique_ptr<SlurmCluster> cluster;
        if (!cluster || (cluster->problem().empty() && cluster->m_controller.ended())) {
            cluster.reset();
            cluster = std::make_unique<SlurmCluster>();
        }
        return *cluster;
    }
    explicit SlurmCluster(int nodes = 1) : m_nodes(static_cast<std::size_t>(nodes))
    {
        for (const char *program : {"/usr/sbin/munged", "/usr/sbin/slurmctld", "/usr/sbin/slurmd"}) {
            if (!std::filesystem::exists(program)) {
                m_problem = std::string("there is no ") + program + "; install slurm-wlm and munge";
                return;
            }
        }
        if (::geteuid() != 0) {
            m_problem = "slurmd starts jobs as root only";
            return;
        }
        for (const char *folder : {"state", "log", "munge", "home"})
            std::filesystem::create_directory(path(folder));
        std::filesystem::permissions(m_folder.path(), std::filesystem::perms(0755));
        std::filesystem::permissions(path("munge"), std::filesystem::perms(0755));
        writeKey();
        if (const char *const before = ::getenv("SLURM_CONF"))
            m_before = before;
        ::setenv("SLURM_CONF", path("slurm.conf").c_str(), 1);
        m_munge.start({"/usr/sbin/munged", "--foreground", "--key-file=" + path("munge.key"),
                          "--socket=" + path("munge/s"), "--pid-file=" + path("munge/pid"),
                          "--log-file=" + path("log/munged"), "--seed-file=" + path("munge/seed"), "--num-threads=2"},
            path("log/munge.out"));
        if (!waitUntil(path("munge"), [&] { return std::filesystem::exists(path("munge/s")) || m_munge.ended(); }) ||
            m_munge.ended()) {
            m_problem = "munged does not start here: " + text("log/munge.out");
            return;
        }
        for (int tries = 0; tries < 4 && !m_running; ++tries)
            start();
    }
    ~SlurmCluster()
    {
        if (!m_controller.ended())
            (void)ask({"scancel", "--user=root"});
        killSteps();
        m_before.empty() ? ::unsetenv("SLURM_CONF") : ::setenv("SLURM_CONF", m_before.c_str(), 1);
    }

    [[nodiscard]] const std::string &problem() const { return m_problem; } // why it does not run; empty: it does
    [[nodiscard]] std::string path(const std::string &name) const { return (m_folder.path() / name).string(); }
    static std::string ask(const std::vector<std::string> &argv)
    {
        const auto said = runChild(argv, std::chrono::seconds(60));
        return said ? std::string(trimmed(said->out)) : std::string();
    }
    // As it was when it was new: the node is idle, no job is left.
    bool reset()
    {
        giveNodeBack();
        (void)ask({"scancel", "--full", "--signal=KILL", "--user=root"});
        (void)ask({"scancel", "--user=root"});
        return waitUntil(path("log"), [&] {
            if (ask({"sinfo", "-h", "-o", "%T"}) == "idle" && ask({"squeue", "-h", "-o", "%A"}).empty())
                return true;
            giveNodeBack();
            return false;
        });
    }
    void killController() { m_controller.kill(); }
    void startController() { m_controller.start({"/usr/sbin/slurmctld", "-D"}, path("log/slurmctld.out")); }
    void takeNodeAway() { (void)ask({"scontrol", "update", "NodeName=" + nodeName(0), "State=drain", "Reason=test"}); }
    void giveNodeBack() { (void)ask({"scontrol", "update", "NodeName=" + nodeName(0), "State=resume"}); }

private:
    // A job's own daemon is nobody's child, and waits for a controller that is gone: it is known by the log that it
    // holds.
    void killSteps()
    {
        std::error_code failed;
        for (std::filesystem::directory_iterator process("/proc", failed), end; !failed && process != end;
            process.increment(failed)) {
            std::ifstream in(process->path() / "comm");
            std::string name;
            if (!std::getline(in, name) || name != "slurmstepd")
                continue;
            std::error_code gone;
            for (std::filesystem::directory_iterator file(process->path() / "fd", gone), last; !gone && file != last;
                file.increment(gone)) {
                std::error_code ignored;
                if (std::filesystem::read_symlink(file->path(), ignored).string().starts_with(path("log")))
                    ::kill(static_cast<pid_t>(std::stoi(process->path().filename().string())), SIGKILL);
            }
        }
    }
    static std::string host()
    {
        const std::string name = LocalMachine::current().hostName;
        return name.substr(0, name.find('.'));
    }
    // Of one node this machine's own, which is found by its name.
    [[nodiscard]] std::string nodeName(std::size_t i) const
    {
        return m_nodes.size() == 1 ? host() : "node" + std::to_string(i);
    }
    std::string text(const std::string &name) const
    {
        std::ifstream in(path(name));
        return std::string((std::istreambuf_iterator<char>(in)), {});
    }
    void writeKey()
    {
        std::random_device random;
        std::string key;
        for (int i = 0; i < 128; ++i)
            key += static_cast<char>(random() & 0xff);
        writeText(path("munge.key"), key);
        std::filesystem::permissions(path("munge.key"), std::filesystem::perms(0600));
    }
    void start()
    {
        std::string nodes, names, cards;
        for (std::size_t i = 0; i < m_nodes.size(); ++i) {
            const std::string name = nodeName(i);
            std::filesystem::create_directory(path("spool-" + name));
            nodes += "NodeName=" + name + " NodeHostname=" + host() +
                     " NodeAddr=127.0.0.1 Port=" + std::to_string(freePort()) +
                     " CPUs=" + std::to_string(std::max(1U, std::thread::hardware_concurrency())) +
                     " RealMemory=500 Gres=gpu:a100:1 State=UNKNOWN\n";
            names += (i > 0 ? "," : "") + name;
            cards += "NodeName=" + name + " Name=gpu Type=a100 File=/dev/zero\n";
        }
        writeText(path("slurm.conf"),
            "ClusterName=test\nSlurmctldHost=" + host() +
                "(127.0.0.1)\nSlurmUser=root\nSlurmdUser=root\nAuthType=auth/munge\nAuthInfo=socket=" +
                path("munge/s") + "\nCredType=cred/munge\nSlurmctldPort=" + std::to_string(freePort()) +
                "\nSlurmctldPidFile=" + path("slurmctld.pid") + "\nSlurmdPidFile=" + path("slurmd-%n.pid") +
                "\nStateSaveLocation=" + path("state") + "\nSlurmdSpoolDir=" + path("spool-%n") +
                "\nSlurmctldLogFile=" + path("log/slurmctld.log") + "\nSlurmdLogFile=" + path("log/slurmd-%n.log") +
                "\nProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nJobAcctGatherType=jobacct_gather/"
                "none\nAccountingStorageType=accounting_storage/none\nSelectType=select/cons_tres\n"
                "SelectTypeParameters=CR_Core\nMpiDefault=none\nMailProg=/bin/true\nSwitchType=switch/"
                "none\nReturnToService=2\nMinJobAge=300\nGetEnvTimeout=0\nMessageTimeout=2\n"
                "SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0,defer_batch\nGresTypes="
                "gpu\n" +
                nodes + "PartitionName=gpu Nodes=" + names + " Default=YES MaxTime=01:00:00 State=UP\n");
        // slurmd looks for cgroups in any case, which not every machine mounts; of version 1 it takes none until it is
        // to.
        writeText(path("cgroup.conf"),
            "CgroupPlugin=cgroup/v1\nCgroupMountpoint=" + path("cgroup") + "\nCgroupAutomount=no\n");
        // What a job's environment begins with, in place of what the user's login would set: that takes as long as it
        // likes.
        std::filesystem::create_directory(path("state/env_cache"));
        writeText(path("state/env_cache/root"), "PATH=/usr/local/bin:/usr/bin:/bin\nHOME=" + path("home") + "\n");
        writeText(path("gres.conf"), cards);
        startController();
        for (std::size_t i = 0; i < m_nodes.size(); ++i)
            m_nodes[i].start({"/usr/sbin/slurmd", "-D", "-N", nodeName(i)}, path("log/slurmd.out"));
        const auto ended = [&] {
            return m_controller.ended() ||
                   std::any_of(m_nodes.begin(), m_nodes.end(), [](Daemon &node) { return node.ended(); });
        };
        m_running = waitUntil(
                        path("log"), [&] { return ended() || ask({"sinfo", "-h", "-o", "%T"}) == "idle"; },
                        std::chrono::seconds(30)) &&
                    !ended();
        m_problem = m_running ? "" : "Slurm does not start here: " + text("log/slurmctld.out") + text("log/slurmd.out");
    }

    TemporaryDirectory m_folder;
    std::string m_problem;
    std::string m_before; // SLURM_CONF
    Daemon m_munge, m_controller;
    std::vector<Daemon> m_nodes;
    bool m_running = false;
};

} // namespace slipway
