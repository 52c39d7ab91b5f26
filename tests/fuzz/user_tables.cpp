// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Tables that users keep beside the catalogue's: cards, models, prices, laws, and calibrations.
#include "hardware/calibration.h"
#include "hardware/tables.h"

#include "base/yaml.h"
#include "fuzz_input.h"
#include "model/model_yaml.h"

using namespace slipway;

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    static const TemporaryDirectory folder;
    const std::string_view text = textOf(data, size);
    const Result<YamlNode> yaml = parseYaml(text, "table.yaml");
    if (!yaml)
        return 0;
    (void)gpusOf(*yaml, "table.yaml");
    (void)nodesOf(*yaml, "table.yaml");
    (void)modelsOf(*yaml, "table.yaml");
    (void)priceBooksOf(*yaml, "table.yaml");
    (void)scalingLawsOf(*yaml, "table.yaml");
    (void)batchLawsOf(*yaml, "table.yaml");
    const std::filesystem::path file = folder.path() / "table.yaml";
    writeText(file, text);
    (void)readModelYaml(file);
    (void)readCalibration(file);
    return 0;
}
