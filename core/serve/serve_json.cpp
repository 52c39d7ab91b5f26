// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <nlohmann/json.hpp>

#include "base/json_values.h"
#include "base/text.h"
#include "serve/serve_prediction.h"

namespace slipway {

namespace {

using Json = nlohmann::ordered_json;

// Defaults that depend on the GPU, the framework and the catalogue are filled in.
Json configJson(const ServePrediction &p)
{
    ServeConfig config = p.serving.config;
    if (p.serving.block > 0)
        config.block = p.serving.block;
    config.maxLength = config.reservedLength();
    config.run.prices = p.priceBook;
    return toJson(config);
}

Json memoryJson(const ServePrediction &p)
{
    const ServingMemory &m = p.memory;
    return {{"verdict", enumName(p.verdict)}, {"capacity_bytes", p.serving.capacity}, {"usable_bytes", m.usable},
        {"weights_bytes", m.weights}, {"kv_bytes_per_token", cachePerToken(p.serving)}, {"kv_cache_bytes", m.cache},
        {"kv_used_bytes", m.cacheUsed}, {"kv_waste_bytes", m.wasteMean}, {"kv_waste_fraction", m.wasteFraction},
        {"kv_pool_bytes", m.pool}, {"activations_bytes", m.activations}, {"outside_allocator_bytes", m.outside},
        {"peak_bytes", m.peak}, {"max_sequences", p.maxSequences},
        {"max_sequences_contiguous", p.maxSequencesContiguous}};
}

Json speedJson(const ServeSpeed &s)
{
    return {{"time_to_first_token_s", s.ttft}, {"time_per_output_token_s", s.tpot},
        {"time_per_output_token_alone_s", s.tpotAlone}, {"tokens_per_s", s.tokensPerSecond},
        {"tokens_per_s_alone", s.tokensPerSecondAlone}, {"tokens_per_s_max", s.tokensPerSecondMost},
        {"best_batch", s.bestBatch},
        {"compute_bound_batch", s.computeBoundBatch > 0 ? Json(s.computeBoundBatch) : Json(nullptr)}};
}

Json latencyJson(const std::optional<ServeLoad> &load)
{
    if (!load)
        return nullptr;
    const LoadResult &r = load->result;
    return {{"requests_per_s", load->requestsPerSecond}, {"max_requests_per_s", load->mostRequestsPerSecond},
        {"saturated", load->saturated}, {"ttft_p50_s", r.ttft.p50}, {"ttft_p99_s", r.ttft.p99},
        {"tpot_p50_s", r.tpot.p50}, {"tpot_p99_s", r.tpot.p99}, {"request_p50_s", r.latency.p50},
        {"request_p99_s", r.latency.p99}, {"tokens_per_s", r.tokensPerSecond}, {"mean_batch", r.meanBatch},
        {"preemptions", r.preemptions}};
}

Json costJson(const ServePrediction &p)
{
    Json prices = Json::array();
    for (const ServePrice &price : p.prices)
        prices.push_back({{"price_book", price.price.book}, {"price_date", price.price.asOf},
            {"spot", price.price.spot}, {"usd_per_hour", price.usdPerHour}, {"rented_gpus", price.rented},
            {"usd_per_million_tokens", orNull(price.atBatch)},
            {"usd_per_million_tokens_best_batch", orNull(price.atBest)}});
    const bool known = !p.prices.empty() && p.prices.front().price.book == p.priceBook;
    return {{"price_book", p.priceBook}, {"usd_per_hour", known ? Json(p.prices.front().usdPerHour) : Json(nullptr)},
        {"usd_per_million_tokens", known ? orNull(p.prices.front().atBatch) : Json(nullptr)},
        {"usd_per_million_tokens_best_batch", known ? orNull(p.prices.front().atBest) : Json(nullptr)},
        {"prices", prices}};
}

Json gpuChoicesJson(const std::vector<GpuChoice> &choices)
{
    Json list = Json::array();
    for (const GpuChoice &choice : choices)
        list.push_back({{"gpu", choice.gpu}, {"tp", choice.tp}, {"batch", choice.batch},
            {"time_to_first_token_s", choice.ttft}, {"time_per_output_token_s", choice.tpot},
            {"tokens_per_s", choice.tokensPerSecond}, {"usd_per_hour", choice.usdPerHour},
            {"rented_gpus", choice.rented}, {"usd_per_million_tokens", choice.usdPerMillionTokens}});
    return list;
}

Json suggestionsJson(const std::vector<ServeSuggestion> &suggestions)
{
    Json list = Json::array();
    for (const ServeSuggestion &s : suggestions) {
        Json change = Json::object();
        for (const auto &[key, value] : s.change) {
            const auto count = parseInteger(value);
            change[key] = value == "false" ? Json(false) : count ? Json(*count) : Json(value);
        }
        list.push_back({{"change", change}, {"why", s.why}, {"goal", enumName(s.goal)}, {"gain", s.gain},
            {"peak_bytes", s.then.peak}, {"max_sequences", s.then.maxSequences}, {"time_to_first_token_s", s.then.ttft},
            {"time_per_output_token_s", s.then.tpot}, {"tokens_per_s", s.then.tokensPerSecond},
            {"usd_per_million_tokens", orNull(s.then.usdPerMillionTokens)}});
    }
    return list;
}

Json assumedJson(const ServingSoftware &software)
{
    Json list = Json::array();
    for (const AppliedField &field : software.fields)
        list.push_back({{"field", field.key}, {"value", field.value}, {"origin", enumName(field.origin)},
            {"reference", field.reference}});
    return list;
}

} // namespace

Json toJson(const ServePrediction &p)
{
    const ModelSpec &model = p.serving.model;
    return {{"version", 1}, {"config", configJson(p)},
        {"model",
            {{"name", model.name}, {"params", parameterCount(model)}, {"params_active", activeParameterCount(model)},
                {"context_length", model.longestSequence() > 0 ? Json(model.longestSequence()) : Json()}}},
        {"memory", memoryJson(p)}, {"speed", speedJson(p.speed)}, {"latency", latencyJson(p.load)},
        {"cost", costJson(p)}, {"cheapest_gpus", gpuChoicesJson(p.gpuChoices)},
        {"suggestions", suggestionsJson(p.suggestions)}, {"assumed", assumedJson(p.serving.software)},
        {"notes", p.notes}};
}

} // namespace slipway
