// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hardware/processor_rates.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <system_error>

#include "base/file.h"
#include "base/text.h"
#include "base/user_folders.h"
#include "base/yaml_row.h"
#include "hardware/catalogue.h"

namespace slipway {

namespace {

// Every processor is within these limits. Other values come from a damaged file.
constexpr double kLeastRate = 1e7, kMostRate = 1e16;

bool plausible(double rate) { return rate >= kLeastRate && rate <= kMostRate; }

// Tests and scripts set SLIPWAY_PROCESSOR=estimate if they must not depend on this machine's rates.
bool onlyEstimates()
{
    const char *const mode = std::getenv("SLIPWAY_PROCESSOR");
    return mode && std::string_view(mode) == "estimate";
}

std::string today() { return fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr))); }

} // namespace

std::filesystem::path processorRatesFile() { return userCachePath("processor.yaml"); }

std::optional<ProcessorRates> readProcessorRates(const std::filesystem::path &file, const ProcessorFacts &facts)
{
    const Result<YamlNode> tree = readYaml(file, {.bytes = 64 * kKiB});
    if (!tree)
        return std::nullopt;
    YamlRow row(*tree, file.string());
    const std::string model = row.requiredText("model");
    const int cores = row.requiredInteger("cores"), perCycle = row.requiredInteger("fp32_per_cycle");
    ProcessorRates rates{.fp32Flops = row.requiredNumber("fp32_flops"),
        .copyBandwidth = row.requiredNumber("copy_bandwidth_bytes_per_s"),
        .asOf = row.requiredText("as_of")};
    if (!row.finish() || model != facts.model || cores != facts.cores || perCycle != facts.fp32PerCycle ||
        !plausible(rates.fp32Flops) || !plausible(rates.copyBandwidth))
        return std::nullopt;
    return rates;
}

Result<void> writeProcessorRates(
    const std::filesystem::path &file, const ProcessorFacts &facts, const ProcessorRates &rates)
{
    if (const Result<void> made = makeUserFolder(file.parent_path()); !made)
        return made;
    return writePrivateFile(
        file, fmt::format("# Measured rates of this machine's CPU. Delete the file to measure again.\n"
                          "model: {}\ncores: {}\nfp32_per_cycle: {}\nfp32_flops: {}\ncopy_bandwidth_bytes_per_s: {}\n"
                          "as_of: {}\n",
                  yamlScalar(facts.model), facts.cores, facts.fp32PerCycle, formatExact(rates.fp32Flops),
                  formatExact(rates.copyBandwidth), yamlScalar(rates.asOf)));
}

Gpu measuredProcessor(const ProcessorFacts &facts, const ProcessorRates &rates, const SpeedRates &constants)
{
    Gpu device = processorDevice(facts, constants);
    device.fp32Flops = rates.fp32Flops;
    device.bf16Flops = rates.fp32Flops;
    device.matmulAchievedFlops = constants.cpuGemmOfPeak * rates.fp32Flops;
    device.memoryBandwidth = rates.copyBandwidth;
    device.memoryBandwidthMeasured = constants.cpuElementwiseOfCopy * rates.copyBandwidth;
    device.linkBandwidth = rates.copyBandwidth / 2; // ranks exchange data in memory: one read, one write
    device.notes = fmt::format("The rates of this CPU were measured on {}: a peak of {:.0f} GFLOP/s in fp32, which MFU "
                               "refers to, and {:.0f} GB/s of memory bandwidth.",
        rates.asOf, rates.fp32Flops / 1e9, rates.copyBandwidth / 1e9);
    return device;
}

void useStoredProcessorRates(Catalogue &catalogue)
{
    if (onlyEstimates())
        return;
    const ProcessorFacts facts = processorFacts();
    const auto rates = readProcessorRates(processorRatesFile(), facts);
    const auto cpu =
        std::find_if(catalogue.gpus.begin(), catalogue.gpus.end(), [](const Gpu &gpu) { return gpu.isCpu; });
    if (rates && cpu != catalogue.gpus.end())
        *cpu = measuredProcessor(facts, *rates, catalogue.rates);
}

void measureProcessorOnce(const std::function<void(std::string_view)> &note)
{
    constexpr Seconds duration = 2;
    if (onlyEstimates())
        return;
    const ProcessorFacts facts = processorFacts();
    const std::filesystem::path file = processorRatesFile();
    if (file.empty())
        return note(noUserFolder().message());
    if (readProcessorRates(file, facts))
        return;
    note(fmt::format("measuring this CPU once, for {:.0f} s; the result is kept in {}", duration, file.string()));
    if (const Result<void> kept = writeProcessorRates(file, facts, measureProcessor(facts, duration, today())); !kept)
        note(kept.error().message());
}

} // namespace slipway
