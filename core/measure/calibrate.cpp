// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "measure/calibrate.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

#include "base/text.h"
#include "measure/fit_memory.h"
#include "measure/fit_speed.h"
#include "plan/build_plan.h"
#include "speed/device_rates.h"
#include "speed/kernel_time.h"

namespace slipway {

namespace {

// No GPU exceeds its peak rate, with half of the attention counted.
constexpr double kMostMfu = 1.05;

using DeviceKey = std::pair<std::string, std::string>; // GPU, framework

DeviceKey keyOf(const ResolvedConfig &s) { return {s.gpu.id, std::string(enumName(s.config.framework))}; }

// An observation with its prediction by the shipped constants.
struct Prepared {
    const Observation *observation = nullptr;
    Assessment shipped;
    std::string skipped;
};

Prepared prepare(const Observation &o, const Catalogue &catalogue)
{
    Prepared p{.observation = &o};
    const Result<Assessment> shipped = assess(o.resolved, catalogue);
    if (!shipped) {
        p.skipped = shipped.error().message();
        return p;
    }
    p.shipped = *shipped;
    const double mfu = o.tokensPerSecondPerGpu ? p.shipped.speed.mfuCausal * *o.tokensPerSecondPerGpu /
                                                     p.shipped.speed.tokensPerSecondPerGpu
                                               : 0;
    if (mfu > kMostMfu && !o.resolved.gpu.isCpu)
        p.skipped = fmt::format("implies an MFU of {:.0f} %: the configuration does not match the run", 100 * mfu);
    constexpr double kGpusDiffer = 1.05; // GPUs of one name differ by what their drivers reserve
    const Bytes most = std::max({o.allocated.value_or(0), o.reserved.value_or(0), o.device.value_or(0)});
    if (double(most) > kGpusDiffer * double(p.shipped.memory.capacity) && !o.resolved.gpu.isCpu &&
        !o.resolved.config.memoryGib)
        p.skipped = fmt::format("used {} on a GPU with {}: the configuration does not match the run", formatBytes(most),
            formatBytes(p.shipped.memory.capacity));
    return p;
}

CalibratedRow rowOf(const Prepared &p, const Calibration &calibration, const Catalogue &catalogue)
{
    const Observation &o = *p.observation;
    const auto [gpu, framework] = keyOf(o.resolved);
    CalibratedRow row{.id = o.id, .gpu = gpu, .framework = framework, .skipped = p.skipped};
    ResolvedConfig resolved = o.resolved;
    resolved.calibration = calibration.of(gpu, framework);
    const Result<Assessment> after = p.skipped.empty() ? assess(resolved, catalogue) : Result<Assessment>(Error{});
    if (!after)
        return row;
    if (o.tokensPerSecondPerGpu)
        row.tokensPerSecondPerGpu = BeforeAfter{
            *o.tokensPerSecondPerGpu, p.shipped.speed.tokensPerSecondPerGpu, after->speed.tokensPerSecondPerGpu};
    const auto [kind, measured] = shownPeak(o);
    if (measured > 0) {
        row.peakKind = kind;
        row.peak = BeforeAfter{double(measured), double(predictedPeak(p.shipped.memory, o, kind)),
            double(predictedPeak(after->memory, o, kind))};
    }
    return row;
}

void addError(MeanErrors &errors, const std::optional<BeforeAfter> &figure)
{
    if (!figure)
        return;
    errors.before += std::abs(figure->errorBefore());
    errors.after += std::abs(figure->errorAfter());
    ++errors.rows;
}

void settle(MeanErrors &errors)
{
    errors.before /= std::max(1, errors.rows);
    errors.after /= std::max(1, errors.rows);
}

DeviceCalibration fitDevice(const DeviceCalibration &known, const std::vector<const Prepared *> &group,
    const CalibrationRequest &request, const Catalogue &catalogue, std::vector<RefusedConstant> &refused)
{
    DeviceCalibration device{.gpu = known.gpu, .framework = known.framework};
    std::vector<SpeedRow> speed;
    std::vector<MemoryRow> memory;
    for (const Prepared *p : group) {
        const Observation &o = *p->observation;
        const MemoryPrediction &m = p->shipped.memory;
        device.rows.push_back(o.id);
        ResolvedConfig resolved = o.resolved;
        resolved.calibration = known;
        if (o.tokensPerSecondPerGpu)
            speed.push_back({.resolved = std::move(resolved),
                .plan = buildPlan(o.resolved.config, o.resolved.model).value(),
                .retries = m.retries,
                .tokensPerSecondPerGpu = *o.tokensPerSecondPerGpu,
                .predicted = p->shipped.speed.tokensPerSecondPerGpu});
        if (o.allocated || o.reserved || o.device)
            memory.push_back({.allocated = o.allocated,
                .reserved = o.reserved,
                .device = o.device,
                .predictedAllocated = predictedPeak(m, o, MemoryKind::Allocated),
                .predictedReserved = predictedPeak(m, o, MemoryKind::Reserved),
                .predictedOutside = m.outsideAllocator});
    }
    const auto add = [&](const auto &fit) {
        device.constants.insert(device.constants.end(), fit.constants.begin(), fit.constants.end());
        for (RefusedConstant r : fit.refused) {
            r.gpu = known.gpu;
            r.framework = known.framework;
            refused.push_back(std::move(r));
        }
    };
    if (!speed.empty()) {
        const SpeedFit fit = fitSpeed(std::move(speed), request.wanted, catalogue);
        device.stepP10 = fit.stepP10;
        device.stepP90 = fit.stepP90;
        add(fit);
    }
    if (!memory.empty() || request.wanted)
        add(fitMemory(memory, request.wanted, catalogue.rates));
    return device;
}

// Compares a GPU's GEMMs with the model of Slipway's trainer, whose GEMMs lose no time in a loop.
GemmErrors errorsOf(const GemmTable &table, const Catalogue &catalogue)
{
    GemmErrors result{.gpu = table.gpu, .leftOut = table.leftOut};
    RunConfig config;
    const Result<Gpu> gpu = catalogue.gpu(table.gpu);
    if (!gpu)
        return result;
    config.precision = gpu->isCpu ? Precision::Fp32 : Precision::Bf16Mixed;
    const DeviceRates rates = deviceRates(*gpu, catalogue, config);
    const DeviceRates measured = withMeasuredGemms(rates, table.gemms);
    for (std::size_t i = 0; i < table.gemms.size(); ++i) {
        const Seconds modeled = kernelTime(kernelOf(table.gemms[i]), rates), seconds = table.gemms[i].seconds;
        addError(result.errors,
            BeforeAfter{
                .measured = seconds, .before = modeled, .after = modeled * measured.measuredGemms->factorWithout(i)});
    }
    settle(result.errors);
    return result;
}

Error notSupported(const RefusedConstant &r)
{
    return {.what = "cannot fit the " + std::string(titleOf(r.constant)) + " of " + r.gpu + " with " + r.framework +
                    ": " + r.why,
        .where = "--fit " + std::string(enumName(r.constant)),
        .accepted = "no --fit: all constants that the data support are then fitted"};
}

// Names the first measurement that cannot be used, and counts the others.
Error nothingUsable(const std::vector<Prepared> &prepared, const std::vector<LeftOutRow> &leftOut)
{
    const std::size_t count = prepared.size() + leftOut.size();
    Error error{
        .what = "there are no measurements", .accepted = "runs, tables or logs of configurations that can be planned"};
    if (!prepared.empty())
        error.what = prepared.front().observation->id + ": " + prepared.front().skipped;
    else if (!leftOut.empty())
        error.what = leftOut.front().id + ": " + leftOut.front().why;
    if (count > 1)
        error.what += count == 2 ? "; 1 further row cannot be used either"
                                 : fmt::format("; {} further rows cannot be used either", count - 1);
    return error;
}

} // namespace

Result<CalibrationOutcome> calibrate(const std::vector<Observation> &observations, const CalibrationRequest &request,
    const Catalogue &catalogue, const std::function<bool(double)> &progress)
{
    const auto keepGoing = [&](double part) { return !progress || progress(part); };
    std::vector<Prepared> prepared;
    std::map<DeviceKey, std::vector<const Prepared *>> groups;
    prepared.reserve(observations.size());
    for (const Observation &o : observations) {
        prepared.push_back(prepare(o, catalogue));
        if (prepared.back().skipped.empty())
            groups[keyOf(o.resolved)].push_back(&prepared.back());
        if (!keepGoing(0.2 * double(prepared.size()) / double(observations.size())))
            return Error{.what = "stopped"};
    }
    if (groups.empty() && request.gemms.empty())
        return nothingUsable(prepared, request.leftOut);

    CalibrationOutcome outcome{.calibration = {.id = request.id, .asOf = request.asOf}};
    for (const GemmTable &table : request.gemms) {
        outcome.gemms.push_back(errorsOf(table, catalogue));
        if (!table.gemms.empty())
            outcome.calibration.gemms.push_back({.gpu = table.gpu, .gemms = table.gemms});
    }
    double done = 0;
    for (const auto &[key, group] : groups) {
        DeviceCalibration device =
            fitDevice(outcome.calibration.of(key.first, key.second), group, request, catalogue, outcome.refused);
        if (request.wanted && !outcome.refused.empty())
            return notSupported(outcome.refused.front());
        if (!device.constants.empty())
            outcome.calibration.devices.push_back(std::move(device));
        done += double(group.size());
        if (!keepGoing(0.2 + 0.7 * done / double(observations.size())))
            return Error{.what = "stopped"};
    }
    for (const Prepared &p : prepared) {
        outcome.rows.push_back(rowOf(p, outcome.calibration, catalogue));
        addError(outcome.speed, outcome.rows.back().tokensPerSecondPerGpu);
        addError(outcome.memory, outcome.rows.back().peak);
    }
    for (const LeftOutRow &row : request.leftOut)
        outcome.rows.push_back({.id = row.id, .skipped = row.why});
    settle(outcome.speed);
    settle(outcome.memory);
    return outcome;
}

void applyCalibration(std::vector<MeasuredRow> &rows, const Calibration &calibration)
{
    for (MeasuredRow &row : rows) {
        if (!row.skipped.empty())
            continue;
        const auto [gpu, framework] = keyOf(row.resolved);
        DeviceCalibration device = calibration.of(gpu, framework);
        if (std::find(device.rows.begin(), device.rows.end(), row.id) != device.rows.end()) {
            row.assumed.push_back("calibration not applied: '" + calibration.id + "' was fitted to this row");
            continue;
        }
        device.rows.clear();
        row.resolved.calibration = std::move(device);
    }
}

} // namespace slipway
