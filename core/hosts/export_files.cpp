// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hosts/export_files.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

namespace slipway {

namespace {

// A name that Slurm, SkyPilot and a shell all take as it is.
std::string plainName(const std::string &name)
{
    std::string plain;
    for (const char c : name)
        plain += (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ? c : '-';
    return plain.empty() || plain.front() == '-' ? "run" + plain : plain;
}

int gpusOnNode(const Parallelism &parallel)
{
    return std::min(parallel.gpus, parallel.gpusPerNode);
}

// The run's own limit, else half as much again as predicted.
int minutesOf(const RunConfig &config, const Prediction &prediction)
{
    const Seconds seconds = config.training.timeLimit.value_or(prediction.cost.hours * 3600 * 1.5);
    return static_cast<int>(std::clamp(std::ceil(seconds / 60), 10.0, 60.0 * 24 * 30));
}

// SkyPilot names cards by model, "H100:8", "A100-80GB:8".
std::string skypilotAccelerator(const Gpu &gpu, int count)
{
    std::string name = gpu.id.substr(0, gpu.id.find('-'));
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    if (name == "A100" && gpu.memoryBytes > 60 * kGiB)
        name += "-80GB";
    return fmt::format("{}:{}", name, count);
}

ExportedFile slurmFile(const RunConfig &config, const Prediction &prediction)
{
    const Parallelism &parallel = config.parallel;
    const int tasks = gpusOnNode(parallel), minutes = minutesOf(config, prediction);
    std::string text = fmt::format(R"(#!/bin/bash
#SBATCH --job-name={}
#SBATCH --nodes={}
#SBATCH --ntasks-per-node={}
)", plainName(config.training.name), parallel.nodes(), tasks);
    if (!prediction.gpu.isCpu)
        text += fmt::format("#SBATCH --gpus-per-node={}\n", tasks);
    text += fmt::format(R"sh(#SBATCH --time={}
#SBATCH --signal=USR1@120
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=out.log
#SBATCH --error=err.log
# Submit from this directory. USR1 comes two minutes before the limit: the trainer writes a checkpoint and ends; a
# requeued job goes on from it.
export MASTER_ADDR=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
export MASTER_PORT=29500
srun --kill-on-bad-exit=1 slipway-train run .
)sh", minutes);
    return {.name = "job.sbatch", .text = text, .hint = "sbatch --export=NONE job.sbatch, in that folder, where slipway-train is installed"};
}

ExportedFile skypilotFile(const RunConfig &config, const Prediction &prediction)
{
    const Parallelism &parallel = config.parallel;
    const int gpus = gpusOnNode(parallel);
    std::string text = fmt::format("# sky launch task.yaml, in this folder\nname: {}\nnum_nodes: {}\n", plainName(config.training.name), parallel.nodes());
    if (!prediction.gpu.isCpu)
        text += "resources:\n  accelerators: " + skypilotAccelerator(prediction.gpu, gpus) + "\n";
    text += fmt::format(R"sh(workdir: .
run: |
  # slipway-train must be on the node's PATH: take an image that has it, or install it under `setup`.
  export MASTER_ADDR=$(echo "$SKYPILOT_NODE_IPS" | head -n 1) MASTER_PORT=29500 WORLD_SIZE={}
  for local in $(seq 0 {}); do
    RANK=$((SKYPILOT_NODE_RANK * {} + local)) LOCAL_RANK=$local slipway-train run . &
  done
  for job in $(jobs -p); do wait "$job" || exit; done
)sh", parallel.gpus, gpus - 1, gpus);
    return {.name = "task.yaml", .text = text, .hint = "sky launch task.yaml, in that folder; data paths of run.yaml must exist on the node"};
}

ExportedFile torchrunFile(const RunConfig &config)
{
    const Parallelism &parallel = config.parallel;
    const std::string text = fmt::format(R"sh(#!/bin/sh
# On each of {0} nodes: MASTER_ADDR=first-node NODE_RANK=0..{1} ./start.sh
cd "$(dirname "$0")" || exit 2
exec torchrun --no-python --nnodes={0} --nproc-per-node={2} --node-rank="${{NODE_RANK:-0}}"     --master-addr="${{MASTER_ADDR:-127.0.0.1}}" --master-port="${{MASTER_PORT:-29500}}" slipway-train run .
)sh", parallel.nodes(), parallel.nodes() - 1, gpusOnNode(parallel));
    return {.name = "start.sh", .text = text, .hint = "sh start.sh, where torchrun and slipway-train are installed"};
}

} // namespace

ExportedFile exportedFile(const RunConfig &config, const Prediction &prediction, ExportTarget target)
{
    switch (target) {
    case ExportTarget::Slurm: return slurmFile(config, prediction);
    case ExportTarget::Skypilot: return skypilotFile(config, prediction);
    case ExportTarget::Torchrun: break;
    }
    return torchrunFile(config);
}

} // namespace slipway
