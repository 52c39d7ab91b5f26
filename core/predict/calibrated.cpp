// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "predict/calibrated.h"

#include "speed/kernel_time.h"

namespace slipway {

DeviceCalibration calibrationOf(const RunConfig &config, const Gpu &gpu, const Catalogue &catalogue)
{
    for (const Calibration &calibration : catalogue.calibrations) {
        if (calibration.id == config.calibration)
            return calibration.of(gpu.id, enumName(config.framework));
    }
    return {};
}

DeviceRates calibratedRates(const Subject &subject, const Catalogue &catalogue)
{
    const DeviceCalibration &c = subject.calibration;
    DeviceRates rates = withMeasuredGemms(deviceRates(subject.gpu, catalogue, subject.config), c.gemms);
    rates.gemmFlops *= c.factor(Constant::Gemm);
    rates.gemmFp8Flops *= c.factor(Constant::Gemm);
    rates.attentionFlops *= c.factor(Constant::Attention);
    rates.attentionBackwardFlops *= c.factor(Constant::Attention);
    rates.memoryBandwidth *= c.factor(Constant::MemoryBandwidth);
    rates.mixedBandwidth *= c.factor(Constant::MemoryBandwidth);
    rates.launch *= c.factor(Constant::Launch);
    rates.backwardLaunch *= c.factor(Constant::Launch);
    rates.unitLaunch *= c.factor(Constant::Launch);
    rates.minKernelTime *= c.factor(Constant::Launch);
    rates.nodeLink.bandwidth *= c.factor(Constant::NodeLink);
    rates.nodeSwitch.bandwidth *= c.factor(Constant::NodeLink);
    rates.networkLink.bandwidth *= c.factor(Constant::Network);
    return rates;
}

OutsideAllocator calibratedOutside(const Subject &subject)
{
    const auto measured = subject.calibration.find(Constant::Outside);
    if (!measured)
        return outsideAllocator(subject.gpu, subject.config);
    // What a device shows differs from run to run by little.
    const auto bytes = static_cast<Bytes>(*measured);
    return {.bytes = bytes, .p10 = bytes * 9 / 10, .p90 = bytes * 11 / 10};
}

double memoryRatio(const Subject &subject) { return subject.calibration.factor(Constant::MemoryRatio); }

Bytes reservedBeyondPlan(const Subject &subject)
{
    return cublasWorkspaces(subject.gpu, subject.config) + subject.calibration.bytes(Constant::Held);
}

} // namespace slipway
