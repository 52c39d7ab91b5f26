// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What a host is and has, as it answered when it was asked: for preflight and for a page of hosts.
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
    std::string user; // empty: the host does not say
    std::string name;
    std::optional<Bytes> used;
    bool ours = false; // of the user who asked
    bool operator==(const GpuProcess &) const = default;
};

struct HostGpu {
    int index = 0;
    std::string name; // as the driver calls it: "NVIDIA H100 80GB HBM3"
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
    std::string gpuType;                 // of its GRES: "a100"; empty: it does not say
    int gpus = 0, gpusUsed = 0;
    [[nodiscard]] bool usable() const; // neither down nor drained
    bool operator==(const SlurmNode &) const = default;
};

// GPUs that a running job of a Slurm cluster has.
struct SlurmUse {
    std::string user, nodes; // "node[1-2]"
    int gpus = 0;            // on each of them
    bool operator==(const SlurmUse &) const = default;
};

struct HostFacts {
    std::string hostName, user, system; // "node7", "ada", "Linux 6.1 x86_64"
    std::string home;                   // Slipway's folder there: runs, data, bundle
    int cores = 0;
    Bytes memory = 0;
    Bytes diskFree = 0;      // where the run's directory is to lie
    std::string diskProblem; // why a file could not be written there; empty: it could
    std::vector<HostGpu> gpus;
    std::string driver;         // NVIDIA's version; empty: no driver
    std::string trainer;        // slipway-train there; empty: none was found
    std::string trainerVersion; // "0.1.0"; empty: it does not run
    std::string trainerProblem; // what it said in place of its version
    bool hasRsync = false;
    Seconds clockSkew = 0;    // its clock less ours; 0 where it is within the time that the answer took
    std::string slurmProblem; // why Slurm says nothing there; empty: it did
    std::vector<SlurmPartition> partitions;
    std::vector<SlurmNode> nodes;
    std::vector<SlurmUse> uses;
    bool operator==(const HostFacts &) const = default;
};

} // namespace slipway
