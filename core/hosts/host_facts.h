// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Hardware and software of a host, as it reported them when it was queried. Used by the preflight checks and by the
// page of hosts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"

namespace slipway {

struct GpuProcess {
    std::int64_t pid = 0;
    std::string user; // empty: the host does not report it
    std::string name;
    std::optional<Bytes> used;
    bool ours = false; // belongs to the user who queried the host
    bool operator==(const GpuProcess &) const = default;
};

struct HostGpu {
    int index = 0;
    std::string name; // name reported by the driver: "NVIDIA H100 80GB HBM3"
    Bytes memory = 0, used = 0;
    std::optional<double> utilisation; // 0 to 100
    std::optional<double> powerWatts, temperatureC;
    std::vector<GpuProcess> processes;
    bool operator==(const HostGpu &) const = default;
};

// One partition of a Slurm cluster, as sinfo lists it.
struct SlurmPartition {
    std::string name;
    bool isDefault = false;
    std::string gres; // "gpu:a100:4"; empty: none
    int nodes = 0;
    std::string state;                // "idle", "mixed", "down"
    std::optional<Seconds> timeLimit; // empty: none
    bool operator==(const SlurmPartition &) const = default;
};

// One node of a Slurm cluster, as scontrol shows it.
struct SlurmNode {
    std::string name, partitions, state; // "gpu,debug", "MIXED"
    std::string gpuType;                 // type in its GRES: "a100"; empty: GRES does not contain one
    int gpus = 0, gpusUsed = 0;
    [[nodiscard]] bool usable() const; // neither down nor drained
    bool operator==(const SlurmNode &) const = default;
};

// GPUs that a running job of a Slurm cluster uses.
struct SlurmUse {
    std::string user, nodes; // "node[1-2]"
    int gpus = 0;            // on each of the nodes
    bool operator==(const SlurmUse &) const = default;
};

struct HostFacts {
    std::string hostName, user, system; // "node7", "ada", "Linux 6.1 x86_64"
    std::string home;                   // Slipway's folder on the host, with runs, data and bundle
    int cores = 0;
    Bytes memory = 0;
    Bytes diskFree = 0;      // on the file system of the run directory
    std::string diskProblem; // why a file could not be written there; empty: it could be written
    std::vector<HostGpu> gpus;
    std::string driver;         // NVIDIA's version; empty: no driver
    std::string trainer;        // path of slipway-train on the host; empty: none was found
    std::string trainerVersion; // "0.1.0"; empty: the trainer does not run
    std::string trainerProblem; // output of the trainer if it did not print its version
    bool hasRsync = false;
    // The host's clock minus the local clock; 0 if the difference is within the duration of the query.
    Seconds clockSkew = 0;
    std::string slurmProblem; // why Slurm's commands failed; empty: they did not
    std::vector<SlurmPartition> partitions;
    std::vector<SlurmNode> nodes;
    std::vector<SlurmUse> uses;
    bool operator==(const HostFacts &) const = default;
};

} // namespace slipway
