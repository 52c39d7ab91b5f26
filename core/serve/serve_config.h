// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The configuration of a server: model and hardware as in a run, and the settings that only a server has. Flags and
// YAML keys come from serveSettings(), and for the settings that it shares with runs from the settings table.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/enum_names.h"
#include "base/result.h"
#include "base/units.h"
#include "config/run_config.h"

namespace slipway {

// The type in which weights or the KV cache are stored. Int8 and Int4 are for weights only: GEMMs convert them to the
// type of the activations as they read them.
enum class StoredType { Bf16, Fp8, Int8, Int4, Fp32 };
template<>
struct EnumNames<StoredType> {
    static constexpr std::array<std::string_view, 5> names{"bf16", "fp8", "int8", "int4", "fp32"};
};

inline constexpr std::int64_t kMostSequences = 1 << 20; // of a batch

struct ServeConfig {
    RunConfig run;         // only the model, GPU, tp, memory limit and prices are read
    std::string framework; // serving profile and its version; empty: vllm, on the CPU slipway
    StoredType weights = StoredType::Bf16;
    StoredType kv = StoredType::Bf16;
    std::int64_t prompt = 512;   // tokens of each request
    std::int64_t generate = 256; // output tokens of each request
    std::int64_t batch = 1;      // sequences at once
    std::optional<double> requestsPerSecond;
    std::optional<std::int64_t> block;     // tokens of a block of the KV cache; empty: the framework's
    bool contiguous = false;               // no blocks: each sequence reserves maxLength tokens
    std::optional<std::int64_t> maxLength; // tokens; empty: prompt + generate
    std::optional<Seconds> ttft, tpot;     // latency targets
    int requests = 2000;                   // number of simulated requests
    std::uint64_t seed = 0;                // of the simulated arrivals

    [[nodiscard]] std::int64_t length() const { return prompt + generate; } // of a complete sequence
    [[nodiscard]] std::int64_t reservedLength() const { return maxLength.value_or(length()); }
    bool operator==(const ServeConfig &) const = default;
};

// A key that only serving has.
struct ServeSetting {
    std::string_view key; // "requests_per_s"
    std::string_view help, valueName;
    bool isSwitch = false; // a flag without a value
    Result<void> (*set)(ServeConfig &, std::string_view text) = nullptr;
    std::string (*text)(const ServeConfig &) = nullptr; // empty: not set
    [[nodiscard]] std::string flag() const;             // "--requests-per-s"
};
std::span<const ServeSetting> serveSettings();
// Keys of a run's settings that serving reads, too.
std::span<const std::string_view> sharedSettingKeys();

// The value of a key of either kind as text. Empty: not set, or no such key.
std::string serveSettingText(const ServeConfig &config, std::string_view key);
// Sets a key or flag of either kind. An empty text resets an optional setting. The error's `where` is the flag.
Result<void> setServeSetting(ServeConfig &config, std::string_view keyOrFlag, std::string_view text);

// Reads a YAML file of these keys. Errors name file and line. Relative paths are taken from the file's folder.
Result<ServeConfig> readServeConfig(const std::filesystem::path &path);
// `where` names the text in errors; relative paths stay as they are.
Result<ServeConfig> parseServeConfig(std::string_view yaml, const std::string &where);

// Every key. Settings without a value are null.
nlohmann::ordered_json toJson(const ServeConfig &config);

} // namespace slipway
