// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "measure/validate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

#include "base/json_values.h"
#include "base/text.h"
#include "config/resolve_model.h"
#include "measure/errors.h"
#include "measure/leave_one_out.h"
#include "measure/measured_stage.h"
#include "model/validate_model.h"

namespace slipway {

namespace {

using Json = nlohmann::ordered_json;

double gib(Bytes bytes) { return double(bytes) / double(kGiB); }

double peakOfKind(const MemoryPrediction &m, const MeasuredRow &row)
{
    const StageMemory stage = measuredStage(m, row.resolved.config.parallel, row.measured.fromFirstNode);
    switch (row.measured.memoryKind) {
    case MemoryKind::Allocated:
        return gib(stage.allocated);
    case MemoryKind::Device:
        return gib(stage.reserved + m.outsideAllocator);
    default:
        return gib(stage.reserved);
    }
}

// Its range is proportional to that of the whole device memory.
PredictedFigure peakFigure(const MemoryPrediction &m, const MeasuredRow &row)
{
    const double peak = peakOfKind(m, row), all = double(std::max<Bytes>(m.peak, 1));
    return {.value = peak, .p10 = peak * double(m.peakP10) / all, .p90 = peak * double(m.peakP90) / all};
}

// The measured time as a multiple of predicted steps. The hours of a whole run contain more than its steps, forward and
// backward passes alone less.
double stepsMeasured(const Measured &m, const SpeedPrediction &s, const Catalogue &catalogue)
{
    const double timed = m.onlyPasses ? s.step - s.phases[static_cast<std::size_t>(Phase::Optimizer)] : s.step;
    return (m.fromHours ? catalogue.rates.productiveTimeFraction : 1) * s.step / timed;
}

// The measured speed is `inSteps` times that of the steps.
PredictedFigure speedFigure(const SpeedPrediction &s, double inSteps)
{
    const double tokens = inSteps * s.tokensPerSecondPerGpu * s.step; // tokens of one rank in one step
    return {.value = inSteps * s.tokensPerSecondPerGpu, .p10 = tokens / s.stepP90, .p90 = tokens / s.stepP10};
}

// The column of a setting that an error names by its flag.
std::string_view columnOf(std::string_view flag)
{
    constexpr std::array<std::pair<std::string_view, std::string_view>, 20> kColumns{{
        {"--layers", "n_layers"},
        {"--hidden", "d_model"},
        {"--heads", "n_heads"},
        {"--kv-heads", "n_kv_heads"},
        {"--ffn", "d_ff"},
        {"--experts", "mlp_type"},
        {"head_dim", "d_model"},
        {"--gpus", "n_gpus"},
        {"--gpus-per-node", "gpus_per_node"},
        {"--parallel", "parallelism"},
        {"--tp", "parallelism"},
        {"--pp", "parallelism"},
        {"--cp", "parallelism"},
        {"--ep", "parallelism"},
        {"--virtual-stages", "notes"},
        {"--micro-batch", "micro_batch_size"},
        {"--seq-len", "seq_len"},
        {"--grad-accum", "grad_accum"},
        {"--recompute-ops", "recompute"},
        {"--framework", "compiled"},
    }};
    for (const auto &[name, column] : kColumns) {
        if (name == flag)
            return column;
    }
    return flag.starts_with("--") ? flag.substr(2) : flag;
}

std::string reasonOf(const MeasuredRow &row, const Error &error)
{
    return fmt::format("{}: {}{}{}{}", row.place, columnOf(error.where), error.where.empty() ? "" : ": ", error.what,
        error.accepted.empty() ? "" : " (accepted: " + error.accepted + ")");
}

// A table has no limits of sizes, and a plan beyond them could take all memory.
Result<void> checkPlanned(const ResolvedConfig &s)
{
    const Result<void> model = validateModel(s.model);
    return model ? validate(s.config, s.model) : model;
}

// Rows of one source that train the same model on the same GPU come from one script. It uses recomputation for all of
// them or for none. If the rows do not tell, it is assumed only if the smallest micro-batch does not fit without it.
class Scripts {
public:
    explicit Scripts(const std::vector<MeasuredRow> &rows)
    {
        for (const MeasuredRow &row : rows) {
            if (!row.recomputeUnstated || !row.skipped.empty())
                continue;
            const auto [script, isNew] = m_scripts.try_emplace(keyOf(row), Script{.smallest = row.resolved});
            if (!isNew && tokensOf(row.resolved) < tokensOf(script->second.smallest))
                script->second.smallest = row.resolved;
        }
    }

    bool recompute(const MeasuredRow &row, const Catalogue &catalogue)
    {
        Script &script = m_scripts.at(keyOf(row));
        if (!script.recomputes) {
            const Result<Assessment> smallest =
                checkPlanned(script.smallest) ? assess(script.smallest, catalogue) : Result<Assessment>(Error{});
            script.recomputes = !smallest || smallest->memory.verdict == Verdict::Oom;
        }
        return *script.recomputes;
    }

private:
    using Key = std::array<std::string, 3>;
    struct Script {
        ResolvedConfig smallest;
        std::optional<bool> recomputes; // empty: not determined yet
    };
    static Key keyOf(const MeasuredRow &row) { return {row.source, row.resolved.model.name, row.gpu}; }
    static std::int64_t tokensOf(const ResolvedConfig &s) { return s.config.microBatch * s.config.seqLen; }

    std::map<Key, Script> m_scripts;
};

PredictedRow predictRow(MeasuredRow row, Scripts &scripts, const Catalogue &catalogue)
{
    PredictedRow p{.row = std::move(row)};
    if (!p.row.skipped.empty())
        return p;
    if (const Result<void> planned = checkPlanned(p.row.resolved); !planned) {
        p.row.skipped = reasonOf(p.row, planned.error());
        return p;
    }
    Result<Assessment> assessment = assess(p.row.resolved, catalogue);
    if (p.row.recomputeUnstated && assessment && assessment->memory.verdict == Verdict::Oom &&
        scripts.recompute(p.row, catalogue)) {
        p.row.resolved.config.recompute = Recompute::Full;
        assessment = assess(p.row.resolved, catalogue);
    }
    if (p.row.recomputeUnstated)
        p.row.assumed.push_back("recompute " + std::string(enumName(p.row.resolved.config.recomputeOrNone())));
    if (!assessment) {
        p.row.skipped = reasonOf(p.row, assessment.error());
        return p;
    }
    p.tokensPerSecondPerGpu =
        speedFigure(assessment->speed, stepsMeasured(p.row.measured, assessment->speed, catalogue));
    p.peakGib = peakFigure(assessment->memory, p.row);
    p.oom = assessment->memory.verdict == Verdict::Oom;
    p.oomProbability = assessment->memory.oomProbability;
    return p;
}

void addSummaries(Validation &v)
{
    const std::array<std::pair<std::string, std::function<std::string(const MeasuredRow &)>>, 4> groups{{
        {"all", [](const MeasuredRow &) { return std::string("all"); }},
        {"source", [](const MeasuredRow &r) { return r.source; }},
        {"gpu", [](const MeasuredRow &r) { return r.gpu; }},
        {"framework", [](const MeasuredRow &r) { return r.framework; }},
    }};
    for (const auto &[by, valueOf] : groups) {
        std::map<std::pair<std::string, std::string>, Errors> errors; // value, metric
        for (const PredictedRow &p : v.rows) {
            const Measured &m = p.row.measured;
            if (p.tokensPerSecondPerGpu && m.tokensPerSecondPerGpu.value_or(0) > 0)
                errors[{valueOf(p.row), "tokens_per_s_per_gpu"}].add(
                    p.row.id, *m.tokensPerSecondPerGpu, *p.tokensPerSecondPerGpu);
            if (p.peakGib && m.peakGib.value_or(0) > 0)
                errors[{valueOf(p.row), "peak_mem_gib"}].add(p.row.id, *m.peakGib, *p.peakGib);
        }
        for (const auto &[key, error] : errors)
            v.summary.push_back(error.of(by, key.first, key.second));
    }
}

Json figureJson(std::optional<double> measured, const std::optional<PredictedFigure> &predicted)
{
    Json figure{{"measured", orNull(measured)}, {"predicted", nullptr}, {"p10", nullptr}, {"p90", nullptr}};
    if (predicted)
        figure.update({{"predicted", predicted->value}, {"p10", predicted->p10}, {"p90", predicted->p90}});
    return figure;
}

} // namespace

Validation validate(std::vector<MeasuredRow> rows, const Catalogue &catalogue,
    const std::function<bool(std::size_t, std::size_t)> &progress)
{
    Validation v;
    v.rows.reserve(rows.size());
    Scripts scripts(rows);
    for (MeasuredRow &row : rows) {
        v.rows.push_back(predictRow(std::move(row), scripts, catalogue));
        const PredictedRow &p = v.rows.back();
        if (p.oom && p.row.measured.oom) {
            const bool ran = !*p.row.measured.oom;
            ++(ran ? v.verdicts.fits : v.verdicts.oom);
            v.verdicts.falseOom += ran && *p.oom;
            v.verdicts.missedOom += !ran && !*p.oom;
        }
        if (progress && !progress(v.rows.size(), rows.size()))
            break;
    }
    addSummaries(v);
    return v;
}

nlohmann::ordered_json toJson(const Validation &v)
{
    Json rows = Json::array(), summary = Json::array();
    for (const PredictedRow &p : v.rows) {
        const Measured &m = p.row.measured;
        rows.push_back({{"id", p.row.id}, {"class", rowClass(p.row)},
            {"tokens_per_s_per_gpu", figureJson(m.tokensPerSecondPerGpu, p.tokensPerSecondPerGpu)},
            {"peak_mem_gib", figureJson(m.peakGib, p.peakGib)},
            {"oom", {{"measured", orNull(m.oom)}, {"predicted", orNull(p.oom)},
                        {"probability", p.oom ? Json(p.oomProbability) : Json(nullptr)}}},
            {"assumed", p.row.assumed}, {"warnings", p.row.warnings},
            {"skipped", p.row.skipped.empty() ? Json(nullptr) : Json(p.row.skipped)}});
    }
    for (const ErrorSummary &s : v.summary)
        summary.push_back({{"by", s.by}, {"value", s.value}, {"metric", s.metric}, {"rows", s.rows},
            {"mape", s.meanAbsolute}, {"bias", s.bias}, {"max", s.largest}, {"worst_id", s.worstId},
            {"in_range", s.inRange}, {"residual_p10", s.p10}, {"residual_p50", s.p50}, {"residual_p90", s.p90}});
    return {{"version", 1}, {"rows", rows}, {"summary", summary},
        {"verdicts", {{"fits", v.verdicts.fits}, {"false_oom", v.verdicts.falseOom}, {"oom", v.verdicts.oom},
                         {"missed_oom", v.verdicts.missedOom}}}};
}

namespace {

void addUpToTen(std::string &list, int &count, const std::string &row, const std::string &why)
{
    if (++count <= kListed)
        list += row + ": " + why + "\n";
}

std::string moreText(int count)
{
    return count > kListed ? fmt::format("and {} more; --json and --csv list all\n", count - kListed) : std::string();
}

} // namespace

std::string toText(const Validation &v)
{
    std::string text = fmt::format("{:<10} {:<32} {:<21} {:>5} {:>8} {:>8} {:>8} {:>7} {:>16}  {}\n", "by", "value",
        "metric", "rows", "mape", "bias", "max", "P10-P90", "of predicted", "worst");
    for (const ErrorSummary &s : v.summary)
        text += fmt::format("{:<10} {:<32} {:<21} {:>5} {:>6.1f} % {:>+6.1f} % {:>+6.1f} % {:>5.0f} % {:>4.2f} "
                            "{:>4.2f} {:>4.2f}   {}\n",
            s.by, s.value.substr(0, 32), s.metric, s.rows, 100 * s.meanAbsolute, 100 * s.bias, 100 * s.largest,
            100 * s.inRange, s.p10, s.p50, s.p90, s.worstId);
    int skipped = 0, warned = 0;
    std::string reasons, warnings;
    for (const PredictedRow &p : v.rows) {
        if (!p.row.skipped.empty())
            addUpToTen(reasons, skipped, "skipped " + p.row.id, p.row.skipped);
        for (const std::string &warning : p.row.warnings)
            addUpToTen(warnings, warned, "warning for " + p.row.id, warning);
    }
    for (const std::string *list : {&reasons, &warnings})
        text += list->empty() ? "" : "\n" + *list + moreText(list == &reasons ? skipped : warned);
    return text + fmt::format("\n{} rows, {} skipped. Out-of-memory verdicts: {} runs fitted, {} of them predicted out "
                              "of memory; {} runs failed, {} of them predicted to fit.\n",
                      v.rows.size(), skipped, v.verdicts.fits, v.verdicts.falseOom, v.verdicts.oom,
                      v.verdicts.missedOom);
}

std::string toCsv(const Validation &v)
{
    const auto number = [](const std::optional<double> &value) { return value ? formatExact(*value) : std::string(); };
    const auto predicted = [&](const std::optional<PredictedFigure> &figure) {
        return figure ? formatExact(figure->value) : std::string();
    };
    const auto flag = [](const std::optional<bool> &value) {
        return value ? std::string(*value ? "1" : "0") : std::string();
    };
    std::string text = csvRecord(std::array<std::string, 11>{"id", "source", "tokens_per_s_per_gpu_measured",
        "tokens_per_s_per_gpu_predicted", "peak_mem_gib_measured", "peak_mem_gib_predicted", "mem_kind", "oom_measured",
        "oom_predicted", "skipped", "warnings"});
    for (const PredictedRow &p : v.rows) {
        const Measured &m = p.row.measured;
        text += csvRecord(std::array<std::string, 11>{p.row.id, p.row.source, number(m.tokensPerSecondPerGpu),
            predicted(p.tokensPerSecondPerGpu), number(m.peakGib), predicted(p.peakGib),
            std::string(enumName(m.memoryKind)), flag(m.oom), flag(p.oom), p.row.skipped,
            fmt::format("{}", fmt::join(p.row.warnings, "; "))});
    }
    return text;
}

} // namespace slipway
