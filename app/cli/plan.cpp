// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "hardware/user_prices.h"
#include "plan/plan_text.h"
#include "predict/offers.h"
#include "predict/predict.h"
#include "predict/search_settings.h"
#include "predict/timeline.h"
#include "report/csv.h"

namespace slipway::cli {

namespace {

Result<void> writeStepPlan(const RunConfig &config, const Catalogue &catalogue, const std::string &file)
{
    const Result<RunPlan> plan = planOf(config, catalogue);
    if (!plan)
        return plan.error();
    std::string text;
    for (std::size_t stage = 0; stage < plan->stages.size(); ++stage) {
        if (plan->stages.size() > 1)
            text += fmt::format("stage {}\n", stage);
        text += toText(plan->stages[stage]) + orderText(plan->stages[stage]);
    }
    return writeNamedFile(file, text);
}

std::string traceName(const Prediction &prediction)
{
    return fmt::format(
        "{} on {} x {}, predicted step", prediction.model.name, prediction.config.parallel.gpus, prediction.gpu.name);
}

// Returns the path of the offers: plan-offers.csv for plan.csv, which has only one row.
std::filesystem::path offersFile(const std::filesystem::path &csv)
{
    return csv.parent_path() / (csv.stem().string() + "-offers" + csv.extension().string());
}

} // namespace

int plan(const PlanOptions &options)
{
    Result<Planned> planned = planFrom(options.source);
    if (!planned)
        return fail(planned.error());
    auto &[config, catalogue, prediction] = *planned;
    if (const Result<SettingsSearch> search = searchSettings(config, catalogue))
        prediction.suggestions = mergedSuggestions(*search, prediction.suggestions);

    const Result<std::vector<Offer>> offers = options.offers ? offersFor(config, catalogue) : std::vector<Offer>();
    if (!offers)
        return fail(offers.error());
    // The files are written first, because readers of the answer may rely on them.
    if (!options.csv.empty()) {
        if (const Result<void> written = writeNamedFile(options.csv, planCsv(prediction)); !written)
            return fail(written.error());
        if (const Result<void> written =
                options.offers ? writeNamedFile(offersFile(options.csv), toCsv(*offers)) : Result<void>();
            !written)
            return fail(written.error());
    }
    if (!options.stepPlan.empty()) {
        if (const Result<void> written = writeStepPlan(config, catalogue, options.stepPlan); !written)
            return fail(written.error());
    }
    if (!options.trace.empty()) {
        const Result<Timeline> timeline = timelineOf(config, catalogue);
        const Result<void> written = timeline
                                         ? writeNamedFile(options.trace, chromeTrace(*timeline, traceName(prediction)))
                                         : Result<void>(timeline.error());
        if (!written)
            return fail(written.error());
    }
    if (!options.pdf.empty()) {
        if (const int status = drawConfigPdf("plan", {}, config, options.pdf); status != Done)
            return status;
    }
    nlohmann::ordered_json json = options.json ? toJson(prediction) : nlohmann::ordered_json();
    std::string text = options.json ? std::string() : toText(prediction);
    if (options.offers) {
        if (options.json)
            json["offers"] = toJson(*offers);
        else
            text += toText(*offers);
    }
    print(options.json ? dumped(json) : text);
    return options.check && prediction.memory.verdict == Verdict::Oom ? No : Done;
}

} // namespace slipway::cli
