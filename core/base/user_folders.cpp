// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "base/user_folders.h"

#include <cstdlib>

#include "base/file.h"

namespace slipway {

namespace {

// The specification: a relative path is ignored.
std::filesystem::path absoluteOf(const char *variable)
{
    const char *const value = std::getenv(variable);
    return value && *value == '/' ? value : "";
}

std::filesystem::path pathOf(const char *variable, const char *below, std::string_view name)
{
    std::filesystem::path folder = absoluteOf(variable);
    if (folder.empty() && !homeFolder().empty())
        folder = homeFolder() / below;
    return folder.empty() ? folder : folder / "slipway" / name;
}

} // namespace

std::filesystem::path homeFolder() { return absoluteOf("HOME"); }

std::filesystem::path userDataPath(std::string_view name) { return pathOf("XDG_DATA_HOME", ".local/share", name); }

std::filesystem::path userConfigPath(std::string_view name) { return pathOf("XDG_CONFIG_HOME", ".config", name); }

std::filesystem::path userCachePath(std::string_view name) { return pathOf("XDG_CACHE_HOME", ".cache", name); }

Result<void> makeUserFolder(const std::filesystem::path &folder)
{
    return folder.empty() ? Result<void>(noUserFolder()) : makePrivateFolder(folder);
}

Error noUserFolder()
{
    return {.what = "is not set, so there is no folder for the user's own files",
        .where = "HOME",
        .accepted = "the absolute path of a home folder, or XDG_DATA_HOME and XDG_CONFIG_HOME",
        .fault = Fault::Outside};
}

} // namespace slipway
