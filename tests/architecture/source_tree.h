// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The project's own files as text, for the tests that hold the architecture.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace slipway::architecture {

struct SourceFile {
    std::string path; // relative to the top folder, with '/'
    std::string text;
};

std::string readText(const std::filesystem::path &path);

// Every C++, CUDA, CMake and shell file of the project; build folders and what git keeps are left out.
std::vector<SourceFile> readSources();

// The file names between <> or "" of #include lines, in order.
std::vector<std::string> includesOf(const std::string &text);

bool startsWith(const std::string &text, const std::string &prefix);

// C++ files below a folder, "core/" for example.
std::vector<SourceFile> cppBelow(const std::vector<SourceFile> &sources, const std::string &folder);

} // namespace slipway::architecture
