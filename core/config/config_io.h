// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A RunConfig as YAML and JSON. Errors name file and line and what would be accepted; an unknown key names the nearest.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "base/result.h"
#include "config/run_config.h"

namespace slipway {

// Relative paths in the file (data, tokenizer, a model's file) are taken from the file's folder.
Result<RunConfig> readRunConfig(const std::filesystem::path &path);
// `where` names the text in errors; relative paths stay as they are.
Result<RunConfig> parseRunConfig(std::string_view yaml, const std::string &where);

// An error about a setting ("--hidden"), found after reading: moved to the line of `file` where the setting stands. As
// it was where the file does not have the setting.
Error withFileLocation(Error error, const std::filesystem::path &file);

// Every key with its value, in groups, each with its help as a comment; what is not set is left out.
std::string toYaml(const RunConfig &config);
Result<void> writeRunConfig(const std::filesystem::path &path, const RunConfig &config);

// Every key; what is not set is null.
nlohmann::ordered_json toJson(const RunConfig &config);
// Keys that are missing keep their default; an unknown one is an error.
Result<RunConfig> runConfigFromJson(const nlohmann::ordered_json &json, const std::string &where = "config");

// The same configuration with relative paths taken from `folder`.
RunConfig withPathsFrom(RunConfig config, const std::filesystem::path &folder);

} // namespace slipway
