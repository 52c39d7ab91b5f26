// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Decides from a host's facts what a launch would lack there. No function contacts a host.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/run_config.h"
#include "hardware/catalogue.h"
#include "hosts/host.h"
#include "hosts/host_facts.h"
#include "hosts/node_bundle.h"

namespace slipway {

// One token file, tokenizer or shape of the model, here and there.
struct FileThere {
    std::string what; // "data", "evaluation data", "tokenizer", "model"
    std::string path;
    std::optional<Bytes> here, there;
    [[nodiscard]] bool toCopy() const { return here && here != there; }
};
std::vector<FileThere> filesOf(const RunConfig &config); // `here` filled in

// Where the trainer goes there: a folder for each version, so that none changes under a run.
std::string bundlePlace(const std::string &home);

PreflightCheck trainerCheck(const HostFacts &facts, const NodeBundle &bundle);
PreflightCheck copyCheck(const HostFacts &facts); // rsync
PreflightCheck dataCheck(const FileThere &file);
PreflightCheck diskCheck(const HostFacts &facts, Bytes checkpoints, Bytes data);
PreflightCheck clockCheck(const HostFacts &facts);
// Whether the host has the planned GPUs, and whether they are free at the moment.
PreflightCheck gpuCheck(const HostFacts &facts, const RunConfig &config, const Catalogue &catalogue);
// The configuration planned again for the GPUs that are there.
PreflightCheck planCheck(const HostFacts &facts, const RunConfig &config, const Catalogue &catalogue);
// A partition with the GPUs and the time that the run needs: one whose limit is too short takes a job and never starts
// it.
PreflightCheck partitionCheck(const HostFacts &facts, const RunConfig &config, const std::string &wanted);

// The same on a Slurm cluster, from its nodes and jobs: whether a node has as many GPUs free, and who has the others;
// and the plan for the GPU that its type names. Only for runs on GPUs.
std::optional<PreflightCheck> nodesCheck(const RunConfig &config); // of a run on several nodes
PreflightCheck slurmGpuCheck(const HostFacts &facts, const RunConfig &config, const std::string &partition);
PreflightCheck slurmPlanCheck(
    const HostFacts &facts, const RunConfig &config, const std::string &partition, const Catalogue &catalogue);
bool wantsGpus(const RunConfig &config, const Catalogue &catalogue);

// Of the same version as this program; a trainer of another may read run.yaml otherwise.
std::string ownVersion();

} // namespace slipway
