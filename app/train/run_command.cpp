// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>

#include "command.h"
#include "hardware/catalogue.h"
#include "run/launch_env.h"
#include "run/run_job.h"
#include "run/run_loop.h"

namespace slipway::train_app {

namespace {

struct RunArguments {
    std::string directory;
    int ranks = 0; // 0: as run.yaml says
    int threads = 0;
    bool resume = false;
    bool stopOnNan = false;
};

// The ranks that were asked for must be those of run.yaml: another number would be another batch, and another plan.
Result<void> checkRanks(const RunArguments &arguments, const RunJob &job)
{
    const Result<LaunchEnvironment> environment = launchEnvironment([](const char *name) { return std::getenv(name); });
    if (!environment)
        return environment.error();
    if (environment->world > 1) {
        return Error{.what = environment->origin + " started " + std::to_string(environment->world) + " processes, but this program runs all ranks in one",
            .where = "slipway-train run", .accepted = "one process with -n " + std::to_string(job.ranks())};
    }
    if (arguments.ranks != 0 && arguments.ranks != job.ranks())
        return Error{.what = "is " + std::to_string(arguments.ranks) + ", but gpus in run.yaml is " + std::to_string(job.ranks()), .where = "-n", .accepted = std::to_string(job.ranks())};
    return {};
}

int runTrainer(const RunArguments &arguments)
{
    const Result<Catalogue> catalogue = loadCatalogue();
    if (!catalogue)
        return report(catalogue.error());
    const Result<RunJob> job = prepareRun(arguments.directory, *catalogue);
    if (!job)
        return report(job.error());
    if (const Result<void> ranks = checkRanks(arguments, *job); !ranks)
        return report(ranks.error());
    const RunOptions options{.resume = arguments.resume, .stopOnNan = arguments.stopOnNan, .threads = arguments.threads,
        .print = [](const std::string &line) { fmt::print("{}\n", line); std::fflush(stdout); },
        .warn = [](const std::string &line) { fmt::print(stderr, "slipway-train: {}\n", line); }};
    const Result<int> status = train(*job, options);
    return status ? *status : report(status.error());
}

} // namespace

void addRunCommand(CLI::App &app, int &status)
{
    const auto arguments = std::make_shared<RunArguments>();
    CLI::App *const command = addCommand(app, "run", "Train what RUN_DIR/run.yaml asks for.", "slipway-train run my-run --resume");
    command->add_option("RUN_DIR", arguments->directory, "A folder with a run.yaml; metrics, events and checkpoints go there")->required();
    command->add_option("-n", arguments->ranks, "Local ranks (default: gpus of run.yaml)")->check(CLI::Range(1, 1024));
    command->add_option("--threads", arguments->threads, "Threads of all ranks together (default: all cores)")->check(CLI::Range(1, 4096));
    command->add_flag("--resume", arguments->resume, "Go on from the newest checkpoint that is whole");
    command->add_flag("--stop-on-nan", arguments->stopOnNan, "End with status 6 where loss or gradients are not finite");
    command->callback([arguments, &status] { status = runTrainer(*arguments); });
}

} // namespace slipway::train_app
