// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "measure/calibrate.h"

namespace slipway {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, EnumNames<Constant>::names.size()> kTitles{"GEMM rate", "attention rate",
    "memory bandwidth", "kernel launch time", "link bandwidth within a node", "network bandwidth",
    "allocator memory beyond the plan", "device memory outside the allocator", "memory compared with the plan"};

Json number(double value) { return value; }
Json wholeBytes(double value) { return static_cast<Bytes>(std::llround(value)); }

Json jsonOf(const std::optional<BeforeAfter> &figure, Json (*as)(double))
{
    return figure
               ? Json{{"measured", as(figure->measured)}, {"before", as(figure->before)}, {"after", as(figure->after)}}
               : Json(nullptr);
}

// The means are null if there is no row.
Json jsonOf(const MeanErrors &errors)
{
    const auto mean = [&](double error) { return errors.rows > 0 ? Json(error) : Json(nullptr); };
    return {{"rows", errors.rows}, {"before", mean(errors.before)}, {"after", mean(errors.after)}};
}

std::string speedCells(const std::optional<BeforeAfter> &f)
{
    if (!f)
        return fmt::format("{:>10} {:>19} {:>19}", "-", "", "");
    return fmt::format("{:>10.0f} {:>10.0f} {:>+6.1f} % {:>10.0f} {:>+6.1f} %", f->measured, f->before,
        100 * f->errorBefore(), f->after, 100 * f->errorAfter());
}

std::string memoryCells(const std::optional<BeforeAfter> &f)
{
    if (!f)
        return fmt::format("{:>10}", "-");
    const auto bytes = [](double value) { return formatBytes(static_cast<Bytes>(std::llround(value))); };
    return fmt::format("{:>10} {:>10} {:>+6.1f} % {:>10} {:>+6.1f} %", bytes(f->measured), bytes(f->before),
        100 * f->errorBefore(), bytes(f->after), 100 * f->errorAfter());
}

std::string meanText(const char *what, const MeanErrors &errors)
{
    return errors.rows == 0
               ? ""
               : fmt::format("Mean error of {} over {} {}: {:.1f} % before, {:.1f} % after.\n", what, errors.rows,
                     errors.rows == 1 ? "row" : "rows", 100 * errors.before, 100 * errors.after);
}

std::string gemmsText(const GemmErrors &gemms)
{
    std::string text;
    if (gemms.errors.rows > 0)
        text += fmt::format("\n{} measured {} of {}: mean error {:.1f} % as shipped, {:.1f} % when predicted from the "
                            "other measurements.\n",
            gemms.errors.rows, gemms.errors.rows == 1 ? "GEMM" : "GEMMs", gemms.gpu, 100 * gemms.errors.before,
            100 * gemms.errors.after);
    for (const std::string &row : gemms.leftOut)
        text += "  skipped: " + row + "\n";
    return text;
}

std::string runsText(const CalibrationOutcome &outcome)
{
    if (outcome.rows.empty())
        return {};
    std::size_t width = 4;
    for (const CalibratedRow &row : outcome.rows)
        width = std::min<std::size_t>(40, std::max(width, row.id.size()));
    std::string text = fmt::format("{:<{}} {:>10} {:>19} {:>19} {:>10} {:>19} {:>19}\n", "run", width, "tokens/s/GPU",
        "before", "after", "peak", "before", "after");
    for (const CalibratedRow &row : outcome.rows)
        text += fmt::format("{:<{}} ", row.id.substr(0, width), width) +
                (row.skipped.empty() ? "  " + speedCells(row.tokensPerSecondPerGpu) + " " + memoryCells(row.peak)
                                     : "skipped: " + row.skipped) +
                "\n";
    return text + "\n" + meanText("tokens/s", outcome.speed) + meanText("peak memory", outcome.memory);
}

} // namespace

std::string_view titleOf(Constant constant) { return kTitles[static_cast<std::size_t>(constant)]; }

std::string valueText(const FittedConstant &fitted)
{
    if (isBytes(fitted.constant))
        return formatBytes(static_cast<Bytes>(fitted.value)) +
               (fitted.error >= 0.5 * double(kMiB) ? " ± " + formatBytes(static_cast<Bytes>(fitted.error)) : "");
    return fitted.constant == Constant::MemoryRatio
               ? fmt::format("{:.3f} ± {:.3f} times the planned value", fitted.value, fitted.error)
               : fmt::format("{:.3f} ± {:.3f} times the catalogue's value", fitted.value, fitted.error);
}

nlohmann::ordered_json toJson(const CalibrationOutcome &outcome)
{
    Json devices = Json::array(), refused = Json::array(), rows = Json::array();
    for (const DeviceCalibration &device : outcome.calibration.devices) {
        Json constants = Json::object();
        for (const FittedConstant &fitted : device.constants) {
            const auto as = isBytes(fitted.constant) ? wholeBytes : number;
            constants[std::string(enumName(fitted.constant))] = {
                {"value", as(fitted.value)}, {"error", as(fitted.error)}};
        }
        const auto orNull = [](double value) { return value > 0 ? Json(value) : Json(nullptr); };
        devices.push_back({{"gpu", device.gpu}, {"framework", device.framework}, {"constants", constants},
            {"step_p10", orNull(device.stepP10)}, {"step_p90", orNull(device.stepP90)}});
    }
    Json gemms = Json::array();
    for (const GemmErrors &each : outcome.gemms)
        gemms.push_back({{"gpu", each.gpu}, {"errors", jsonOf(each.errors)}, {"left_out", each.leftOut}});
    for (const RefusedConstant &r : outcome.refused)
        refused.push_back(
            {{"gpu", r.gpu}, {"framework", r.framework}, {"constant", enumName(r.constant)}, {"why", r.why}});
    for (const CalibratedRow &row : outcome.rows)
        rows.push_back({{"id", row.id}, {"gpu", row.gpu}, {"framework", row.framework},
            {"tokens_per_s_per_gpu", jsonOf(row.tokensPerSecondPerGpu, number)},
            {"peak_bytes", jsonOf(row.peak, wholeBytes)},
            {"mem_kind", row.peak ? Json(enumName(row.peakKind)) : Json(nullptr)},
            {"skipped", row.skipped.empty() ? Json(nullptr) : Json(row.skipped)}});
    return {{"version", 1}, {"calibration", outcome.calibration.id}, {"as_of", outcome.calibration.asOf},
        {"devices", devices}, {"products", gemms}, {"refused", refused}, {"rows", rows},
        {"summary", {{"tokens_per_s_per_gpu", jsonOf(outcome.speed)}, {"peak_bytes", jsonOf(outcome.memory)}}}};
}

std::string toText(const CalibrationOutcome &outcome)
{
    std::string text = runsText(outcome);
    for (const GemmErrors &gemms : outcome.gemms)
        text += gemmsText(gemms);
    for (const DeviceCalibration &device : outcome.calibration.devices) {
        text += fmt::format("\nFitted for {} with {}:\n", device.gpu, device.framework);
        for (const FittedConstant &fitted : device.constants)
            text += fmt::format(
                "  {:<17} {}, {}\n", enumName(fitted.constant), titleOf(fitted.constant), valueText(fitted));
        if (device.stepP90 > 0)
            text += fmt::format("  measured steps then take {:.0f} to {:.0f} % of the predicted time (P10 to P90)\n",
                100 * device.stepP10, 100 * device.stepP90);
    }
    std::string lastDevice;
    for (const RefusedConstant &r : outcome.refused) {
        const std::string device = r.gpu + " with " + r.framework;
        if (device != lastDevice)
            text += "\nUnchanged for " + device + ":\n";
        lastDevice = device;
        text += fmt::format("  {:<17} {}: {}\n", enumName(r.constant), titleOf(r.constant), r.why);
    }
    return text;
}

} // namespace slipway
