// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Writes the file with which another launcher starts a run, from a run directory that contains run.yaml.
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
    std::string name; // file name in the run directory
    std::string text;
    std::string hint; // how to start the run with it
    RunConfig config; // for its run.yaml: the paths are those where the job runs
};

// A SkyPilot task copies the bundle to its nodes, so that an image without the trainer is sufficient. Fails if the
// number of ranks is not divisible by the number of nodes, or if Slipway's trainer does not run the framework.
Result<ExportedFile> exportedFile(
    const RunConfig &config, const Prediction &prediction, ExportTarget target, const NodeBundle &bundle = {});

} // namespace slipway
