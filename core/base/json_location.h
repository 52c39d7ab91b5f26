// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Finds a value of a JSON text by its path, for messages: the parsed value no longer knows its line.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace slipway {

// The line, counted from 1, of the key or item at `path` ("model.merges[4]"). If the path leads nowhere, the line of
// the last key or item on it that exists; if the first one is missing, the line on which the whole value begins, and
// nothing if there is none. Where a key is repeated, its last value counts, as in parseJson(). Reads the text once, and
// needs no more memory.
std::optional<std::size_t> lineInJson(std::string_view text, std::string_view path);

// "config.json:12", or only the file if the text is empty.
std::string jsonLocation(const std::string &file, std::string_view text, std::string_view path);

} // namespace slipway
