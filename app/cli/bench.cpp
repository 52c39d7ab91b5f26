// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/json.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "explore/sweep.h"
#include "hardware/user_prices.h"
#include "hosts/child_process.h"
#include "hosts/local_host.h"
#include "memory/replay.h"
#include "plan/build_plan.h"
#include "predict/assess.h"
#include "predict/predict.h"
#include "runs/decimation.h"
#include "runs/log_follower.h"
#include "runs/run_directory.h"
#include "runs/script_rules.h"
#include "serve/serve_prediction.h"

namespace slipway::cli {

namespace {

using Clock = std::chrono::steady_clock;
constexpr int kCommandStarts = 15;

struct Timing {
    double median = 0, p99 = 0; // in seconds
};

// Measures the time of `work` in the given number of repetitions, after one run that is not counted.
template<typename Work>
Timing timed(int repeats, Work work)
{
    work();
    std::vector<double> seconds;
    for (int i = 0; i < repeats; ++i) {
        const auto start = Clock::now();
        work();
        seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
    }
    std::sort(seconds.begin(), seconds.end());
    const auto at = [&](double fraction) {
        return seconds[static_cast<std::size_t>(fraction * static_cast<double>(seconds.size() - 1))];
    };
    return {.median = at(0.5), .p99 = at(0.99)};
}

Timing commandStart(const std::vector<std::string> &argv)
{
    return timed(kCommandStarts, [&] { (void)runChild(argv, std::chrono::seconds(30)); });
}

Timing decimation(std::size_t points)
{
    std::vector<double> x(points), y(points);
    for (std::size_t i = 0; i < points; ++i) {
        x[i] = static_cast<double>(i);
        y[i] = std::sin(x[i] * 0.001) + static_cast<double>(i * 2654435761U % 1000) * 1e-3;
    }
    std::size_t sink = 0;
    const Timing timing = timed(20, [&] { sink += envelope(x, y, 2000).size(); });
    return sink > 0 ? timing : Timing{};
}

// Returns the lines of metrics.jsonl that are read per second by a follower of a long run.
double metricsPerSecond()
{
    StepMetrics metrics;
    metrics.time = utcNow();
    metrics.mfu = 0.41234567;
    metrics.allocatedPeak = 12 * kGiB;
    metrics.forward = metrics.backward = metrics.optimizer = 0.0123456789;
    constexpr int kLines = 2000;
    std::vector<std::string> lines;
    for (int step = 1; step <= kLines; ++step) {
        metrics.step = step;
        metrics.loss = 10.0 / step;
        lines.push_back(toJsonLine(metrics));
    }
    const Timing timing = timed(5, [&] {
        for (const std::string &line : lines)
            (void)stepMetricsFromJson(line);
    });
    return kLines / timing.median;
}

// Returns the lines per second of another training script's log that are converted from the file to metrics.jsonl. Half
// of the lines are steps.
double logLinesPerSecond(const Catalogue &catalogue)
{
    namespace fs = std::filesystem;
    constexpr int kLines = 100'000;
    std::string name = (fs::temp_directory_path() / "slipway-bench-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
        return 0;
    const RunPaths paths{name};
    std::string log;
    for (int line = 0; line < kLines; ++line)
        log += line % 2 == 0 ? fmt::format("step {} | loss {:.4f} | lr 3.0e-04 | grad norm 0.81 | tok/s 128,000\n",
                                   line / 2 + 1, 10.0 / (line + 1))
                             : fmt::format("[rank1] worker {} is still loading shard {} of 512\n", line, line % 512);
    const ScriptRules rules{
        .trainer = catalogue.frameworks.trainerOf("pytorch"), .log = {}, .tokensPerStep = Tokens{524288}};
    double perSecond = 0;
    if (writeScriptRules(paths, rules) && writePrivateFile(paths.outLog(), log)) {
        const Clock::time_point start = Clock::now();
        LogFollower follower(paths);
        for (bool more = true; more;)
            more = follower.poll(true).valueOr(false);
        perSecond = kLines / std::chrono::duration<double>(Clock::now() - start).count();
    }
    std::error_code ignored;
    fs::remove_all(name, ignored);
    return perSecond;
}

// Returns the timings of the window, as measured by slipway-desktop. Empty if it is not installed.
nlohmann::ordered_json windowFigures(int liveSeconds)
{
    const std::string program = siblingProgram("slipway-desktop").string();
    if (program.empty())
        return nlohmann::ordered_json::object();
    note(fmt::format("benchmarking the desktop; takes about {} s", liveSeconds + 60));
    const Result<ChildResult> child = runChild(
        {program, "bench", "--live-seconds", std::to_string(liveSeconds)}, std::chrono::seconds(liveSeconds + 600));
    const Result<nlohmann::json> printed = child ? parseJson(child->out) : child.error();
    if (!printed || !printed->is_object()) {
        note("the desktop benchmark failed: " + (child ? child->err : child.error().message()));
        return nlohmann::ordered_json::object();
    }
    nlohmann::ordered_json figures(*printed);
    figures.erase("version");
    return figures;
}

// Predicts the paper's grid on one core, in the same way as `slipway sweep`.
SweepEnd paperGridOnOneCore(const Catalogue &catalogue)
{
    const RunConfig base;
    const Grid grid = paperGrid();
    return forEachPoint(
        {.base = base, .grid = grid, .catalogue = catalogue, .threads = 1}, [](SweepPoint &&) { return true; });
}

RunConfig eightGpus()
{
    RunConfig config;
    config.gpu = "a100-sxm-80gb";
    config.parallel.kind = ParallelKind::Ddp;
    config.parallel.gpus = 8;
    return config;
}

// Builds the plans of all different stages of Slipway's trainer on 1,024 ranks.
Timing plannedMesh(const Catalogue &catalogue, int repeats)
{
    RunConfig config;
    config.model.name = "llama-3.1-8b";
    config.precision = Precision::Fp32;
    config.gradAccum = 32;
    config.parallel = {.kind = ParallelKind::Zero1, .gpus = 1024, .tp = 8, .pp = 8, .cp = 4};
    const Result<Subject> subject = resolveSubject(config, catalogue);
    return timed(repeats, [&] { (void)buildPlan(subject.value().config, subject.value().model).value(); });
}

// Simulates the memory of four steps of the same model under PyTorch, beginning with an empty allocator, with every
// point of the memory profile.
Timing replayedSteps(RunConfig config, const Catalogue &catalogue, int repeats)
{
    config.framework = Framework::PytorchEager;
    const Result<Subject> subject = resolveSubject(config, catalogue);
    const StepPlan plan = buildPlan(subject.value().config, subject.value().model).value().stages.front();
    return timed(repeats, [&] { (void)replay(allocationTrace(plan, ReplayDetail::Points), {}, 4); });
}

// The timings of planning a server. `plan` covers its memory and the times of a prefill and of a decode step. `answer`
// covers everything that serve-plan prints.
struct ServerTimings {
    Timing plan, answer;
};
Result<ServerTimings> plannedServers(const Catalogue &catalogue, int repeats)
{
    const Result<Frameworks> frameworks = loadServingFrameworks();
    if (!frameworks)
        return frameworks.error();
    ServeConfig config;
    config.run.model.name = "llama-3.1-8b";
    config.run.gpu = "h100-sxm-80gb";
    config.batch = 16;
    if (const Result<ServePrediction> works = predictServing(config, catalogue, *frameworks); !works)
        return works.error();
    const auto plan = [&] {
        const Serving serving = resolveServing(config, catalogue, *frameworks).value();
        return memoryOf(serving, config.batch).fits() ? prefillTime(serving, 1) + decodeTime(serving, config.batch) : 0;
    };
    return ServerTimings{.plan = timed(repeats, [&] { (void)plan(); }),
        .answer = timed(repeats, [&] { (void)predictServing(config, catalogue, *frameworks); })};
}

} // namespace

int bench(const BenchOptions &options)
{
    const Result<Catalogue> catalogue = loadUserCatalogue();
    if (!catalogue)
        return fail(catalogue.error());
    const RunConfig config = eightGpus();
    if (const Result<Prediction> works = predict(config, *catalogue); !works)
        return fail(works.error());
    const Timing whole = timed(options.repeats, [&] { (void)predict(config, *catalogue); });
    const Timing point = timed(
        options.repeats, [&] { (void)predict(config, *catalogue, {.suggestions = false, .maxMicroBatch = false}); });
    const Timing replayed = replayedSteps(config, *catalogue, options.repeats);
    const Timing mesh = plannedMesh(*catalogue, options.repeats);
    const Result<ServerTimings> servers = plannedServers(*catalogue, options.repeats);
    if (!servers)
        return fail(servers.error());
    const SweepEnd swept = paperGridOnOneCore(*catalogue);
    const double sweptPerSecond = static_cast<double>(swept.done) / swept.seconds;
    const Timing tables = timed(10, [] { (void)loadCatalogue(); });
    const Timing million = decimation(1'000'000);
    const double lines = metricsPerSecond(), logLines = logLinesPerSecond(*catalogue);
    const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
    const Timing command = commandStart({self, "plan", "--json"});
    const Timing floor = commandStart({"true"});

    const nlohmann::ordered_json window =
        options.window ? windowFigures(options.liveSeconds) : nlohmann::ordered_json::object();
    if (options.json) {
        nlohmann::ordered_json figures{{"version", 1}, {"plan_us", point.median * 1e6},
            {"plan_p99_us", point.p99 * 1e6}, {"plans_per_s", 1 / point.median}, {"replay_us", replayed.median * 1e6},
            {"replay_p99_us", replayed.p99 * 1e6}, {"mesh_plan_us", mesh.median * 1e6},
            {"mesh_plan_p99_us", mesh.p99 * 1e6}, {"answer_us", whole.median * 1e6}, {"answer_p99_us", whole.p99 * 1e6},
            {"serve_plan_us", servers->plan.median * 1e6}, {"serve_plan_p99_us", servers->plan.p99 * 1e6},
            {"serve_answer_us", servers->answer.median * 1e6}, {"serve_answer_p99_us", servers->answer.p99 * 1e6},
            {"catalogue_ms", tables.median * 1e3}, {"command_ms", command.median * 1e3},
            {"command_p99_ms", command.p99 * 1e3}, {"process_ms", floor.median * 1e3},
            {"command_per_process", command.median / floor.median}, {"sweep_points_per_s", sweptPerSecond},
            {"sweep_paper_s", swept.seconds}, {"decimate_1m_ms", million.median * 1e3},
            {"decimate_1m_p99_ms", million.p99 * 1e3}, {"metrics_lines_per_s", lines}, {"log_lines_per_s", logLines}};
        figures.update(window);
        print(figures.dump(2) + "\n");
        return Done;
    }
    const auto row = [](const char *what, double median, double p99, const char *unit) {
        return std::vector<std::string>{what, fmt::format("{:.3g}", median), fmt::format("{:.3g}", p99), unit};
    };
    print(alignedTable(
        {{"", "median", "p99", ""}, row("one plan", point.median * 1e6, point.p99 * 1e6, "us"),
            row("one plan with suggestions", whole.median * 1e6, whole.p99 * 1e6, "us"),
            row("one server", servers->plan.median * 1e6, servers->plan.p99 * 1e6, "us"),
            row("one server with suggestions and prices", servers->answer.median * 1e6, servers->answer.p99 * 1e6,
                "us"),
            row("the stages' plans of 1,024 ranks", mesh.median * 1e6, mesh.p99 * 1e6, "us"),
            row("four steps of PyTorch's allocator, simulated", replayed.median * 1e6, replayed.p99 * 1e6, "us"),
            row("loading the catalogue", tables.median * 1e3, tables.p99 * 1e3, "ms"),
            row("slipway plan --json as a process", command.median * 1e3, command.p99 * 1e3, "ms"),
            row("an empty process for comparison", floor.median * 1e3, floor.p99 * 1e3, "ms"),
            row("decimating 1,000,000 points to 2,000", million.median * 1e3, million.p99 * 1e3, "ms")},
        {false, true, true, false}));
    print(fmt::format("{} points of the paper's grid in {:.2f} s on one core\n", swept.done, swept.seconds));
    for (const auto &[key, value] : window.items())
        print(fmt::format("{}: {}\n", key, value.dump()));
    print(fmt::format("{:.0f} plans/s, {:.0f} metrics lines/s, {:.0f} log lines of another script/s on one core\n",
        1 / point.median, lines, logLines));
    return Done;
}

} // namespace slipway::cli
