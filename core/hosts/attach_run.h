// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A run whose steps are those of a log that somebody else's training writes. It is a run directory like any other; the
// log's own folder is only read.
#pragma once

#include <filesystem>
#include <set>
#include <string>

#include "base/result.h"
#include "config/run_config.h"
#include "hardware/catalogue.h"
#include "runs/registry.h"

namespace slipway {

struct AttachedRun {
    std::filesystem::path directory; // of the run
    std::string log;                 // absolute; of another host as it was given
    std::string noPlan;              // why there is no prediction; empty: there is one
};

// `log`: a file of this machine, HOST:/FILE, slurm:JOB or slurm:ALIAS:JOB. `given`: keys that the user has set; without
// model, GPU, batch and sequence nothing is predicted.
Result<AttachedRun> attachRun(const std::string &log, RunConfig config, const std::set<std::string> &given,
    const Catalogue &catalogue, const Registry &registry);

} // namespace slipway
