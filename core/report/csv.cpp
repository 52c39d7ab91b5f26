// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "report/csv.h"

#include <optional>
#include <vector>

#include "base/csv.h"
#include "base/text.h"
#include "config/settings.h"

namespace slipway {

namespace {

// One record of names and one or more of values, written side by side so that they cannot drift apart.
class Record {
public:
    void text(const char *name, std::string_view value) { add(name, csvText(value)); }
    void number(const char *name, double value) { add(name, formatExact(value)); }
    void number(const char *name, std::int64_t value) { add(name, std::to_string(value)); }
    template<typename T>
    void optional(const char *name, const std::optional<T> &value)
    {
        if (value)
            number(name, *value);
        else
            add(name, "");
    }
    [[nodiscard]] std::string header() const { return csvRecord(m_names); }
    [[nodiscard]] std::string values() const { return csvRecord(m_values); }

private:
    void add(const char *name, std::string value)
    {
        m_names.emplace_back(name);
        m_values.push_back(std::move(value));
    }
    std::vector<std::string> m_names, m_values;
};

void addMemory(Record &record, const MemoryPrediction &memory)
{
    record.text("verdict", enumName(memory.verdict));
    record.number("capacity_bytes", memory.capacity);
    record.number("peak_bytes", memory.peak);
    record.number("peak_p10_bytes", memory.peakP10);
    record.number("peak_p90_bytes", memory.peakP90);
    record.number("peak_allocated_bytes", memory.peakAllocated);
    record.number("peak_reserved_bytes", memory.peakReserved);
    record.number("outside_allocator_bytes", memory.outsideAllocator);
    record.number("headroom_bytes", memory.headroom);
    record.number("max_micro_batch", memory.maxMicroBatch);
}

void addSpeed(Record &record, const SpeedPrediction &speed)
{
    record.number("step_s", speed.step);
    record.number("step_p10_s", speed.stepP10);
    record.number("step_p90_s", speed.stepP90);
    record.number("tokens_per_s", speed.tokensPerSecond);
    record.number("tokens_per_s_per_gpu", speed.tokensPerSecondPerGpu);
    record.number("mfu", speed.mfu);
    record.number("mfu_causal", speed.mfuCausal);
    record.number("hfu", speed.hfu);
}

void addCost(Record &record, const CostPrediction &cost)
{
    record.text("price_book", cost.priceBook);
    record.text("price_date", cost.priceDate);
    record.optional("usd_per_hour", cost.usdPerHour);
    record.optional("tokens_per_usd", cost.tokensPerUsd);
    record.optional("usd_per_billion_tokens", cost.usdPerBillionTokens);
    record.number("budget_tokens", cost.tokens);
    record.number("hours", cost.hours);
    record.optional("usd", cost.usd);
    record.optional("expected_loss", cost.expectedLoss);
}

// The quantities that every line of metrics.jsonl has and that a run of another tool may lack.
struct KnownColumns {
    explicit KnownColumns(const StepTable &steps)
        : stepSeconds(steps.measured({Quantity::StepSeconds})),
          tokensPerSecond(steps.measured({Quantity::TokensPerSecond})),
          learningRate(steps.measured({Quantity::LearningRate})),
          gradNorm(steps.measured({Quantity::GradNorm}))
    {
    }
    bool stepSeconds, tokensPerSecond, learningRate, gradNorm;
};

Record stepRecord(const StepMetrics &step, const KnownColumns &known)
{
    const auto ifKnown = [](bool isKnown, double value) { return isKnown ? std::optional(value) : std::nullopt; };
    Record record;
    record.number("attempt", std::int64_t{step.attempt});
    record.number("step", step.step);
    record.optional("tokens", step.tokens > 0 ? std::optional(step.tokens) : std::nullopt);
    record.text("time", step.time);
    record.optional("step_s", ifKnown(known.stepSeconds, step.stepSeconds));
    record.optional("tokens_per_s", ifKnown(known.tokensPerSecond, step.tokensPerSecond));
    record.number("loss", step.loss);
    record.optional("eval_loss", step.evalLoss);
    record.optional("lr", ifKnown(known.learningRate, step.learningRate));
    record.optional("grad_norm", ifKnown(known.gradNorm, step.gradNorm));
    record.optional("mfu", step.mfu);
    record.optional("allocated_peak", step.allocatedPeak);
    record.optional("reserved_peak", step.reservedPeak);
    record.optional("device_used", step.deviceUsed);
    record.optional("data_wait_s", step.dataWait);
    record.optional("forward_s", step.forward);
    record.optional("backward_s", step.backward);
    record.optional("optimizer_s", step.optimizer);
    record.optional("communication_exposed_s", step.communicationExposed);
    return record;
}

} // namespace

std::string csvText(std::string_view text)
{
    constexpr std::string_view kFormulaStarts = "=+-@\t\r"; // as OWASP lists them
    if (!text.empty() && kFormulaStarts.find(text.front()) != std::string_view::npos)
        return "'" + std::string(text);
    return std::string(text);
}

std::string planCsv(const Prediction &prediction)
{
    Record record;
    for (const Setting &setting : settings()) {
        if (!setting.runOnly)
            record.text(std::string(setting.key).c_str(), settingText(setting, prediction.config));
    }
    record.number("params", parameterCount(prediction.model));
    addMemory(record, prediction.memory);
    addSpeed(record, prediction.speed);
    addCost(record, prediction.cost);
    record.text("memory_origin", enumName(prediction.memoryOrigin));
    record.text("speed_origin", enumName(prediction.speedOrigin));
    return record.header() + record.values();
}

std::string runCsv(const RunData &run)
{
    const KnownColumns known(run.metrics);
    std::string csv = stepRecord({}, known).header();
    for (const StepMetrics &step : run.metrics)
        csv += stepRecord(step, known).values();
    return csv;
}

} // namespace slipway
