// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Checks from the facts of a host what a launch would lack there. No function contacts a host.
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

// A token file, a tokenizer or a model configuration, with its paths on this machine and on the host.
struct InputOnHost {
    std::string what; // "data", "evaluation data", "tokenizer", "model"
    std::string path;
    std::optional<Bytes> here, there;
    [[nodiscard]] bool toCopy() const { return here && here != there; }
};
std::vector<InputOnHost> filesOf(const RunConfig &config); // `here` is set

// The folder of the trainer on the host: one per version, so that a running trainer is never replaced.
std::string bundlePlace(const std::string &home);

// Empty if Slipway's trainer runs the planned framework, or says why it does not, and what would be right. Only for
// runs without a command of their own.
std::string simulatedOnly(const RunConfig &config);
std::optional<PreflightCheck> frameworkCheck(const RunConfig &config); // empty: the trainer runs the framework

PreflightCheck trainerCheck(const HostFacts &facts, const NodeBundle &bundle);
PreflightCheck copyCheck(const HostFacts &facts); // checks for rsync
PreflightCheck dataCheck(const InputOnHost &file);
PreflightCheck diskCheck(const HostFacts &facts, Bytes checkpoints, Bytes data);
PreflightCheck clockCheck(const HostFacts &facts);
// Whether the host has the planned GPUs, and whether they are free now.
PreflightCheck gpuCheck(const HostFacts &facts, const RunConfig &config, const Catalogue &catalogue);
// Plans the configuration again for the GPUs of the host.
PreflightCheck planCheck(const HostFacts &facts, const RunConfig &config, const Catalogue &catalogue);
// Whether a partition has the GPUs and the time limit that the run needs: a partition with a shorter limit accepts the
// job but never starts it.
PreflightCheck partitionCheck(const HostFacts &facts, const RunConfig &config, const std::string &wanted);

// The same check on a Slurm cluster, from its nodes and jobs: whether a node has enough free GPUs, which users have the
// others, and the plan for the GPU type of the partition. Only for runs on GPUs.
std::optional<PreflightCheck> nodesCheck(const RunConfig &config); // for a run on several nodes
PreflightCheck slurmGpuCheck(const HostFacts &facts, const RunConfig &config, const std::string &partition);
PreflightCheck slurmPlanCheck(
    const HostFacts &facts, const RunConfig &config, const std::string &partition, const Catalogue &catalogue);
bool wantsGpus(const RunConfig &config, const Catalogue &catalogue);

// The trainer must have the version of this program, because another version may interpret run.yaml differently.
std::string ownVersion();

} // namespace slipway
