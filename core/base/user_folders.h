// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The folders in which the program stores data of its user, as defined by the XDG base directory specification. Without
// HOME there is no such folder: any other folder, /tmp included, could belong to someone else.
#pragma once

#include <filesystem>
#include <string_view>

#include "base/result.h"

namespace slipway {

// $HOME; empty if it is not set to an absolute path.
std::filesystem::path homeFolder();

// $XDG_DATA_HOME/slipway/NAME, else ~/.local/share/slipway/NAME. Likewise XDG_CONFIG_HOME or ~/.config, and
// XDG_CACHE_HOME or ~/.cache. Empty if neither variable is set to an absolute path.
std::filesystem::path userDataPath(std::string_view name);
std::filesystem::path userConfigPath(std::string_view name);
std::filesystem::path userCachePath(std::string_view name);

// Creates one of these folders as a private folder. Fails with noUserFolder() if the path is empty.
Result<void> makeUserFolder(const std::filesystem::path &folder);

// The error of a program that needs such a folder if there is none.
Error noUserFolder();

} // namespace slipway
