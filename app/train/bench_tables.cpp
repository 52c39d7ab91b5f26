// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// bench ops, memory and grid: commands that make several measurements at once.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/csv.h"
#include "base/file.h"
#include "base/text.h"
#include "bench_command.h"
#include "exec/backend.h"
#include "exec/bench_ops.h"
#include "hardware/gemm_table.h"
#include "speed/measured_gemms.h"

namespace slipway::train_app {

namespace {

using Json = nlohmann::ordered_json;

// Writes the GEMMs of a step as a table for slipway calibrate.
Result<void> writeGemms(const std::string &file, const std::vector<OpBench> &ops, const std::string &gpu)
{
    GemmTable table{.gpu = gpu};
    for (const OpBench &op : ops) {
        if (op.kernel.kind == OpKind::Gemm)
            table.gemms.push_back(measuredOf(op.kernel, op.seconds / op.calls / op.kernel.calls));
    }
    std::vector<GemmTable> tables;
    addGemms(tables, table);
    return writeNamedFile(file, toCsv(tables));
}

struct OpsArguments {
    BenchArguments bench;
    std::string gemms;
};

Result<void> runOps(const OpsArguments &chosen, const Ranks &ranks)
{
    const BenchArguments &arguments = chosen.bench;
    const Result<Prepared> prepared = prepare(arguments);
    if (!prepared)
        return prepared.error();
    std::vector<OpBench> ops;
    const Result<void> done = ranks.run([&](Communicator &communicator) -> Result<void> {
        BenchOptions options = arguments.options;
        options.backend = prepared->backend;
        options.deterministic = prepared->config.training.deterministic;
        Result<std::vector<OpBench>> own =
            benchOps(prepared->planOf(communicator.rank()), prepared->model, communicator, options);
        if (!own)
            return own.error();
        if (communicator.rank() == 0)
            ops = std::move(*own);
        return {};
    });
    if (!done)
        return done.error();
    if (!ranks.first())
        return {};
    if (!chosen.gemms.empty()) {
        if (const Result<void> written = writeGemms(chosen.gemms, ops, deviceName(prepared->backend)); !written)
            return written;
    }
    Json list = Json::array();
    for (const OpBench &op : ops) {
        const double gflops = op.flops / op.seconds * 1e-9, gbytes = static_cast<double>(op.bytes) / op.seconds * 1e-9;
        list.push_back({{"op", op.op}, {"kind", op.kind}, {"calls", op.calls}, {"seconds", op.seconds},
            {"gflops_per_s", gflops}, {"gbytes_per_s", gbytes}});
        if (!arguments.json)
            fmt::print("{:<48} {:>4} calls {:>12} {:>10.1f} GFLOP/s {:>8.1f} GB/s\n", op.op, op.calls,
                formatSeconds(op.seconds), gflops, gbytes);
    }
    if (arguments.json)
        fmt::print("{}\n", Json{{"version", 1}, {"device", deviceName(prepared->backend)}, {"ops", list}}.dump());
    return {};
}

GivenSettings with(GivenSettings settings, std::initializer_list<std::pair<std::string, std::string>> more)
{
    settings.insert(settings.end(), more.begin(), more.end());
    return settings;
}

// Compares the planned peak with the measured peak, for each way to save memory.
Result<void> runMemory(const BenchArguments &arguments, const Ranks &ranks)
{
    Json rows = Json::array();
    for (const char *attention : {"flash", "vanilla"}) {
        for (const char *recompute : {"none", "selective", "full"}) {
            BenchArguments each = arguments;
            each.settings = with(arguments.settings, {{"--attention", attention}, {"--recompute", recompute}});
            const Result<Prepared> prepared = prepare(each);
            if (!prepared)
                return prepared.error();
            const Result<StepBench> bench = benchOn(ranks, *prepared, each.options);
            Json row{{"attention", attention}, {"recompute", recompute}};
            if (bench) {
                const double off =
                    static_cast<double>(bench->peakAllocated) / static_cast<double>(bench->plannedPeakAllocated) - 1;
                row.update({{"peak_allocated_bytes", bench->peakAllocated},
                    {"planned_peak_allocated_bytes", bench->plannedPeakAllocated}, {"difference", off},
                    {"oom", false}});
                if (!arguments.json && ranks.first())
                    fmt::print("{:<8} {:<10} {} allocated, {} planned, {:+.2f} %\n", attention, recompute,
                        formatBytes(bench->peakAllocated), formatBytes(bench->plannedPeakAllocated), 100 * off);
            } else if (isOutOfMemory(bench.error())) {
                row.update({{"oom", true}, {"message", bench.error().message()}});
                if (!arguments.json && ranks.first())
                    fmt::print("{:<8} {:<10} out of memory\n", attention, recompute);
            } else {
                return bench.error();
            }
            rows.push_back(std::move(row));
        }
    }
    if (arguments.json && ranks.first())
        fmt::print("{}\n", Json{{"version", 1}, {"rows", rows}}.dump());
    return {};
}

struct GridArguments {
    BenchArguments bench;
    std::vector<std::string> models, attentions{"flash", "vanilla"}, parallels;
    std::vector<std::int64_t> microBatches{4, 8, 16};
    int repeats = 3;
    std::string csv;
};

// The columns of a measurement table, as read by slipway validate.
constexpr const char *kColumns[] = {"id", "source_repo_or_paper", "source_path_or_section", "model_name", "n_layers",
    "d_model", "n_heads", "n_kv_heads", "d_ff", "mlp_type", "vocab", "tied_embeddings", "pos", "seq_len", "params",
    "gpu", "n_gpus", "gpus_per_node", "interconnect", "parallelism", "attention", "recompute", "precision",
    "micro_batch_size", "grad_accum", "global_batch_tokens", "optimizer", "compiled", "tokens_per_s_per_gpu", "step_ms",
    "mfu_pct", "hfu_pct", "peak_mem_gib", "mem_kind", "oom", "notes"};

struct Measured {
    std::vector<double> tokensPerSecond; // per rank, for each repetition
    Bytes peak = 0;
    bool outOfMemory = false;
};

double mean(const std::vector<double> &values)
{
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double spread(const std::vector<double> &values)
{
    double sum = 0;
    for (const double value : values)
        sum += (value - mean(values)) * (value - mean(values));
    return values.size() > 1 ? std::sqrt(sum / static_cast<double>(values.size() - 1)) : 0;
}

std::string parallelismOf(const Parallelism &p)
{
    std::string kind(enumName(p.kind));
    std::replace(kind.begin(), kind.end(), '-', '_');
    return fmt::format("{};tp=1,pp=1,cp=1,dp={}", kind, p.dataParallel());
}

std::string record(int number, const Prepared &p, const Measured &m)
{
    const ModelSpec &model = p.model;
    const RunConfig &c = p.config;
    const double rate = m.outOfMemory ? 0 : mean(m.tokensPerSecond);
    const auto measured = [&m](double value) { return m.outOfMemory ? std::string() : fmt::format("{:.6g}", value); };
    std::string precision(enumName(c.precisionOrMixed()));
    std::replace(precision.begin(), precision.end(), '-', '_');
    const std::vector<std::string> cells{fmt::format("own-{:03}", number), "slipway", "bench grid", model.name,
        std::to_string(model.layers), std::to_string(model.hidden), std::to_string(model.attention.heads),
        std::to_string(model.attention.kvHeads), std::to_string(model.mlp.width), "swiglu3",
        std::to_string(model.vocab), model.head.tied ? "yes" : "no", "rope", std::to_string(c.seqLen),
        std::to_string(parameterCount(model)), deviceName(p.backend), std::to_string(c.parallel.gpus),
        std::to_string(std::min(c.parallel.gpus, c.parallel.gpusPerNode)), "", parallelismOf(c.parallel),
        std::string(enumName(c.attentionOrFlash())), std::string(enumName(c.recomputeOrNone())), precision,
        std::to_string(c.microBatch), std::to_string(c.gradAccum), std::to_string(c.tokensPerStep()), "adamw",
        "kernels", measured(rate), measured(1e3 * static_cast<double>(c.tokensPerStep()) / (rate * c.parallel.gpus)),
        "", "", measured(static_cast<double>(m.peak) / static_cast<double>(kGiB)), "allocated",
        m.outOfMemory ? "1" : "0",
        m.outOfMemory
            ? ""
            : fmt::format("{} repeats; standard deviation {:.3g} tokens/s ({:.2f} %)", m.tokensPerSecond.size(),
                  spread(m.tokensPerSecond), 100 * spread(m.tokensPerSecond) / rate)};
    return csvRecord(cells);
}

Result<Measured> measure(const Ranks &ranks, const Prepared &prepared, const BenchOptions &options, int repeats)
{
    Measured measured;
    for (int repeat = 0; repeat < repeats; ++repeat) {
        const Result<StepBench> bench = benchOn(ranks, prepared, options);
        if (!bench && !isOutOfMemory(bench.error()))
            return bench.error();
        if (!bench) {
            measured.outOfMemory = true;
            return measured;
        }
        measured.tokensPerSecond.push_back(bench->tokensPerSecond / prepared.config.parallel.gpus);
        measured.peak = std::max(measured.peak, bench->peakAllocated);
    }
    return measured;
}

// The models of the grid; an empty name stands for the model of the file or of --model.
std::vector<std::string> modelsOf(const GridArguments &arguments)
{
    const GivenSettings &given = arguments.bench.settings;
    const bool isGiven = !arguments.bench.file.empty() || std::any_of(given.begin(), given.end(),
                                                              [](const auto &one) { return one.first == "--model"; });
    return !arguments.models.empty() ? arguments.models : std::vector<std::string>{isGiven ? "" : "100M"};
}

// Returns the settings of each point.
std::vector<GivenSettings> pointsOf(const GridArguments &arguments)
{
    std::vector<GivenSettings> points;
    const std::vector<std::string> parallels =
        arguments.parallels.empty() ? std::vector<std::string>{""} : arguments.parallels;
    for (const std::string &model : modelsOf(arguments)) {
        for (const std::string &parallel : parallels) {
            for (const std::string &attention : arguments.attentions) {
                for (const std::int64_t microBatch : arguments.microBatches) {
                    points.push_back({{"--attention", attention}, {"--micro-batch", std::to_string(microBatch)}});
                    if (!model.empty())
                        points.back().emplace(points.back().begin(), "--model", model);
                    if (!parallel.empty())
                        points.back().emplace_back("--parallel", parallel);
                }
            }
        }
    }
    return points;
}

void printPoint(const GivenSettings &point, const Measured &measured)
{
    std::string line;
    for (const auto &[flag, value] : point)
        line += flag.substr(2) + " " + value + " ";
    const std::string result =
        measured.outOfMemory
            ? "out of memory"
            : fmt::format("{} tokens/s per rank, +- {:.2f} %", formatCount(mean(measured.tokensPerSecond)),
                  100 * spread(measured.tokensPerSecond) / mean(measured.tokensPerSecond));
    std::fputs(fmt::format("{}: {}\n", trimmed(line), result).c_str(), stderr);
}

Result<void> runGrid(const GridArguments &arguments, const Ranks &ranks)
{
    std::string table = csvRecord(std::vector<std::string>(std::begin(kColumns), std::end(kColumns)));
    int number = 0;
    for (const GivenSettings &point : pointsOf(arguments)) {
        BenchArguments each = arguments.bench;
        each.settings.insert(each.settings.end(), point.begin(), point.end());
        const Result<Prepared> prepared = prepare(each);
        if (!prepared)
            return prepared.error();
        const Result<Measured> measured = measure(ranks, *prepared, each.options, arguments.repeats);
        if (!measured)
            return measured.error();
        table += record(++number, *prepared, *measured);
        if (!ranks.first())
            continue;
        printPoint(point, *measured);
        // The table is written after each point, so that an interrupted command keeps its measurements.
        if (const Result<void> kept = arguments.csv.empty() ? Result<void>() : writeNamedFile(arguments.csv, table);
            !kept)
            return kept;
    }
    if (ranks.first() && arguments.csv.empty())
        fmt::print("{}", table);
    return {};
}

} // namespace

void addBenchOps(CLI::App &bench, int &status)
{
    const auto arguments = std::make_shared<OpsArguments>();
    CLI::App *const command = addCommand(bench, "ops", "Time each operation of a training step separately",
        "slipway-train bench ops --layers 2 --hidden 256 --heads 4 --ffn 688 --micro-batch 2 --seq-len 512");
    command
        ->add_option("--gemms,--products", arguments->gemms, "Write the GEMM timings as a table for slipway calibrate")
        ->type_name("FILE");
    addBenchFlags(*command, arguments->bench);
    command->callback([arguments, &status] {
        status = onRanks(arguments->bench, [arguments](const Ranks &ranks) { return runOps(*arguments, ranks); });
    });
}

void addBenchMemory(CLI::App &bench, int &status)
{
    const auto arguments = std::make_shared<BenchArguments>();
    arguments->options.steps = 2;
    arguments->options.warmup = 0;
    CLI::App *const command = addCommand(bench, "memory", "Compare the measured peak memory with the planned one",
        "slipway-train bench memory --layers 4 --hidden 256 --heads 4 --ffn 688 --micro-batch 4 --seq-len 512");
    addBenchFlags(*command, *arguments);
    command->callback([arguments, &status] {
        status = onRanks(*arguments, [arguments](const Ranks &ranks) { return runMemory(*arguments, ranks); });
    });
}

void addBenchGrid(CLI::App &bench, int &status)
{
    const auto arguments = std::make_shared<GridArguments>();
    arguments->bench.options.steps = 10;
    CLI::App *const command =
        addCommand(bench, "grid", "Measure each point of a grid several times and write a measurement table",
            "slipway-train bench grid --models 100M,500M --micro-batches 4,8 --gpus 2 --parallels ddp,fsdp-full --csv "
            "measured.csv");
    command
        ->add_option("--models", arguments->models,
            "Model presets or model files; default: the model of FILE or --model, otherwise 100M")
        ->delimiter(',');
    command->add_option("--attentions", arguments->attentions, "Attention implementations: flash, vanilla")
        ->delimiter(',')
        ->capture_default_str();
    command
        ->add_option(
            "--parallels", arguments->parallels, "Data-parallel strategies: ddp, zero1, fsdp-full, fsdp-grad-op, hsdp")
        ->delimiter(',');
    command->add_option("--micro-batches", arguments->microBatches, "Micro-batch sizes")
        ->delimiter(',')
        ->capture_default_str();
    command
        ->add_option("--repeats", arguments->repeats,
            "Number of measurements of each point; each starts from the initial weights")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    command->add_option("--csv", arguments->csv, "Write the table to this file; default: standard output");
    addBenchFlags(*command, arguments->bench);
    command->callback([arguments, &status] {
        status = onRanks(arguments->bench, [arguments](const Ranks &ranks) { return runGrid(*arguments, ranks); });
    });
}

} // namespace slipway::train_app
