// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What people do to runs, at random and for hours, with the real programs and tiny models. See `run` in this folder.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <map>
#include <random>
#include <set>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/enum_names.h"
#include "base/text.h"
#include "hosts/child_process.h"
#include "runs/liveness.h"
#include "soak/process_samples.h"
#include "support/slurm_cluster.h"
#include "support/ssh_server.h"

namespace slipway::soak {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

struct ListedRun {
    std::string name, state, host;
    fs::path directory;
    [[nodiscard]] bool isActive() const { return state == "running" || state == "queued" || state == "stopping"; }
};

class Soak {
public:
    Soak(std::chrono::minutes duration, unsigned seed, std::chrono::milliseconds pause)
        : m_random(seed),
          m_end(Clock::now() + duration),
          m_pause(pause)
    {
        ::setenv("XDG_DATA_HOME", (m_folder.path() / "data").c_str(), 1);
        fs::current_path(m_folder.path());
        // Whoever joins over ssh or Slurm finds the trainer on the path.
        const std::string there = (m_folder.path() / "there").string();
        fs::create_directories(there + "/bundle");
        fs::create_directory_symlink(SLIPWAY_BIN, there + "/bundle/bin");
        if (m_server.problem().empty())
            m_hosts.push_back("testnode:" + there);
        else
            fmt::print("not over ssh: {}\n", m_server.problem());
        if (m_cluster.problem().empty())
            m_hosts.push_back("slurm::" + there);
        else
            fmt::print("not in Slurm: {}\n", m_cluster.problem());
        makeTokens();
    }

    bool run()
    {
        startLongLived();
        Clock::time_point nextSample = Clock::now(), nextWord = Clock::now() + kWordEvery;
        while (Clock::now() < m_end) {
            act();
            std::this_thread::sleep_for(m_pause);
            if (Clock::now() >= nextSample) {
                sample();
                nextSample = Clock::now() + kSampleEvery;
            }
            if (Clock::now() >= nextWord) {
                fmt::print("{} min left, {} commands\n",
                    std::chrono::duration_cast<std::chrono::minutes>(m_end - Clock::now()).count(), m_commands);
                std::fflush(stdout);
                nextWord = Clock::now() + kWordEvery;
            }
        }
        endAll();
        for (const ProcessSamples *samples : {&m_watcherSamples, &m_desktopSamples}) {
            if (const std::string grown = samples->growth(); !grown.empty())
                m_faults.insert(grown);
        }
        report();
        return m_faults.empty();
    }

private:
    static constexpr std::chrono::seconds kSampleEvery{5}, kWordEvery{300};
    static constexpr std::size_t kMostActive = 3, kMostRuns = 12, kMostWords = 20;

    void makeTokens()
    {
        std::string ids; // uint16 and nothing else, all below 64
        for (int i = 0; i < 4000; ++i)
            ids += {static_cast<char>(i * 5 % 64), '\0'};
        writeText("tokens.bin", ids);
    }
    // `more`: further lines.
    fs::path config(const std::string &name, int steps, int width, const std::string &more) const
    {
        const fs::path file = m_folder.path() / (name + ".yaml");
        writeText(file, fmt::format("name: {}\nlayers: 2\nhidden: {}\nheads: 2\nkv_heads: 2\nffn: {}\nvocab: 64\ntied: "
                                    "false\ngpu: cpu\ngpus: 1\ndevice: cpu\nprecision: fp32\nmicro_batch: 2\nseq_len: "
                                    "64\ngrad_accum: 1\ndata: tokens.bin\nsteps: {}\nlearning_rate: 1e-3\nseed: "
                                    "3\ncheckpoint_every: 50\nkeep_checkpoints: 2\n{}",
                            name, width, 2 * width, steps, more));
        return file;
    }
    std::size_t below(std::size_t count) { return std::uniform_int_distribution<std::size_t>(0, count - 1)(m_random); }

    ChildResult slipway(const std::string &action, std::vector<std::string> arguments)
    {
        arguments.insert(arguments.begin(), std::string(SLIPWAY_BIN) + "/slipway");
        const Result<ChildResult> ended = runChild(arguments, std::chrono::minutes(3));
        ++m_commands;
        if (!ended) {
            m_faults.insert(action + ": " + ended.error().message());
            return {.exitStatus = -1};
        }
        ++m_counts[action][ended->exitStatus];
        if (ended->exitStatus != 0 && !trimmed(ended->err).empty())
            m_said[action][ended->exitStatus].insert(std::string(split(trimmed(ended->err), '\n').back()));
        if (ended->exitStatus > 3 || ended->exitStatus < 0)
            m_faults.insert(fmt::format("{} ended with {}: {}", action, ended->exitStatus, ended->err));
        return *ended;
    }
    std::vector<ListedRun> list()
    {
        const nlohmann::json json = nlohmann::json::parse(slipway("runs", {"runs", "--json"}).out, nullptr, false);
        std::vector<ListedRun> runs;
        if (!json.is_object()) {
            m_faults.insert("runs --json gave no list");
            return runs;
        }
        for (const nlohmann::json &run : json["runs"]) {
            runs.push_back({.name = run.value("name", ""),
                .state = run.value("state", ""),
                .host = run.value("host", ""),
                .directory = run.value("directory", "")});
            m_states.insert(runs.back().state);
        }
        return runs;
    }

    // The run that is watched all the time, its watcher and the desktop.
    void startLongLived()
    {
        const std::string yaml = config("long", 100'000'000, 128, "").string();
        slipway("launch", {"launch", yaml, "--detach"});
        m_watcher.start({std::string(SLIPWAY_BIN) + "/slipway", "watch", "long"}, "watch.log");
        if (fs::exists(std::string(SLIPWAY_BIN) + "/slipway-desktop"))
            m_desktop.start({std::string(SLIPWAY_BIN) + "/slipway-desktop", "--page", "runs"}, "desktop.log");
    }
    void sample()
    {
        if (!m_watcherSamples.take(m_watcher.pid()) || m_watcher.ended())
            m_faults.insert("the watcher is gone");
        if (m_desktop.pid() > 0 && (!m_desktopSamples.take(m_desktop.pid()) || m_desktop.ended()))
            m_faults.insert("the desktop is gone");
    }

    void act()
    {
        std::vector<ListedRun> runs = list();
        std::erase_if(runs, [](const ListedRun &run) { return run.name == "long"; });
        const auto active =
            std::count_if(runs.begin(), runs.end(), [](const ListedRun &run) { return run.isActive(); });
        if (runs.empty() || (static_cast<std::size_t>(active) < kMostActive && below(2) == 0)) {
            forgetOldest(runs);
            start();
            return;
        }
        const ListedRun run = runs[below(runs.size())];
        switch (below(4)) {
        case 0:
            slipway("label", {"label", run.name, "--tag", "seen"});
            slipway("report", {"report", run.name});
            break;
        case 1:
            if (run.host != "local")
                slipway("fetch", {"fetch", run.name, "--checkpoint"});
            else
                slipway("report", {"report", run.name, "--csv", "report.csv"});
            break;
        default:
            run.isActive() ? end(run) : resume(run);
        }
    }
    void start()
    {
        const std::string name = fmt::format("soak-{}", ++m_started);
        const std::string yaml = config(name, static_cast<int>(20 + below(400)), 16, "time_limit: 20m\n").string();
        const std::string host = m_hosts[below(m_hosts.size())];
        slipway("launch on " + host.substr(0, host.find(':')), {"launch", yaml, "--on", host, "--detach"});
    }
    void end(const ListedRun &run)
    {
        switch (below(3)) {
        case 0:
            slipway("stop", {"stop", run.name});
            break;
        case 1:
            slipway("stop --now", {"stop", run.name, "--now"});
            break;
        default:
            kill(run);
        }
    }
    // As the kernel kills when memory runs out: without a word.
    void kill(const ListedRun &run)
    {
        fs::path directory = run.directory;
        if (run.host != "local")
            directory = m_folder.path() / "there/runs" / run.name;
        const auto mark = readProcessIdentity({directory});
        if (!mark || livenessOf(*mark, LocalMachine::current()) != Liveness::Alive)
            return;
        ::kill(static_cast<pid_t>(-mark->processGroup), SIGKILL);
        ++m_counts["kill -9"][0];
    }
    void resume(const ListedRun &run)
    {
        if (run.state != "succeeded")
            slipway("resume", {"resume", run.name, "--detach"});
        else
            slipway("watch", {"watch", run.name});
    }
    // The list stays of one length, so that what is shown of it has no reason to grow.
    void forgetOldest(const std::vector<ListedRun> &runs) const
    {
        if (runs.size() < kMostRuns)
            return;
        const auto oldest =
            std::find_if(runs.rbegin(), runs.rend(), [](const ListedRun &run) { return !run.isActive(); });
        std::error_code ignored;
        if (oldest != runs.rend())
            fs::remove_all(oldest->directory, ignored);
    }

    void endAll()
    {
        for (const ListedRun &run : list()) {
            if (run.isActive())
                slipway("stop", {"stop", run.name});
        }
        for (const ListedRun &run : list()) {
            ++m_ended[run.state];
            if (run.isActive())
                m_faults.insert(run.name + " on " + run.host + " is still " + run.state);
        }
        m_watcher.kill();
        m_desktop.kill();
    }
    void report() const
    {
        fmt::print("\n{:<22}{:>8}  by exit status\n", "command", "times");
        for (const auto &[action, byStatus] : m_counts) {
            int all = 0;
            std::string text;
            for (const auto &[status, count] : byStatus) {
                all += count;
                text += fmt::format("  {}: {}", status, count);
            }
            fmt::print("{:<22}{:>8}{}\n", action, all, text);
        }
        for (const auto &[action, byStatus] : m_said) {
            for (const auto &[status, words] : byStatus) {
                std::size_t shown = 0;
                for (const std::string &line : words) {
                    if (++shown > kMostWords)
                        break;
                    fmt::print("{} ended with {}: {}\n", action, status, line);
                }
            }
        }
        fmt::print("\nstates seen:");
        for (const std::string &state : m_states)
            fmt::print(" {}", state);
        fmt::print("\nstates at the end:");
        for (const auto &[state, count] : m_ended)
            fmt::print(" {} {}", count, state);
        fmt::print("\n{}\n{}\n", m_watcherSamples.text(), m_desktopSamples.text());
        for (const std::string &fault : m_faults)
            fmt::print("did not hold: {}\n", fault);
    }

    TemporaryDirectory m_folder;
    SshServer m_server;
    SlurmCluster m_cluster;
    std::mt19937 m_random;
    Clock::time_point m_end;
    std::chrono::milliseconds m_pause;
    std::vector<std::string> m_hosts{"local"};
    Daemon m_watcher, m_desktop;
    ProcessSamples m_watcherSamples{"watcher"}, m_desktopSamples{"desktop"};
    std::map<std::string, std::map<int, int>> m_counts;                 // by command and exit status
    std::map<std::string, std::map<int, std::set<std::string>>> m_said; // its last line of errors
    std::set<std::string> m_states, m_faults;
    std::map<std::string, int> m_ended;
    int m_started = 0, m_commands = 0;
};

} // namespace
} // namespace slipway::soak

int main(int argc, char **argv)
{
    const auto minutes = argc > 1 ? slipway::parseInteger(argv[1]) : std::nullopt;
    const auto seed = argc > 2 ? slipway::parseInteger(argv[2]) : std::optional<std::int64_t>(1);
    const auto pause = argc > 3 ? slipway::parseInteger(argv[3]) : std::optional<std::int64_t>(0);
    if (!minutes || *minutes < 1 || !seed || !pause || *pause < 0) {
        std::fprintf(stderr, "usage: soak MINUTES [SEED [PAUSE_MS]]\n");
        return 2;
    }
    return slipway::soak::Soak(
               std::chrono::minutes(*minutes), static_cast<unsigned>(*seed), std::chrono::milliseconds(*pause))
                   .run()
               ? 0
               : 1;
}
