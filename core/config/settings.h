// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The one table of everything that a user can set. YAML, flags, JSON, run.yaml, the difference of two configurations
// and the desktop's forms are all derived from it: a new choice is one field of RunConfig and one row here.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/enum_names.h"
#include "base/result.h"
#include "config/run_config.h"

namespace slipway {

enum class SettingGroup { Model, Hardware, Parallelism, Step, Framework, Cost, Data, Optimization, Run };
template<>
struct EnumNames<SettingGroup> {
    static constexpr std::array<std::string_view, 9> names{
        "model", "hardware", "parallelism", "step", "framework", "cost", "data", "optimization", "run"};
};

// How a value is written. Count: "20B"; Duration: "90", "90s", "30m", "12h", "2d"; Texts and Sources: comma-separated,
// a source may carry its weight as in "a.bin=0.7".
enum class SettingType { Integer, Count, Number, Duration, Bool, Choice, Text, Texts, Sources };

// An enum's value behind its names, for table-driven access. One that may be empty also has `isSet` and `reset`; `get`
// is called only if it is set.
struct EnumRef {
    void *value = nullptr;
    std::span<const std::string_view> names;
    std::size_t (*get)(const void *) = nullptr;
    void (*set)(void *, std::size_t) = nullptr;
    bool (*isSet)(const void *) = nullptr;
    void (*reset)(void *) = nullptr;
};

// A framework is one of the engines of the planner, or a profile of the catalogue with its version.
struct FrameworkRef {
    Framework *engine = nullptr;
    std::string *software = nullptr;
};

// Where a setting lives in a RunConfig.
using FieldRef = std::variant<int *, std::int64_t *, std::uint64_t *, double *, bool *, std::string *,
    std::optional<int> *, std::optional<std::int64_t> *, std::optional<double> *, std::optional<bool> *,
    std::vector<std::string> *, std::vector<DataSource> *, EnumRef, FrameworkRef>;

struct Setting {
    std::string_view key; // YAML and JSON: "micro_batch"
    SettingGroup group = SettingGroup::Step;
    SettingType type = SettingType::Integer;
    std::string_view help;      // one line, no full stop
    std::string_view valueName; // of the flag's value in help: "N", "FILE"
    FieldRef (*field)(RunConfig &) = nullptr;
    double minimum = 0, maximum = 0; // of numbers, both allowed
    bool runOnly = false;            // whether plans ignore it

    // "--micro-batch"
    [[nodiscard]] std::string flag() const;
    // All flags of the setting, separated by commas. Commands that do not train (`forTraining` is false) have no
    // learning rate schedule. There, --schedule means the pipeline schedule.
    [[nodiscard]] std::string flags(bool forTraining) const;
    // Names of a Choice, "true" and "false" of a Bool, else empty.
    [[nodiscard]] std::vector<std::string> choices() const;
    // What would be accepted, for messages and tooltips: "1 to 65536", "none, ddp, ...".
    [[nodiscard]] std::string accepted() const;
    // Empty text and null stand for "not set"; only optional fields may be so.
    [[nodiscard]] bool optional() const;
    // What a framework's profile settles: --framework-option overrides it, and help and files leave it out.
    [[nodiscard]] bool isFrameworkOption() const;
};

std::span<const Setting> settings();
// By key or flag, `-` and `_` alike; nullptr where there is none.
const Setting *findSetting(std::string_view keyOrFlag);
// "unknown key 'micro_bacth' (accepted: micro_batch)".
Error unknownSetting(std::string_view key, std::string where);

// The value as text; what is written here reads back as the same value. Empty where it is not set.
std::string settingText(const Setting &setting, const RunConfig &config);
Result<void> setSettingText(const Setting &setting, RunConfig &config, std::string_view text);

using SettingTexts = std::vector<std::pair<std::string, std::string>>; // key or flag, value
// Changes made together, in any order. Choosing a model drops the sizes that `config` had changed about its own: a
// named model has its published shape unless `changes` say otherwise. `where` of the error is the flag.
Result<RunConfig> applySettings(RunConfig config, std::span<const std::pair<std::string, std::string>> changes);
Result<RunConfig> applySetting(RunConfig config, std::string_view keyOrFlag, std::string_view text);

nlohmann::ordered_json settingJson(const Setting &setting, const RunConfig &config);
Result<void> setSettingJson(const Setting &setting, RunConfig &config, const nlohmann::ordered_json &value);

bool isDefault(const Setting &setting, const RunConfig &config);

struct SettingChange {
    std::string key, before, after;
    bool operator==(const SettingChange &) const = default;
};
// In the order of the table.
std::vector<SettingChange> differences(const RunConfig &before, const RunConfig &after);

} // namespace slipway
