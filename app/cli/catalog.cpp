// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/json_values.h"
#include "base/text.h"
#include "base/unknown_name.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "config/apply_framework.h"
#include "hardware/user_prices.h"
#include "plan/native/supported.h"
#include "serve/serving_software.h"

namespace slipway::cli {

namespace {

using Json = nlohmann::ordered_json;
using Rows = std::vector<std::vector<std::string>>;

std::string inTera(double flops) { return flops > 0 ? fmt::format("{:.0f}", flops / 1e12) : "-"; }

std::string inGiga(std::optional<double> rate) { return rate && *rate > 0 ? fmt::format("{:.0f}", *rate / 1e9) : "-"; }

Json gpusJson(const Catalogue &catalogue)
{
    Json list = Json::array();
    for (const Gpu &gpu : catalogue.gpus) {
        list.push_back({{"id", gpu.id}, {"name", gpu.name}, {"aliases", gpu.aliases}, {"arch", gpu.arch},
            {"memory_bytes", gpu.memoryBytes}, {"memory_bandwidth_bytes_per_s", gpu.memoryBandwidth},
            {"bf16_flops", gpu.bf16Flops}, {"fp32_flops", gpu.fp32Flops},
            {"link_bandwidth_bytes_per_s", gpu.linkBandwidth}, {"link", gpu.link},
            {"link_kind", enumName(gpu.linkKind)}, {"tdp_w", orNull(gpu.tdpWatts)}, {"source", gpu.source},
            {"notes", gpu.notes}});
    }
    return list;
}

std::string gpusText(const Catalogue &catalogue)
{
    Rows rows{{"id", "name", "memory", "GB/s", "bf16 TFLOP/s", "link GB/s"}};
    for (const Gpu &gpu : catalogue.gpus)
        rows.push_back({gpu.id, gpu.name, formatBytes(gpu.memoryBytes), inGiga(gpu.memoryBandwidth),
            inTera(gpu.bf16Flops), inGiga(gpu.linkBandwidth)});
    return alignedTable(rows, {false, false, true, true, true, true});
}

Json nodesJson(const Catalogue &catalogue)
{
    Json list = Json::array();
    for (const Node &node : catalogue.nodes) {
        list.push_back(
            {{"id", node.id}, {"provider", node.provider}, {"gpu", node.gpu}, {"gpus", node.gpus}, {"link", node.link},
                {"link_kind", enumName(node.linkKind)}, {"link_bandwidth_bytes_per_s", orNull(node.linkBandwidth)},
                {"network_bandwidth_bytes_per_s", orNull(node.networkBandwidth)}, {"source", node.source},
                {"notes", node.notes}});
    }
    return list;
}

std::string nodesText(const Catalogue &catalogue)
{
    Rows rows{{"id", "GPUs", "gpu", "link", "link GB/s", "network GB/s"}};
    for (const Node &node : catalogue.nodes)
        rows.push_back({node.id, std::to_string(node.gpus), node.gpu, node.link, inGiga(node.linkBandwidth),
            inGiga(node.networkBandwidth)});
    return alignedTable(rows, {false, true, false, false, true, true});
}

Json modelsJson(const Catalogue &catalogue)
{
    Json list = Json::array();
    for (const CatalogueModel &model : catalogue.models) {
        const ModelSpec &spec = model.spec;
        list.push_back({{"name", spec.name}, {"family", model.family}, {"preset", model.preset},
            {"params", parameterCount(spec)}, {"layers", spec.layers}, {"hidden", spec.hidden},
            {"heads", spec.attention.heads}, {"kv_heads", spec.attention.kvHeads}, {"ffn", spec.mlp.width},
            {"vocab", spec.vocab}, {"tied", spec.head.tied}, {"hugging_face_id", model.huggingFaceId},
            {"source", model.source}, {"trains_on", native::trainsOn(spec)}});
    }
    return list;
}

std::string modelsText(const Catalogue &catalogue)
{
    Rows rows{{"name", "parameters", "layers", "hidden", "heads", "kv", "ffn", "vocabulary", "tied"}};
    for (const CatalogueModel &model : catalogue.models) {
        const ModelSpec &s = model.spec;
        rows.push_back({s.name, formatCount(static_cast<double>(parameterCount(s))), std::to_string(s.layers),
            std::to_string(s.hidden), std::to_string(s.attention.heads), std::to_string(s.attention.kvHeads),
            std::to_string(s.mlp.width), std::to_string(s.vocab), s.head.tied ? "yes" : "no"});
    }
    return alignedTable(rows, {false, true, true, true, true, true, true, true, false});
}

std::string dayText(int day)
{
    if (day == 0)
        return {};
    const std::string month = fmt::format("{:04}-{:02}", day / 10000, day / 100 % 100);
    return day % 100 > 0 ? fmt::format("{}-{:02}", month, day % 100) : month;
}

std::string torchText(int number) { return number > 0 ? fmt::format("{}.{}", number / 100, number % 100) : ""; }

Json fieldJson(const FrameworkField &field)
{
    Json when = Json::object();
    for (const FieldCondition &condition : field.when)
        when[condition.key] = condition.accepted;
    // "set", "to", "reference" and "as_of" are the names of earlier versions.
    return {{"key", field.key}, {"value", field.value}, {"when", when}, {"from", dayText(field.from)},
        {"until", dayText(field.until)}, {"torch_from", torchText(field.torchFrom)},
        {"torch_until", torchText(field.torchUntil)}, {"origin", enumName(field.origin)}, {"source", field.reference},
        {"date", field.asOf}, {"set", field.key}, {"to", field.value}, {"reference", field.reference},
        {"as_of", field.asOf}};
}

Json torchChangesJson(const Frameworks &frameworks)
{
    Json list = Json::array();
    for (const TorchChange &change : frameworks.torchChanges)
        list.push_back(
            {{"key", change.key}, {"since", torchText(change.since)}, {"origin", enumName(change.origin.kind)},
                {"source", change.origin.reference}, {"date", change.origin.asOf}});
    return list;
}

// The profiles of frameworks for one workload, which is training or serving.
struct Profiles {
    const char *workload;
    Frameworks frameworks;
};
// The profiles for serving were checked before, so loading them does not fail.
std::array<Profiles, 2> allProfiles(const Catalogue &catalogue)
{
    return {{{"training", catalogue.frameworks}, {"serving", loadServingFrameworks().valueOr({})}}};
}

Json frameworksJson(const Catalogue &catalogue)
{
    Json list = Json::array();
    for (const Profiles &profiles : allProfiles(catalogue)) {
        for (const FrameworkProfile &profile : profiles.frameworks.profiles) {
            Json versions = Json::array(), releases = Json::array(), fields = Json::array();
            for (const FrameworkRelease &release : profile.releases) {
                versions.push_back(release.version);
                releases.push_back({{"version", release.version}, {"date", dayText(release.day)}});
            }
            for (const FrameworkField &field : profile.fields)
                fields.push_back(fieldJson(field));
            Json &entry = list.emplace_back(Json{{"id", profile.id}, {"workload", profiles.workload},
                {"title", profile.title}, {"aliases", profile.aliases}, {"inherits", profile.inherits},
                {"package", profile.package}, {"measured_on", profile.measuredOn}, {"versions", versions},
                {"releases", releases}, {"fields", fields}});
            if (profile.versionIsTorch)
                entry["torch_changes"] = torchChangesJson(profiles.frameworks);
        }
    }
    return list;
}

std::vector<std::string> frameworkRow(const FrameworkProfile &profile, const Profiles &profiles)
{
    int certain = 0, fitted = 0, uncertain = 0;
    for (const FrameworkProfile *each : profiles.frameworks.lineage(profile.id)) {
        for (const FrameworkField &field : each->fields)
            ++(isGuessed(field.origin) ? uncertain : field.origin == FieldOrigin::Fitted ? fitted : certain);
    }
    const std::string versions = profile.releases.empty()
                                     ? "by date"
                                     : profile.releases.front().version + " to " + profile.releases.back().version;
    return {profile.id, profiles.workload, profile.title, profile.inherits, versions, std::to_string(certain),
        std::to_string(fitted), std::to_string(uncertain), fmt::format("{}", fmt::join(profile.measuredOn, ", "))};
}

// Lists the profiles, and how many of their fields, including inherited ones, are certain, fitted and uncertain.
std::string frameworksText(const Catalogue &catalogue)
{
    Rows rows{
        {"id", "workload", "title", "inherits", "known versions", "certain", "fitted", "uncertain", "measured on"}};
    for (const Profiles &profiles : allProfiles(catalogue)) {
        for (const FrameworkProfile &profile : profiles.frameworks.profiles)
            rows.push_back(frameworkRow(profile, profiles));
    }
    return alignedTable(rows, {false, false, false, false, false, true, true, true, false});
}

Result<void> checkProfiles(const Catalogue &catalogue)
{
    if (const Result<void> checked = checkFrameworks(catalogue.frameworks); !checked)
        return checked;
    const Result<Frameworks> serving = loadServingFrameworks();
    return serving ? checkServingFrameworks(*serving) : Result<void>(serving.error());
}

Json pricesJson(const Catalogue &catalogue)
{
    Json list = Json::array();
    for (const PriceBook &book : catalogue.priceBooks) {
        for (const Price &price : book.prices) {
            list.push_back({{"book", book.id}, {"relative", book.ratiosOnly}, {"gpu", price.gpu},
                {"usd_per_gpu_hour", price.usdPerGpuHour}, {"spot", price.spot}, {"region", price.region},
                {"as_of", price.asOf}, {"source", price.source}, {"notes", price.notes}});
        }
    }
    return list;
}

std::string pricesText(const Catalogue &catalogue)
{
    Rows rows{{"book", "gpu", "USD/GPU h", "", "as of", "source"}};
    for (const PriceBook &book : catalogue.priceBooks) {
        for (const Price &price : book.prices)
            rows.push_back({book.id, price.gpu, fmt::format("{:.2f}", price.usdPerGpuHour),
                book.ratiosOnly ? "ratio"
                : price.spot    ? "spot"
                                : "",
                price.asOf, price.source});
    }
    return alignedTable(rows, {false, false, true, false, false, false});
}

Json lawsJson(const Catalogue &catalogue)
{
    Json list = Json::array();
    for (const ScalingLaw &law : catalogue.scalingLaws)
        list.push_back({{"law", law.id}, {"title", law.title}, {"kind", "loss"}, {"fit_range", law.fitRange},
            {"source", law.source}});
    for (const BatchLaw &law : catalogue.batchLaws)
        list.push_back({{"law", law.id}, {"title", law.title}, {"kind", law.critical ? "critical_batch" : "best_batch"},
            {"exponent", law.exponent}, {"of", enumName(law.of)},
            {"coefficient", law.coefficient ? Json(*law.coefficient) : Json(nullptr)}, {"fit_range", law.fitRange},
            {"source", law.source}});
    return list;
}

std::string lawsText(const Catalogue &catalogue)
{
    Rows rows{{"law", "of", "fit range", "source"}};
    for (const ScalingLaw &law : catalogue.scalingLaws)
        rows.push_back({law.id, "loss", law.fitRange, law.source});
    for (const BatchLaw &law : catalogue.batchLaws) {
        const std::string kind = law.critical ? "critical batch" : "best batch";
        rows.push_back({law.id, law.coefficient ? kind : kind + ", exponent only", law.fitRange, law.source});
    }
    return alignedTable(rows, {false, false, false, false});
}

} // namespace

int catalog(const CatalogOptions &options)
{
    const struct {
        const char *name;
        Json (*json)(const Catalogue &);
        std::string (*text)(const Catalogue &);
    } tables[] = {{"gpus", gpusJson, gpusText}, {"nodes", nodesJson, nodesText}, {"models", modelsJson, modelsText},
        {"frameworks", frameworksJson, frameworksText}, {"prices", pricesJson, pricesText},
        {"laws", lawsJson, lawsText}};
    for (const auto &table : tables) {
        if (options.table != table.name)
            continue;
        if (!options.file.empty() || !options.name.empty())
            return fail({.what = "is valid only with import-prices",
                .where = options.file.empty() ? "--as" : options.file,
                .accepted = std::string("slipway catalog ") + table.name});
        const Result<Catalogue> catalogue = loadUserCatalogue();
        if (!catalogue)
            return fail(catalogue.error());
        if (const Result<void> checked = checkProfiles(*catalogue); !checked)
            return fail(checked.error());
        print(options.json ? dumped({{"version", 1}, {table.name, table.json(*catalogue)}}) : table.text(*catalogue));
        return Done;
    }
    std::vector<std::string> names{"import-prices"};
    for (const auto &table : tables)
        names.emplace_back(table.name);
    return fail(unknownName("table", options.table, names, ""));
}

} // namespace slipway::cli
