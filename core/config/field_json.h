// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Lists of texts and data sources from JSON. Errors name no setting; who reads one adds it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/run_config.h"

namespace slipway {

// ["a", "b"]
Result<std::vector<std::string>> textsFromJson(const nlohmann::ordered_json &value);
// {"A": 1, "B": "x"} as "A=1", "B=x".
Result<std::vector<std::string>> pairsFromJson(const nlohmann::ordered_json &value);
// A list, a single source, or a map from names of evaluation sets to either; `name` is the set of the sources.
Result<std::vector<DataSource>> sourcesFromJson(const nlohmann::ordered_json &value, const std::string &name = {});

} // namespace slipway
