// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "tiny_run.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <sstream>

#include "scratch_folder.h"

namespace slipway::testing {

namespace {

constexpr int kVocab = 64;

// Each id mostly follows from the one before, so that there is something to learn.
std::vector<std::uint16_t> patternedIds(std::size_t count)
{
    std::vector<std::uint16_t> ids{1};
    std::uint32_t random = 1;
    while (ids.size() < count) {
        random = random * 1664525U + 1013904223U;
        ids.push_back(static_cast<std::uint16_t>((ids.back() * 5 + 3 + (random >> 30U) / 3) % kVocab));
    }
    return ids;
}

const char *const kConfig = R"(name: tiny
layers: 2
hidden: 32
heads: 4
kv_heads: 2
ffn: 64
vocab: 64
tied: false
gpu: cpu
gpus: 1
device: cpu
precision: fp32
micro_batch: 2
seq_len: 16
grad_accum: 2
data: tokens.bin
eval_data: tokens.bin
steps: 6
learning_rate: 3e-3
min_learning_rate: 3e-4
warmup_steps: 2
seed: 3
eval_every: 0
checkpoint_every: 0
)";

template<typename T, typename Parse>
std::vector<T> linesOf(const std::filesystem::path &path, Parse parse)
{
    std::vector<T> entries;
    std::istringstream text(readBytes(path));
    for (std::string line; std::getline(text, line);) {
        auto entry = parse(line);
        EXPECT_TRUE(entry) << messageOf(entry) << "\n" << line;
        if (entry)
            entries.push_back(std::move(*entry));
    }
    return entries;
}

} // namespace

RunPaths makeTinyRun(const std::filesystem::path &directory, const std::vector<std::string> &changes)
{
    std::filesystem::create_directories(directory);
    writeBytes(directory / "tokens.bin", bytesOf(patternedIds(4000)));
    writeBytes(directory / "run.yaml", kConfig);
    const RunPaths run{.directory = directory};
    rewriteConfig(run, changes);
    return run;
}

void rewriteConfig(const RunPaths &run, const std::vector<std::string> &changes)
{
    std::string kept;
    std::istringstream text(readBytes(run.config()));
    for (std::string line; std::getline(text, line);) {
        const std::string key = line.substr(0, line.find(':') + 1);
        bool replaced = false;
        for (const std::string &change : changes)
            replaced = replaced || change.starts_with(key);
        if (!replaced)
            kept += line + "\n";
    }
    for (const std::string &change : changes)
        kept += change + "\n";
    writeBytes(run.config(), kept);
}

std::vector<StepMetrics> metricsOf(const RunPaths &run)
{
    return linesOf<StepMetrics>(run.metrics(), stepMetricsFromJson);
}
std::vector<RunEvent> eventsOf(const RunPaths &run) { return linesOf<RunEvent>(run.events(), runEventFromJson); }

std::map<std::int64_t, double> lossesOf(const RunPaths &run)
{
    std::map<std::int64_t, double> losses;
    for (const StepMetrics &metrics : metricsOf(run))
        losses[metrics.step] = metrics.loss;
    return losses;
}

std::string kindsOf(const RunPaths &run)
{
    std::string kinds;
    for (const RunEvent &event : eventsOf(run))
        kinds += (kinds.empty() ? "" : " ") + event.kind;
    return kinds;
}

} // namespace slipway::testing
