// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/text.h"
#include "runs/log_follower.h"
#include "support/log_grammar.h"
#include "support/temporary_directory.h"

namespace slipway::testing {

// A run folder whose log grows, and what has come of it.
class FollowedLog : public ::testing::Test {
protected:
    void SetUp() override { writeRules({}); }
    void writeRules(const std::string &attachedTo) { writeRules(attachedTo, !attachedTo.empty(), {}); }
    void writeRules(const std::string &log, bool attached, const std::string &framework)
    {
        const ScriptRules rules{
            .script = shippedScriptInterface(framework), .log = log, .attached = attached, .tokensPerStep = 1000};
        ASSERT_TRUE(writeScriptRules(m_paths, rules));
        EXPECT_EQ(readScriptRules(m_paths).value().script.log, rules.script.log);
    }
    // `noted`: the host's clock has seen it.
    void append(const std::string &text, bool noted = true)
    {
        std::ofstream(m_paths.outLog(), std::ios::app) << text;
        m_bytes += text.size();
        m_now += 1;
        if (noted)
            std::ofstream(m_paths.directory / "script.times", std::ios::app)
                << "t " << m_now - 1 << " " << m_now << " " << m_bytes << "\n";
    }
    // A log of the script's own, which it writes anew; `seen`: the host's clock has.
    void writeOwn(const std::string &text, bool anew, bool seen = true)
    {
        std::ofstream(m_paths.directory / "script.log", std::ios::trunc) << text;
        m_now += 1;
        std::ofstream times(m_paths.directory / "script.times", std::ios::app);
        if (seen && anew)
            times << "n " << m_now << "\n";
        if (seen)
            times << "t " << m_now - 1 << " " << m_now << " " << text.size() << "\n";
    }
    // The log that was there is written anew, and the host has kept what its clock had seen of it.
    void keepOwn(const std::string &text)
    {
        std::ofstream(m_paths.directory / "script.kept", std::ios::app) << text;
        m_kept += text.size();
        m_now += 1;
        std::ofstream(m_paths.directory / "script.times", std::ios::app) << "n " << m_now << " " << m_kept << "\n";
    }
    // Each time by a follower that knows nothing but the files.
    void poll(bool ended = false)
    {
        LogFollower follower(m_paths);
        for (bool more = true; more;) {
            const Result<bool> polled = follower.poll(ended);
            ASSERT_TRUE(polled) << polled.error().message();
            more = *polled;
        }
    }
    std::vector<StepMetrics> metrics()
    {
        std::vector<StepMetrics> list;
        const std::string text = readFile(m_paths.metrics()).valueOr({});
        for (const std::string_view line : split(text, '\n')) {
            if (!line.empty())
                list.push_back(stepMetricsFromJson(line).value());
        }
        return list;
    }
    std::vector<std::int64_t> steps()
    {
        std::vector<std::int64_t> list;
        for (const StepMetrics &step : metrics())
            list.push_back(step.step);
        return list;
    }

    TemporaryDirectory m_folder;
    RunPaths m_paths{m_folder.path()};
    std::size_t m_bytes = 0, m_kept = 0;
    // The files are written now, so the clock beside them may not be far from it.
    const std::int64_t m_begin =
        std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
    std::int64_t m_now = m_begin;
};

} // namespace slipway::testing
