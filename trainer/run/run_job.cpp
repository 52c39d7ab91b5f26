// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/run_job.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "config/config_io.h"
#include "comm/nccl_group.h"
#include "comm/rendezvous.h"
#include "config/resolve_model.h"
#include "config/trainer_mesh.h"
#include "cost/cost.h"
#include "exec/backend.h"
#include "plan/build_plan.h"
#include "predict/calibrated.h"
#include "predict/predict.h"
#include "data/checksum.h"

namespace slipway {

namespace {

Result<void> checkTrainable(const RunConfig &config, BackendKind backend, const std::string &where)
{
    const auto refuse = [&where](const std::string &what, const std::string &accepted) {
        return Error{.what = what, .where = where, .accepted = accepted};
    };
    if (config.training.data.empty())
        return refuse("data: names no token file", "one or more token files, as slipway-train tokenize writes them");
    const CommunicatorKind communicator = config.training.communicator;
    if (communicator == CommunicatorKind::Nccl && backend != BackendKind::Cuda)
        return refuse("communicator: nccl is for GPUs", "gloo, threads, auto");
    if (communicator == CommunicatorKind::Nccl && !ncclMissing().empty())
        return refuse("communicator: " + ncclMissing(), "gloo, threads, auto");
    if (communicator == CommunicatorKind::Gloo && !glooMissing().empty())
        return refuse("communicator: " + glooMissing(), "threads, auto");
    if (config.training.documents == Documents::Separate && config.attentionOrFlash() != Attention::Flash &&
        backend != BackendKind::Host)
        return refuse("documents: apart needs flash attention on a GPU", "packed, or attention: flash");
    if (config.framework != Framework::Slipway)
        return refuse("framework: " + std::string(enumName(config.framework)) + " is simulated only", "slipway");
    if (backend == BackendKind::Host && config.precisionOrMixed() != Precision::Fp32)
        return refuse(
            "precision: " + std::string(enumName(config.precisionOrMixed())) + " cannot be trained on a CPU", "fp32");
    return {};
}

// The limit memory_gib applies to the run as to the plan.
Result<void> checkMemory(const RunConfig &config, const Prediction &prediction)
{
    const auto cap = static_cast<Bytes>(config.memoryGib.value_or(0) * static_cast<double>(kGiB));
    if (cap == 0 || prediction.memory.peakReserved <= cap)
        return {};
    return Error{.what = "out of memory: the step needs " + formatBytes(prediction.memory.peakReserved) +
                         ", memory_gib allows " + formatBytes(cap),
        .where = "memory_gib",
        .accepted = "more memory, or a smaller micro_batch or seq_len",
        .fault = Fault::Outside};
}

} // namespace

Result<RankMode> chooseRankMode(const RunJob &job, int asked, int gpus)
{
    const CommunicatorKind communicator = job.config.training.communicator;
    const bool nccl = communicator == CommunicatorKind::Nccl && job.ranks() > 1;
    const bool severalGpus = job.backend == BackendKind::Cuda && job.ranks() > 1 && gpus > 1;
    if (nccl && !glooMissing().empty())
        return Error{.what = "communicator: nccl needs one process per rank, and " + glooMissing(),
            .where = job.paths.config().string(),
            .accepted = "threads, auto"};
    const bool processes = nccl || (communicator != CommunicatorKind::Threads && (asked > 1 || severalGpus));
    return processes && glooMissing().empty() ? RankMode::Processes : RankMode::Threads;
}

Result<RunJob> prepareRun(const std::filesystem::path &directory, const Catalogue &catalogue, std::optional<int> ranks)
{
    std::error_code error;
    const std::filesystem::path absolute = std::filesystem::absolute(directory, error).lexically_normal();
    RunJob job{.paths = {.directory = absolute}};
    const std::string where = job.paths.config().string();
    if (!std::filesystem::is_directory(absolute, error))
        return Error{
            .what = "is not a folder", .where = directory.string(), .accepted = "a run directory with a run.yaml"};
    const Result<std::string> text = readPrivateFile(job.paths.config());
    if (!text)
        return text.error();
    Result<RunConfig> config = parseRunConfig(*text, where);
    if (!config)
        return config.error();
    if (ranks && *ranks != config->parallel.gpus)
        config = withRanks(std::move(*config), *ranks);
    if (!config)
        return config.error();
    job.config = withPathsFrom(std::move(*config), absolute);
    job.configDigest = checksumOf(std::as_bytes(std::span(*text)));
    const Result<BackendKind> backend = backendFor(job.config.training.device);
    if (!backend)
        return backend.error();
    job.backend = *backend;
    if (const Result<void> trainable = checkTrainable(job.config, job.backend, where); !trainable)
        return trainable.error();
    Result<ModelSpec> model = resolveModel(job.config.model, catalogue);
    if (!model)
        return withFileLocation(model.error(), job.paths.config());
    job.model = std::move(*model);
    if (const Result<void> valid = validate(job.config, job.model); !valid)
        return withFileLocation(valid.error(), job.paths.config());
    const Result<RunPlan> plan = buildPlan(job.config, job.model);
    if (!plan)
        return withFileLocation(plan.error(), job.paths.config());
    for (int stage = 0; stage < job.config.parallel.pp; ++stage)
        job.stages.push_back(buildStage(job.config, job.model, stage));
    chooseGraphs(job.stages, job.config, catalogue);
    job.steps = std::max<std::int64_t>(1, ceilDiv(tokenBudget(job.config, job.model), job.config.tokensPerStep()));
    if (const Result<Gpu> gpu = catalogue.gpu(job.config.gpu))
        job.peakFlops = gpu->isCpu ? gpu->fp32Flops : gpu->bf16Flops * job.ranks(); // ranks on a CPU share it
    if (Result<Prediction> prediction = predict(job.config, catalogue))
        job.prediction = std::move(*prediction);
    if (const Result<void> memory = job.prediction ? checkMemory(job.config, *job.prediction) : Result<void>(); !memory)
        return memory.error();
    return job;
}

} // namespace slipway
