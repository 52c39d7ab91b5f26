// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// run.yaml: what it says survives being written and read.
#include "config/config_io.h"

#include <nlohmann/json.hpp>

#include "fuzz_input.h"

using namespace slipway;

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const Result<RunConfig> config = parseRunConfig(textOf(data, size), "run.yaml");
    if (!config)
        return 0;
    const Result<RunConfig> fromYaml = parseRunConfig(toYaml(*config), "again.yaml");
    require(fromYaml && *fromYaml == *config, "a configuration that was written as YAML is read again");
    const Result<RunConfig> fromJson = runConfigFromJson(toJson(*config));
    require(fromJson && *fromJson == *config, "a configuration that was written as JSON is read again");
    return 0;
}
