// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hardware/speed_rates.h"

#include <algorithm>
#include <array>

#include "base/yaml_row.h"
#include "frameworks/read_origin.h"

namespace slipway {

namespace {

struct NamedRate {
    std::string_view id;
    double SpeedRates::*member;
};

constexpr std::array kConstants{
    NamedRate{"gemm_part", &SpeedRates::gemmEfficiency},
    NamedRate{"gemm_fp8_part", &SpeedRates::gemmFp8Efficiency},
    NamedRate{"gemm_fp8_blackwell_part", &SpeedRates::gemmFp8BlackwellEfficiency},
    NamedRate{"gemm_fp32_part", &SpeedRates::gemmFp32Efficiency},
    NamedRate{"gemm_fp8_row_part", &SpeedRates::gemmFp8RowScaledFactor},
    NamedRate{"ampere_sustained_part", &SpeedRates::ampereSustainedFraction},
    NamedRate{"hopper_sustained_part", &SpeedRates::hopperSustainedFraction},
    NamedRate{"blackwell_sustained_part", &SpeedRates::blackwellSustainedFraction},
    NamedRate{"idle_power_part", &SpeedRates::idlePowerFraction},
    NamedRate{"power_exponent", &SpeedRates::powerExponent},
    NamedRate{"tile_overhead_s", &SpeedRates::tileOverhead},
    NamedRate{"tile_overhead_hopper_s", &SpeedRates::tileOverheadHopper},
    NamedRate{"tile_overhead_blackwell_s", &SpeedRates::tileOverheadBlackwell},
    NamedRate{"gemm_burst_hopper_part", &SpeedRates::gemmBurstHopperEfficiency},
    NamedRate{"odd_width_factor", &SpeedRates::oddWidthSlowdown},
    NamedRate{"bandwidth_part", &SpeedRates::bandwidthEfficiency},
    NamedRate{"kernel_floor_s", &SpeedRates::minKernelTime},
    NamedRate{"kernel_gap_s", &SpeedRates::kernelGap},
    NamedRate{"pcie3_bandwidth", &SpeedRates::pcie3Bandwidth},
    NamedRate{"pcie_copy_part", &SpeedRates::pcieCopyEfficiency},
    NamedRate{"pcie_collective_part", &SpeedRates::pcieCollectiveEfficiency},
    NamedRate{"pcie_many_part", &SpeedRates::pcieManyGpusEfficiency},
    NamedRate{"pcie_latency_s", &SpeedRates::pcieLatency},
    NamedRate{"link_part", &SpeedRates::linkEfficiency},
    NamedRate{"nvls_part", &SpeedRates::nvlsEfficiency},
    NamedRate{"nvls_blackwell_part", &SpeedRates::nvlsBlackwellEfficiency},
    NamedRate{"nvls_latency_s", &SpeedRates::nvlsLatency},
    NamedRate{"tree_hop_s", &SpeedRates::treeHopLatency},
    NamedRate{"tree_part", &SpeedRates::treeEfficiency},
    NamedRate{"link_few_ranks", &SpeedRates::linkFewRanksLoss},
    NamedRate{"link_latency_s", &SpeedRates::linkLatency},
    NamedRate{"link_latency_per_rank_s", &SpeedRates::linkLatencyPerRank},
    NamedRate{"link_blackwell_part", &SpeedRates::linkBlackwellEfficiency},
    NamedRate{"link_blackwell_few_ranks", &SpeedRates::linkBlackwellFewRanksLoss},
    NamedRate{"network_part", &SpeedRates::networkEfficiency},
    NamedRate{"network_latency_s", &SpeedRates::networkLatency},
    NamedRate{"network_latency_per_rank_s", &SpeedRates::networkLatencyPerRank},
    NamedRate{"link_contention", &SpeedRates::linkContention},
    NamedRate{"network_contention", &SpeedRates::networkContention},
    NamedRate{"usual_network", &SpeedRates::defaultNetworkBandwidth},
    NamedRate{"usual_network_ampere", &SpeedRates::defaultNetworkBandwidthAmpere},
    NamedRate{"usual_network_plain", &SpeedRates::defaultNetworkBandwidthNoSwitch},
    NamedRate{"cpu_product_part", &SpeedRates::cpuGemmEfficiency},
    NamedRate{"cpu_attention_part", &SpeedRates::cpuAttentionEfficiency},
    NamedRate{"cpu_bandwidth_part", &SpeedRates::cpuBandwidthEfficiency},
    NamedRate{"cpu_threads_wake_s", &SpeedRates::cpuThreadWakeup},
    NamedRate{"gpu_spread", &SpeedRates::gpuSpeedDeviation},
    NamedRate{"cpu_adam_rate", &SpeedRates::cpuAdamRate},
    NamedRate{"productive_time_fraction", &SpeedRates::productiveTimeFraction},
    NamedRate{"allocator_thrashes", &SpeedRates::allocatorThrashThreshold},
    NamedRate{"allocator_dies", &SpeedRates::allocatorOomThreshold},
    NamedRate{"allocator_chance", &SpeedRates::allocatorOomMargin},
    NamedRate{"allocator_retry_s", &SpeedRates::allocatorRetry},
    NamedRate{"full_clock_w", &SpeedRates::fullClockPower},
    NamedRate{"context_gib", &SpeedRates::contextGib},
    NamedRate{"context_before_torch2_gib", &SpeedRates::contextBeforeTorch2Gib},
    NamedRate{"context_p10", &SpeedRates::contextP10},
    NamedRate{"context_p90", &SpeedRates::contextP90},
    NamedRate{"slipway_kernels_gib", &SpeedRates::slipwayKernelsGib},
    NamedRate{"slipway_kernels_hopper_gib", &SpeedRates::slipwayKernelsHopperGib},
    NamedRate{"nccl_gib", &SpeedRates::ncclGib},
    NamedRate{"nccl_p10_gib", &SpeedRates::ncclP10Gib},
    NamedRate{"nccl_p90_gib", &SpeedRates::ncclP90Gib},
    NamedRate{"nccl_axis_gib", &SpeedRates::ncclAxisGib},
    NamedRate{"nccl_axis_p90_gib", &SpeedRates::ncclAxisP90Gib},
    NamedRate{"nccl_pairs_gib", &SpeedRates::ncclPairsGib},
    NamedRate{"nccl_pairs_p90_gib", &SpeedRates::ncclPairsP90Gib},
    NamedRate{"cpu_core_bandwidth", &SpeedRates::cpuCoreBandwidth},
    NamedRate{"cpu_socket_bandwidth", &SpeedRates::cpuSocketBandwidth},
    NamedRate{"cpu_gemm_of_peak", &SpeedRates::cpuGemmOfPeak},
    NamedRate{"cpu_elementwise_of_copy", &SpeedRates::cpuElementwiseOfCopy},
    NamedRate{"cpu_process_gib", &SpeedRates::cpuProcessGib},
    NamedRate{"cpu_process_p10_gib", &SpeedRates::cpuProcessP10Gib},
    NamedRate{"cpu_process_p90_gib", &SpeedRates::cpuProcessP90Gib},
    NamedRate{"unknown_network_ampere", &SpeedRates::unknownNetworkBandwidthAmpere},
    NamedRate{"bucket_elements_per_rank", &SpeedRates::bucketElementsPerRank},
    NamedRate{"bucket_fewest_elements", &SpeedRates::fewestBucketElements},
    NamedRate{"speed_noise", &SpeedRates::speedNoise},
    NamedRate{"speed_within_source", &SpeedRates::speedWithinSource},
    NamedRate{"speed_between_sources", &SpeedRates::speedBetweenSources},
    NamedRate{"speed_between_constants", &SpeedRates::speedBetweenConstants},
    NamedRate{"peak_within_source", &SpeedRates::peakWithinSource},
    NamedRate{"peak_between_sources", &SpeedRates::peakBetweenSources},
    NamedRate{"other_versions_odds", &SpeedRates::otherVersionsOdds},
    NamedRate{"unnamed_version_odds", &SpeedRates::unnamedVersionOdds},
    NamedRate{"other_option_odds", &SpeedRates::otherOptionOdds},
    NamedRate{"other_profiles_odds", &SpeedRates::otherProfilesOdds},
};

Error missing(std::string_view key, const std::string &where)
{
    return {.what = "the key '" + std::string(key) + "' is missing", .where = where};
}

// Calls `read` for each record of the sequence under `key`.
template<typename Read>
Result<void> forRows(YamlRow &top, std::string_view key, const std::string &where, Read read)
{
    const YamlNode *list = top.child(key);
    if (!list || list->kind != YamlNode::Kind::Sequence)
        return missing(key, where);
    for (const YamlNode &item : list->items) {
        YamlRow row(item, where);
        read(row, item.line);
        if (Result<void> finished = row.finish(); !finished)
            return finished;
    }
    return {};
}

// Returns where the figures of a record are from.
std::string readSource(YamlRow &row, int line)
{
    return readOrigin(row, line, {.reference = "source", .isDated = true}).reference;
}

Result<void> readConstants(YamlRow &top, const std::string &where, SpeedRates &rates)
{
    std::array<bool, kConstants.size()> seen{};
    Result<void> rows = forRows(top, "constants", where, [&](YamlRow &row, int line) {
        const std::string id = row.requiredText("id");
        const double value = row.requiredNumber("value");
        readSource(row, line);
        const auto found =
            std::find_if(kConstants.begin(), kConstants.end(), [&](const NamedRate &c) { return c.id == id; });
        if (found == kConstants.end())
            return row.fail(line, "'" + id + "' is not a constant of the speed model",
                "a constant that hardware/speed_rates.h declares");
        if (value < 0 || seen[static_cast<std::size_t>(found - kConstants.begin())])
            return row.fail(line, value < 0 ? "'" + id + "' is negative" : "'" + id + "' appears twice",
                "each constant once, 0 or more");
        seen[static_cast<std::size_t>(found - kConstants.begin())] = true;
        rates.*found->member = value;
    });
    if (!rows)
        return rows;
    const auto absent = std::find(seen.begin(), seen.end(), false);
    return absent == seen.end() ? Result<void>()
                                : missing(kConstants[static_cast<std::size_t>(absent - seen.begin())].id, where);
}

double positive(YamlRow &row, int line, std::string_view key)
{
    const double value = row.requiredNumber(key);
    if (value <= 0)
        row.fail(line, "'" + std::string(key) + "' is not above 0", "a number above 0");
    return value;
}

void readAttention(YamlRow &row, int line, SpeedRates &rates)
{
    rates.attention.push_back({.kernel = row.requiredText("kernel"),
        .arch = row.text("arch"),
        .forward = positive(row, line, "forward"),
        .backward = positive(row, line, "backward"),
        .forwardTail = row.number("forward_tail").value_or(0),
        .backwardTail = row.number("backward_tail").value_or(0),
        .rowOverheadKeys = row.number("row_keys").value_or(0),
        .source = readSource(row, line)});
}

void readFramework(YamlRow &row, int line, SpeedRates &rates)
{
    FrameworkRate &rate = rates.frameworks.emplace_back(
        FrameworkRate{.framework = row.requiredText("framework"), .olderRecipe = row.boolean("older_recipe", false)});
    rate.torchFrom = row.integer("torch_from").value_or(0);
    rate.tensorParallel = row.boolean("tensor_parallel", false);
    rate.arch = row.text("arch");
    rate.launch = positive(row, line, "launch_s");
    rate.backwardLaunch = row.number("backward_launch_s").value_or(rate.launch);
    rate.listLaunch = row.number("list_launch_s").value_or(0);
    rate.shardCollectiveLaunch = row.number("unit_launch_s").value_or(0);
    rate.graphLaunch = row.number("graph_launch_s").value_or(0);
    rate.switchAdds = row.boolean("switch_adds", true);
    rate.gemmFactor = row.number("product_part").value_or(1);
    rate.bandwidth = positive(row, line, "bandwidth_part");
    rate.mixedBandwidth = row.number("mixed_bandwidth_part").value_or(rate.bandwidth);
    rate.multiprocessorBandwidth = row.number("multiprocessor_bandwidth").value_or(0);
    rate.stepP10 = positive(row, line, "step_p10");
    rate.stepP90 = positive(row, line, "step_p90");
    rate.source = readSource(row, line);
}

void readMemory(YamlRow &row, int line, SpeedRates &rates)
{
    const MemoryRate &rate = rates.memory.emplace_back(MemoryRate{.framework = row.requiredText("framework"),
        .p10 = positive(row, line, "p10"),
        .p50 = positive(row, line, "p50"),
        .p90 = positive(row, line, "p90"),
        .source = readSource(row, line)});
    if (rate.p10 > rate.p50 || rate.p50 > rate.p90)
        row.fail(line, "p10, p50 and p90 are not in ascending order", "p10 <= p50 <= p90");
}

void readKnowledge(YamlRow &row, int line, SpeedRates &rates)
{
    const KnowledgeRate &rate = rates.knowledge.emplace_back(KnowledgeRate{.knowledge = row.requiredText("knowledge"),
        .stepP10 = positive(row, line, "step_p10"),
        .stepP90 = positive(row, line, "step_p90"),
        .reservedP10 = positive(row, line, "reserved_p10"),
        .reservedP90 = positive(row, line, "reserved_p90"),
        .source = readSource(row, line)});
    if (rate.stepP10 > rate.stepP90 || rate.reservedP10 > rate.reservedP90)
        row.fail(line, "P10 is above P90", "P10 <= P90");
}

void readPublished(YamlRow &row, int, SpeedRates &rates)
{
    rates.published.push_back({.framework = row.requiredText("framework"),
        .gpu = row.requiredText("gpu"),
        .speedRows = row.requiredInteger("speed_rows"),
        .memoryRows = row.requiredInteger("memory_rows"),
        .speedError = row.requiredNumber("speed_error"),
        .memoryError = row.requiredNumber("memory_error")});
}

} // namespace

AttentionRate SpeedRates::attentionOf(std::string_view kernel, std::string_view arch) const
{
    AttentionRate other;
    for (const AttentionRate &rate : attention) {
        if (rate.kernel != kernel)
            continue;
        if (rate.arch == arch)
            return rate;
        if (rate.arch.empty())
            other = rate;
    }
    return other;
}

FrameworkRate SpeedRates::frameworkOf(const FrameworkUse &use) const
{
    FrameworkRate found;
    for (const FrameworkRate &rate : frameworks) {
        if (rate.framework == use.framework && use.torch >= rate.torchFrom && (!rate.olderRecipe || use.olderRecipe) &&
            (!rate.tensorParallel || use.tensorParallel) && (rate.arch.empty() || rate.arch == use.arch))
            found = rate;
    }
    return found;
}

MemoryRate SpeedRates::memoryOf(std::string_view framework) const
{
    const auto found =
        std::find_if(memory.begin(), memory.end(), [&](const MemoryRate &rate) { return rate.framework == framework; });
    return found == memory.end() ? MemoryRate{.framework = std::string(framework)} : *found;
}

const KnowledgeRate *SpeedRates::rangeOf(std::string_view known) const
{
    const auto found = std::find_if(
        knowledge.begin(), knowledge.end(), [&](const KnowledgeRate &rate) { return rate.knowledge == known; });
    return found == knowledge.end() ? nullptr : &*found;
}

PublishedRuns SpeedRates::publishedOf(std::string_view framework, std::string_view gpu) const
{
    const auto found = std::find_if(published.begin(), published.end(),
        [&](const PublishedRuns &runs) { return runs.framework == framework && runs.gpu == gpu; });
    return found == published.end() ? PublishedRuns{.framework = std::string(framework), .gpu = std::string(gpu)}
                                    : *found;
}

Result<SpeedRates> speedRatesOf(const YamlNode &file, const std::string &where)
{
    SpeedRates rates;
    YamlRow top(file, where);
    const auto records = [&](std::string_view key, void (*read)(YamlRow &, int, SpeedRates &)) {
        return forRows(top, key, where, [&](YamlRow &row, int line) { read(row, line, rates); });
    };
    for (const Result<void> &read :
        {readConstants(top, where, rates), records("attention", readAttention), records("frameworks", readFramework),
            records("memory", readMemory), records("knowledge", readKnowledge), records("published", readPublished)}) {
        if (!read)
            return read.error();
    }
    if (const Result<void> finished = top.finish(); !finished)
        return finished.error();
    return rates;
}

} // namespace slipway
