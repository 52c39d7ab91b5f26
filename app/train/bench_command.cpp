// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "bench_command.h"
#include "comm/nccl_group.h"
#include "config/apply_framework.h"
#include "config/config_io.h"
#include "config/resolve_model.h"
#include "config/settings.h"
#include "exec/bench_step.h"
#include "exec/cuda_devices.h"
#include "hardware/catalogue.h"
#include "plan/build_plan.h"
#include "predict/calibrated.h"
#include "runs/loss_text.h"

namespace slipway::train_app {

namespace {

RunConfig processorConfig()
{
    RunConfig config;
    config.gpu = "cpu";
    config.precision = Precision::Fp32;
    return config;
}

Result<RunConfig> configOf(const BenchArguments &arguments, const RunConfig &defaults)
{
    Result<RunConfig> config = arguments.file.empty() ? Result<RunConfig>(defaults) : readRunConfig(arguments.file);
    return config ? applySettings(std::move(*config), arguments.settings) : config;
}

} // namespace

Result<Prepared> prepare(const BenchArguments &arguments)
{
    Result<RunConfig> config = configOf(arguments, processorConfig());
    if (!config)
        return config.error();
    const Result<BackendKind> backend = backendFor(config->training.device);
    if (!backend)
        return backend.error();
    if (*backend != BackendKind::Host)
        config = configOf(arguments, RunConfig{});
    if (!config)
        return config.error();
    settleChoices(*config);
    if (config->parallel.gpus > 1 && config->parallel.kind == ParallelKind::None)
        config->parallel.kind = ParallelKind::Ddp; // the simplest strategy that uses several ranks
    const Result<Catalogue> catalogue = loadCatalogue();
    if (!catalogue)
        return catalogue.error();
    Result<ModelSpec> model = resolveModel(config->model, *catalogue);
    if (!model)
        return model.error();
    if (const Result<void> valid = validate(*config, *model); !valid)
        return valid.error();
    if (const Result<RunPlan> plan = buildPlan(*config, *model); !plan)
        return plan.error();
    std::vector<StepPlan> stages;
    for (int stage = 0; stage < config->parallel.pp; ++stage)
        stages.push_back(buildStage(*config, *model, stage));
    chooseGraphs(stages, *config, *catalogue);
    return Prepared{
        .config = std::move(*config), .model = std::move(*model), .stages = std::move(stages), .backend = *backend};
}

int onRanks(BenchArguments &arguments, const std::function<Result<void>(const Ranks &)> &work)
{
    const Result<std::optional<int>> around = Ranks::around();
    if (!around)
        return report(around.error());
    if (arguments.processes > 1 || *around) {
        const std::string ranks = std::to_string(around->value_or(arguments.processes));
        for (const auto &[flag, text] : arguments.settings) {
            if (flag == "--gpus" && text != ranks)
                return report({.what = "is " + text + ", but " + ranks + " ranks are started",
                    .where = "--gpus",
                    .accepted = ranks});
        }
        arguments.settings.emplace_back("--gpus", ranks);
    }
    const Result<Prepared> prepared = prepare(arguments); // before ranks start, so that an error is reported once
    if (!prepared)
        return report(prepared.error());
    if (arguments.processes > 1 && !*around)
        return runAsProcesses(arguments.processes);
    if (prepared->config.training.deterministic)
        fixOrderOfNcclSums();
    const Result<Ranks> ranks = Ranks::meet(prepared->config.parallel.gpus, prepared->backend == BackendKind::Cuda);
    if (!ranks)
        return report(ranks.error());
    const Result<void> done = ranks->part(work(*ranks));
    return done ? 0 : report(done.error());
}

Result<StepBench> benchOn(const Ranks &ranks, const Prepared &prepared, const BenchOptions &options)
{
    StepBench first;
    const Result<void> done = ranks.run([&](Communicator &communicator) -> Result<void> {
        BenchOptions own = options;
        own.backend = prepared.backend;
        own.deterministic = prepared.config.training.deterministic;
        Result<StepBench> bench = benchStep(prepared.planOf(communicator.rank()), prepared.model, communicator, own);
        if (!bench)
            return bench.error();
        if (communicator.rank() == 0)
            first = *bench;
        return {};
    });
    return done ? Result<StepBench>(first) : Result<StepBench>(done.error());
}

std::string deviceName(BackendKind backend)
{
    const Result<std::vector<CudaDevice>> devices = cudaDevices();
    return backend == BackendKind::Cuda && devices ? devices->front().name : "cpu";
}

void addBenchFlags(CLI::App &command, BenchArguments &arguments)
{
    command.add_option("FILE", arguments.file, "Configuration file (YAML); flags override it");
    command.add_option("--steps", arguments.options.steps, "Number of steps to time")
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str();
    command.add_option("--warmup", arguments.options.warmup, "Number of warm-up steps before them")
        ->check(CLI::Range(0, 1'000'000))
        ->capture_default_str();
    command
        .add_option(
            "--threads", arguments.options.threads, "Number of threads of all ranks together; 0 for one per core")
        ->check(CLI::Range(0, 4096))
        ->capture_default_str();
    command
        .add_option(
            "-n", arguments.processes, "Number of local ranks, one process each; default: --gpus ranks, as threads")
        ->check(CLI::Range(1, 1024));
    command.add_flag("--json", arguments.json, "Print the result as one JSON document");
    addSettingFlags(command, arguments.settings);
}

namespace {

Result<void> runBenchStep(const BenchArguments &arguments, const Ranks &ranks)
{
    const Result<Prepared> prepared = prepare(arguments);
    if (!prepared)
        return prepared.error();
    const Result<StepBench> bench = benchOn(ranks, *prepared, arguments.options);
    if (!bench)
        return bench.error();
    if (!ranks.first())
        return {};
    if (arguments.json) {
        nlohmann::ordered_json json = {{"version", 1}, {"what", "slipway"}, {"device", deviceName(prepared->backend)},
            {"config", toJson(prepared->config)}, {"params", bench->params}, {"step_s_median", bench->stepMedian},
            {"step_s_min", bench->stepMin}, {"tokens_per_s", bench->tokensPerSecond}, {"loss_first", bench->lossFirst},
            {"loss_last", bench->lossLast}, {"peak_allocated_bytes", bench->peakAllocated},
            {"planned_peak_allocated_bytes", bench->plannedPeakAllocated}, {"peak_reserved_bytes", bench->peakReserved},
            {"planned_peak_reserved_bytes", bench->plannedPeakReserved}, {"kernels", bench->kernels},
            {"phases", {{"forward", bench->phases.forward}, {"backward", bench->phases.backward},
                           {"optimizer", bench->phases.optimizer}, {"communication", bench->phases.communication}}}};
        if (bench->outside) {
            json["outside_allocator_bytes"] = bench->outside->all;
            json["collectives_bytes"] = bench->outside->collectives;
        }
        fmt::print("{}\n", json.dump());
        return {};
    }
    fmt::print("{} parameters: {} per step (fastest {}), {} tokens/s\n",
        formatCount(static_cast<double>(bench->params)), formatSeconds(bench->stepMedian),
        formatSeconds(bench->stepMin), formatCount(bench->tokensPerSecond));
    fmt::print("loss {} to {}; peak {} allocated, {} planned; {} reserved, {} planned\n", lossText(bench->lossFirst),
        lossText(bench->lossLast), formatBytes(bench->peakAllocated), formatBytes(bench->plannedPeakAllocated),
        formatBytes(bench->peakReserved), formatBytes(bench->plannedPeakReserved));
    return {};
}

} // namespace

void addBenchCommand(CLI::App &app, int &status)
{
    const auto arguments = std::make_shared<BenchArguments>();
    CLI::App *const bench =
        addCommand(app, "bench", "Measure the speed and memory of training and serving on this machine",
            "slipway-train bench step --model 100M --micro-batch 4 --json");
    bench->require_subcommand(1);
    CLI::App *const command = addCommand(*bench, "step", "Time whole training steps on random tokens",
        "slipway-train bench step --layers 4 --hidden 256 --heads 4 --ffn 688 --vocab 32000 --micro-batch 4 --seq-len "
        "1024 --steps 10 --json");
    addBenchFlags(*command, *arguments);
    command->callback([arguments, &status] {
        status = onRanks(*arguments, [arguments](const Ranks &ranks) { return runBenchStep(*arguments, ranks); });
    });
    addBenchOps(*bench, status);
    addBenchMemory(*bench, status);
    addBenchGrid(*bench, status);
    addBenchLinks(*bench, status);
    addBenchServe(*bench, status);
}

} // namespace slipway::train_app
