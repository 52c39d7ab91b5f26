// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A fetch over a real sshd whose calls to the system fail one after the other, here, in ssh and in rsync. What was
// reported as fetched is whole, the run keeps a documented state, and a second fetch brings everything.
#include <gmock/gmock.h>

#include "base/file.h"
#include "e2e/programs.h"
#include "faults/faulty_run.h"
#include "support/ssh_server.h"

namespace slipway::faults {
namespace {

namespace fs = std::filesystem;

class FetchFaults : public e2e::ProgramTest {
protected:
    void SetUp() override
    {
        if (!m_server.problem().empty())
            GTEST_SKIP() << m_server.problem();
        fs::create_directories(m_there / "bundle/bin");
        const std::string version = slipway({"--version"}).out; // "slipway 0.1.0" and a line's end
        const std::string trainer = file("there/bundle/bin/slipway-train",
            "#!/bin/sh\nif [ \"$1\" = --version ]; then echo slipway-train " + version.substr(version.find(' ') + 1) +
                "exit; fi\ncd \"$2\"\nstep() { echo '{\"v\":1,\"attempt\":0,\"step\":'$1',\"tokens\":'$1'000,\"time\":"
                "\"2026-01-02T00:00:0'$1'.000Z\",\"step_s\":1.0,\"tokens_per_s\":1000,\"loss\":'$1'.5}' >> "
                "metrics.jsonl; }\nstep 1; step 2; mkdir -p checkpoints/step-00000002; seq 2000 > "
                "checkpoints/step-00000002/model.safetensors; echo '{}' > checkpoints/step-00000002/manifest.json; "
                "echo step-00000002 > checkpoints/latest\n");
        fs::permissions(trainer, fs::perms::owner_all);
        file("tokens.bin", "tokens");
        const std::string yaml = file("tiny.yaml", "model: 100M\ngpu: cpu\nprecision: fp32\ndevice: cpu\nseq_len: "
                                                   "128\nmicro_batch: 1\ndata: tokens.bin\nsteps: 2\nname: tiny\n");
        ::setenv("XDG_DATA_HOME", m_home.c_str(), 1);
        const ChildResult launched = slipway({"launch", yaml, "--on", "testnode:" + m_there.string(), "--detach"});
        ASSERT_EQ(launched.exitStatus, 0) << launched.err;
        ASSERT_TRUE(waitUntil(m_ranThere, [&] { return fs::exists(m_ranThere / "rc"); }));
        fs::copy(m_home, m_launched, fs::copy_options::recursive);
    }
    static ChildResult slipway(std::vector<std::string> arguments)
    {
        arguments.insert(arguments.begin(), SLIPWAY_PROGRAM);
        const Result<ChildResult> ended = runChild(arguments, std::chrono::minutes(2));
        EXPECT_TRUE(ended) << ended.error().message();
        return ended ? *ended : ChildResult{.exitStatus = -1};
    }
    // As it was after the launch: nothing of the run was copied yet.
    void forgetCopies() const
    {
        fs::remove_all(m_home);
        fs::copy(m_launched, m_home, fs::copy_options::recursive);
    }
    static std::string textOf(const fs::path &file)
    {
        const Result<std::string> text = readFile(file);
        return text ? *text : std::string();
    }
    void expectWhole() const
    {
        for (const char *name : {"metrics.jsonl", "checkpoints/latest", "checkpoints/step-00000002/manifest.json",
                 "checkpoints/step-00000002/model.safetensors"})
            EXPECT_EQ(textOf(m_run / name), textOf(m_ranThere / name)) << name;
    }
    // A copy that was broken off is the beginning of the file there, and a checkpoint is there whole or not at all.
    void expectNothingFalse() const
    {
        const std::string metrics = textOf(m_run / "metrics.jsonl");
        EXPECT_TRUE(textOf(m_ranThere / "metrics.jsonl").starts_with(metrics)) << metrics;
        if (!textOf(m_run / "checkpoints/latest").empty())
            expectWhole();
    }
    void expectListed() const
    {
        const ChildResult listed = slipway({"runs", "--json"});
        EXPECT_EQ(listed.exitStatus, 0) << listed.err;
        const nlohmann::json json = nlohmann::json::parse(listed.out, nullptr, false);
        ASSERT_TRUE(json.is_object() && json["runs"].size() == 1) << listed.out;
        EXPECT_EQ(json["runs"][0]["state"], "succeeded");
    }

    SshServer m_server;
    fs::path m_there = folder() / "there", m_ranThere = m_there / "runs/tiny", m_home = folder() / "home",
             m_run = m_home / "slipway/runs/tiny", m_launched = folder() / "launched";
};

TEST_F(FetchFaults, WhatWasReportedAsFetchedIsWholeAndASecondFetchBringsEverything)
{
    const std::vector<std::string> arguments{"fetch", "tiny", "--checkpoint"};
    ASSERT_EQ(slipway(arguments).exitStatus, 0);
    expectWhole();
    expectListed();
    const std::vector<std::string> clean = filesBelow(m_home);
    FaultyCommand fetch{.folder = m_home, .argv = {SLIPWAY_PROGRAM, "fetch", "tiny", "--checkpoint"}};
    fetch.calls = {"write", "fsync", "rename", "open", "mkdir", "fork", "connect"};
    fetch.reset = [&] { forgetCopies(); };
    fetch.check = [&](const FaultyResult &result) {
        if (result.child.exitStatus == 0)
            expectWhole();
        expectNothingFalse();
        expectListed();
        const ChildResult again = slipway(arguments);
        EXPECT_EQ(again.exitStatus, 0) << again.err;
        expectWhole();
        EXPECT_THAT(filesBelow(m_home), ::testing::IsSubsetOf(clean)) << "left over";
    };
    for (const auto &[call, count] : runWithEveryFault(fetch).injected)
        std::printf("%s: %d faults\n", call.c_str(), count);
}

} // namespace
} // namespace slipway::faults
