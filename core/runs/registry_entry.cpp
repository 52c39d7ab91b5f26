// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/registry_entry.h"

namespace slipway {

namespace fs = std::filesystem;

std::string entryName(const Registry &registry, const fs::path &directory)
{
    std::error_code failure;
    if (fs::equivalent(directory.parent_path(), registry.folder(), failure))
        return directory.filename().string();
    for (fs::directory_iterator entry(registry.folder(), failure), end; !failure && entry != end;
        entry.increment(failure)) {
        std::error_code unreadable;
        if (fs::equivalent(entry->path(), directory, unreadable))
            return entry->path().filename().string();
    }
    return directory.filename().string();
}

} // namespace slipway
