// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <array>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "base/unknown_name.h"
#include "base/user_folders.h"
#include "base/yaml_row.h"
#include "runs/alerts.h"

namespace slipway {

namespace {

constexpr std::array kThresholds{
    AlertThreshold{
        "stall_factor", &AlertRules::stallFactor, 1, 1e6, "alert after this many median step times without a step"},
    AlertThreshold{"stall_seconds", &AlertRules::stallFloor, 0, 1e7, "and at least this many seconds"},
    AlertThreshold{"slow_factor", &AlertRules::slowFactor, 0.1, 1000,
        "alert if the step time exceeds the predicted P90 times this"},
    AlertThreshold{"baseline_factor", &AlertRules::baselineFactor, 1, 1000,
        "alert if the step time exceeds the usual one of this run times this"},
    AlertThreshold{"baseline_seconds", &AlertRules::baselineFor, 0, 1e7, "for at least this many seconds"},
    AlertThreshold{"memory_fraction", &AlertRules::memoryFraction, 0, 1, "alert above this fraction of the GPU memory"},
    AlertThreshold{"budget_fraction", &AlertRules::budgetFraction, 0, 100,
        "alert if the expected cost exceeds usd_limit times this"},
    AlertThreshold{
        "time_fraction", &AlertRules::timeFraction, 0, 100, "alert if the expected time exceeds time_limit times this"},
    AlertThreshold{"idle_use", &AlertRules::idleUse, 0, 1, "a GPU below this utilization counts as idle"},
    AlertThreshold{"idle_seconds", &AlertRules::idleAfter, 0, 1e7, "alert after this many idle seconds"},
};

} // namespace

std::span<const AlertThreshold> alertThresholds() { return kThresholds; }

std::filesystem::path alertRulesFile() { return userConfigPath("alerts.yaml"); }

Result<AlertRules> readAlertRules(const std::filesystem::path &file)
{
    std::error_code failed;
    if (!std::filesystem::exists(file, failed))
        return AlertRules{};
    const Result<YamlNode> root = readYaml(file);
    if (!root)
        return root.error();
    AlertRules rules;
    if (root->kind == YamlNode::Kind::Null)
        return rules;
    if (root->kind != YamlNode::Kind::Map)
        return Error{.what = "has no settings", .where = file.string(), .accepted = "lines like stall_factor: 10"};
    YamlRow row(*root, file.string());
    for (const AlertThreshold &threshold : kThresholds) {
        const std::optional<double> value = row.number(threshold.key);
        if (!value)
            continue;
        if (!(*value >= threshold.least && *value <= threshold.most))
            row.fail(root->find(threshold.key)->line, std::string(threshold.key) + " is " + formatExact(*value),
                formatExact(threshold.least) + " to " + formatExact(threshold.most));
        rules.*threshold.value = *value;
    }
    rules.settledSteps = row.integer("settled_steps").value_or(rules.settledSteps);
    for (const std::string &name : row.texts("off")) {
        if (const auto kind = enumFromName<AlertKind>(name)) {
            rules.off.push_back(*kind);
            continue;
        }
        const Error unknown = unknownName("alert", name, namesOf(EnumNames<AlertKind>::names), "");
        row.fail(root->find("off")->line, unknown.what, unknown.accepted);
    }
    if (const Result<void> read = row.finish(); !read)
        return read.error();
    return rules;
}

Result<void> writeAlertRules(const AlertRules &rules, const std::filesystem::path &file)
{
    std::string text;
    for (const AlertThreshold &threshold : kThresholds)
        text += std::string(threshold.key) + ": " + formatExact(rules.*threshold.value) + " # " + threshold.what + "\n";
    text += "settled_steps: " + std::to_string(rules.settledSteps) + " # steps before speed alerts begin\n";
    std::string off;
    for (const AlertKind kind : rules.off)
        off += (off.empty() ? "" : ", ") + std::string(enumName(kind));
    text += "off: [" + off + "] # alerts that are switched off; accepted: " + enumChoices<AlertKind>() + "\n";
    if (Result<void> made = makeUserFolder(file.parent_path()); !made)
        return made;
    return writeNamedFile(file, text);
}

} // namespace slipway
