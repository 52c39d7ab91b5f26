// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Where a user's own tables lie, apart from the shipped ones.
#pragma once

#include <filesystem>
#include <string_view>

#include "base/result.h"

namespace slipway {

// FOLDER/id.yaml, for an id of small letters, digits, '-', '_' and '.'.
Result<std::filesystem::path> yamlFileFor(const std::filesystem::path &folder, std::string_view id);

// Takes a table of the user's out of the folder; an error where there is none of this name.
Result<void> removeUserTable(const std::filesystem::path &folder, std::string_view kind, std::string_view id);

} // namespace slipway
