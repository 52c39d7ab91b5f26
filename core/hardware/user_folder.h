// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The folders of a user's own tables, which are separate from the shipped ones.
#pragma once

#include <filesystem>
#include <string_view>

#include "base/result.h"

namespace slipway {

// FOLDER/id.yaml, for an id of lowercase letters, digits, '-', '_' and '.'.
Result<std::filesystem::path> yamlFileFor(const std::filesystem::path &folder, std::string_view id);

// Removes a table of the user from the folder; an error if there is none with this name.
Result<void> removeUserTable(const std::filesystem::path &folder, std::string_view kind, std::string_view id);

} // namespace slipway
