// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Output that is common to all commands, and their exit statuses (docs/guide/README.md).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"

namespace slipway::cli {

enum ExitStatus { Done = 0, No = 1, BadInput = 2, OutsideFault = 3 };

// Prints "slipway: where: what (accepted: ...)" to standard error and returns the exit status of the error's fault.
int fail(const Error &error);
void note(std::string_view text);  // prints to standard error
void print(std::string_view text); // prints to standard output
// note() and print() escape control bytes in names, logs and answers (as \u001b), except line breaks and tabs.
// printRaw() prints them unchanged.
void printRaw(std::string_view text);

// Formats one JSON document for standard output. Bytes that are not valid UTF-8, which a path can contain, are
// replaced.
std::string dumped(const nlohmann::ordered_json &json);

// Returns the exit status of a command that printed. It is a fault if the output could not be written, for example to a
// full disk.
int finish(int status);

// Splits a comma-separated list into keys of settings, which may be written with dashes or underscores.
std::vector<std::string> keysOfList(const std::string &list);

// Formats rows as a table. Columns are padded to their widest cell, and numbers are right-aligned.
std::string alignedTable(std::vector<std::vector<std::string>> rows, const std::vector<bool> &right);

} // namespace slipway::cli
