// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A run on a host that is this machine over ssh or Slurm; a few lines of shell stand in for the trainer.
#pragma once

#include <algorithm>
#include <fstream>

#include <gtest/gtest.h>

#include "base/file.h"
#include "config/config_io.h"
#include "hosts/launch.h"
#include "hosts/preflight.h"
#include "hosts/stop_run.h"
#include "runs/registry.h"
#include "runs/remote_run.h"
#include "runs/run_reader.h"
#include "support/processes.h"
#include "support/temporary_directory.h"
#include "support/wait_until.h"

namespace slipway {

class RemoteRunTest : public ::testing::Test {
protected:
    RemoteRunTest()
    {
        writeText(m_folder.path() / "tokens.bin", "some tokens");
        m_order.config.training.data = {{.path = (m_folder.path() / "tokens.bin").string()}};
        m_order.config.training.name = "first try";
        m_order.config.training.steps = 10;
        m_order.config.training.device = DeviceKind::Cpu;
        m_order.config.gpu = "cpu";
        m_order.config.model.name = "100M";
        m_order.config.precision = Precision::Fp32;
    }
    ~RemoteRunTest() override
    {
        for (const std::filesystem::path &there : m_there) // whatever a test left running
            killGroup(there);
    }
    // Nothing of it runs; what has ended and was not yet waited for by its parent does not.
    static bool groupIsGone(std::int64_t group)
    {
        const std::vector<Process> all = processes();
        return std::none_of(all.begin(), all.end(),
            [group](const Process &p) { return p.group == group && p.state != 'Z' && p.state != 'X'; });
    }
    static void killGroup(const std::filesystem::path &directory)
    {
        const auto mark = readProcessIdentity({directory});
        if (mark && livenessOf(*mark, LocalMachine::current()) == Liveness::Alive)
            ::kill(static_cast<pid_t>(-mark->processGroup), SIGKILL);
    }
    // Runs in the run's directory there.
    void trainer(const std::string &script)
    {
        const std::filesystem::path program = m_home / "bundle" / "bin" / "slipway-train";
        std::filesystem::create_directories(program.parent_path());
        writeText(program, "#!/bin/sh\nif [ \"$1\" = --version ]; then echo slipway-train " + ownVersion() +
                               "; exit; fi\ncd \"$2\" || exit 3\n" + script + "\n");
        std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    }
    // A run that waits for the file "go" after what it does first.
    void waitingTrainer(const std::string &first = {}, const std::string &then = {})
    {
        trainer(first + "\ntouch ready; until [ -e go ]; do sleep 0.02; done\n" + then);
    }
    std::filesystem::path there(const LaunchedRun &run)
    {
        const auto remote = readRemoteRun({run.directory});
        EXPECT_TRUE(remote);
        const std::filesystem::path directory = remote ? remote->directory : "";
        m_there.push_back(directory);
        return directory;
    }
    static std::string text(const std::filesystem::path &path)
    {
        const auto read = readFile(path, kGiB);
        return read ? *read : "(" + read.error().message() + ")";
    }
    RunState stateOf(const LaunchedRun &run, Host &host) { return host.status({run.directory}).state; }
    bool waitForState(const LaunchedRun &run, Host &host, RunState state)
    {
        RunStatus last;
        const bool reached = waitUntil(run.directory, [&] {
            last = host.status({run.directory});
            return last.state == state;
        });
        EXPECT_TRUE(reached) << "is " << enumName(last.state) << ": " << last.detail
                             << "\nerr.log: " << text(run.directory / "err.log");
        return reached;
    }
    bool waitForFile(const std::filesystem::path &file)
    {
        return waitUntil(file.parent_path(), [&] { return std::filesystem::exists(file); });
    }
    void expectSameFiles(const std::filesystem::path &a, const std::filesystem::path &b)
    {
        for (const char *name : {"metrics.jsonl", "events.jsonl", "out.log", "err.log"}) {
            if (!std::filesystem::exists(b / name))
                continue;
            EXPECT_TRUE(text(a / name) == text(b / name)) << name << " differs: " << text(a / name).size()
                                                          << " bytes here, " << text(b / name).size() << " there";
        }
    }

    TemporaryDirectory m_folder;
    std::filesystem::path m_home = m_folder.path() / "there"; // Slipway's folder on the host
    Registry m_registry{m_folder.path() / "runs"};
    RunLaunchRequest m_order;
    std::vector<std::filesystem::path> m_there;
};

inline const std::string kHostile = "it's \"$(touch pwned)\" `touch pwned`; touch pwned & größer\n|x> y\\";

} // namespace slipway
