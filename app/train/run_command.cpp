// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <poll.h>
#include <unistd.h>

#include "base/text.h"
#include "base/visible_text.h"
#include "comm/nccl_group.h"
#include "command.h"
#include "config/config_io.h"
#include "exec/cuda_devices.h"
#include "hardware/catalogue.h"
#include "hardware/processor_rates.h"
#include "run/launch_env.h"
#include "run/launcher.h"
#include "run/run_job.h"
#include "run/run_loop.h"

namespace slipway::train_app {

namespace {

struct RunArguments {
    std::string directory;
    int ranks = 0; // 0 uses the number in run.yaml
    int threads = 0;
    bool resume = false;
    std::optional<bool> stopOnNan; // empty uses the value in run.yaml
    bool elastic = false;
    int maxRestarts = 0;
    double peerTimeout = Rendezvous{}.peerTimeout, joinTimeout = 0, loadTimeout = kLoading; // 0: launcher's value
    double stallTimeout = StallDetector::kSilence;
};

// A number of ranks that differs from run.yaml would need another plan, so it is refused unless --elastic allows it.
Result<void> checkRanks(const RunArguments &arguments, int asked, const char *where, const RunJob &job)
{
    if (arguments.elastic || asked == 0 || asked == job.ranks())
        return {};
    return Error{.what = "is " + std::to_string(asked) + ", but gpus in run.yaml is " + std::to_string(job.ranks()),
        .where = where,
        .accepted = std::to_string(job.ranks()) + ", or --elastic"};
}

// Prints a line of progress. A reader that has stopped, such as a pager or a halted terminal, must not delay the run.
// Lines that cannot be written are dropped, after a short wait for the first of them.
void say(const std::string &line)
{
    static int timeout = 1000; // in milliseconds; static, because only the first rank prints
    pollfd output{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
    const bool room = ::poll(&output, 1, timeout) != 0;
    timeout = room ? 1000 : 0;
    if (room) {
        std::puts(visibleText(line, "\n\t").c_str());
        std::fflush(stdout);
    }
}

// Returns the command line of a rank that this process starts.
std::vector<std::string> rankCommand(const RunArguments &arguments)
{
    std::vector<std::string> command{"slipway-train", "run", arguments.directory};
    if (arguments.threads > 0)
        command.insert(command.end(), {"--threads", std::to_string(arguments.threads)});
    command.insert(command.end(), {"--peer-timeout", fmt::format("{}", arguments.peerTimeout), "--stall-timeout",
                                      fmt::format("{}", arguments.stallTimeout)});
    command.insert(command.end(), {"--load-timeout", fmt::format("{}", arguments.loadTimeout)});
    if (arguments.joinTimeout > 0)
        command.insert(command.end(), {"--join-timeout", fmt::format("{}", arguments.joinTimeout)});
    if (arguments.stopOnNan)
        command.emplace_back(*arguments.stopOnNan ? "--stop-on-nan" : "--no-stop-on-nan");
    for (const auto &[flag, given] :
        {std::pair("--resume", arguments.resume), std::pair("--elastic", arguments.elastic)}) {
        if (given)
            command.push_back(flag);
    }
    return command;
}

int gpusHere(const RunJob &job)
{
    const Result<std::vector<CudaDevice>> devices =
        job.backend == BackendKind::Cuda ? cudaDevices() : std::vector<CudaDevice>();
    return devices ? static_cast<int>(devices->size()) : 0;
}

int runTrainer(const RunArguments &arguments)
{
    const Result<LaunchEnvironment> environment = launchEnvironment([](const char *name) { return std::getenv(name); });
    if (!environment)
        return report(environment.error());
    Result<Catalogue> catalogue = loadCatalogue();
    if (!catalogue)
        return report(catalogue.error());
    const bool isRank = environment->severalProcesses();
    if (const Result<RunConfig> config = readRunConfig(RunPaths{arguments.directory}.config());
        config && config->gpu == "cpu" && !isRank)
        measureProcessorOnce([](std::string_view text) { complain(std::string(text)); });
    useStoredProcessorRates(*catalogue);
    const int asked = isRank ? environment->rendezvous.worldSize : arguments.ranks;
    const Result<RunJob> job = prepareRun(
        arguments.directory, *catalogue, arguments.elastic && asked > 0 ? std::optional(asked) : std::nullopt);
    if (!job)
        return report(job.error());
    if (const Result<void> ranks = checkRanks(arguments, asked, isRank ? "WORLD_SIZE" : "-n", *job); !ranks)
        return report(ranks.error());
    const RunOptions options{.resume = arguments.resume || environment->restarted,
        .stopOnNan = arguments.stopOnNan,
        .threads = arguments.threads,
        .print = say,
        .warn = complain,
        .peerTimeout = arguments.peerTimeout,
        .stallTimeout = arguments.stallTimeout,
        .onFatalError = report};
    const Result<RankMode> mode = chooseRankMode(*job, arguments.ranks, gpusHere(*job));
    if (!isRank && !mode)
        return report(mode.error());
    const bool processes = mode && *mode == RankMode::Processes;
    if (!isRank && !environment->causeFd && (processes || arguments.maxRestarts > 0)) {
        const Result<int> status = launchRanks({.paths = job->paths,
            .command = rankCommand(arguments),
            .ranks = processes ? job->ranks() : 1,
            .mesh = job->config.parallel,
            .maxRestarts = arguments.maxRestarts,
            .memory = job->prediction
                          ? "each rank was predicted to need " + formatBytes(job->prediction->memory.peakReserved)
                          : std::string(),
            .warn = complain});
        return status ? *status : report(status.error());
    }
    Rendezvous rendezvous = withTimeouts(environment->rendezvous,
        {.peer = arguments.peerTimeout, .join = arguments.joinTimeout, .load = arguments.loadTimeout},
        job->backend == BackendKind::Cuda);
    rendezvous.secretFolder = job->paths.directory;
    if (job->config.training.deterministic)
        fixOrderOfNcclSums();
    const Result<int> status = isRank ? trainAsRank(*job, options, rendezvous) : train(*job, options);
    return status ? *status : report(status.error());
}

} // namespace

void addRunCommand(CLI::App &app, int &status)
{
    const auto arguments = std::make_shared<RunArguments>();
    CLI::App *const command =
        addCommand(app, "run", "Train the run that RUN_DIR/run.yaml describes", "slipway-train run my-run --resume");
    command
        ->add_option("RUN_DIR", arguments->directory,
            "Folder with a run.yaml; metrics, events and checkpoints are written to it")
        ->required();
    command
        ->add_option("-n", arguments->ranks,
            "Number of local ranks, one process each; default: gpus of run.yaml, as processes if each has a GPU, "
            "otherwise as threads")
        ->check(CLI::Range(1, 1024));
    command
        ->add_option("--threads", arguments->threads, "Number of threads of all ranks together; default: one per core")
        ->check(CLI::Range(1, 4096));
    command->add_flag("--resume", arguments->resume, "Resume from the latest complete checkpoint");
    command
        ->add_option("--max-restarts", arguments->maxRestarts,
            "Number of restarts from the latest checkpoint after a rank has failed")
        ->check(CLI::Range(0, 1000));
    command
        ->add_option("--peer-timeout", arguments->peerTimeout,
            "Seconds that other ranks wait for a rank before it counts as failed")
        ->check(CLI::Range(1.0, 86400.0))
        ->capture_default_str();
    command
        ->add_option("--stall-timeout", arguments->stallTimeout,
            "Seconds without activity after which a single rank counts as failed")
        ->check(CLI::Range(1.0, 86400.0))
        ->capture_default_str();
    command
        ->add_option("--join-timeout", arguments->joinTimeout,
            "Seconds for all ranks to connect; default: 300, or on one machine --peer-timeout, with GPUs "
            "--load-timeout")
        ->check(CLI::Range(1.0, 86400.0));
    command
        ->add_option("--load-timeout", arguments->loadTimeout,
            "Seconds to load each GPU library, and to initialize NCCL before the first step")
        ->check(CLI::Range(1.0, 86400.0))
        ->capture_default_str();
    command->add_flag("--elastic", arguments->elastic,
        "Accept another number of ranks than gpus of run.yaml; gradient accumulation keeps the global batch");
    command->add_flag_callback(
        "--stop-on-nan", [arguments] { arguments->stopOnNan = true; },
        "Stop with exit status 6 at the first loss or gradient norm that is not finite; default: stop_on_nan of "
        "run.yaml, which is true");
    command->add_flag_callback(
        "--no-stop-on-nan", [arguments] { arguments->stopOnNan = false; },
        "Continue when a loss or gradient norm is not finite; the exit status is still 6");
    command->callback([arguments, &status] { status = runTrainer(*arguments); });
}

} // namespace slipway::train_app
