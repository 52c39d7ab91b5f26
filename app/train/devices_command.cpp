// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "command.h"
#include "exec/cuda_devices.h"
#include "hardware/catalogue.h"

namespace slipway::train_app {

namespace {

int runDevices(bool json)
{
    const Result<std::vector<CudaDevice>> gpus = cudaDevices();
    const Result<Catalogue> catalogue = loadCatalogue();
    if (!catalogue)
        return report(catalogue.error());
    const Result<Gpu> processor = catalogue->gpu("cpu");
    if (!processor)
        return report(processor.error());
    if (json) {
        nlohmann::ordered_json devices = nlohmann::ordered_json::array();
        for (std::size_t i = 0; gpus && i < gpus->size(); ++i)
            devices.push_back({{"device", "cuda:" + std::to_string(i)}, {"name", (*gpus)[i].name}, {"memory_bytes", (*gpus)[i].memory}, {"precisions", {"bf16-mixed", "fp32"}}});
        devices.push_back({{"device", "cpu"}, {"name", processor->name}, {"memory_bytes", processor->memoryBytes}, {"precisions", {"fp32"}}});
        fmt::print("{}\n", nlohmann::ordered_json{{"version", 1}, {"devices", devices}}.dump(2));
    } else {
        for (std::size_t i = 0; gpus && i < gpus->size(); ++i)
            fmt::print("cuda:{}  {}  {}  bf16-mixed, fp32\n", i, (*gpus)[i].name, formatBytes((*gpus)[i].memory));
        fmt::print("cpu  {}  {}  fp32\n", processor->name, formatBytes(processor->memoryBytes));
    }
    return 0;
}

} // namespace

void addDevicesCommand(CLI::App &app, int &status)
{
    const auto json = std::make_shared<bool>(false);
    CLI::App *const command = addCommand(app, "devices", "List what this program can train on here.", "slipway-train devices --json");
    command->add_flag("--json", *json, "One JSON document");
    command->callback([json, &status] { status = runDevices(*json); });
}

} // namespace slipway::train_app
