// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "predict/calibrated.h"

#include <algorithm>
#include <utility>

#include "speed/graph_choice.h"
#include "speed/kernel_time.h"

namespace slipway {

namespace {

const Calibration *namedCalibration(const RunConfig &config, const Catalogue &catalogue)
{
    const auto found = std::find_if(catalogue.calibrations.begin(), catalogue.calibrations.end(),
        [&](const Calibration &calibration) { return calibration.id == config.calibration; });
    return found == catalogue.calibrations.end() ? nullptr : &*found;
}

} // namespace

DeviceCalibration calibrationOf(const RunConfig &config, const Gpu &gpu, const Catalogue &catalogue)
{
    const Calibration *calibration = namedCalibration(config, catalogue);
    return calibration ? calibration->of(gpu.id, enumName(config.framework)) : DeviceCalibration();
}

std::optional<AppliedField> applySoftwareOfRuns(RunConfig &config, const Gpu &gpu, const Catalogue &catalogue)
{
    const Calibration *calibration = namedCalibration(config, catalogue);
    const SoftwareOfRuns *runs = calibration ? calibration->softwareOf(gpu.id, config.software) : nullptr;
    if (!runs)
        return std::nullopt;
    config.software = runs->framework;
    std::string taken = runs->framework;
    const std::string key = runs->option.substr(0, runs->option.find('=') + 1);
    const bool given = std::any_of(config.frameworkOptions.begin(), config.frameworkOptions.end(),
        [&](const std::string &option) { return option.starts_with(key); });
    if (!key.empty() && !given) {
        config.frameworkOptions.push_back(runs->option);
        taken += " with " + runs->option;
    }
    return AppliedField{.key = "software",
        .value = std::move(taken),
        .origin = FieldOrigin::Measured,
        .reference = "runs of the calibration '" + calibration->id + "' of " + calibration->asOf};
}

DeviceRates calibratedRates(const ResolvedConfig &resolved, const Catalogue &catalogue)
{
    const DeviceCalibration &c = resolved.calibration;
    DeviceRates rates = withMeasuredGemms(deviceRates(resolved.gpu, catalogue, resolved.config), c.gemms);
    rates.gemmFlops *= c.factor(Constant::Gemm);
    rates.gemmFp8Flops *= c.factor(Constant::Gemm);
    rates.attentionFlops *= c.factor(Constant::Attention);
    rates.attentionBackwardFlops *= c.factor(Constant::Attention);
    rates.memoryBandwidth *= c.factor(Constant::MemoryBandwidth);
    rates.mixedBandwidth *= c.factor(Constant::MemoryBandwidth);
    rates.launch *= c.factor(Constant::Launch);
    rates.backwardLaunch *= c.factor(Constant::Launch);
    rates.shardCollectiveLaunch *= c.factor(Constant::Launch);
    rates.minKernelTime *= c.factor(Constant::Launch);
    rates.nodeLink.bandwidth *= c.factor(Constant::NodeLink);
    rates.nodeSwitch.bandwidth *= c.factor(Constant::NodeLink);
    rates.networkLink.bandwidth *= c.factor(Constant::Network);
    return rates;
}

void chooseGraphs(std::vector<StepPlan> &stages, const RunConfig &config, const Catalogue &catalogue)
{
    const Result<ResolvedConfig> resolved = resolveConfig(config, catalogue);
    if (resolved)
        chooseGraphs(stages, calibratedRates(*resolved, catalogue));
}

OutsideAllocatorMemory calibratedOutsideAllocatorMemory(const ResolvedConfig &resolved, const SpeedRates &rates)
{
    const auto measured = resolved.calibration.find(Constant::Outside);
    if (!measured)
        return outsideAllocatorMemory(resolved.gpu, resolved.config, rates);
    // Device memory differs little from run to run.
    const auto bytes = static_cast<Bytes>(*measured);
    return {.bytes = bytes, .p10 = bytes * 9 / 10, .p90 = bytes * 11 / 10};
}

double measuredToPlannedMemory(const ResolvedConfig &resolved)
{
    return resolved.calibration.factor(Constant::MemoryRatio);
}

Bytes reservedBeyondPlan(const ResolvedConfig &resolved)
{
    return cublasWorkspaces(resolved.gpu, resolved.config) + resolved.calibration.bytes(Constant::Held);
}

} // namespace slipway
