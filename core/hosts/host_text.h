// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Text that a host sent. It may hold anything: terminal escape sequences, line breaks, gigabytes, the name of an
// option.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace slipway {

// The text as it may be shown to a person: valid UTF-8 in which control characters and characters that turn the writing
// direction are escaped (\u001b), and at most `longest` bytes long. Line breaks and tabs stay.
std::string shownText(std::string_view text, std::size_t longest = 4096);
// The same on one line.
std::string shownLine(std::string_view text, std::size_t longest = 512);

// An absolute path without control characters, which no program takes for an option.
bool isPathThere(std::string_view path);
// The number of a Slurm job, "123", or of a task of a job array, "123_4".
bool isJobId(std::string_view text);
// A name of a file that neither hides, nor leads elsewhere, nor is taken for an option.
bool isPlainFileName(std::string_view name);

} // namespace slipway
