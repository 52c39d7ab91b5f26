// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Runs made by the predictor itself with a constant changed, for tests of the fit.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/settings.h"
#include "measure/calibrate.h"
#include "support/shipped_catalogue.h"

namespace slipway {

inline ResolvedConfig resolvedOf(const SettingTexts &choices)
{
    RunConfig config;
    for (const auto &[key, value] : choices)
        config = applySetting(config, key, value).value();
    return resolveConfig(config, catalogue()).value();
}

// What a run of the configuration would have measured were the device as `truth` has it, `noise` off.
inline Observation runOf(
    const std::string &id, const SettingTexts &choices, const DeviceCalibration &truth, double noise = 0)
{
    Observation o{.id = id, .resolved = resolvedOf(choices)};
    ResolvedConfig real = o.resolved;
    real.calibration = truth;
    const Assessment a = assess(real, catalogue()).value();
    o.tokensPerSecondPerGpu = a.speed.tokensPerSecondPerGpu * (1 + noise);
    o.allocated = a.memory.peakAllocated;
    o.device = a.memory.peak;
    return o;
}

inline DeviceCalibration truthOf(const std::vector<std::pair<Constant, double>> &values)
{
    DeviceCalibration truth;
    for (const auto &[constant, value] : values)
        truth.set(constant, value);
    return truth;
}

// Sizes, sequences, batches and attention that weigh products, attention, bytes and launches differently.
inline const std::vector<SettingTexts> kDifferent{
    {{"model", "1B"}, {"gpu", "a100-sxm-80gb"}, {"framework", "pytorch-eager"}, {"micro_batch", "16"}},
    {{"model", "100M"}, {"gpu", "a100-sxm-80gb"}, {"framework", "pytorch-eager"}, {"micro_batch", "1"},
        {"seq_len", "512"}},
    {{"model", "500M"}, {"gpu", "a100-sxm-80gb"}, {"framework", "pytorch-eager"}, {"micro_batch", "4"},
        {"seq_len", "8192"}},
    {{"model", "500M"}, {"gpu", "a100-sxm-80gb"}, {"framework", "pytorch-eager"}, {"micro_batch", "8"},
        {"attention", "vanilla"}},
    {{"model", "100M"}, {"gpu", "a100-sxm-80gb"}, {"framework", "pytorch-eager"}, {"micro_batch", "32"}},
    {{"model", "2B"}, {"gpu", "a100-sxm-80gb"}, {"framework", "pytorch-eager"}, {"micro_batch", "2"},
        {"grad_accum", "8"}},
};

inline std::vector<Observation> runsOf(const DeviceCalibration &truth, std::size_t count = kDifferent.size())
{
    std::vector<Observation> runs;
    for (std::size_t i = 0; i < count; ++i)
        runs.push_back(runOf("run-" + std::to_string(i), kDifferent[i], truth));
    return runs;
}

inline CalibrationOutcome outcomeOf(
    const std::vector<Observation> &runs, std::optional<std::vector<Constant>> wanted = {})
{
    const Result<CalibrationOutcome> outcome =
        calibrate(runs, {.id = "mine", .asOf = "2026-01-02", .wanted = std::move(wanted)}, catalogue());
    EXPECT_TRUE(outcome) << outcome.error().message();
    return outcome ? *outcome : CalibrationOutcome{};
}

inline std::string refusalOf(const CalibrationOutcome &outcome, Constant constant)
{
    for (const RefusedConstant &r : outcome.refused) {
        if (r.constant == constant)
            return r.why;
    }
    return {};
}

} // namespace slipway
