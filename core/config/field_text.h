// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Values of lists and durations as one line of text, both ways.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/run_config.h"

namespace slipway {

// "a,b": commas and backslashes inside an item are escaped by a backslash. Empty text is an empty list.
std::string textsToLine(const std::vector<std::string> &items);
Result<std::vector<std::string>> textsFromLine(std::string_view line);

// Of evaluation sets: up to 40 letters, digits, '.', '_' and '-'.
bool isSetName(std::string_view name);
// "a.bin=0.7,wiki::b.bin": a weight of 1 is left out where the path does not itself end like a weight; the name of an
// evaluation set stands in front, an empty one where the path itself begins like that.
std::string sourcesToLine(const std::vector<DataSource> &sources);
Result<std::vector<DataSource>> sourcesFromLine(std::string_view line);
// Path not empty, weight finite and above 0, name empty or one of an evaluation set.
Result<void> checkSource(const DataSource &source);

// "90", "90s", "30m", "12h", "2d" in seconds.
std::optional<Seconds> durationFromText(std::string_view text);

} // namespace slipway
