// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Another training script over a real sshd, while the connection is cut and the programs that follow it are killed:
// each of them knows nothing but the files.
#include <csignal>
#include <sys/wait.h>

#include "base/text.h"
#include "core/hosts/remote_run_fixture.h"
#include "support/ssh_server.h"

namespace slipway {
namespace {

constexpr int kParts = 6, kStepsOfPart = 300;

// Prints a part of the steps when its test lets it. A log of its own it begins anew with each part, as soon as its host
// has looked at it.
constexpr const char *kScript = R"script(
test=$1 log=$2 i=0
if [ -n "$log" ]; then exec >> "$log"; fi
for part in 1 2 3 4 5 6; do
    until [ -e "$test/go$part" ]; do sleep 0.02; done
    if [ -n "$log" ]; then
        until [ "$part" -eq 1 ] ||
            tail -n 1 "${SLIPWAY_RUN%#*}/script.times" | grep -q " $(stat -c %s "$log")\$"; do sleep 0.02; done
        : > "$log"
    fi
    while [ $i -lt $((part * 300)) ]; do i=$((i + 1)); echo "step $i loss 2.$i"; done
    : > "$test/done$part"
done
)script";

class ScriptOverSsh : public RemoteRunTest, public ::testing::WithParamInterface<const char *> {
protected:
    std::unique_ptr<Host> host() { return *makeHost("testnode:" + m_home.string()); }
    LaunchedRun launch()
    {
        TrainingChoice &training = m_order.config.training;
        training = {};
        training.name = "theirs";
        training.device = DeviceKind::Cpu;
        training.command = {"sh", "-c", kScript, "script", m_folder.path().string(), GetParam()};
        training.workdir = m_folder.path().string();
        training.log = GetParam();
        m_order.config.software = "pytorch";
        const auto node = host();
        const Result<LaunchedRun> run = launchRun(m_order, *node, m_registry);
        EXPECT_TRUE(run) << run.error().message();
        (void)there(*run);
        return *run;
    }
    // A program of its own that follows the run, until it has ended or is killed.
    pid_t follow(const LaunchedRun &run)
    {
        const pid_t child = ::fork();
        if (child != 0)
            return child;
        const auto node = host();
        while (!isTerminal(node->status({run.directory}).state))
            (void)readRun(run.directory);
        (void)readRun(run.directory);
        ::_exit(0);
    }
    static std::vector<std::int64_t> steps(const LaunchedRun &run)
    {
        std::vector<std::int64_t> list;
        const std::string text = readFile(RunPaths{run.directory}.metrics()).valueOr({});
        for (const std::string_view line : split(text, '\n')) {
            if (const Result<StepMetrics> step = stepMetricsFromJson(line))
                list.push_back(step->step);
        }
        return list;
    }
    void let(int part) { writeText(m_folder.path() / ("go" + std::to_string(part)), ""); }
    bool isDone(int part) { return waitForFile(m_folder.path() / ("done" + std::to_string(part))); }
};

TEST_P(ScriptOverSsh, LosesAndDoublesNoStepWhileTheConnectionIsCutAndTheDesktopIsKilledAndStartedAgain)
{
    SshServer server;
    if (!server.problem().empty())
        GTEST_SKIP() << server.problem();
    const LaunchedRun run = launch();
    for (int part = 1; part < kParts; ++part) {
        const bool cut = part % 2 == 0;
        const pid_t desktop = follow(run);
        if (cut)
            server.kill();
        let(part);
        if (cut) {
            EXPECT_TRUE(isDone(part));
        } else {
            const auto before = static_cast<std::size_t>(part - 1) * kStepsOfPart;
            EXPECT_TRUE(waitUntil(run.directory, [&] { return steps(run).size() > before; }));
        }
        ::kill(desktop, SIGKILL);
        ::waitpid(desktop, nullptr, 0);
        if (cut)
            server.startAgain();
    }
    const pid_t desktop = follow(run);
    let(kParts);
    int status = -1;
    ::waitpid(desktop, &status, 0);
    EXPECT_EQ(status, 0);
    std::vector<std::int64_t> all = steps(run);
    // A log that was written anew within the last second may be read before what its host has kept of the one before.
    if (!m_order.config.training.log.empty())
        std::sort(all.begin(), all.end());
    ASSERT_EQ(all.size(), static_cast<std::size_t>(kParts) * kStepsOfPart);
    for (std::size_t i = 0; i < all.size(); ++i)
        ASSERT_EQ(all[i], static_cast<std::int64_t>(i) + 1);
}

INSTANTIATE_TEST_SUITE_P(LogsToItsOutputAndToAFileThatItWritesAnew, ScriptOverSsh, ::testing::Values("", "train.log"));

} // namespace
} // namespace slipway
