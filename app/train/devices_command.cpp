// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "command.h"
#include "hardware/catalogue.h"

namespace slipway::train_app {

namespace {

int runDevices(bool json)
{
    const Result<Catalogue> catalogue = loadCatalogue();
    if (!catalogue)
        return report(catalogue.error());
    const Result<Gpu> processor = catalogue->gpu("cpu");
    if (!processor)
        return report(processor.error());
    if (json) {
        const nlohmann::ordered_json device = {{"device", "cpu"}, {"name", processor->name}, {"memory_bytes", processor->memoryBytes}, {"precisions", {"fp32"}}};
        fmt::print("{}\n", nlohmann::ordered_json{{"version", 1}, {"devices", {device}}}.dump(2));
    } else {
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
