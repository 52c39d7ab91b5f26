// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What all commands print, and their exit statuses (docs/guide/README.md).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"

namespace slipway::cli {

enum ExitStatus { Done = 0, No = 1, BadInput = 2, OutsideFault = 3 };

// To standard error: "slipway: where: what (accepted: ...)". Gives the exit status of its fault.
int fail(const Error &error);
void note(std::string_view text);  // to standard error
void print(std::string_view text); // to standard output
// Both show control bytes of names, logs and answers (as \u001b) and obey none but line ends and tabs. This one does
// obey:
void printRaw(std::string_view text);

// One JSON document for standard output; bytes that are no UTF-8, as a path may hold, are replaced.
std::string dumped(const nlohmann::ordered_json &json);

// The end of a command that printed: a full disk behind standard output is a fault, not a success.
int finish(int status);

// Keys of settings in a comma-separated list, with dashes or underscores.
std::vector<std::string> keysOfList(const std::string &list);

// Columns padded to their widest cell; numbers to the right.
std::string alignedTable(std::vector<std::vector<std::string>> rows, const std::vector<bool> &right);

} // namespace slipway::cli
