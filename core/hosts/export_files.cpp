// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hosts/export_files.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/yaml.h"
#include "hosts/slurm_script.h"

namespace slipway {

namespace {

// A name that Slurm, SkyPilot and a shell all take as it is.
std::string plainName(const std::string &name)
{
    std::string plain;
    for (const char c : name.substr(0, 60))
        plain += (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ? c : '-';
    return plain.empty() || plain.front() == '-' ? "run" + plain : plain;
}

// SkyPilot names cards by model, "H100:8", "RTX4090:1"; of the A100 it does not tell the board, only the memory.
std::string skypilotAccelerator(const Gpu &gpu, int count)
{
    std::string name = gpu.id;
    if (gpu.id.starts_with("a100-"))
        name = gpu.memoryBytes > 60 * kGiB ? "A100-80GB" : "A100";
    else if (!gpu.priceListNames.empty())
        name = gpu.priceListNames.front();
    else if (const auto one = std::find_if(gpu.aliases.begin(), gpu.aliases.end(), [](const std::string &alias) { return alias.find(' ') == std::string::npos; }); one != gpu.aliases.end())
        name = *one;
    return fmt::format("{}:{}", name, count);
}

// The data go with the task, to the same paths.
std::string fileMounts(const TrainingChoice &training)
{
    std::set<std::string> paths;
    for (const auto *sources : {&training.data, &training.evalData}) {
        for (const DataSource &source : *sources)
            paths.insert(source.path);
    }
    if (!training.tokenizer.empty())
        paths.insert(training.tokenizer);
    std::string text;
    for (const std::string &path : paths) {
        std::error_code ignored;
        const nlohmann::json kept = nlohmann::json::parse(nlohmann::json(path).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
        if (path.starts_with('/') && std::filesystem::is_regular_file(path, ignored) && kept == path) // YAML holds no bytes that are no UTF-8
            text += "  " + yamlScalar(path) + ": " + yamlScalar(path) + "\n";
    }
    return text.empty() ? text : "# The data, to where run.yaml names them.\nfile_mounts:\n" + text;
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
)sh", slurmMinutes(config, prediction.cost.hours * 3600), trainerLine(parallel));
    return {.name = "job.sbatch", .text = text, .hint = "sbatch --export=NONE job.sbatch, in that folder, where slipway-train is installed"};
}

ExportedFile skypilotFile(const RunConfig &config, const Prediction &prediction)
{
    std::string text = fmt::format("# sky launch task.yaml, in this folder. Checkpoints stay on the node: bring them home before it is taken down.\nname: \"{}\"\nnum_nodes: 1\n", plainName(config.training.name));
    if (!prediction.gpu.isCpu)
        text += "resources:\n  accelerators: " + skypilotAccelerator(prediction.gpu, config.parallel.gpus) + "\n";
    text += "workdir: .\n" + fileMounts(config.training) + "# slipway-train must be on the node's PATH: take an image that has it, or install it here.\nsetup: command -v slipway-train\nrun: "
        + trainerLine(config.parallel) + "\n";
    return {.name = "task.yaml", .text = text, .hint = "sky launch --idle-minutes-to-autostop 10 task.yaml, in that folder"};
}

ExportedFile torchrunFile(const RunConfig &config)
{
    const std::string text = "#!/bin/sh\ncd \"$(dirname \"$0\")\" || exit 2\nexec torchrun --no-python --standalone --nproc-per-node=1 " + trainerLine(config.parallel) + "\n";
    return {.name = "start.sh", .text = text, .hint = "sh start.sh, where torchrun and slipway-train are installed"};
}

// A name of a Kubernetes object: RFC 1123, lower case.
std::string kubernetesName(const std::string &name)
{
    std::string plain = toLower(plainName(name)).substr(0, 50);
    while (!plain.empty() && plain.back() == '-')
        plain.pop_back();
    return plain.empty() ? "run" : plain;
}

ExportedFile kubernetesFile(const RunConfig &config, const Prediction &prediction)
{
    const std::string name = kubernetesName(config.training.name);
    const int gpus = config.parallel.gpus;
    std::string text = fmt::format(R"yaml(# A job of Kubeflow's training operator. Make a volume claim named {0}, put run.yaml and the data on it, say an image that has
# slipway-train in place of the one below, then: kubectl apply -f job.yaml
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata:
  name: "{0}"
spec:
  runPolicy:
    activeDeadlineSeconds: {1}
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      restartPolicy: OnFailure
      template:
        spec:
          # A stop waits so long for the checkpoint.
          terminationGracePeriodSeconds: 120
          containers:
            - name: pytorch
              image: slipway-train
              workingDir: /run-directory
              command: [slipway-train, run, ., "-n", "{2}", --resume]
)yaml", name, slurmMinutes(config, prediction.cost.hours * 3600) * 60, gpus);
    if (!prediction.gpu.isCpu)
        text += fmt::format("              resources:\n                limits:\n                  nvidia.com/gpu: {}\n", gpus);
    text += fmt::format(R"yaml(              volumeMounts:
                - {{name: run, mountPath: /run-directory}}
                - {{name: shared-memory, mountPath: /dev/shm}}
          volumes:
            - name: run
              persistentVolumeClaim: {{claimName: "{}"}}
            # NCCL passes data between the ranks of a node through it.
            - name: shared-memory
              emptyDir: {{medium: Memory}}
)yaml", name);
    return {.name = "job.yaml", .text = text, .hint = "kubectl apply -f job.yaml, with run.yaml and the data on the volume that it names"};
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
    case ExportTarget::Kubernetes: return kubernetesFile(config, prediction);
    case ExportTarget::Torchrun: break;
    }
    return torchrunFile(config);
}

} // namespace slipway
