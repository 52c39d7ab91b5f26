// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hardware/catalogue.h"

#include <cstdlib>
#include <system_error>

namespace slipway {

std::filesystem::path resourceDirectory()
{
    if (const char *chosen = std::getenv("SLIPWAY_RESOURCES"); chosen && *chosen)
        return chosen;
    std::error_code failure;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", failure);
    if (!failure) {
        const std::filesystem::path installed = program.parent_path().parent_path() / "share/slipway";
        if (std::filesystem::exists(installed / "catalogue", failure))
            return installed;
    }
    return SLIPWAY_SOURCE_RESOURCES;
}

} // namespace slipway
