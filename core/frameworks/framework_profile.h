// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Profiles describe what frameworks do in a training step, as data (resources/frameworks/*.yaml). A profile may inherit
// from another one. It states what differs, from which version on, and how that is known.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/enum_names.h"
#include "base/result.h"
#include "frameworks/script_interface.h"
#include "frameworks/torch_changes.h"

namespace slipway {

// How a field of a profile is known. Read: in the source of the software.
enum class FieldOrigin { Documented, Read, Measured, Fitted, Recalled, Assumed };
template<>
struct EnumNames<FieldOrigin> {
    static constexpr std::array<std::string_view, 6> names{
        "documented", "read", "measured", "fitted", "recalled", "assumed"};
};

// Whether an origin is uncertain: the field was not checked.
constexpr bool isGuessed(FieldOrigin origin)
{
    return origin == FieldOrigin::Recalled || origin == FieldOrigin::Assumed;
}

// How a fact of the data is known.
struct FactOrigin {
    FieldOrigin kind = FieldOrigin::Assumed;
    std::string reference; // what was read, or why it is assumed
    std::string asOf;      // date
    bool operator==(const FactOrigin &) const = default;
};

// A condition on a choice of the plan: the key's value is one of these; ">8", "<=2" and "!none" compare.
struct FieldCondition {
    std::string key;
    std::vector<std::string> accepted;
    bool operator==(const FieldCondition &) const = default;
};

// A framework option with the value that it has in a framework.
struct FrameworkField {
    std::string key, value;
    std::vector<FieldCondition> when;
    int from = 0, until = 0; // days of the framework's releases, 20250300; `until` is the first day without; 0: open
    int torchFrom = 0, torchUntil = 0; // versions of PyTorch, 112 for 1.12; 0: open
    FieldOrigin origin = FieldOrigin::Assumed;
    std::string reference; // what was read, or why it is assumed
    std::string asOf;      // date
    std::string where;     // file:line
    bool operator==(const FrameworkField &) const = default;
};

// A change of PyTorch, or of other software of its time. `since`: the first version of PyTorch with it, 205 for 2.5.
struct TorchChange {
    std::string key;
    int since = 0;
    FactOrigin origin;
    bool operator==(const TorchChange &) const = default;
};

struct FrameworkRelease {
    std::string version;
    int day = 0;
    bool operator==(const FrameworkRelease &) const = default;
};

struct FrameworkProfile {
    std::string id, title;
    std::vector<std::string> aliases;
    std::string inherits; // id; empty: of nothing
    std::string package;  // on PyPI
    bool versionIsTorch = false;
    bool isUnknown = false;                 // the profile of unknown software
    std::vector<std::string> measuredOn;    // generations of GPUs with measured runs of this framework
    std::vector<FrameworkRelease> releases; // oldest first
    std::vector<FrameworkField> fields;     // later fields override earlier ones
    std::string where;                      // its file
    ScriptInterface script;                 // without the inherited parts, which Frameworks::scriptInterfaceOf adds
    bool operator==(const FrameworkProfile &) const = default;
};

// A profile and a version: "hf-trainer@4.46", "torchtitan@2025-03".
struct FrameworkVersion {
    std::string id;      // of the profile
    std::string version; // as it was written; empty: the newest
    int day = 0;         // 0: the newest
    std::string torch;   // of that day; empty: as the plan has it
};

struct Frameworks {
    std::vector<FrameworkProfile> profiles;
    std::vector<FrameworkField> ofEngines; // what software of a time does, unless its profile says otherwise
    std::vector<TorchChange> torchChanges;

    // By id or alias, case-insensitive; blanks, hyphens and underscores are equal.
    [[nodiscard]] const FrameworkProfile *find(std::string_view name) const;
    // NAME[@VERSION|@YYYY-MM[-DD]]. The error of an unknown name lists the nearest ones.
    [[nodiscard]] Result<FrameworkVersion> resolve(std::string_view name) const;
    // From the profile that inherits nothing to the profile itself.
    [[nodiscard]] std::vector<const FrameworkProfile *> lineage(std::string_view id) const;
    // The interface of the framework's training script: its own forms and arguments, then inherited ones, then those of
    // unknown software. For an empty or unknown id, only the last.
    [[nodiscard]] ScriptInterface scriptInterfaceOf(std::string_view id) const;
    // What a version of PyTorch does, 205 for 2.5.
    [[nodiscard]] TorchChanges changesOf(int torch) const;
    // The PyTorch of a day: the last release before it.
    [[nodiscard]] std::string torchReleaseOn(int day) const;
    bool operator==(const Frameworks &) const = default;
};

// "2025-03-14", "2025-03" and "2025-3" as 20250314 and 20250300; 0: no date.
int parseDay(std::string_view text);
// 112 for "1.12", 205 for "2.5.1"; 0: no version.
int torchVersionNumber(std::string_view version);

// NAME of "NAME@VERSION", and VERSION; empty where there is none.
std::string_view softwareName(std::string_view software);
std::string_view softwareVersion(std::string_view software);

// Every *.yaml of the folder, and the fields and changes of those in its folder engines; a damaged one is named with
// its line.
Result<Frameworks> readFrameworks(const std::filesystem::path &folder);
// Adds the user's own profiles; they replace those of the same id. A missing folder is empty.
Result<void> addFrameworks(Frameworks &frameworks, const std::filesystem::path &folder);
// $XDG_CONFIG_HOME/slipway/frameworks, else ~/.config/slipway/frameworks.
std::filesystem::path userFrameworkFolder();

} // namespace slipway
