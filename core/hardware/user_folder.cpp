// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hardware/user_folder.h"

#include <algorithm>
#include <string>
#include <system_error>

#include "base/ascii.h"
#include "base/unknown_name.h"
#include "base/yaml_files.h"

namespace slipway {

Result<std::filesystem::path> yamlFileFor(const std::filesystem::path &folder, std::string_view id)
{
    constexpr std::size_t kLongest = 100;
    const bool named = !id.empty() && id.size() <= kLongest && id.front() != '.' &&
                       std::all_of(id.begin(), id.end(),
                           [](char c) { return isLower(c) || isDigit(c) || c == '-' || c == '_' || c == '.'; });
    if (!named)
        return Error{.what = "'" + std::string(id.substr(0, 60)) + "' is not a valid file name",
            .accepted = "lower-case letters, digits, - and _"};
    return folder / (std::string(id) + ".yaml");
}

Result<void> removeUserTable(const std::filesystem::path &folder, std::string_view kind, std::string_view id)
{
    const Result<std::filesystem::path> file = yamlFileFor(folder, id);
    std::error_code failure;
    if (file && std::filesystem::remove(*file, failure))
        return {};
    if (file && failure)
        return Error{.what = "cannot remove: " + failure.message(), .where = file->string(), .fault = Fault::Outside};
    std::vector<std::string> names;
    for (const std::filesystem::path &one : yamlFiles(folder))
        names.push_back(one.stem().string());
    return unknownName(
        kind, id, names, "", names.empty() ? "none; you have not saved any" : "one of your own in " + folder.string());
}

} // namespace slipway
