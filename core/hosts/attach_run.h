// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Creates a run whose steps are read from the log of a training that Slipway did not start. It has a run directory like
// any other run; the folder of the log is only read.
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
    std::filesystem::path directory; // run directory
    std::string log;                 // absolute path; for a log on another host, the path as it was given
    std::string noPlan;              // why there is no prediction; empty: there is one
};

// `log`: a file on this machine, HOST:/FILE, slurm:JOB or slurm:ALIAS:JOB. `given`: keys that the user has set; nothing
// is predicted unless model, GPU, batch size and sequence length are among them.
Result<AttachedRun> attachRun(const std::string &log, RunConfig config, const std::set<std::string> &given,
    const Catalogue &catalogue, const Registry &registry);

} // namespace slipway
