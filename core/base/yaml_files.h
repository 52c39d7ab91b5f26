// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <filesystem>
#include <vector>

namespace slipway {

// The *.yaml files of a folder, sorted by name; empty if there is no such folder.
std::vector<std::filesystem::path> yamlFiles(const std::filesystem::path &folder);

} // namespace slipway
