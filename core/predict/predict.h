// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "hardware/catalogue.h"
#include "predict/prediction.h"

namespace slipway {

struct PredictOptions {
    bool suggestions = true;   // each takes a plan of its own
    bool maxMicroBatch = true; // found by bisection
};

// Predicts memory, speed and cost of one configuration in less than 1 ms. Errors name the flag that
// cannot be planned and the accepted values.
Result<Prediction> predict(const RunConfig &config, const Catalogue &catalogue, const PredictOptions &options = {});

// The plan of a configuration: what the trainer executes and `slipway plan --step-plan F` writes.
Result<RunPlan> planOf(const RunConfig &config, const Catalogue &catalogue);

// Live bytes by role at each op of a step after the first, for the chart of memory over the step. `stage`: pipeline
// stage from 0; a number that is too large selects the last stage.
struct MemoryOverStep {
    struct Point {
        std::string op; // "block/op"
        int layer = -1;
        Phase phase = Phase::Forward;
        std::array<Bytes, 8> bytes{}; // by Role
    };
    std::vector<Point> points;
    std::int64_t shownMicroBatches = 0, microBatches = 0; // equal repetitions have points once
};
Result<MemoryOverStep> memoryOverStep(const RunConfig &config, const Catalogue &catalogue, std::size_t stage = 0);

// The JSON of `slipway plan --json`, as docs/guide/json.md describes it.
nlohmann::ordered_json toJson(const Prediction &prediction);
// Reads the prediction.json of a run directory. Missing keys keep their defaults.
Result<Prediction> predictionFromJson(const nlohmann::json &json);
// The same from the text of that file, which another machine may have written: its size is limited.
Result<Prediction> parsePrediction(std::string_view json);

// "Nothing found that fits: the least is 143 GiB on each of 64 GPUs, with ..."; empty if something fits, or if
// no search was made.
std::string nothingFitsText(const Prediction &prediction);

// Time of a step in which no kernel runs and no collective is waited for: late launches, or a pipeline bubble.
Seconds idleSeconds(const SpeedPrediction &speed);

// The table that `slipway plan` prints.
std::string toText(const Prediction &prediction);

} // namespace slipway
