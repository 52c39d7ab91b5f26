// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The trainer whose calls to the system fail while it saves: what its events call saved is whole, and it goes on.
#include <algorithm>

#include <gmock/gmock.h>

#include "base/file.h"
#include "faults/faulty_run.h"
#include "runs/run_reader.h"
#include "state/checkpoint_files.h"
#include "support/temporary_directory.h"

namespace slipway::faults {
namespace {

namespace fs = std::filesystem;

class CheckpointFaults : public ::testing::Test {
protected:
    void emptyRun() const
    {
        fs::remove_all(m_run);
        fs::create_directory(m_run);
        std::string ids; // uint16 and nothing else, all below 64
        for (int i = 0; i < 2000; ++i)
            ids += {static_cast<char>(i * 5 % 64), '\0'};
        writeText(m_run / "tokens.bin", ids);
        writeText(m_run / "run.yaml",
            "name: tiny\nlayers: 1\nhidden: 16\nheads: 2\nkv_heads: 2\nffn: 32\nvocab: 64\ntied: false\ngpu: "
            "cpu\ngpus: "
            "1\ndevice: cpu\nprecision: fp32\nmicro_batch: 1\nseq_len: 16\ngrad_accum: 1\ndata: tokens.bin\nsteps: "
            "3\nlearning_rate: 1e-3\nseed: 3\neval_every: 0\ncheckpoint_every: 1\nkeep_checkpoints: 2\n");
    }
    [[nodiscard]] std::int64_t savedStep() const
    {
        std::int64_t last = 0;
        const Result<RunData> run = readRun(m_run);
        EXPECT_TRUE(run);
        for (const RunEvent &event : run ? run->events : std::vector<RunEvent>{})
            last = std::max(last, event.kind == "checkpoint" ? event.step.value_or(0) : 0);
        return last;
    }
    void expectWhole(std::int64_t step) const
    {
        const fs::path folder = CheckpointStore(m_run / "checkpoints").at(step).folder;
        const Result<CheckpointFolder> opened = CheckpointFolder::open(folder);
        ASSERT_TRUE(opened) << opened.error().message();
        const Result<void> verified = opened->verify();
        EXPECT_TRUE(verified) << verified.error().message();
    }

    TemporaryDirectory m_folder;
    fs::path m_run = m_folder.path() / "run";
};

TEST_F(CheckpointFaults, WhatWasReportedAsSavedIsWholeAndTheRunGoesOnToItsEnd)
{
    FaultyCommand train{.folder = m_run, .argv = {SLIPWAY_TRAIN_PROGRAM, "run", m_run.string()}};
    train.calls = {"write", "fsync", "rename", "open", "mkdir"};
    train.reset = [&] { emptyRun(); };
    train.check = [&](const FaultyResult &result) {
        if (const std::int64_t step = savedStep(); step > 0)
            expectWhole(step);
        if (result.child.exitStatus == 0) {
            EXPECT_EQ(savedStep(), 3) << "it said so";
        }
        const auto again =
            runChild({SLIPWAY_TRAIN_PROGRAM, "run", m_run.string(), "--resume"}, std::chrono::minutes(2));
        ASSERT_TRUE(again);
        EXPECT_EQ(again->exitStatus, 0) << again->err;
        EXPECT_EQ(savedStep(), 3);
        expectWhole(3);
        EXPECT_THAT(filesBelow(m_run / "checkpoints"),
            ::testing::IsSubsetOf(
                {"latest", "step-00000002", "step-00000002/manifest.json", "step-00000002/model.safetensors",
                    "step-00000002/optimizer.safetensors", "step-00000003", "step-00000003/manifest.json",
                    "step-00000003/model.safetensors", "step-00000003/optimizer.safetensors"}))
            << "left over";
    };
    for (const auto &[call, count] : runWithEveryFault(train).injected)
        std::printf("%s: %d faults\n", call.c_str(), count);
}

} // namespace
} // namespace slipway::faults
