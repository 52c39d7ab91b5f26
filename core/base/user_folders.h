// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Where the program keeps what belongs to its user, as the XDG base directory specification has it. Without HOME there
// is no such place: another folder, /tmp among them, could be somebody else's.
#pragma once

#include <filesystem>
#include <string_view>

#include "base/result.h"

namespace slipway {

// $HOME; empty where it is not set to an absolute path.
std::filesystem::path homeFolder();

// $XDG_DATA_HOME/slipway/NAME, else ~/.local/share/slipway/NAME. Likewise XDG_CONFIG_HOME or ~/.config, and
// XDG_CACHE_HOME or ~/.cache. Empty where neither variable is set to an absolute path.
std::filesystem::path userDataPath(std::string_view name);
std::filesystem::path userConfigPath(std::string_view name);
std::filesystem::path userCachePath(std::string_view name);

// Makes one of these folders private. The error says so where the path is empty.
Result<void> makeUserFolder(const std::filesystem::path &folder);

// What a program says that needs such a folder and has none.
Error noUserFolder();

} // namespace slipway
