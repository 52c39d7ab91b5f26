// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/run_directory.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <limits>
#include <type_traits>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/json.h"
#include "config/config_io.h"
#include "runs/metrics_line.h"

namespace slipway {

namespace {

using Json = nlohmann::ordered_json; // written values, with ordered keys
using ReadJson = nlohmann::json;     // values that were read, possibly with many keys

Json number(double value)
{
    if (std::isnan(value))
        return "nan";
    if (std::isinf(value))
        return value > 0 ? "inf" : "-inf";
    return value;
}

Json number(std::int64_t value) { return value; }

template<typename T>
void put(Json &object, const char *key, const std::optional<T> &value)
{
    if (value)
        object[key] = number(*value);
}

std::string line(const Json &object)
{
    // A message may quote bytes of a damaged file. They must not make the line unreadable.
    return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<double> asDouble(const ReadJson &value)
{
    if (value.is_number())
        return value.get<double>();
    if (value == "nan")
        return std::numeric_limits<double>::quiet_NaN();
    if (value == "inf")
        return std::numeric_limits<double>::infinity();
    if (value == "-inf")
        return -std::numeric_limits<double>::infinity();
    return std::nullopt;
}

// Reads an integer, also in the form 4e9 of other programs.
std::optional<std::int64_t> asInteger(const ReadJson &value)
{
    if (value.is_number_unsigned() &&
        value.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        return std::nullopt;
    if (value.is_number_integer())
        return value.get<std::int64_t>();
    if (!value.is_number_float())
        return std::nullopt;
    const double real = value.get<double>();
    if (std::trunc(real) != real || std::abs(real) >= 9.2e18)
        return std::nullopt;
    return static_cast<std::int64_t>(real);
}

// Reads fields of one object and remembers the first one that is missing or has the wrong type.
class Fields {
public:
    explicit Fields(const ReadJson &object) : m_object(object) {}

    template<typename T>
    void optional(const char *key, std::optional<T> &target)
    {
        const auto found = m_object.find(key);
        if (found == m_object.end() || found->is_null())
            return;
        if constexpr (std::is_same_v<T, double>)
            target = asDouble(*found);
        else
            target = asInteger(*found);
        if (!target)
            fail(std::string("\"") + key + "\" is not a number");
    }

    template<typename T>
    void number(const char *key, T &target)
    {
        std::optional<std::conditional_t<std::is_same_v<T, int>, std::int64_t, T>> value;
        optional(key, value);
        if (!value)
            return;
        if constexpr (std::is_same_v<T, int>) {
            if (*value < std::numeric_limits<int>::min() || *value > std::numeric_limits<int>::max())
                return fail(std::string("\"") + key + "\" is out of range");
        }
        target = static_cast<T>(*value);
    }

    // A writer without a finite number writes null. Other JSON writers also turn NaN into null.
    void finite(const char *key, double &target)
    {
        if (const auto found = m_object.find(key); found != m_object.end() && found->is_null())
            target = std::numeric_limits<double>::quiet_NaN();
        else
            number(key, target);
    }

    void text(const char *key, std::string &target)
    {
        const auto found = m_object.find(key);
        if (found == m_object.end())
            return;
        if (!found->is_string())
            return fail(std::string("\"") + key + "\" is not a string");
        target = found->get<std::string>();
    }

    void attempt(int &target)
    {
        number("attempt", target);
        if (target < 0 || target > kHighestAttempt)
            fail("\"attempt\" is not a number from 0 to " + std::to_string(kHighestAttempt));
    }

    void require(const char *key)
    {
        if (!m_object.contains(key))
            fail(std::string("\"") + key + "\" is missing");
    }

    void fail(std::string what)
    {
        if (!m_error)
            m_error = Error{.what = std::move(what)};
    }

    [[nodiscard]] const std::optional<Error> &error() const { return m_error; }

private:
    const ReadJson &m_object;
    std::optional<Error> m_error;
};

Result<ReadJson> parsedObject(std::string_view text)
{
    Result<ReadJson> object = parseJson(text, kJsonLineLimits);
    if (!object)
        return object;
    if (!object->is_object())
        return Error{.what = "is not a JSON object"};
    const auto version = object->find("v");
    if (version != object->end() && *version != 1)
        return Error{.what = "has a format version (\"v\") that this program does not know", .accepted = "1"};
    return object;
}

GpuSample gpuSample(const ReadJson &object)
{
    GpuSample sample;
    Fields fields(object);
    fields.optional("util", sample.utilisation);
    fields.optional("power_w", sample.powerWatts);
    fields.optional("temp_c", sample.temperatureC);
    fields.optional("used", sample.used);
    fields.optional("clock_mhz", sample.clockMhz);
    fields.optional("clock_max_mhz", sample.clockMaxMhz);
    fields.optional("throttle_reasons", sample.throttleReasons);
    return sample; // a missing value of a device is no reason to reject the step
}

Json phasesJson(const StepMetrics &metrics)
{
    Json phases = Json::object();
    put(phases, "forward", metrics.forward);
    put(phases, "backward", metrics.backward);
    put(phases, "optimizer", metrics.optimizer);
    put(phases, "communication_exposed", metrics.communicationExposed);
    return phases;
}

Json gpusJson(const std::vector<GpuSample> &gpus)
{
    Json list = Json::array();
    for (const GpuSample &gpu : gpus) {
        Json object = Json::object();
        put(object, "util", gpu.utilisation);
        put(object, "power_w", gpu.powerWatts);
        put(object, "temp_c", gpu.temperatureC);
        put(object, "used", gpu.used);
        put(object, "clock_mhz", gpu.clockMhz);
        put(object, "clock_max_mhz", gpu.clockMaxMhz);
        put(object, "throttle_reasons", gpu.throttleReasons);
        list.push_back(std::move(object));
    }
    return list;
}

// Each expert's fraction of the rows, to five digits, and the ratio of the largest to the mean.
Json expertsJson(const std::vector<double> &shares)
{
    Json list = Json::array();
    for (std::size_t i = 0; i < std::min(shares.size(), kMostExperts); ++i)
        list.push_back(std::round(shares[i] * 1e5) / 1e5);
    const double most = *std::max_element(shares.begin(), shares.end());
    return {{"shares", std::move(list)}, {"max_over_mean", number(most * static_cast<double>(shares.size()))}};
}

} // namespace

std::string toJsonLine(const StepMetrics &metrics)
{
    Json object{{"v", 1}, {"attempt", metrics.attempt}, {"step", metrics.step}, {"tokens", metrics.tokens},
        {"time", metrics.time}, {"step_s", number(metrics.stepSeconds)},
        {"tokens_per_s", number(metrics.tokensPerSecond)}, {"loss", number(metrics.loss)}};
    put(object, "eval_loss", metrics.evalLoss);
    for (const auto &[name, loss] : metrics.evalLosses)
        object["evals"][name] = number(loss);
    if (!metrics.evalWeights.empty())
        object["eval_weights"] = metrics.evalWeights;
    object["lr"] = number(metrics.learningRate);
    object["grad_norm"] = number(metrics.gradNorm);
    put(object, "mfu", metrics.mfu);
    put(object, "allocated_peak", metrics.allocatedPeak);
    put(object, "reserved_peak", metrics.reservedPeak);
    put(object, "device_used", metrics.deviceUsed);
    put(object, "data_wait_s", metrics.dataWait);
    if (Json phases = phasesJson(metrics); !phases.empty())
        object["phases"] = std::move(phases);
    if (!metrics.gpus.empty())
        object["gpus"] = gpusJson(metrics.gpus);
    if (!metrics.expertShares.empty())
        object["experts"] = expertsJson(metrics.expertShares);
    return line(object);
}

std::string toJsonLine(const RunEvent &event)
{
    Json object{
        {"v", 1}, {"time", event.time}, {"attempt", event.attempt}, {"kind", event.kind}, {"message", event.message}};
    put(object, "step", event.step);
    if (!event.reason.empty())
        object["reason"] = event.reason;
    return line(object);
}

Result<StepMetrics> stepMetricsFromJson(std::string_view text)
{
    StepMetrics plain;
    return readPlainMetrics(text, plain) ? plain : readAnyMetrics(text);
}

namespace {

// Ignores values that are not valid: none of them is required to read the run.
void readEvaluations(const ReadJson &object, StepMetrics &metrics)
{
    if (const auto found = object.find("eval_weights"); found != object.end() && found->is_string())
        metrics.evalWeights = found->get<std::string>();
    if (const auto found = object.find("evals"); found != object.end() && found->is_object()) {
        for (const auto &[name, loss] : found->items()) {
            if (metrics.evalLosses.size() == kMostEvalSets)
                break;
            Fields fields(*found);
            double value = 0;
            fields.finite(name.c_str(), value);
            if (!fields.error())
                metrics.evalLosses[name] = value;
        }
    }
    const auto experts = object.find("experts");
    if (experts == object.end() || !experts->is_object() || !experts->contains("shares"))
        return;
    for (const ReadJson &share : (*experts)["shares"]) {
        if (share.is_number() && metrics.expertShares.size() < kMostExperts)
            metrics.expertShares.push_back(share.get<double>());
    }
}

} // namespace

Result<StepMetrics> readAnyMetrics(std::string_view text)
{
    const Result<ReadJson> object = parsedObject(text);
    if (!object)
        return object.error();
    StepMetrics metrics;
    Fields fields(*object);
    fields.require("step");
    fields.require("loss");
    fields.attempt(metrics.attempt);
    fields.number("step", metrics.step);
    fields.number("tokens", metrics.tokens);
    fields.text("time", metrics.time);
    fields.number("step_s", metrics.stepSeconds);
    fields.number("tokens_per_s", metrics.tokensPerSecond);
    fields.finite("loss", metrics.loss);
    fields.optional("eval_loss", metrics.evalLoss);
    fields.number("lr", metrics.learningRate);
    fields.finite("grad_norm", metrics.gradNorm);
    fields.optional("mfu", metrics.mfu);
    fields.optional("allocated_peak", metrics.allocatedPeak);
    fields.optional("reserved_peak", metrics.reservedPeak);
    fields.optional("device_used", metrics.deviceUsed);
    fields.optional("data_wait_s", metrics.dataWait);
    if (fields.error())
        return *fields.error();

    if (const auto found = object->find("phases"); found != object->end() && found->is_object()) {
        Fields phases(*found);
        phases.optional("forward", metrics.forward);
        phases.optional("backward", metrics.backward);
        phases.optional("optimizer", metrics.optimizer);
        phases.optional("communication_exposed", metrics.communicationExposed);
    }
    readEvaluations(*object, metrics);
    if (const auto found = object->find("gpus"); found != object->end() && found->is_array()) {
        const std::size_t count = std::min(found->size(), kMostGpus);
        for (std::size_t gpu = 0; gpu < count; ++gpu)
            metrics.gpus.push_back((*found)[gpu].is_object() ? gpuSample((*found)[gpu]) : GpuSample{});
    }
    return metrics;
}

Result<RunEvent> runEventFromJson(std::string_view text)
{
    const Result<ReadJson> object = parsedObject(text);
    if (!object)
        return object.error();
    RunEvent event;
    Fields fields(*object);
    fields.require("kind");
    fields.text("time", event.time);
    fields.attempt(event.attempt);
    fields.text("kind", event.kind);
    fields.text("message", event.message);
    fields.optional("step", event.step);
    fields.text("reason", event.reason);
    if (fields.error())
        return *fields.error();
    return event;
}

Result<RunConfig> readRunConfig(const RunPaths &paths)
{
    const Result<std::string> text = readPrivateFile(paths.config(), kMiB);
    if (!text)
        return text.error();
    Result<RunConfig> config = parseRunConfig(*text, paths.config().string());
    if (!config)
        return config;
    std::error_code failure;
    const std::filesystem::path folder = std::filesystem::absolute(paths.directory, failure);
    return withPathsFrom(*std::move(config), failure ? paths.directory : folder);
}

Result<void> writeRunConfig(const RunPaths &paths, const RunConfig &config)
{
    return writePrivateFile(paths.config(), toYaml(config));
}

std::string toIso8601(std::chrono::system_clock::time_point time)
{
    const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
    const auto milliseconds = std::chrono::floor<std::chrono::milliseconds>(time - seconds).count();
    const std::time_t whole = std::chrono::system_clock::to_time_t(seconds);
    std::tm parts{};
    gmtime_r(&whole, &parts);
    char day[32];
    std::strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%S", &parts);
    char text[48];
    std::snprintf(text, sizeof text, "%s.%03dZ", day, static_cast<int>(milliseconds));
    return text;
}

namespace {

// Reads `count` digits from `at` on. Empty if one of the characters is not a digit.
std::optional<int> digits(std::string_view text, std::size_t at, std::size_t count)
{
    int value = 0;
    for (std::size_t i = at; i < at + count; ++i) {
        if (i >= text.size() || text[i] < '0' || text[i] > '9')
            return std::nullopt;
        value = value * 10 + (text[i] - '0');
    }
    return value;
}

} // namespace

std::optional<std::chrono::system_clock::time_point> fromIso8601(std::string_view text)
{
    // 2026-01-02T03:04:05.678Z; the milliseconds are optional.
    using namespace std::chrono;
    if ((text.size() != 20 && text.size() != 24) || text.back() != 'Z' || text[4] != '-' || text[7] != '-' ||
        text[10] != 'T' || text[13] != ':' || text[16] != ':')
        return std::nullopt;
    const auto y = digits(text, 0, 4), mo = digits(text, 5, 2), d = digits(text, 8, 2);
    const auto h = digits(text, 11, 2), mi = digits(text, 14, 2), s = digits(text, 17, 2);
    const auto ms = text.size() == 20 ? std::optional(0) : text[19] == '.' ? digits(text, 20, 3) : std::nullopt;
    if (!y || !mo || !d || !h || !mi || !s || !ms || *h > 23 || *mi > 59 || *s > 60)
        return std::nullopt;
    constexpr int kFirstYear = 1970, kLastYear = 2261; // after 2262, the clock's nanoseconds overflow
    if (*y < kFirstYear || *y > kLastYear)
        return std::nullopt;
    const year_month_day date{year{*y}, month{static_cast<unsigned>(*mo)}, day{static_cast<unsigned>(*d)}};
    if (!date.ok())
        return std::nullopt;
    return sys_days{date} + hours{*h} + minutes{*mi} + seconds{*s} + milliseconds{*ms};
}

std::string utcNow() { return toIso8601(std::chrono::system_clock::now()); }

} // namespace slipway
