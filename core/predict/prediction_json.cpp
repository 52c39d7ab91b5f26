// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/json_values.h"
#include "base/text.h"
#include "config/config_io.h"
#include "config/resolve_model.h"
#include "plan/mesh.h"
#include "predict/predict.h"

namespace slipway {

namespace {

using Json = nlohmann::ordered_json;

template<typename E, typename Array>
Json byName(const Array &values)
{
    Json json = Json::object();
    for (std::size_t i = 0; i < values.size(); ++i)
        json[std::string(EnumNames<E>::names[i])] = values[i];
    return json;
}

Json stagesJson(const std::vector<StageMemory> &stages)
{
    Json list = Json::array();
    for (const StageMemory &stage : stages)
        list.push_back({{"stage", stage.stage}, {"peak_bytes", stage.peak}, {"allocated_bytes", stage.allocated},
            {"reserved_bytes", stage.reserved}});
    return list;
}

Json memoryJson(const MemoryPrediction &m)
{
    return {{"verdict", enumName(m.verdict)}, {"oom_probability", m.oomProbability}, {"capacity_bytes", m.capacity},
        {"peak_bytes", m.peak}, {"peak_p10_bytes", m.peakP10}, {"peak_p90_bytes", m.peakP90},
        {"peak_allocated_bytes", m.peakAllocated}, {"peak_reserved_bytes", m.peakReserved},
        {"outside_allocator_bytes", m.outsideAllocator}, {"headroom_bytes", m.headroom},
        {"retries_per_step", m.retries}, {"max_micro_batch", m.maxMicroBatch}, {"stages", stagesJson(m.stages)},
        {"peak_at", {{"step", m.peakAt.step}, {"phase", enumName(m.peakAt.phase)}, {"op", m.peakAt.op},
                        {"layer", m.peakAt.layer >= 0 ? Json(m.peakAt.layer) : Json(nullptr)}, {"stage", m.stage}}},
        {"at_peak", byName<Role>(m.atPeak)}, {"host_bytes", hostBytes(m.host)}, {"host", byName<Role>(m.host)},
        {"textbook", {{"params", m.textbook.parameters}, {"weights_bytes", m.textbook.weights},
                         {"gradients_bytes", m.textbook.gradients}, {"optimizer_bytes", m.textbook.optimizer},
                         {"states_bytes", m.textbook.states}, {"activations_bytes", m.textbook.activations},
                         {"peak_bytes", m.textbook.peak}}}};
}

Json speedJson(const SpeedPrediction &s)
{
    Json seconds = byName<CostClass>(s.seconds);
    seconds["communication_exposed"] = s.communicationExposed;
    seconds["recompute"] = s.recompute;
    seconds["idle"] = idleSeconds(s);
    Json byAxis = Json::object();
    for (const auto &[axis, exposed] : s.exposedByAxis)
        byAxis[axis] = exposed;
    return {{"step_s", s.step}, {"step_p10_s", s.stepP10}, {"step_p90_s", s.stepP90},
        {"tokens_per_s", s.tokensPerSecond}, {"tokens_per_s_per_gpu", s.tokensPerSecondPerGpu}, {"mfu", s.mfu},
        {"mfu_causal", s.mfuCausal}, {"hfu", s.hfu}, {"launch_bound", s.launchBound}, {"cuda_graph", s.cudaGraph},
        {"seconds", seconds}, {"phases", byName<Phase>(s.phases)}, {"exposed_by_axis_s", byAxis},
        {"stage_idle_s", s.bubbles}};
}

Json lossJson(const CostPrediction &c)
{
    if (!c.loss)
        return nullptr;
    return {{"law", c.loss->law}, {"law_title", c.loss->lawTitle}, {"p10", orNull(c.loss->low)},
        {"p90", orNull(c.loss->high)}, {"within_fit", c.loss->withinFit}, {"per_usd", orNull(c.loss->perUsd)},
        {"compute_optimal_params", c.loss->optimalParameters}, {"compute_optimal_tokens", c.loss->optimalTokens}};
}

Json targetJson(const CostPrediction &c)
{
    if (!c.target)
        return nullptr;
    return {{"loss", c.target->loss}, {"tokens", orNull(c.target->tokens)}, {"hours", orNull(c.target->hours)},
        {"usd", orNull(c.target->usd)}};
}

Json goodputJson(const CostPrediction &c)
{
    const GoodputAssumptions &a = c.assumptions;
    return {{"fraction", c.goodput}, {"hours", c.hoursWithFaults}, {"usd", orNull(c.usdWithFaults)},
        {"assumed", {{"failures_per_hour", a.failuresPerHour}, {"restart_s", a.restart},
                        {"checkpoint_interval_s", a.checkpointInterval}, {"checkpoint_s", a.checkpoint}}},
        {"best_checkpoint_interval_s", optimalCheckpointInterval(a)}};
}

Json batchJson(const CostPrediction &c)
{
    Json laws = Json::array();
    for (const BatchAdvice &advice : c.batch)
        laws.push_back({{"law", advice.law}, {"law_title", advice.lawTitle},
            {"kind", advice.critical ? "critical" : "best"}, {"tokens", advice.tokens}});
    return {{"tokens_per_step", c.tokensPerStep}, {"laws", laws}};
}

Json costJson(const CostPrediction &c)
{
    return {{"price_book", c.priceBook}, {"price_date", c.priceDate}, {"price_source", c.priceSource},
        {"price_notes", c.priceNotes}, {"relative", c.relative}, {"spot", c.spot}, {"assumed", c.assumed},
        {"usd_per_hour", orNull(c.usdPerHour)}, {"tokens_per_usd", orNull(c.tokensPerUsd)},
        {"usd_per_billion_tokens", orNull(c.usdPerBillionTokens)}, {"tokens", c.tokens}, {"hours", c.hours},
        {"usd", orNull(c.usd)}, {"expected_loss", orNull(c.expectedLoss)}, {"loss", lossJson(c)},
        {"target", targetJson(c)}, {"goodput", goodputJson(c)}, {"batch", batchJson(c)}};
}

// With hsdp, "dp" also has the sizes of its two axes.
Json meshJson(const Parallelism &parallel)
{
    const Mesh mesh = meshOf(parallel);
    Json axes = Json::array();
    const auto add = [&axes](const char *name, MeshAxis axis) {
        axes.push_back({{"axis", name}, {"size", axis.size}, {"stride", axis.stride}});
    };
    add("pp", mesh.pipeline);
    add("dp", mesh.data());
    if (mesh.splitsData())
        axes.back().update({{"replicate", mesh.replicate.size}, {"shard", mesh.shard.size}});
    add("cp", mesh.context);
    add("tp", mesh.tensor);
    if (mesh.expert.size > 1)
        add("ep", mesh.expert);
    return axes;
}

Json assumedJson(const std::vector<AppliedField> &fields)
{
    Json list = Json::array();
    for (const AppliedField &field : fields)
        list.push_back({{"field", field.key}, {"value", field.value}, {"origin", enumName(field.origin)},
            {"reference", field.reference}, {"date", field.asOf}});
    return list;
}

// Writes a value as the configuration does: a count as a number, yes or no as a boolean.
Json changedValue(const std::string &value)
{
    if (value == "true" || value == "false")
        return value == "true";
    const auto count = parseInteger(value);
    return count ? Json(*count) : Json(value);
}

Json suggestionJson(const Suggestion &s)
{
    Json change = Json::object();
    for (const auto &[key, value] : s.change)
        change[key] = changedValue(value);
    return {{"change", change}, {"goal", enumName(s.goal)}, {"gain", s.gain}, {"why", s.why}, {"peak_bytes", s.peak},
        {"tokens_per_s", s.tokensPerSecond}, {"usd_per_billion_tokens", orNull(s.usdPerBillionTokens)}};
}

// Reads values back. A value that is missing or of another type leaves its target unchanged.
class Reader {
public:
    explicit Reader(const nlohmann::json &json) : m_json(json) {}

    [[nodiscard]] Reader in(const char *key) const
    {
        return Reader(m_json.is_object() && m_json.contains(key) ? m_json[key] : kNothing());
    }

    void read(const char *key, double &to) const
    {
        readIf(key, to, [](const auto &j) { return j.is_number(); });
    }
    void read(const char *key, std::int64_t &to) const
    {
        readIf(key, to, [](const auto &j) { return j.is_number_integer(); });
    }
    void read(const char *key, int &to) const
    {
        readIf(key, to, [](const auto &j) { return j.is_number_integer(); });
    }
    void read(const char *key, bool &to) const
    {
        readIf(key, to, [](const auto &j) { return j.is_boolean(); });
    }
    void read(const char *key, std::string &to) const
    {
        readIf(key, to, [](const auto &j) { return j.is_string(); });
    }
    void read(const char *key, std::vector<std::string> &to) const
    {
        const nlohmann::json &list = in(key).json();
        for (const nlohmann::json &text : list.is_array() ? list : nlohmann::json::array()) {
            if (text.is_string())
                to.push_back(text.get<std::string>());
        }
    }
    void read(const char *key, std::optional<double> &to) const
    {
        double value = 0;
        if (m_json.is_object() && m_json.contains(key) && m_json[key].is_number()) {
            read(key, value);
            to = value;
        }
    }
    template<typename E>
    void readEnum(const char *key, E &to) const
    {
        std::string name;
        read(key, name);
        to = enumFromName<E>(name).value_or(to);
    }
    template<typename E, typename Array>
    void readByName(Array &to) const
    {
        for (std::size_t i = 0; i < to.size(); ++i)
            read(std::string(EnumNames<E>::names[i]).c_str(), to[i]);
    }
    [[nodiscard]] const nlohmann::json &json() const { return m_json; }

private:
    static const nlohmann::json &kNothing()
    {
        static const nlohmann::json nothing;
        return nothing;
    }
    template<typename T, typename Accepts>
    void readIf(const char *key, T &to, Accepts &&accepts) const
    {
        if (m_json.is_object() && m_json.contains(key) && accepts(m_json[key]))
            to = m_json[key].get<T>();
    }
    const nlohmann::json &m_json;
};

MemoryPrediction readMemory(const Reader &json)
{
    MemoryPrediction m;
    json.readEnum("verdict", m.verdict);
    json.read("capacity_bytes", m.capacity);
    json.read("peak_bytes", m.peak);
    json.read("peak_p10_bytes", m.peakP10);
    json.read("peak_p90_bytes", m.peakP90);
    json.read("peak_allocated_bytes", m.peakAllocated);
    json.read("peak_reserved_bytes", m.peakReserved);
    json.read("outside_allocator_bytes", m.outsideAllocator);
    json.read("headroom_bytes", m.headroom);
    json.read("oom_probability", m.oomProbability);
    json.read("retries_per_step", m.retries);
    json.read("max_micro_batch", m.maxMicroBatch);
    const nlohmann::json &stages = json.in("stages").json();
    for (const nlohmann::json &stage : stages.is_array() ? stages : nlohmann::json::array()) {
        const Reader of(stage);
        StageMemory &own = m.stages.emplace_back();
        of.read("stage", own.stage);
        of.read("peak_bytes", own.peak);
        of.read("allocated_bytes", own.allocated);
        of.read("reserved_bytes", own.reserved);
    }
    const Reader textbook = json.in("textbook");
    textbook.read("params", m.textbook.parameters);
    textbook.read("weights_bytes", m.textbook.weights);
    textbook.read("gradients_bytes", m.textbook.gradients);
    textbook.read("optimizer_bytes", m.textbook.optimizer);
    textbook.read("states_bytes", m.textbook.states);
    textbook.read("activations_bytes", m.textbook.activations);
    textbook.read("peak_bytes", m.textbook.peak);
    const Reader at = json.in("peak_at");
    at.read("step", m.peakAt.step);
    at.readEnum("phase", m.peakAt.phase);
    at.read("op", m.peakAt.op);
    at.read("layer", m.peakAt.layer);
    at.read("stage", m.stage);
    json.in("at_peak").readByName<Role>(m.atPeak);
    json.in("host").readByName<Role>(m.host);
    return m;
}

SpeedPrediction readSpeed(const Reader &json)
{
    SpeedPrediction s;
    json.read("step_s", s.step);
    json.read("step_p10_s", s.stepP10);
    json.read("step_p90_s", s.stepP90);
    json.read("tokens_per_s", s.tokensPerSecond);
    json.read("tokens_per_s_per_gpu", s.tokensPerSecondPerGpu);
    json.read("mfu", s.mfu);
    json.read("mfu_causal", s.mfuCausal);
    json.read("hfu", s.hfu);
    json.read("launch_bound", s.launchBound);
    json.read("cuda_graph", s.cudaGraph);
    json.in("seconds").readByName<CostClass>(s.seconds);
    json.in("seconds").read("communication_exposed", s.communicationExposed);
    json.in("seconds").read("recompute", s.recompute);
    json.in("phases").readByName<Phase>(s.phases);
    return s;
}

void readLoss(const Reader &json, CostPrediction &c)
{
    if (const Reader loss = json.in("loss"); loss.json().is_object()) {
        c.loss.emplace();
        loss.read("law", c.loss->law);
        c.loss->lawTitle = c.loss->law; // an earlier version wrote no title
        loss.read("law_title", c.loss->lawTitle);
        loss.read("p10", c.loss->low);
        loss.read("p90", c.loss->high);
        loss.read("within_fit", c.loss->withinFit);
        loss.read("per_usd", c.loss->perUsd);
        loss.read("compute_optimal_params", c.loss->optimalParameters);
        loss.read("compute_optimal_tokens", c.loss->optimalTokens);
    }
    if (const Reader target = json.in("target"); target.json().is_object()) {
        c.target.emplace();
        target.read("loss", c.target->loss);
        target.read("tokens", c.target->tokens);
        target.read("hours", c.target->hours);
        target.read("usd", c.target->usd);
    }
}

void readBatch(const Reader &json, CostPrediction &c)
{
    json.read("tokens_per_step", c.tokensPerStep);
    const Reader laws = json.in("laws");
    if (!laws.json().is_array())
        return;
    for (const nlohmann::json &law : laws.json()) {
        BatchAdvice advice;
        std::string kind;
        const Reader reader(law);
        reader.read("law", advice.law);
        advice.lawTitle = advice.law;
        reader.read("law_title", advice.lawTitle);
        reader.read("kind", kind);
        reader.read("tokens", advice.tokens);
        advice.critical = kind == "critical";
        c.batch.push_back(std::move(advice));
    }
}

CostPrediction readCost(const Reader &json)
{
    CostPrediction c;
    json.read("price_book", c.priceBook);
    json.read("price_date", c.priceDate);
    json.read("price_source", c.priceSource);
    json.read("price_notes", c.priceNotes);
    json.read("relative", c.relative);
    json.read("spot", c.spot);
    json.read("assumed", c.assumed);
    json.read("usd_per_hour", c.usdPerHour);
    json.read("tokens_per_usd", c.tokensPerUsd);
    json.read("usd_per_billion_tokens", c.usdPerBillionTokens);
    json.read("tokens", c.tokens);
    json.read("hours", c.hours);
    json.read("usd", c.usd);
    json.read("expected_loss", c.expectedLoss);
    const Reader goodput = json.in("goodput"), assumed = goodput.in("assumed");
    goodput.read("fraction", c.goodput);
    goodput.read("hours", c.hoursWithFaults);
    goodput.read("usd", c.usdWithFaults);
    assumed.read("failures_per_hour", c.assumptions.failuresPerHour);
    assumed.read("restart_s", c.assumptions.restart);
    assumed.read("checkpoint_interval_s", c.assumptions.checkpointInterval);
    assumed.read("checkpoint_s", c.assumptions.checkpoint);
    readLoss(json, c);
    readBatch(json.in("batch"), c);
    return c;
}

// Defaults that depend on the model and the catalogue are written as well.
Json configJson(const Prediction &p)
{
    RunConfig config = withSizesOf(p.config, p.model);
    config.prices = p.cost.priceBook;
    if (!config.training.steps)
        config.tokens = p.cost.tokens;
    return toJson(config);
}

std::vector<AppliedField> readAssumed(const Reader &json)
{
    std::vector<AppliedField> fields;
    for (const nlohmann::json &one : json.json().is_array() ? json.json() : nlohmann::json::array()) {
        const Reader of(one);
        AppliedField &field = fields.emplace_back();
        of.read("field", field.key);
        of.read("value", field.value);
        of.readEnum("origin", field.origin);
        of.read("reference", field.reference);
        of.read("date", field.asOf);
    }
    return fields;
}

} // namespace

nlohmann::ordered_json toJson(const Prediction &p)
{
    Json suggestions = Json::array();
    for (const Suggestion &s : p.suggestions)
        suggestions.push_back(suggestionJson(s));
    return {{"version", 1}, {"config", configJson(p)},
        {"model",
            {{"name", p.model.name}, {"params", parameterCount(p.model)},
                {"params_active", activeParameterCount(p.model)}, {"params_matmul", matmulParameterCount(p.model)},
                {"flops_per_token", modelFlopsPerToken(p.model, p.config.seqLen)}}},
        {"parallel", {{"mesh", meshJson(p.config.parallel)}}}, {"memory", memoryJson(p.memory)},
        {"speed", speedJson(p.speed)}, {"cost", costJson(p.cost)},
        {"origin", {{"memory", enumName(p.memoryOrigin)}, {"speed", enumName(p.speedOrigin)}, {"notes", p.notes}}},
        {"assumed", assumedJson(p.assumed)}, {"suggestions", suggestions},
        {"least_found", p.leastFound ? suggestionJson(*p.leastFound) : Json(nullptr)}};
}

Result<Prediction> predictionFromJson(const nlohmann::json &json)
{
    if (!json.is_object())
        return Error{.what = "a prediction as a JSON object", .where = "prediction.json"};
    const Reader reader(json);
    Prediction p;
    if (json.contains("config")) {
        Result<RunConfig> config = runConfigFromJson(nlohmann::ordered_json(json["config"]), "prediction.json: config");
        if (!config)
            return config.error();
        p.config = *std::move(config);
    }
    reader.in("model").read("name", p.model.name);
    p.memory = readMemory(reader.in("memory"));
    p.speed = readSpeed(reader.in("speed"));
    p.cost = readCost(reader.in("cost"));
    reader.in("origin").readEnum("memory", p.memoryOrigin);
    reader.in("origin").readEnum("speed", p.speedOrigin);
    reader.in("origin").read("notes", p.notes);
    p.assumed = readAssumed(reader.in("assumed"));
    return p;
}

Result<Prediction> parsePrediction(std::string_view text)
{
    const Result<nlohmann::json> json =
        parseJson(text, {.bytes = 16 * kMiB, .depth = 16, .values = 200'000, .keys = 1000});
    if (!json)
        return Error{
            .what = json.error().what, .where = "prediction.json", .accepted = "what slipway plan --json prints"};
    return predictionFromJson(*json);
}

} // namespace slipway
