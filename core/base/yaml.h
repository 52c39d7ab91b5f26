// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// YAML as a plain tree with line numbers, for files that people write and that may be malicious: size, nesting depth
// and number of values are limited during parsing, anchors and tags are rejected, and so are repeated keys.
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
    bool quoted = false; // a quoted scalar is always text, even if it looks like a number
    std::string scalar;
    std::vector<YamlNode> items;   // the elements of a sequence, or the values of a map
    std::vector<std::string> keys; // the keys of a map, parallel to `items`
    std::vector<int> keyLines;

    // The value of `key`; nullptr if there is none, or if this is not a map.
    [[nodiscard]] const YamlNode *find(std::string_view key) const;
};

struct YamlLimits {
    Bytes bytes = kMiB;
    int depth = 16;
    std::size_t nodes = 100'000;
};

// Parses one document; empty text is a Null node. Errors have the form "where:line: what".
Result<YamlNode> parseYaml(std::string_view text, const std::string &where, const YamlLimits &limits = {});
// Reads the text of a file that can be YAML: folders, files that are too large and binary files are rejected.
Result<std::string> readYamlText(const std::filesystem::path &path, const YamlLimits &limits = {});
Result<YamlNode> readYaml(const std::filesystem::path &path, const YamlLimits &limits = {});

// Formats a scalar as YAML, quoted if it would otherwise be parsed as another type.
std::string yamlScalar(std::string_view text);

} // namespace slipway
