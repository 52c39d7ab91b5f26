// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hosts/preflight.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/ascii.h"
#include "base/text.h"
#include "hardware/cuda_driver.h"
#include "hardware/user_prices.h"
#include "hosts/node_shape.h"
#include "hosts/slurm_gres.h"
#include "predict/predict.h"

namespace slipway {

namespace fs = std::filesystem;

namespace {

constexpr Seconds kClockTolerance = 5;
constexpr Bytes kIdleGpu = 1 * kGiB; // the memory of an idle GPU that a driver and a desktop use

std::optional<Bytes> sizeHere(const std::string &path)
{
    std::error_code failure;
    const std::uintmax_t size = fs::is_regular_file(path, failure) ? fs::file_size(path, failure) : 0;
    return failure || size == 0 ? std::nullopt : std::optional(static_cast<Bytes>(size));
}

PreflightCheck missing(std::string what, std::string detail, Fault fault = Fault::Outside)
{
    return {.what = std::move(what), .passed = false, .detail = std::move(detail), .fault = fault};
}

PreflightCheck passed(std::string what, std::string detail, bool warning = false)
{
    return {.what = std::move(what), .passed = true, .detail = std::move(detail), .warning = warning};
}

std::optional<Gpu> catalogued(const std::string &driverName, const Catalogue &catalogue)
{
    const Result<Gpu> gpu = catalogue.gpu(driverName);
    return gpu && !gpu->isCpu ? std::optional(*gpu) : std::nullopt;
}

std::string listOf(const HostGpu &gpu)
{
    std::string text;
    for (const GpuProcess &process : gpu.processes) {
        text += text.empty() ? "" : ", ";
        text += fmt::format("{} (pid {}{}{})", process.name.empty() ? "a process" : process.name, process.pid,
            process.user.empty() ? "" : ", " + process.user, process.used ? ", " + formatBytes(*process.used) : "");
    }
    return text;
}

// Brings names such as "nvidia_a100-sxm4-80gb" and "A100 80GB" into one form.
std::string plainGpuName(std::string_view name)
{
    std::string plain;
    for (const char c : name)
        plain += c == '_' || c == ' ' ? '-' : lowerChar(c);
    return plain.starts_with("nvidia-") ? plain.substr(7) : plain;
}

// The GPUs of the catalogue that Slurm's type may mean. "a100" means any A100, "a100-sxm4-80gb" means one.
std::vector<Gpu> gpusOfType(const std::string &type, const Catalogue &catalogue)
{
    std::vector<Gpu> gpus;
    const std::string wanted = plainGpuName(type);
    for (const Gpu &gpu : catalogue.gpus) {
        std::vector<std::string> names = gpu.aliases;
        names.insert(names.end(), {gpu.id, gpu.name});
        const auto meant = [&](const std::string &name) {
            return plainGpuName(name) == wanted || plainGpuName(name).starts_with(wanted + "-");
        };
        if (!wanted.empty() && !gpu.isCpu && std::any_of(names.begin(), names.end(), meant))
            gpus.push_back(gpu);
    }
    return gpus;
}

// Plans the configuration again for the GPUs of the host.
PreflightCheck planOn(const RunConfig &there, const RunConfig &config, const Catalogue &catalogue)
{
    const Result<Prediction> prediction = predict(there, catalogue, {.suggestions = false, .maxMicroBatch = true});
    if (!prediction)
        return passed(
            "plan", "cannot be computed for the GPUs or the CPU of the host: " + prediction.error().message(), true);
    const MemoryPrediction &plan = prediction->memory;
    const std::string text =
        fmt::format("{} of {} on {}", formatBytes(plan.peak), formatBytes(plan.capacity), prediction->gpu.name);
    if (plan.verdict == Verdict::Oom) {
        PreflightCheck check = missing("plan",
            fmt::format("is predicted not to fit: {}; {}. --force starts it anyway", text,
                plan.maxMicroBatch > 0 ? fmt::format("a micro_batch of up to {} fits", plan.maxMicroBatch)
                                       : "not even a micro_batch of 1 fits"),
            Fault::Input);
        check.prediction = true;
        return check;
    }
    const Result<Gpu> planned = catalogue.gpu(config.gpu);
    const bool another = planned && planned->id != prediction->gpu.id;
    return passed(
        "plan", text + (another ? ", planned for " + planned->name : ""), another || plan.verdict == Verdict::Tight);
}

bool inPartition(const SlurmNode &node, const std::string &partition)
{
    const std::vector<std::string_view> names = split(node.partitions, ',');
    return std::find(names.begin(), names.end(), partition) != names.end();
}

// The nodes on which a job with GPUs may run.
std::vector<SlurmNode> nodesFor(const HostFacts &facts, const std::string &wanted)
{
    std::string partition = wanted;
    for (const SlurmPartition &one : facts.partitions)
        partition = partition.empty() && one.isDefault ? one.name : partition;
    std::vector<SlurmNode> nodes;
    for (const SlurmNode &node : facts.nodes) {
        if (node.gpus > 0 && inPartition(node, partition))
            nodes.push_back(node);
    }
    return nodes;
}

} // namespace

bool wantsGpus(const RunConfig &config, const Catalogue &catalogue)
{
    if (config.training.device != DeviceKind::Auto)
        return config.training.device == DeviceKind::Cuda;
    const Result<Gpu> gpu = catalogue.gpu(config.gpu);
    return gpu && !gpu->isCpu;
}

bool SlurmNode::usable() const
{
    for (const char *word :
        {"DOWN", "DRAIN", "FAIL", "NOT_RESPONDING", "MAINT", "UNKNOWN", "INVAL", "POWERED_DOWN", "down", "drain"}) {
        if (state.find(word) != std::string::npos)
            return false;
    }
    return !state.ends_with('*'); // Slurm marks nodes that do not answer with *
}

std::string ownVersion() { return SLIPWAY_VERSION; }

std::vector<InputOnHost> filesOf(const RunConfig &config)
{
    std::vector<InputOnHost> files;
    const auto add = [&](const char *what, const std::string &path) {
        files.push_back({.what = what, .path = path, .here = sizeHere(path), .there = {}});
    };
    for (const DataSource &source : config.training.data)
        add("data", source.path);
    for (const DataSource &source : config.training.evalData)
        add("evaluation data", source.path);
    if (!config.training.tokenizer.empty())
        add("tokenizer", config.training.tokenizer);
    return files;
}

std::string simulatedOnly(const RunConfig &config)
{
    if (config.framework == Framework::Slipway || config.training.runsScript())
        return {};
    std::string name = config.software.empty() ? std::string(enumName(config.framework)) : config.software;
    if (const Result<Catalogue> catalogue = loadUserCatalogue(); catalogue && !config.software.empty()) {
        const Result<FrameworkVersion> version = catalogue->frameworks.resolve(config.software);
        if (const FrameworkProfile *profile = version ? catalogue->frameworks.find(version->id) : nullptr)
            name = profile->title;
    }
    return fmt::format("{} is simulated only: Slipway's trainer does not run it. Set --framework to slipway, or "
                       "--command to the command of a training script. slipway attach follows a run started elsewhere",
        name);
}

std::optional<PreflightCheck> frameworkCheck(const RunConfig &config)
{
    std::string detail = simulatedOnly(config);
    return detail.empty() ? std::nullopt : std::optional(missing("framework", std::move(detail), Fault::Input));
}

std::string bundlePlace(const std::string &home) { return home + "/bundle-" + ownVersion(); }

PreflightCheck trainerCheck(const HostFacts &facts, const NodeBundle &bundle)
{
    const bool right = facts.trainerVersion == ownVersion();
    if (right)
        return passed("trainer", facts.trainer + ", version " + facts.trainerVersion);
    if (!bundle.folder.empty() && bundle.version != ownVersion())
        return missing("trainer",
            fmt::format("the node bundle {} {}, this program is {}; build it again with packaging/node-bundle",
                bundle.folder, bundle.version.empty() ? "reports no version" : "is version " + bundle.version,
                ownVersion()),
            Fault::Input);
    if (!bundle.folder.empty() &&
        facts.trainer !=
            bundlePlace(facts.home) + "/bin/slipway-train") // otherwise it was copied before, and something is missing
        return passed("trainer", "will be copied from " + bundle.folder);
    if (facts.trainer.empty())
        return missing("trainer", "slipway-train is neither in " + facts.home +
                                      "/bundle/bin nor on PATH there; copy the node bundle to " + facts.home +
                                      "/bundle");
    if (!facts.trainerVersion.empty())
        return missing("trainer", fmt::format("{} is version {}, this program is {}; install the same version there",
                                      facts.trainer, facts.trainerVersion, ownVersion()));
    return missing("trainer", facts.trainer + " does not run there: " + facts.trainerProblem);
}

PreflightCheck copyCheck(const HostFacts &facts)
{
    return facts.hasRsync ? passed("rsync", "there")
                          : missing("rsync", "is not installed on the host, and is needed to copy data");
}

PreflightCheck dataCheck(const InputOnHost &file)
{
    if (file.there && *file.there > 0 && !file.toCopy())
        return passed(file.what, fmt::format("{} ({}), already on the host", file.path, formatBytes(*file.there)));
    if (file.here)
        return passed(file.what, fmt::format("{} ({}), will be copied", file.path, formatBytes(*file.here)));
    return missing(
        file.what, file.path + " is found neither on this machine nor on the host, or is empty", Fault::Input);
}

PreflightCheck diskCheck(const HostFacts &facts, Bytes checkpoints, Bytes data)
{
    const Bytes needed = checkpoints + data;
    if (facts.diskFree < needed && facts.diskFree > 0)
        return missing("disk", fmt::format("{} has {} free. Checkpoints need {} and data {}", facts.home,
                                   formatBytes(facts.diskFree), formatBytes(checkpoints), formatBytes(data)));
    if (facts.home.empty() && !facts.diskProblem.empty())
        return missing("disk", facts.diskProblem);
    if (!facts.diskProblem.empty())
        return missing("disk",
            facts.home + " cannot hold the " + formatBytes(checkpoints) + " of checkpoints: " + facts.diskProblem);
    return passed("disk", fmt::format("{} free, {} needed for checkpoints, {} for data", formatBytes(facts.diskFree),
                              formatBytes(checkpoints), formatBytes(data)));
}

PreflightCheck clockCheck(const HostFacts &facts)
{
    if (std::abs(facts.clockSkew) <= kClockTolerance)
        return passed("clock", "agrees with this machine's");
    const std::string off = formatSeconds(std::abs(facts.clockSkew));
    return passed("clock",
        facts.clockSkew > 0
            ? fmt::format("is {} ahead of this machine's. The times in the run's files are the host's", off)
            : fmt::format("is {} behind this machine's. The times in the run's files are the host's", off),
        true);
}

PreflightCheck gpuCheck(const HostFacts &facts, const RunConfig &config, const Catalogue &catalogue)
{
    if (!wantsGpus(config, catalogue))
        return passed("device", fmt::format("cpu, {} cores", facts.cores));
    if (facts.driver.empty())
        return missing("GPUs", "no NVIDIA driver was found there", Fault::Input);
    if (const std::string tooOld = driverTooOld(facts.driver); !tooOld.empty()) {
        PreflightCheck check = missing("GPUs", tooOld);
        check.prediction = true; // with NVIDIA's compatibility package it works nevertheless
        return check;
    }
    const auto wanted = static_cast<std::size_t>(config.parallel.gpus);
    if (facts.gpus.size() < wanted)
        return missing("GPUs",
            fmt::format("{} needed, {} found{}", wanted, facts.gpus.size(),
                config.parallel.nodes() > 1
                    ? "; runs on several nodes need all of them (--on node1,node2), Slurm (--on slurm:) or a file of "
                      "`slipway export`"
                    : ""),
            Fault::Input);
    std::string text, busy;
    for (const HostGpu &gpu : facts.gpus) {
        text = fmt::format("{} x {}, driver {}", facts.gpus.size(), gpu.name, facts.driver);
        if (!gpu.processes.empty())
            busy += fmt::format("; GPU {} runs {}", gpu.index, listOf(gpu));
        else if (gpu.used > kIdleGpu)
            busy += fmt::format("; {} of GPU {} is in use by an unknown process", formatBytes(gpu.used), gpu.index);
    }
    return passed("GPUs", text + busy, !busy.empty());
}

PreflightCheck planCheck(const HostFacts &facts, const RunConfig &config, const Catalogue &catalogue)
{
    const bool onGpus = wantsGpus(config, catalogue);
    if (onGpus && facts.gpus.empty())
        return passed("plan", "made for " + config.gpu + ". The host has no GPU to compare it with", true);
    RunConfig there = config;
    Bytes memory = facts.memory;
    if (onGpus) {
        const HostGpu &smallest = *std::min_element(facts.gpus.begin(), facts.gpus.end(),
            [](const HostGpu &a, const HostGpu &b) { return a.memory < b.memory; });
        memory = smallest.memory;
        if (const std::optional<Gpu> known = catalogued(smallest.name, catalogue))
            there.gpu = known->id;
    }
    if (memory > 0)
        there.memoryGib =
            std::min(there.memoryGib.value_or(1e9), static_cast<double>(memory) / static_cast<double>(kGiB));
    return planOn(there, config, catalogue);
}

PreflightCheck slurmGpuCheck(const HostFacts &facts, const RunConfig &config, const std::string &partition)
{
    const std::vector<SlurmNode> nodes = nodesFor(facts, partition);
    const int wanted = ranksPerNode(config.parallel);
    int all = 0, free = 0, away = 0, ready = 0;
    const SlurmNode *best = nullptr;
    for (const SlurmNode &node : nodes) {
        if (!node.usable()) {
            ++away;
            continue;
        }
        all += node.gpus;
        free += node.gpus - node.gpusUsed;
        ready += node.gpus - node.gpusUsed >= wanted ? 1 : 0;
        if (!best || node.gpus - node.gpusUsed > best->gpus - best->gpusUsed)
            best = &node;
    }
    std::string text = fmt::format("{} of {} free on {} nodes{}", free, all, nodes.size(),
        away > 0 ? fmt::format(", {} of them down or drained", away) : "");
    const bool waits = ready < config.parallel.nodes();
    if (config.parallel.nodes() > 1)
        text += fmt::format("; {} of the {} needed nodes have {} free now{}", ready, config.parallel.nodes(), wanted,
            waits ? ", so the job waits" : "");
    else
        text += waits ? fmt::format("; none has {} free now, so the job waits", wanted)
                      : fmt::format("; {} has {} free", best->name, best->gpus - best->gpusUsed);
    for (const SlurmUse &use : facts.uses)
        text +=
            fmt::format("; {} has {} on {}", use.user == facts.user ? "a job of yours" : use.user, use.gpus, use.nodes);
    return passed("GPUs", text, waits);
}

std::optional<PreflightCheck> nodesCheck(const RunConfig &config)
{
    if (config.parallel.nodes() == 1)
        return std::nullopt;
    const Result<NodeShape> shape = nodeShape(config.parallel);
    if (!shape)
        return missing("nodes", shape.error().message(), Fault::Input);
    return passed("nodes",
        fmt::format("{} with {} ranks each. All of them must find the run directory and the data at the same path",
            shape->nodes, shape->perNode));
}

PreflightCheck slurmPlanCheck(
    const HostFacts &facts, const RunConfig &config, const std::string &partition, const Catalogue &catalogue)
{
    const std::vector<SlurmNode> nodes = nodesFor(facts, partition);
    std::string type;
    for (const SlurmNode &node : nodes)
        type = type.empty() ? node.gpuType : type;
    const std::vector<Gpu> gpus = gpusOfType(type, catalogue);
    if (gpus.empty())
        return passed("plan",
            fmt::format("made for {}. The cluster calls its GPUs {}, which does not say how much memory they have",
                config.gpu, type.empty() ? "gpu" : "'" + type + "'"),
            true);
    RunConfig there = config;
    const Result<Gpu> planned = catalogue.gpu(config.gpu);
    const auto same =
        std::find_if(gpus.begin(), gpus.end(), [&](const Gpu &gpu) { return planned && gpu.id == planned->id; });
    const Gpu &gpu = same != gpus.end() ? *same
                                        : *std::min_element(gpus.begin(), gpus.end(),
                                              [](const Gpu &a, const Gpu &b) { return a.memoryBytes < b.memoryBytes; });
    there.gpu = gpu.id;
    PreflightCheck check = planOn(there, config, catalogue);
    if (gpus.size() > 1)
        check.detail +=
            fmt::format("; the cluster calls its GPUs '{}', which may be any of {} models", type, gpus.size());
    return check;
}

PreflightCheck partitionCheck(const HostFacts &facts, const RunConfig &config, const std::string &wanted)
{
    if (facts.partitions.empty())
        return missing("Slurm", facts.slurmProblem.empty() ? "sinfo shows no partition there"
                                                           : "does not answer there: " + facts.slurmProblem);
    const int wantedOfNode = ranksPerNode(config.parallel);
    std::string names;
    for (const SlurmPartition &partition : facts.partitions) {
        names += (names.empty() ? "" : ", ") + partition.name;
        if (wanted.empty() ? !partition.isDefault : partition.name != wanted)
            continue;
        const std::string text = fmt::format("partition {}: {} nodes {}{}", partition.name, partition.nodes,
            partition.state, partition.gres.empty() ? "" : ", " + partition.gres);
        const Seconds asked = config.training.timeLimit.value_or(0);
        if (partition.timeLimit && asked > *partition.timeLimit)
            return missing("Slurm",
                fmt::format("{} allows {}, and time_limit is {}: such a job never starts", text,
                    formatSeconds(*partition.timeLimit), formatSeconds(asked)),
                Fault::Input);
        const int gpus = gresCount(partition.gres);
        if (requestsGpus(config) && gpus < wantedOfNode)
            continue; // another line of the same partition may have GPUs
        return passed("Slurm", text, partition.state.starts_with("down") || partition.state.starts_with("drain"));
    }
    if (wanted.empty())
        return missing("Slurm",
            fmt::format("no default partition with {} GPUs per node; accepted: --sbatch --partition=NAME, of {}",
                wantedOfNode, names),
            Fault::Input);
    return missing("Slurm", fmt::format("no partition {} with {} GPUs per node, of {}", wanted, wantedOfNode, names),
        Fault::Input);
}

} // namespace slipway
