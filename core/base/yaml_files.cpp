// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "base/yaml_files.h"

#include <algorithm>
#include <system_error>

namespace slipway {

std::vector<std::filesystem::path> yamlFiles(const std::filesystem::path &folder)
{
    std::vector<std::filesystem::path> files;
    std::error_code failure;
    for (std::filesystem::directory_iterator entry(folder, failure), end; !failure && entry != end;
        entry.increment(failure)) {
        if (entry->path().extension() == ".yaml")
            files.push_back(entry->path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

} // namespace slipway
