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

// One process runs all ranks of a node; a start that is repeated goes on from the last checkpoint.
std::string trainerLine(const Parallelism &parallel)
{
    return fmt::format("slipway-train run . -n {} --resume", parallel.gpus);
}

ExportedFile slurmFile(const RunConfig &config, const Prediction &prediction)
{
    const Parallelism &parallel = config.parallel;
    std::string text = fmt::format("#!/bin/sh\n#SBATCH --job-name={}\n#SBATCH --nodes=1\n#SBATCH --ntasks=1\n", plainName(config.training.name));
    if (!prediction.gpu.isCpu)
        text += fmt::format("#SBATCH --gpus-per-node={}\n", parallel.gpus);
    text += fmt::format(R"sh(#SBATCH --time={}
#SBATCH --signal=USR1@120
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=out.log
#SBATCH --error=err.log
# Submit from this directory. USR1 comes two minutes before the limit: the trainer writes a checkpoint and ends, and a
# requeued job goes on from it.
srun {}
)sh", minutesOf(config, prediction), trainerLine(parallel));
    return {.name = "job.sbatch", .text = text, .hint = "sbatch --export=NONE job.sbatch, in that folder, where slipway-train is installed"};
}

ExportedFile skypilotFile(const RunConfig &config, const Prediction &prediction)
{
    std::string text = fmt::format("# sky launch task.yaml, in this folder. Data paths of run.yaml must exist on the node.\nname: {}\nnum_nodes: 1\n", plainName(config.training.name));
    if (!prediction.gpu.isCpu)
        text += "resources:\n  accelerators: " + skypilotAccelerator(prediction.gpu, config.parallel.gpus) + "\n";
    text += "workdir: .\n# slipway-train must be on the node's PATH: take an image that has it, or install it here.\nsetup: command -v slipway-train\nrun: "
        + trainerLine(config.parallel) + "\n";
    return {.name = "task.yaml", .text = text, .hint = "sky launch task.yaml, in that folder"};
}

ExportedFile torchrunFile(const RunConfig &config)
{
    const std::string text = "#!/bin/sh\ncd \"$(dirname \"$0\")\" || exit 2\nexec torchrun --no-python --standalone --nproc-per-node=1 " + trainerLine(config.parallel) + "\n";
    return {.name = "start.sh", .text = text, .hint = "sh start.sh, where torchrun and slipway-train are installed"};
}

} // namespace

Result<ExportedFile> exportedFile(const RunConfig &config, const Prediction &prediction, ExportTarget target)
{
    if (config.parallel.nodes() > 1)
        return Error{.what = "this version trains on one node, not on " + std::to_string(config.parallel.nodes()), .where = "--gpus",
            .accepted = "at most --gpus-per-node: " + std::to_string(config.parallel.gpusPerNode)};
    switch (target) {
    case ExportTarget::Slurm: return slurmFile(config, prediction);
    case ExportTarget::Skypilot: return skypilotFile(config, prediction);
    case ExportTarget::Torchrun: break;
    }
    return torchrunFile(config);
}

} // namespace slipway
