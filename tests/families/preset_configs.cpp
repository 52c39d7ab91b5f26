// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// preset_configs FOLDER: writes the config.json of each model of the catalogue to FOLDER/NAME/config.json, and prints a
// line for each: its name and its count of parameters. presets.py reads both.
#include <cstdio>
#include <filesystem>

#include "base/file.h"
#include "hardware/catalogue.h"
#include "model/hf_config.h"

namespace slipway {
namespace {

namespace fs = std::filesystem;

// More than a RoPE scaling begins with. No weight of a rotated model depends on it.
constexpr HfConfigText kText{.type = "bfloat16", .positions = 131072};

int fail(const Error &error)
{
    std::fprintf(stderr, "preset_configs: %s\n", error.message().c_str());
    return 1;
}

int writeAll(const fs::path &folder)
{
    const Result<Catalogue> catalogue = loadCatalogue();
    if (!catalogue)
        return fail(catalogue.error());
    int failed = 0;
    for (const CatalogueModel &model : catalogue->models) {
        const Result<std::string> config = hfConfigOf(model.spec, kText);
        if (!config) {
            failed = fail(config.error());
            continue;
        }
        const fs::path at = folder / model.spec.name;
        fs::create_directories(at);
        if (const Result<void> written = writeNamedFile(at / "config.json", *config); !written)
            return fail(written.error());
        std::printf("%s %lld\n", model.spec.name.c_str(), static_cast<long long>(parameterCount(model.spec)));
    }
    return failed;
}

} // namespace
} // namespace slipway

int main(int argc, char **argv)
{
    if (argc != 2) {
        std::fprintf(stderr, "usage: preset_configs FOLDER\n");
        return 2;
    }
    return slipway::writeAll(argv[1]);
}
