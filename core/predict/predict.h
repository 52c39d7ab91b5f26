// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "hardware/catalogue.h"
#include "predict/prediction.h"

namespace slipway {

struct PredictOptions {
    bool suggestions = true;   // each costs a plan of its own
    bool maxMicroBatch = true; // found by bisection
};

// The whole answer for one configuration, under 1 ms. Errors name the flag that cannot be planned and what could.
Result<Prediction> predict(const RunConfig &config, const Catalogue &catalogue, const PredictOptions &options = {});

// The plan behind it: what the trainer executes and `slipway plan --step-plan F` writes.
Result<RunPlan> planOf(const RunConfig &config, const Catalogue &catalogue);

// Bytes alive after each op of a steady step, by role: the stacked chart of memory over the step. `stage` is of the
// pipeline, from 0; the last one counts where there are fewer.
struct MemoryOverStep {
    struct Point {
        std::string op; // "block/op"
        int layer = -1;
        Phase phase = Phase::Forward;
        std::array<Bytes, 8> bytes{}; // by Role
    };
    std::vector<Point> points;
};
Result<MemoryOverStep> memoryOverStep(const RunConfig &config, const Catalogue &catalogue, std::size_t stage = 0);

// Contract, section 2, word for word.
nlohmann::ordered_json toJson(const Prediction &prediction);
// Back from prediction.json of a run directory; what is missing stays at its default.
Result<Prediction> predictionFromJson(const nlohmann::json &json);
// The same from the text of that file, which another machine may have written: its size is limited.
Result<Prediction> parsePrediction(std::string_view json);

// "Nothing found that fits: the least is 143 GiB on each of 64 GPUs, with ..."; empty where something fits or none was
// asked for.
std::string nothingFitsText(const Prediction &prediction);

// Of a step: neither a kernel runs nor is a collective waited for. Launches come too late, or a pipeline has nothing to
// do.
Seconds idleSeconds(const SpeedPrediction &speed);

// The table that `slipway plan` prints.
std::string toText(const Prediction &prediction);

} // namespace slipway
