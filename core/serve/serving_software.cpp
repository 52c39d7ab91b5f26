// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "serve/serving_software.h"

#include <algorithm>
#include <array>
#include <variant>

#include "base/text.h"
#include "base/unknown_name.h"
#include "config/run_config.h"

namespace slipway {

namespace {

using FieldPointer = std::variant<std::int64_t ServingSoftware::*, double ServingSoftware::*, bool ServingSoftware::*,
    std::string ServingSoftware::*>;

struct Key {
    std::string_view name;
    FieldPointer field;
};
const std::array kKeys{
    Key{"block", &ServingSoftware::block},
    Key{"memory_fraction", &ServingSoftware::memoryFraction},
    Key{"pool_fraction", &ServingSoftware::poolFraction},
    Key{"reserves_pool", &ServingSoftware::reservesPool},
    Key{"continuous_batching", &ServingSoftware::continuousBatching},
    Key{"batched_tokens", &ServingSoftware::batchedTokens},
    Key{"sequences", &ServingSoftware::sequences},
    Key{"cuda_graphs", &ServingSoftware::cudaGraphs},
    Key{"launch_s", &ServingSoftware::launch},
    Key{"step_s", &ServingSoftware::step},
    Key{"attention_kernel", &ServingSoftware::attentionKernel},
    Key{"fused_attention", &ServingSoftware::fusedAttention},
    Key{"grows_cache", &ServingSoftware::growsCache},
    Key{"all_logits", &ServingSoftware::allLogits},
    Key{"frees_window", &ServingSoftware::freesWindow},
    Key{"quantizes_tables", &ServingSoftware::quantizesTables},
    Key{"int8_bits", &ServingSoftware::int8Bits},
    Key{"int4_bits", &ServingSoftware::int4Bits},
    Key{"norm_kernels", &ServingSoftware::normKernels},
    Key{"rope_kernels", &ServingSoftware::ropeKernels},
    Key{"activation_kernels", &ServingSoftware::activationKernels},
    Key{"trainer_kernels", &ServingSoftware::trainerKernels},
    Key{"fuses_projections", &ServingSoftware::fusesProjections},
    Key{"int8_bandwidth_part", &ServingSoftware::int8BandwidthFraction},
    Key{"int4_bandwidth_part", &ServingSoftware::int4BandwidthFraction},
    Key{"cache_bandwidth_part", &ServingSoftware::cacheBandwidthFraction},
    Key{"cache_latency_s", &ServingSoftware::cacheLatency},
    Key{"cache_key_s", &ServingSoftware::cacheTimePerKey},
    Key{"all_reduce_latency_s", &ServingSoftware::allReduceLatency},
    Key{"all_reduce_latency_per_rank_s", &ServingSoftware::allReduceLatencyPerRank},
};

struct SetField {
    ServingSoftware &software;
    const std::string &value;

    Result<void> operator()(std::int64_t ServingSoftware::*field) const
    {
        const auto number = parseInteger(value);
        if (!number || *number < 0 || *number > (1 << 24))
            return Error{.what = "is '" + value + "'", .accepted = "an integer from 0 to 16777216"};
        software.*field = *number;
        return {};
    }
    Result<void> operator()(double ServingSoftware::*field) const
    {
        const auto number = parseNumber(value);
        if (!number || !(*number >= 0) || *number > 1e6)
            return Error{.what = "is '" + value + "'", .accepted = "a number from 0 to 1e6"};
        software.*field = *number;
        return {};
    }
    Result<void> operator()(bool ServingSoftware::*field) const
    {
        if (value != "true" && value != "false")
            return Error{.what = "is '" + value + "'", .accepted = "true or false"};
        software.*field = value == "true";
        return {};
    }
    Result<void> operator()(std::string ServingSoftware::*field) const
    {
        if (!enumFromName<AttentionKernel>(value))
            return Error{.what = "is '" + value + "'", .accepted = enumChoices<AttentionKernel>()};
        software.*field = value;
        return {};
    }
};

Result<void> setField(ServingSoftware &software, const FrameworkField &field)
{
    const auto key = std::find_if(kKeys.begin(), kKeys.end(), [&](const Key &each) { return each.name == field.key; });
    if (key == kKeys.end()) {
        std::vector<std::string> names;
        for (const Key &each : kKeys)
            names.emplace_back(each.name);
        return unknownName("key", field.key, names, field.where);
    }
    if (const Result<void> set = std::visit(SetField{software, field.value}, key->field); !set)
        return Error{
            .what = "'" + field.key + "' " + set.error().what, .where = field.where, .accepted = set.error().accepted};
    return {};
}

// The one condition that these profiles have: the GPU's generation.
bool holds(const FrameworkField &field, std::string_view arch, int day)
{
    if ((field.from > 0 && day > 0 && day < field.from) || (field.until > 0 && (day == 0 || day >= field.until)))
        return false;
    return std::all_of(field.when.begin(), field.when.end(), [&](const FieldCondition &condition) {
        return std::find(condition.accepted.begin(), condition.accepted.end(), arch) != condition.accepted.end();
    });
}

} // namespace

Result<Frameworks> loadServingFrameworks(const std::filesystem::path &resources)
{
    Result<Frameworks> frameworks = readFrameworks(resources / "frameworks" / "serving");
    if (!frameworks)
        return frameworks;
    if (const Result<void> added = addFrameworks(*frameworks, userFrameworkFolder() / "serving"); !added)
        return added.error();
    return frameworks;
}

Result<ServingSoftware> servingSoftware(std::string_view name, std::string_view arch, const Frameworks &frameworks)
{
    const Result<FrameworkVersion> version = frameworks.resolve(name);
    if (!version)
        return Error{.what = version.error().what, .where = "--framework", .accepted = version.error().accepted};
    const std::vector<const FrameworkProfile *> lineage = frameworks.lineage(version->id);
    ServingSoftware software{.id = version->id, .title = lineage.back()->title, .version = version->version};
    for (const FrameworkProfile *profile : lineage) {
        for (const FrameworkField &field : profile->fields) {
            if (!holds(field, arch, version->day))
                continue;
            if (const Result<void> set = setField(software, field); !set)
                return set.error();
            std::erase_if(software.fields, [&](const AppliedField &before) { return before.key == field.key; });
            software.fields.push_back({field.key, field.value, field.origin, field.reference});
        }
    }
    return software;
}

Result<void> checkServingFrameworks(const Frameworks &frameworks)
{
    for (const FrameworkProfile &profile : frameworks.profiles) {
        for (const FrameworkField &field : profile.fields) {
            ServingSoftware software;
            if (const Result<void> set = setField(software, field); !set)
                return set.error();
            for (const FieldCondition &condition : field.when) {
                if (condition.key != "arch")
                    return Error{.what = "'" + condition.key + "' is not a condition of serving",
                        .where = field.where,
                        .accepted = "arch, the generation of the GPU"};
            }
        }
    }
    return {};
}

} // namespace slipway
