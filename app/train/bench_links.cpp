// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// bench links: how much of the time of messages overlaps with computation on slowed links, compared with the plan.
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "bench_command.h"
#include "comm/slow_links.h"
#include "config/config_io.h"
#include "hardware/catalogue.h"
#include "hardware/processor_rates.h"
#include "plan/build_plan.h"
#include "predict/calibrated.h"
#include "speed/simulate_step.h"

namespace slipway::train_app {

namespace {

constexpr double kBytesPerGbit = 1e9 / 8;

struct LinkArguments {
    BenchArguments bench;
    double gbps = 1;
};

struct LinkBench {
    StepBench step;
    LinkUse use; // use by the first rank in all steps
    double planned = 0;
};

// Predicts the overlap of the first rank's plan with links of this bandwidth. Sends are not counted, because they do
// not keep a rank busy.
Result<double> plannedOverlap(const Prepared &prepared, double bytesPerSecond)
{
    Result<Catalogue> catalogue = loadCatalogue();
    if (!catalogue)
        return catalogue.error();
    useKeptProcessorRates(*catalogue);
    const Result<Subject> subject = resolveSubject(prepared.config, *catalogue);
    if (!subject)
        return subject.error();
    DeviceRates rates = calibratedRates(*subject, *catalogue);
    rates.nodeLink = rates.networkLink = {.bandwidth = bytesPerSecond};
    rates.nodeSwitch = {};
    const StepPlan &plan = prepared.planOf(0);
    Seconds busy = 0;
    const StepTimes times = simulateStep(plan, rates, [&](const SimulatedOp &played) {
        const Kernel &kernel = plan.at(played.op.kernel);
        if (kernel.cost == CostClass::Communication && kernel.kind != OpKind::Send)
            busy += (played.end - played.start) * played.repetitions;
    });
    return busy > 0 ? std::max(0.0, 1 - times.communicationExposed / busy) : 0;
}

Result<LinkBench> benchLinks(const Ranks &ranks, const Prepared &prepared, const LinkArguments &arguments)
{
    const double bytesPerSecond = arguments.gbps * kBytesPerGbit;
    const Result<double> planned = plannedOverlap(prepared, bytesPerSecond);
    if (!planned)
        return planned.error();
    LinkBench first{.planned = *planned};
    const Result<void> done = ranks.run([&](Communicator &communicator) -> Result<void> {
        SlowLinks links(communicator, bytesPerSecond);
        Result<StepBench> bench =
            benchStep(prepared.planOf(links.rank()), prepared.model, links, arguments.bench.options);
        if (!bench)
            return bench.error();
        if (links.rank() == 0) {
            first.step = *bench;
            first.use = links.use();
        }
        return {};
    });
    return done ? Result<LinkBench>(first) : Result<LinkBench>(done.error());
}

Result<void> runLinks(const LinkArguments &arguments, const Ranks &ranks)
{
    const Result<Prepared> prepared = prepare(arguments.bench);
    if (!prepared)
        return prepared.error();
    if (prepared->backend != BackendKind::Host)
        return Error{.what = "only links between ranks on the CPU can be slowed down",
            .where = "bench links",
            .accepted = "--device cpu"};
    if (prepared->config.parallel.gpus < 2)
        return Error{.what = "one rank sends nothing", .where = "--gpus", .accepted = "2 or more"};
    const Result<LinkBench> bench = benchLinks(ranks, *prepared, arguments);
    if (!bench)
        return bench.error();
    if (!ranks.first())
        return {};
    if (arguments.bench.json) {
        const nlohmann::ordered_json json = {{"version", 1}, {"gbps", arguments.gbps},
            {"config", toJson(prepared->config)}, {"step_s_median", bench->step.stepMedian},
            {"link_busy_s", bench->use.busy}, {"link_waited_s", bench->use.waited},
            {"overlapped", bench->use.overlapped()}, {"overlapped_planned", bench->planned}};
        fmt::print("{}\n", json.dump());
        return {};
    }
    fmt::print("{} per step; communication took {} on links of {} Gbit/s, of which {} was exposed\n"
               "overlapped with computation: {:.1f} %, planned {:.1f} %\n",
        formatSeconds(bench->step.stepMedian), formatSeconds(bench->use.busy), arguments.gbps,
        formatSeconds(bench->use.waited), 100 * bench->use.overlapped(), 100 * bench->planned);
    return {};
}

} // namespace

void addBenchLinks(CLI::App &bench, int &status)
{
    const auto arguments = std::make_shared<LinkArguments>();
    CLI::App *const command = addCommand(bench, "links",
        "Measure the fraction of communication time that overlaps with computation on slow links",
        "slipway-train bench links --gbps 2 --gpus 4 --cp 4 --context-exchange ring --layers 4 --hidden 256 "
        "--heads 4 --ffn 688 --vocab 1000 --micro-batch 1 --seq-len 2048 --steps 3");
    addBenchFlags(*command, arguments->bench);
    command->add_option("--gbps", arguments->gbps, "Bandwidth of the links between ranks in Gbit/s")
        ->check(CLI::Range(0.001, 1e5))
        ->capture_default_str();
    command->callback([arguments, &status] {
        status = onRanks(arguments->bench, [arguments](const Ranks &ranks) { return runLinks(*arguments, ranks); });
    });
}

} // namespace slipway::train_app
