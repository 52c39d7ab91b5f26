// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The prediction for a server, as `slipway serve-plan` prints it: memory, speed, latency under load and cost.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/enum_names.h"
#include "base/result.h"
#include "hardware/catalogue.h"
#include "predict/prediction.h"
#include "serve/load.h"
#include "serve/serving.h"

namespace slipway {

struct ServeSpeed {
    Seconds ttft = 0;                // of one request at an idle server
    Seconds tpot = 0, tpotAlone = 0; // with `batch` sequences, and with one
    double tokensPerSecond = 0;      // output tokens, with `batch` sequences
    double tokensPerSecondAlone = 0, tokensPerSecondMost = 0;
    std::int64_t bestBatch = 0;         // batch with tokensPerSecondMost; 0: nothing fits
    std::int64_t computeBoundBatch = 0; // smallest batch whose decode GEMMs are compute-bound; 0: none
    bool operator==(const ServeSpeed &) const = default;
};

struct ServeLoad {
    double requestsPerSecond = 0, mostRequestsPerSecond = 0;
    bool saturated = false; // requests arrive faster than the server answers, so latencies grow without limit
    LoadResult result;
    bool operator==(const ServeLoad &) const = default;
};

// The price of 10^6 output tokens.
struct ServePrice {
    Price price;
    Usd usdPerHour = 0;                 // of all GPUs that are rented
    int rented = 0;                     // they may be more than the server uses
    std::optional<Usd> atBatch, atBest; // per million tokens, with `batch` and with bestBatch; empty: does not fit
    bool operator==(const ServePrice &) const = default;
};

// A GPU that meets the latency targets.
struct GpuChoice {
    std::string gpu, name;
    int tp = 1;
    std::int64_t batch = 0; // the largest batch that meets the targets
    Seconds ttft = 0, tpot = 0;
    double tokensPerSecond = 0;
    Usd usdPerHour = 0, usdPerMillionTokens = 0;
    int rented = 0; // GPUs that the price per hour is for
    bool operator==(const GpuChoice &) const = default;
};

// The values of a server that grids and suggestions compare.
struct ServeOutcome {
    Verdict verdict = Verdict::Fits;
    Bytes peak = 0, cache = 0;
    std::int64_t maxSequences = 0;
    Seconds ttft = 0, tpot = 0;
    double tokensPerSecond = 0;
    std::optional<Usd> usdPerHour, usdPerMillionTokens; // empty without a price
    bool operator==(const ServeOutcome &) const = default;
};

// Fit: the batch fits. Latency: the targets are met.
enum class ServeGoal { Fit, Latency, Speed, Cost };
template<>
struct EnumNames<ServeGoal> {
    static constexpr std::array<std::string_view, 4> names{"fit", "latency", "speed", "cost"};
};

// A change that helps, verified by its own plan.
struct ServeSuggestion {
    std::vector<std::pair<std::string, std::string>> change; // key -> new value
    std::string why;
    ServeGoal goal = ServeGoal::Fit;
    double gain = 0; // as a fraction. Speed: of tokens/s, added. Cost: of dollars per token, saved. Fit: of the peak,
                     // saved. Latency: of the latency that exceeded its target, saved.
    ServeOutcome then;
    bool operator==(const ServeSuggestion &) const = default;
};

struct ServePrediction {
    Serving serving;
    ServingMemory memory;
    Verdict verdict = Verdict::Fits; // tight: the memory left is less than a tenth of the cache
    std::int64_t maxSequences = 0, maxSequencesContiguous = 0;
    ServeSpeed speed;
    std::optional<ServeLoad> load;
    std::string priceBook;
    std::vector<ServePrice> prices;    // the chosen book's first
    std::vector<GpuChoice> gpuChoices; // with latency targets: cheapest first
    std::vector<ServeSuggestion> suggestions;
    std::vector<std::string> notes;
};

// Also an error if the batch never fits, neither on all GPUs of a node nor with smaller weights and cache.
Result<ServePrediction> predictServing(
    const ServeConfig &config, const Catalogue &catalogue, const Frameworks &frameworks);

std::string toText(const ServePrediction &prediction);
nlohmann::ordered_json toJson(const ServePrediction &prediction);

// The outcome alone, which takes a fraction of the time of predictServing().
Result<ServeOutcome> serveOutcome(const ServeConfig &config, const Catalogue &catalogue, const Frameworks &frameworks);
ServeOutcome outcomeOf(const Serving &serving, const Catalogue &catalogue);
Verdict verdictOf(const ServingMemory &memory);

// Parts of predictServing(). `most`: number of sequences that fit.
ServeSpeed speedOf(const Serving &serving, std::int64_t most);
ServeLoad loadOf(const Serving &serving, double requestsPerSecond, double mostTokensPerSecond);
std::vector<ServePrice> servePrices(const ServePrediction &prediction, const Catalogue &catalogue);
std::vector<GpuChoice> gpuChoicesFor(
    const ServeConfig &config, const Catalogue &catalogue, const Frameworks &frameworks);
// The best suggestion comes first. If the batch does not fit, they make it fit. Otherwise they meet latency targets
// that are missed, or increase tokens per second or per dollar without missing a target.
std::vector<ServeSuggestion> suggestionsFor(
    const Serving &serving, const Catalogue &catalogue, const Frameworks &frameworks);

} // namespace slipway
