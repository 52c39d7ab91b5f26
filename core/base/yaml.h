// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// YAML as a plain tree with line numbers, for files that people write and that may be hostile: size, depth and number
// of values are limited while reading, anchors and tags are refused, a key may stand only once.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/units.h"

namespace slipway {

struct YamlNode {
    enum class Kind { Null, Scalar, Sequence, Map };

    Kind kind = Kind::Null;
    int line = 1;        // from 1
    bool quoted = false; // a quoted scalar is text, whatever it looks like
    std::string scalar;
    std::vector<YamlNode> items;   // of a sequence, or the values of a map
    std::vector<std::string> keys; // of a map, beside `items`
    std::vector<int> keyLines;

    // The value under `key`; nullptr where there is none, or where this is no map.
    [[nodiscard]] const YamlNode *find(std::string_view key) const;
};

struct YamlLimits {
    Bytes bytes = kMiB;
    int depth = 16;
    std::size_t nodes = 100'000;
};

// One document; empty text is a Null. Errors: "where:line: what".
Result<YamlNode> parseYaml(std::string_view text, const std::string &where, const YamlLimits &limits = {});
// A file's text, where it can be YAML: neither a folder nor too large nor binary.
Result<std::string> readYamlText(const std::filesystem::path &path, const YamlLimits &limits = {});
Result<YamlNode> readYaml(const std::filesystem::path &path, const YamlLimits &limits = {});

// A scalar as YAML, quoted where it would otherwise read as something else.
std::string yamlScalar(std::string_view text);

} // namespace slipway
