// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// bench links: how much of the time of a ring's messages overlaps with computation on slowed links, compared with the
// plan. Collectives on the CPU overlap with nothing, so their time is listed apart.
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/text.h"
#include "bench_command.h"
#include "comm/slow_links.h"
#include "config/config_io.h"
#include "hardware/catalogue.h"
#include "hardware/processor_rates.h"
#include "plan/build_plan.h"
#include "predict/calibrated.h"
#include "speed/collective_time.h"
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
    LinkUse messages, collectives; // of the first rank in all steps
    double planned = 0;
};

// The groups of a ring's messages, by number.
std::vector<bool> ringsOf(const StepPlan &plan)
{
    std::vector<bool> rings(plan.groups.size(), false);
    for (const Kernel &kernel : plan.kernels) {
        if (kernel.kind == OpKind::Receive)
            rings[static_cast<std::size_t>(kernel.group)] = true;
    }
    return rings;
}

// Predicts the overlap of the messages that the first rank receives, with links of this bandwidth. Collectives take no
// time here: on the CPU, they overlap with nothing and delay no message.
Result<double> plannedOverlap(const Prepared &prepared, double bytesPerSecond)
{
    Result<Catalogue> catalogue = loadCatalogue();
    if (!catalogue)
        return catalogue.error();
    useStoredProcessorRates(*catalogue);
    const Result<ResolvedConfig> resolved = resolveConfig(prepared.config, *catalogue);
    if (!resolved)
        return resolved.error();
    DeviceRates rates = calibratedRates(*resolved, *catalogue);
    rates.nodeLink = rates.networkLink = {.bandwidth = bytesPerSecond};
    rates.nodeSwitch = {};
    StepPlan plan = prepared.planOf(0);
    for (Kernel &kernel : plan.kernels)
        kernel.messageBytes = isPointToPoint(kernel.kind) ? kernel.messageBytes : 0;
    Seconds busy = 0, exposed = 0;
    const StepTimes times = simulateStep(plan, rates, [&](const SimulatedOp &played) {
        if (plan.at(played.op.kernel).kind == OpKind::Receive)
            busy += (played.end - played.start) * played.repetitions;
    });
    const std::vector<bool> rings = ringsOf(plan);
    for (std::size_t group = 0; group < rings.size(); ++group)
        exposed += rings[group] ? times.exposedByGroup[group] : 0;
    return std::max(0.0, 1 - exposed / busy);
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
            first.messages = links.messages();
            first.collectives = links.collectives();
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
    const RunConfig &config = prepared->config;
    if (config.parallel.cp < 2 || config.contextExchange != ContextExchange::Ring)
        return Error{.what = config.parallel.cp < 2 ? "no messages pass from rank to rank in a ring"
                                                    : "gathered keys do not overlap with computation on a CPU",
            .where = config.parallel.cp < 2 ? "--cp" : "--context-exchange",
            .accepted = config.parallel.cp < 2 ? "2 or more, with --context-exchange ring" : "ring"};
    if (config.parallel.pp > 1)
        return Error{.what = "the messages between pipeline stages wait for computation of other ranks",
            .where = "--pp",
            .accepted = "1"};
    const Result<LinkBench> bench = benchLinks(ranks, *prepared, arguments);
    if (!bench)
        return bench.error();
    if (!ranks.first())
        return {};
    if (arguments.bench.json) {
        const nlohmann::ordered_json json = {{"version", 1}, {"gbps", arguments.gbps}, {"config", toJson(config)},
            {"step_s_median", bench->step.stepMedian}, {"link_busy_s", bench->messages.busy},
            {"link_waited_s", bench->messages.waited}, {"collectives_s", bench->collectives.busy},
            {"overlapped", bench->messages.overlapped()}, {"overlapped_planned", bench->planned}};
        fmt::print("{}\n", json.dump());
        return {};
    }
    fmt::print("{} per step; messages took {} on links of {} Gbit/s, of which {} was exposed; collectives took {}\n"
               "messages overlapped with computation: {:.1f} %, planned {:.1f} %\n",
        formatSeconds(bench->step.stepMedian), formatSeconds(bench->messages.busy), arguments.gbps,
        formatSeconds(bench->messages.waited), formatSeconds(bench->collectives.busy),
        100 * bench->messages.overlapped(), 100 * bench->planned);
    return {};
}

} // namespace

void addBenchLinks(CLI::App &bench, int &status)
{
    const auto arguments = std::make_shared<LinkArguments>();
    CLI::App *const command = addCommand(bench, "links",
        "Measure how much of a ring's communication time overlaps with computation on slow links",
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
