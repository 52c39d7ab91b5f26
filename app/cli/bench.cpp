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
        .script = catalogue.frameworks.scriptInterfaceOf("pytorch"), .log = {}, .tokensPerStep = Tokens{524288}};
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
SweepStatus paperGridOnOneCore(const Catalogue &catalogue)
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
    const Result<ResolvedConfig> resolved = resolveConfig(config, catalogue);
    return timed(repeats, [&] { (void)buildPlan(resolved.value().config, resolved.value().model).value(); });
}

// Simulates the memory of four steps of the same model under PyTorch, beginning with an empty allocator, with every
// point of the memory profile.
Timing replayedSteps(RunConfig config, const Catalogue &catalogue, int repeats)
{
    config.framework = Framework::PytorchEager;
    const Result<ResolvedConfig> resolved = resolveConfig(config, catalogue);
    const StepPlan plan = buildPlan(resolved.value().config, resolved.value().model).value().stages.front();
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

// Everything that the command measures of the planner and of the followers of runs.
struct Figures {
    Timing point, whole, replayed, mesh, tables, million, command, floor;
    ServerTimings servers;
    SweepStatus swept;
    double lines = 0, logLines = 0; // per second
};

Result<Figures> measured(const Catalogue &catalogue, int repeats)
{
    const RunConfig config = eightGpus();
    if (const Result<Prediction> works = predict(config, catalogue); !works)
        return works.error();
    Figures f;
    f.whole = timed(repeats, [&] { (void)predict(config, catalogue); });
    f.point = timed(repeats, [&] { (void)predict(config, catalogue, {.suggestions = false, .maxMicroBatch = false}); });
    f.replayed = replayedSteps(config, catalogue, repeats);
    f.mesh = plannedMesh(catalogue, repeats);
    const Result<ServerTimings> servers = plannedServers(catalogue, repeats);
    if (!servers)
        return servers.error();
    f.servers = *servers;
    f.swept = paperGridOnOneCore(catalogue);
    f.tables = timed(10, [] { (void)loadCatalogue(); });
    f.million = decimation(1'000'000);
    f.lines = metricsPerSecond();
    f.logLines = logLinesPerSecond(catalogue);
    const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
    f.command = commandStart({self, "plan", "--json"});
    f.floor = commandStart({"true"});
    return f;
}

nlohmann::ordered_json toJson(const Figures &f)
{
    return {{"version", 1}, {"plan_us", f.point.median * 1e6}, {"plan_p99_us", f.point.p99 * 1e6},
        {"plans_per_s", 1 / f.point.median}, {"replay_us", f.replayed.median * 1e6},
        {"replay_p99_us", f.replayed.p99 * 1e6}, {"mesh_plan_us", f.mesh.median * 1e6},
        {"mesh_plan_p99_us", f.mesh.p99 * 1e6}, {"answer_us", f.whole.median * 1e6},
        {"answer_p99_us", f.whole.p99 * 1e6}, {"serve_plan_us", f.servers.plan.median * 1e6},
        {"serve_plan_p99_us", f.servers.plan.p99 * 1e6}, {"serve_answer_us", f.servers.answer.median * 1e6},
        {"serve_answer_p99_us", f.servers.answer.p99 * 1e6}, {"catalogue_ms", f.tables.median * 1e3},
        {"command_ms", f.command.median * 1e3}, {"command_p99_ms", f.command.p99 * 1e3},
        {"process_ms", f.floor.median * 1e3}, {"command_per_process", f.command.median / f.floor.median},
        {"sweep_points_per_s", static_cast<double>(f.swept.done) / f.swept.seconds}, {"sweep_paper_s", f.swept.seconds},
        {"decimate_1m_ms", f.million.median * 1e3}, {"decimate_1m_p99_ms", f.million.p99 * 1e3},
        {"metrics_lines_per_s", f.lines}, {"log_lines_per_s", f.logLines}};
}

std::string toTable(const Figures &f)
{
    const auto row = [](const char *what, const Timing &timing, double perSecond, const char *unit) {
        return std::vector<std::string>{what, fmt::format("{:.3g}", timing.median * perSecond),
            fmt::format("{:.3g}", timing.p99 * perSecond), unit};
    };
    return alignedTable(
        {{"", "median", "p99", ""}, row("one plan", f.point, 1e6, "us"),
            row("one plan with suggestions", f.whole, 1e6, "us"), row("one server", f.servers.plan, 1e6, "us"),
            row("one server with suggestions and prices", f.servers.answer, 1e6, "us"),
            row("the stages' plans of 1,024 ranks", f.mesh, 1e6, "us"),
            row("four steps of PyTorch's allocator, simulated", f.replayed, 1e6, "us"),
            row("loading the catalogue", f.tables, 1e3, "ms"),
            row("slipway plan --json as a process", f.command, 1e3, "ms"),
            row("an empty process for comparison", f.floor, 1e3, "ms"),
            row("decimating 1,000,000 points to 2,000", f.million, 1e3, "ms")},
        {false, true, true, false});
}

} // namespace

int bench(const BenchOptions &options)
{
    const Result<Catalogue> catalogue = loadUserCatalogue();
    if (!catalogue)
        return fail(catalogue.error());
    const Result<Figures> figures = measured(*catalogue, options.repeats);
    if (!figures)
        return fail(figures.error());
    const nlohmann::ordered_json window =
        options.window ? windowFigures(options.liveSeconds) : nlohmann::ordered_json::object();
    if (options.json) {
        nlohmann::ordered_json all = toJson(*figures);
        all.update(window);
        print(all.dump(2) + "\n");
        return Done;
    }
    print(toTable(*figures));
    print(fmt::format(
        "{} points of the paper's grid in {:.2f} s on one core\n", figures->swept.done, figures->swept.seconds));
    for (const auto &[key, value] : window.items())
        print(fmt::format("{}: {}\n", key, value.dump()));
    print(fmt::format("{:.0f} plans/s, {:.0f} metrics lines/s, {:.0f} log lines of another script/s on one core\n",
        1 / figures->point.median, figures->lines, figures->logLines));
    return Done;
}

} // namespace slipway::cli
