// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The file that starts a run by somebody else's launcher, from a run directory that holds run.yaml.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "base/enum_names.h"
#include "base/result.h"
#include "config/run_config.h"
#include "hosts/node_bundle.h"
#include "predict/prediction.h"

namespace slipway {

enum class ExportTarget { Slurm, Skypilot, Torchrun, Kubernetes };
template<>
struct EnumNames<ExportTarget> {
    static constexpr std::array<std::string_view, 4> names{"slurm", "skypilot", "torchrun", "kubernetes"};
};

struct ExportedFile {
    std::string name; // in the run directory
    std::string text;
    std::string hint; // how it is started
};

// A SkyPilot task brings the bundle to its nodes, so that an image without the trainer will do. Fails where the ranks
// do not divide over the nodes that they need.
Result<ExportedFile> exportedFile(
    const RunConfig &config, const Prediction &prediction, ExportTarget target, const NodeBundle &bundle = {});

} // namespace slipway
