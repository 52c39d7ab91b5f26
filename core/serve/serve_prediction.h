// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What `slipway serve-plan` answers: memory, speed, latency under load and cost of a server.
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
    double tokensPerSecond = 0;      // of answers, with `batch` sequences
    double tokensPerSecondAlone = 0, tokensPerSecondMost = 0;
    std::int64_t bestBatch = 0;         // with which that most is reached; 0: nothing fits
    std::int64_t computeBoundBatch = 0; // from here on arithmetic takes longer than bytes; 0: nowhere
    bool operator==(const ServeSpeed &) const = default;
};

struct ServeLoad {
    double requestsPerSecond = 0, mostRequestsPerSecond = 0;
    bool saturated = false; // more arrive than can be answered: times grow with the length of the simulation
    LoadResult result;
    bool operator==(const ServeLoad &) const = default;
};

// Dollars for 10^6 tokens of answers.
struct ServePrice {
    Price price;
    Usd usdPerHour = 0;                 // of all GPUs that are rented
    std::optional<Usd> atBatch, atBest; // per million tokens; empty where nothing fits
    bool operator==(const ServePrice &) const = default;
};

// A GPU that meets the latency targets.
struct GpuChoice {
    std::string gpu, name;
    int tp = 1;
    std::int64_t batch = 0; // the largest batch that meets them
    Seconds ttft = 0, tpot = 0;
    double tokensPerSecond = 0;
    Usd usdPerHour = 0, usdPerMillionTokens = 0;
    bool operator==(const GpuChoice &) const = default;
};

// A server in the few figures that grids and suggestions compare.
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
    double gain = 0; // Speed: part of tokens/s that is added. Cost: part of the dollars per token that is saved.
                     // Fit: part of the peak that is saved. Latency: part of the time that exceeded its target.
    ServeOutcome then;
    bool operator==(const ServeSuggestion &) const = default;
};

struct ServePrediction {
    Serving serving;
    ServingMemory memory;
    Verdict verdict = Verdict::Fits; // tight: within a tenth of the room that the cache could have
    std::int64_t maxSequences = 0, maxSequencesContiguous = 0;
    ServeSpeed speed;
    std::optional<ServeLoad> load;
    std::string priceBook;
    std::vector<ServePrice> prices;    // the chosen book's first
    std::vector<GpuChoice> gpuChoices; // with latency targets: cheapest first
    std::vector<ServeSuggestion> suggestions;
    std::vector<std::string> notes;
};

// An error also where the batch never fits: not with the most GPUs of a node, nor with smaller weights and cache.
Result<ServePrediction> predictServing(
    const ServeConfig &config, const Catalogue &catalogue, const Frameworks &frameworks);

std::string toText(const ServePrediction &prediction);
nlohmann::ordered_json toJson(const ServePrediction &prediction);

// The same server in few figures, for a fraction of the time.
Result<ServeOutcome> serveOutcome(const ServeConfig &config, const Catalogue &catalogue, const Frameworks &frameworks);
ServeOutcome outcomeOf(const Serving &serving, const Catalogue &catalogue);
Verdict verdictOf(const ServingMemory &memory);

// Parts of predictServing(). `most`: the sequences that fit.
ServeSpeed speedOf(const Serving &serving, std::int64_t most);
ServeLoad loadOf(const Serving &serving, double requestsPerSecond, double mostTokensPerSecond);
std::vector<ServePrice> servePrices(const ServePrediction &prediction, const Catalogue &catalogue);
std::vector<GpuChoice> gpuChoicesFor(
    const ServeConfig &config, const Catalogue &catalogue, const Frameworks &frameworks);
// Best first. Where the batch does not fit: changes by which it does. Else changes that meet the latency targets, if
// they are missed, or give more tokens per second or per dollar and keep them.
std::vector<ServeSuggestion> suggestionsFor(
    const Serving &serving, const Catalogue &catalogue, const Frameworks &frameworks);

} // namespace slipway
