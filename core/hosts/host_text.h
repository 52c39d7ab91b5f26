// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Validates and escapes text that a host sent. It may contain anything: terminal escape sequences, line breaks,
// gigabytes of data, or text that a program would parse as an option.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace slipway {

// Escapes text for display: valid UTF-8 in which control characters and characters that change the writing direction
// are escaped (\u001b), at most `longest` bytes long. Line breaks and tabs are not escaped.
std::string shownText(std::string_view text, std::size_t longest = 4096);
// The same for a single line: line breaks are escaped too.
std::string shownLine(std::string_view text, std::size_t longest = 512);

// An absolute path without control characters, which no program parses as an option.
bool isRemotePath(std::string_view path);
// The number of a Slurm job, "123", or of a task in a job array, "123_4".
bool isJobId(std::string_view text);
// A file name that is not hidden, contains no path separator, and cannot be parsed as an option.
bool isPlainFileName(std::string_view name);

} // namespace slipway
