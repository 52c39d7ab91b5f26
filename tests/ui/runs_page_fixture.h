// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Runs in a folder of their own, and a program that sleeps as one of them until the test ends.
#pragma once

#include <csignal>
#include <filesystem>
#include <gtest/gtest.h>

#include "config/config_io.h"
#include "hosts/local_host.h"
#include "runs/registry.h"
#include "runs/run_directory.h"
#include "support/temporary_directory.h"

namespace slipway::ui {

struct RunsPageTest : ::testing::Test {
    TemporaryDirectory home;
    Registry registry{home.path() / "runs"};
    LocalHost host;
    std::filesystem::path directory;

    // A run whose program sleeps until it is stopped.
    void startRun()
    {
        directory = *registry.create("sleeper");
        RunConfig config;
        config.training.name = "sleeper";
        config.training.steps = 100;
        ASSERT_TRUE(writeRunConfig(RunPaths{directory}.config(), config));
        ASSERT_TRUE(host.start({.directory = directory, .command = {"sleep", "600"}}));
    }
    void TearDown() override
    {
        if (!directory.empty())
            static_cast<void>(host.signalGroup({directory}, SIGKILL));
    }
    void appendStep(int step)
    {
        appendText(RunPaths{directory}.metrics(), toJsonLine(StepMetrics{.step = step,
                                                      .tokens = step * 100,
                                                      .time = utcNow(),
                                                      .stepSeconds = 1,
                                                      .tokensPerSecond = 100,
                                                      .loss = 5}) +
                                                      "\n");
    }
};

} // namespace slipway::ui
