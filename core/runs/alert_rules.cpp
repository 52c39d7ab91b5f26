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
    AlertThreshold{"stall_factor", &AlertRules::stallFactor, 1, 1e6, "no step for so many median steps"},
    AlertThreshold{"stall_seconds", &AlertRules::stallFloor, 0, 1e7, "and for at least so long"},
    AlertThreshold{"slow_factor", &AlertRules::slowFactor, 0.1, 1000, "step time over the predicted P90 times this"},
    AlertThreshold{"baseline_factor", &AlertRules::baselineFactor, 1, 1000,
        "step time over what the run usually took, beyond its own spread"},
    AlertThreshold{"baseline_seconds", &AlertRules::baselineFor, 0, 1e7, "and for at least so long"},
    AlertThreshold{"memory_fraction", &AlertRules::memoryFraction, 0, 1, "of the device's capacity"},
    AlertThreshold{"budget_fraction", &AlertRules::budgetFraction, 0, 100, "of usd_limit, as expected at the end"},
    AlertThreshold{"time_fraction", &AlertRules::timeFraction, 0, 100, "of time_limit, as expected at the end"},
    AlertThreshold{"idle_use", &AlertRules::idleUse, 0, 1, "a GPU that is used less is idle"},
    AlertThreshold{"idle_seconds", &AlertRules::idleAfter, 0, 1e7, "how long it may be"},
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
    text += "settled_steps: " + std::to_string(rules.settledSteps) + " # before speed is judged\n";
    std::string off;
    for (const AlertKind kind : rules.off)
        off += (off.empty() ? "" : ", ") + std::string(enumName(kind));
    text += "off: [" + off + "] # of " + enumChoices<AlertKind>() + "\n";
    if (Result<void> made = makeUserFolder(file.parent_path()); !made)
        return made;
    return writeNamedFile(file, text);
}

} // namespace slipway
