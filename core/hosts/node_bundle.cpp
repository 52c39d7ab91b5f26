// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hosts/node_bundle.h"

#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "base/text.h"

namespace slipway {

namespace fs = std::filesystem;

NodeBundle nodeBundle()
{
    std::error_code ignored;
    const char *const named = std::getenv("SLIPWAY_NODE_BUNDLE");
    const fs::path program = fs::read_symlink("/proc/self/exe", ignored).parent_path();
    for (const fs::path &folder :
        {fs::path(named ? named : ""), program / "../share/slipway/node-bundle", program / "../node-bundle"}) {
        if (folder.empty() || !fs::exists(folder / "bin" / "slipway-train", ignored))
            continue;
        const Result<std::string> version = readFile(folder / "version", kKiB);
        return {.folder = fs::weakly_canonical(folder, ignored).string(),
            .version = version ? std::string(trimmed(*version)) : std::string()};
    }
    return {};
}

} // namespace slipway
