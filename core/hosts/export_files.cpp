// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hosts/export_files.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "base/yaml.h"
#include "hosts/node_shape.h"
#include "hosts/preflight.h"
#include "hosts/slurm_script.h"

namespace slipway {

namespace fs = std::filesystem;

namespace {

// A name that Slurm, SkyPilot and shells accept without quotes.
std::string exportedName(const std::string &name) { return safeName(name, {.kept = "-", .longest = 60}); }

// SkyPilot names GPUs by model and count, such as "H100:8" or "RTX4090:1". Its names of the A100 tell the memory size,
// but not the form factor.
std::string skypilotAccelerator(const Gpu &gpu, int count)
{
    std::string name = gpu.id;
    if (gpu.id.starts_with("a100-"))
        name = gpu.memoryBytes > 60 * kGiB ? "A100-80GB" : "A100";
    else if (!gpu.priceListNames.empty())
        name = gpu.priceListNames.front();
    else if (const auto one = std::find_if(gpu.aliases.begin(), gpu.aliases.end(),
                 [](const std::string &alias) { return alias.find(' ') == std::string::npos; });
        one != gpu.aliases.end())
        name = *one;
    return fmt::format("{}:{}", name, count);
}

constexpr const char *kRemoteBundle = "~/.local/share/slipway/bundle"; // slipway launch looks there, too

// Whether a YAML file can contain the path. It cannot if the path has bytes that are not valid UTF-8.
bool isMountable(const std::string &path)
{
    const Result<nlohmann::json> kept =
        parseJson(nlohmann::json(path).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    return path.starts_with('/') && kept && *kept == path;
}

// Every path that run.yaml names.
std::vector<std::string *> pathsIn(RunConfig &config)
{
    std::vector<std::string *> paths;
    for (auto *sources : {&config.training.data, &config.training.evalData}) {
        for (DataSource &source : *sources)
            paths.push_back(&source.path);
    }
    if (!config.training.tokenizer.empty())
        paths.push_back(&config.training.tokenizer);
    std::error_code ignored;
    if (fs::is_regular_file(config.model.name, ignored))
        paths.push_back(&config.model.name);
    return paths;
}

std::set<std::string> filesNamedIn(RunConfig config)
{
    std::set<std::string> files;
    for (const std::string *path : pathsIn(config))
        files.insert(*path);
    return files;
}

// Files that nothing copies: they must exist under these paths where the job runs.
std::string filesComment(const RunConfig &config)
{
    std::string text;
    for (const std::string &path : filesNamedIn(config))
        text += "#   " + yamlScalar(path) + "\n";
    return text.empty() ? text : "# run.yaml names these files. They must exist at these paths on each node:\n" + text;
}

// The data are copied to the same paths on the node. The trainer is copied, too.
std::string fileMounts(const RunConfig &config, const NodeBundle &bundle)
{
    const std::set<std::string> paths = filesNamedIn(config);
    std::string text;
    for (const std::string &path : paths) {
        std::error_code ignored;
        if (isMountable(path) && fs::is_regular_file(path, ignored))
            text += "  " + yamlScalar(path) + ": " + yamlScalar(path) + "\n";
    }
    if (!text.empty())
        text = "  # The data, to where run.yaml names them.\n" + text;
    if (isMountable(bundle.folder))
        text += "  # The trainer, as packaging/node-bundle made it.\n  " + std::string(kRemoteBundle) + ": " +
                yamlScalar(bundle.folder) + "\n";
    return text.empty() ? text : "file_mounts:\n" + text;
}

// The bundle does not contain LibTorch. On several nodes, PyTorch is installed, which provides LibTorch and torchrun.
std::string skypilotSetup(const NodeBundle &bundle, bool several)
{
    if (!isMountable(bundle.folder))
        return "# slipway-train must be on the node's PATH: take an image that has it, or set SLIPWAY_NODE_BUNDLE to "
               "a\n"
               "# folder of packaging/node-bundle and export again.\nsetup: command -v slipway-train\n";
    return "setup: |\n  " +
           (several ? fmt::format("python3 -m pip install torch==\"$(cat {}/libtorch-version)\"\n", kRemoteBundle)
                    : fmt::format("{}/bin/slipway-train --fetch-libtorch\n", kRemoteBundle));
}

// On one node, one process runs all ranks. On several nodes, the launcher starts each rank. A repeated start resumes
// from the latest checkpoint.
std::string trainerLine(const NodeShape &shape)
{
    return shape.nodes > 1 ? "slipway-train run . --resume"
                           : fmt::format("slipway-train run . -n {} --resume", shape.perNode);
}

constexpr int kTorchrunPort = 29400; // torchrun's default

ExportedFile slurmFile(const RunConfig &config, const NodeShape &shape, const Prediction &prediction)
{
    std::string text =
        fmt::format("#!/bin/sh\n#SBATCH --job-name={}\n#SBATCH --nodes={}\n#SBATCH --ntasks-per-node={}\n",
            exportedName(config.training.name), shape.nodes, shape.nodes > 1 ? shape.perNode : 1);
    if (!prediction.gpu.isCpu)
        text += fmt::format("#SBATCH --gpus-per-node={}\n", shape.perNode);
    text += fmt::format(R"sh(#SBATCH --time={}
#SBATCH --signal=USR1@120
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=out.log
#SBATCH --error=err.log
# Submit from this directory. USR1 comes two minutes before the limit: the trainer writes a checkpoint and ends, and a
# requeued job continues from it.
{}srun --export=ALL {} {}
)sh",
        slurmMinutes(config, prediction.cost.hours * 3600), filesComment(config), kNodeByNode, trainerLine(shape));
    return {.name = "job.sbatch",
        .text = text,
        .hint = "sbatch --export=NONE job.sbatch, in that folder, where slipway-train is installed"};
}

ExportedFile skypilotFile(
    const RunConfig &config, const NodeShape &shape, const Prediction &prediction, const NodeBundle &bundle)
{
    const bool several = shape.nodes > 1;
    std::string text = several ? "# sky launch task.yaml, in this folder. The nodes are to share the run's directory: "
                                 "mount a volume or a bucket on all of them (file_mounts,\n"
                                 "# mode: MOUNT), copy this folder there, and name it as SLIPWAY_RUN.\n"
                               : "# sky launch task.yaml, in this folder. Checkpoints stay on the node: copy them "
                                 "before it is terminated.\n";
    text += fmt::format("name: \"{}\"\nnum_nodes: {}\n", exportedName(config.training.name), shape.nodes);
    if (!prediction.gpu.isCpu)
        text += "resources:\n  accelerators: " + skypilotAccelerator(prediction.gpu, shape.perNode) + "\n";
    text += several ? "envs:\n  SLIPWAY_RUN: /run-directory\n" : "workdir: .\n";
    text += fileMounts(config, bundle) + skypilotSetup(bundle, several);
    const std::string path =
        isMountable(bundle.folder) ? fmt::format("  export PATH={}/bin:$PATH\n", kRemoteBundle) : std::string();
    text +=
        "run: |\n" + path +
        (several ? fmt::format("  cd \"$SLIPWAY_RUN\" || exit 2\n  exec torchrun --no-python --nnodes={} "
                               "--nproc-per-node={} --node-rank=\"$SKYPILOT_NODE_RANK\" \\\n"
                               "    --master-addr=\"$(echo \"$SKYPILOT_NODE_IPS\" | head -n 1)\" --master-port={} {}\n",
                       shape.nodes, shape.perNode, kTorchrunPort, trainerLine(shape))
                 : "  exec " + trainerLine(shape) + "\n");
    return {.name = "task.yaml",
        .text = text,
        .hint = "sky launch --idle-minutes-to-autostop 10 task.yaml, in that folder"};
}

ExportedFile torchrunFile(const RunConfig &config, const NodeShape &shape)
{
    std::string text = "#!/bin/sh\n" + filesComment(config) + "cd \"$(dirname \"$0\")\" || exit 2\n";
    if (shape.nodes > 1) {
        text += fmt::format("# Run this on each node, in a folder that all nodes share.\nexec torchrun --no-python "
                            "--nnodes={} --nproc-per-node={} --rdzv-backend=c10d --rdzv-id={} \\\n"
                            "    --rdzv-endpoint=\"${{1:?usage: start.sh FIRST-NODE}}:{}\" {}\n",
            shape.nodes, shape.perNode, exportedName(config.training.name), kTorchrunPort, trainerLine(shape));
        return {.name = "start.sh",
            .text = text,
            .hint = fmt::format(
                "sh start.sh FIRST-NODE on each of the {} nodes, where torchrun and slipway-train are installed",
                shape.nodes)};
    }
    text += "exec torchrun --no-python --standalone --nproc-per-node=1 " + trainerLine(shape) + "\n";
    return {.name = "start.sh", .text = text, .hint = "sh start.sh, where torchrun and slipway-train are installed"};
}

// A valid name of a Kubernetes object: lower case, as RFC 1123 requires.
std::string kubernetesName(const std::string &name)
{
    std::string plain = toLower(exportedName(name)).substr(0, 50);
    while (!plain.empty() && plain.back() == '-')
        plain.pop_back();
    return plain.empty() ? "run" : plain;
}

// The replicas of one kind: one pod per node, all with the same specification.
std::string kubernetesReplicas(
    const std::string &kind, int replicas, const NodeShape &shape, const std::string &claim, bool gpus)
{
    const std::string command = shape.nodes > 1
                                    ? "torchrun, --no-python, slipway-train, run, ., --resume"
                                    : fmt::format("slipway-train, run, ., \"-n\", \"{}\", --resume", shape.perNode);
    std::string text = fmt::format(R"yaml(    {}:
      replicas: {}
      restartPolicy: OnFailure
      template:
        spec:
          # A stop waits so long for the checkpoint.
          terminationGracePeriodSeconds: 120
          containers:
            - name: pytorch
              image: slipway-train
              workingDir: /run-directory
              command: [{}]
)yaml",
        kind, replicas, command);
    if (gpus)
        text += fmt::format(
            "              resources:\n                limits:\n                  nvidia.com/gpu: {}\n", shape.perNode);
    return text + fmt::format(R"yaml(              volumeMounts:
                - {{name: run, mountPath: /run-directory}}
                - {{name: shared-memory, mountPath: /dev/shm}}
          volumes:
            - name: run
              persistentVolumeClaim: {{claimName: "{}"}}
            # NCCL passes data between the ranks of a node through it.
            - name: shared-memory
              emptyDir: {{medium: Memory}}
)yaml",
                      claim);
}

// Places the files of the run in one folder of the volume. Returns what to copy where.
std::string placeOnVolume(RunConfig &config)
{
    std::map<std::string, std::string> places;
    std::set<std::string> taken;
    std::string text = "# Copy to the volume, which the job mounts at /run-directory:\n"
                       "#   run.yaml -> /run-directory/run.yaml\n";
    for (std::string *path : pathsIn(config)) {
        std::string &place = places[*path];
        if (place.empty()) {
            const std::string name = fs::path(*path).filename().string();
            std::string unique = name;
            for (int number = 2; !taken.insert(unique).second; ++number)
                unique = std::to_string(number) + "-" + name;
            place = "/run-directory/data/" + unique;
            text += "#   " + yamlScalar(*path) + " -> " + yamlScalar(place) + "\n";
        }
        *path = place;
    }
    return text;
}

ExportedFile kubernetesFile(RunConfig config, const NodeShape &shape, const Prediction &prediction)
{
    const std::string name = kubernetesName(config.training.name);
    const bool gpus = !prediction.gpu.isCpu;
    std::string text = fmt::format(
        R"yaml(# A job of Kubeflow's training operator. Make a volume claim named {0}{1} and copy the files below to
# it. Build packaging/Containerfile{2} and push it under the name of the image below: kubectl apply -f job.yaml
{4}apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata:
  name: "{0}"
spec:
  runPolicy:
    activeDeadlineSeconds: {3}
)yaml",
        name, shape.nodes > 1 ? " (ReadWriteMany: all nodes share it)" : "",
        shape.nodes > 1 ? " with TORCHRUN=yes" : "", slurmMinutes(config, prediction.cost.hours * 3600) * 60,
        placeOnVolume(config));
    if (shape.nodes > 1)
        text += fmt::format("  nprocPerNode: \"{}\"\n", shape.perNode);
    text += "  pytorchReplicaSpecs:\n" + kubernetesReplicas("Master", 1, shape, name, gpus);
    if (shape.nodes > 1)
        text += kubernetesReplicas("Worker", shape.nodes - 1, shape, name, gpus);
    return {.name = "job.yaml",
        .text = text,
        .hint = "kubectl apply -f job.yaml, after run.yaml and the data are copied to the volume as it says",
        .config = std::move(config)};
}

} // namespace

Result<ExportedFile> exportedFile(
    const RunConfig &config, const Prediction &prediction, ExportTarget target, const NodeBundle &bundle)
{
    if (const std::string simulated = simulatedOnly(config); !simulated.empty())
        return Error{.what = simulated, .where = "--framework"};
    const Result<NodeShape> shape = nodeShape(config.parallel);
    if (!shape)
        return shape.error();
    if (target == ExportTarget::Kubernetes)
        return kubernetesFile(config, *shape, prediction);
    ExportedFile file = target == ExportTarget::Slurm      ? slurmFile(config, *shape, prediction)
                        : target == ExportTarget::Skypilot ? skypilotFile(config, *shape, prediction, bundle)
                                                           : torchrunFile(config, *shape);
    file.config = config;
    return file;
}

} // namespace slipway
