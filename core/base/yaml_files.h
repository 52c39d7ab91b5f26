// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <filesystem>
#include <vector>

namespace slipway {

// The folder's *.yaml in the order of their names; none where there is no such folder.
std::vector<std::filesystem::path> yamlFiles(const std::filesystem::path &folder);

} // namespace slipway
