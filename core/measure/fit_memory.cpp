// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "measure/fit_memory.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/median.h"
#include "base/text.h"

namespace slipway {

namespace {

// A constant must reduce the error by at least the fraction kMemoryWorthwhile. It is not needed if the error is below
// kMemoryExplained of the peak.
constexpr double kMemoryWorthwhile = 0.2, kMemoryExplained = 0.005;
// With fewer runs than kEnoughForBytes, the error with a number of bytes must be this fraction of that with a factor.
constexpr std::size_t kEnoughForBytes = 5;
constexpr double kClearly = 0.5;

// The measured memory beyond the predicted, and the peak that it is part of.
struct ExcessMemory {
    double bytes = 0; // the value that the constant should have
    double now = 0;   // its present value
    double peak = 0;
};

double meanError(const std::vector<ExcessMemory> &rows, std::optional<double> constant)
{
    double sum = 0;
    for (const ExcessMemory &row : rows)
        sum += std::abs(row.bytes - constant.value_or(row.now)) / row.peak;
    return sum / double(rows.size());
}

double planned(const ExcessMemory &row) { return row.peak - row.bytes; }

double meanErrorOfRatio(const std::vector<ExcessMemory> &rows, double ratio)
{
    double sum = 0;
    for (const ExcessMemory &row : rows)
        sum += std::abs(planned(row) * ratio / row.peak - 1);
    return sum / double(rows.size());
}

std::string percent(double part) { return fmt::format("{:.1f} %", 100 * part); }

// Fits a factor on all planned memory. A few runs also show their own peculiarities. So the median of the logarithms,
// which one run with a peculiarity does not move, is shrunk towards zero. The shrinkage depends on how far peaks differ
// within a source, relative to how far sources differ.
void fitRatio(MemoryFit &result, const std::vector<ExcessMemory> &rows, const SpeedRates &constants)
{
    const auto refuse = [&](std::string why) {
        result.refused.push_back({.constant = Constant::MemoryRatio, .why = std::move(why)});
    };
    if (rows.empty())
        return refuse("no run reports its peak memory");
    if (std::any_of(
            rows.begin(), rows.end(), [](const ExcessMemory &row) { return planned(row) <= 0 || row.peak <= 0; }))
        return refuse("no memory is planned for a run");
    std::vector<double> logs;
    logs.reserve(rows.size());
    for (const ExcessMemory &row : rows)
        logs.push_back(std::log(row.peak / planned(row)));
    const auto n = double(rows.size());
    const double usual = constants.peakWithinSource, between = constants.peakBetweenSources, within = usual * usual / n,
                 drawn = 1 / (1 + within / (between * between)), before = meanErrorOfRatio(rows, 1),
                 value = std::exp(drawn * median(logs).value_or(0));
    if (before < kMemoryExplained)
        return refuse("is not needed: without it, the peaks are within " + percent(before) + " of the measurements");
    result.constants.push_back({Constant::MemoryRatio, value, value * std::sqrt(drawn * within)});
}

void fitOne(MemoryFit &result, Constant constant, const std::vector<ExcessMemory> &rows, const char *needs)
{
    const auto refuse = [&](std::string why) {
        result.refused.push_back({.constant = constant, .why = std::move(why)});
    };
    if (rows.empty())
        return refuse(needs);
    std::vector<double> bytes, deviations;
    for (const ExcessMemory &row : rows)
        bytes.push_back(row.bytes);
    const double value = median(bytes).value_or(0);
    for (const double b : bytes)
        deviations.push_back(std::abs(b - value));
    const double before = meanError(rows, {}), after = meanError(rows, std::max(0.0, value));
    const auto [least, most] = std::minmax_element(bytes.begin(), bytes.end());
    if (value < 0)
        return refuse(
            "would be negative: " + formatBytes(static_cast<Bytes>(-value)) + " less memory was used than planned");
    if (before < kMemoryExplained)
        return refuse("is not needed: without it, the peaks are within " +
                      std::to_string(std::lround(1000 * before) / 10.0).substr(0, 3) + " % of the measurements");
    if (after > (1 - kMemoryWorthwhile) * before)
        return refuse("is not constant: it is " + formatBytes(static_cast<Bytes>(*least)) + " in one run and " +
                      formatBytes(static_cast<Bytes>(*most)) + " in another");
    constexpr double kOfMedianDeviation = 1.4826; // turns it into a normal distribution's standard deviation
    result.constants.push_back({constant, value, kOfMedianDeviation * median(deviations).value_or(0)});
}

// As with rates, predictions are not expected to be wrong by a factor of five. At least one run must be within it.
bool mayBeOfTheseRuns(const std::vector<ExcessMemory> &held)
{
    return held.empty() ||
           std::any_of(held.begin(), held.end(), [](const ExcessMemory &row) { return row.bytes < 0.8 * row.peak; });
}

// Chooses what explains the peaks best: no constant, the same number of bytes in all runs, or a factor. A few runs with
// an error of their own each do not tell one from the other, and a factor also holds for runs of other sizes.
MemoryFit fitOfAllocator(
    const std::vector<ExcessMemory> &held, const std::vector<ExcessMemory> &ofDevices, const SpeedRates &constants)
{
    MemoryFit bytes, ratio;
    fitOne(bytes, Constant::Held, held, "no run reports allocated or reserved memory");
    fitRatio(ratio, held.empty() ? ofDevices : held, constants);
    if (bytes.constants.empty() || ratio.constants.empty()) {
        ratio.refused.insert(ratio.refused.begin(), bytes.refused.begin(), bytes.refused.end());
        ratio.constants.insert(ratio.constants.begin(), bytes.constants.begin(), bytes.constants.end());
        return ratio;
    }
    const double clear = held.size() < kEnoughForBytes ? kClearly : 1;
    const bool isBytes = held.size() > 2 && meanError(held, bytes.constants.front().value) <
                                                clear * meanErrorOfRatio(held, ratio.constants.front().value);
    MemoryFit &better = isBytes ? bytes : ratio;
    better.refused.push_back({.constant = isBytes ? Constant::MemoryRatio : Constant::Held,
        .why =
            isBytes ? "is not needed: a constant amount explains more" : "is not needed: a factor explains as much"});
    return better;
}

bool asks(const std::optional<std::vector<Constant>> &wanted, Constant constant)
{
    return !wanted || std::find(wanted->begin(), wanted->end(), constant) != wanted->end();
}

} // namespace

MemoryFit fitMemory(
    const std::vector<MemoryRow> &rows, const std::optional<std::vector<Constant>> &wanted, const SpeedRates &constants)
{
    MemoryFit result;
    std::vector<ExcessMemory> held, ofDevices;
    for (const MemoryRow &row : rows) {
        if (row.allocated)
            held.push_back({.bytes = double(*row.allocated - row.predictedAllocated), .peak = double(*row.allocated)});
        else if (row.reserved)
            held.push_back({.bytes = double(*row.reserved - row.predictedReserved), .peak = double(*row.reserved)});
        else if (row.device)
            ofDevices.push_back({.bytes = double(*row.device - row.predictedOutside - row.predictedReserved),
                .peak = double(*row.device - row.predictedOutside)});
    }
    if (!mayBeOfTheseRuns(held)) {
        result.refused.push_back({.constant = Constant::Held,
            .why = "would be more than four times the planned memory, so the configuration probably does not match the "
                   "run"});
    } else if (wanted) {
        if (asks(wanted, Constant::Held))
            fitOne(result, Constant::Held, held, "no run reports allocated or reserved memory");
        if (asks(wanted, Constant::MemoryRatio))
            fitRatio(result, held.empty() ? ofDevices : held, constants);
    } else {
        result = fitOfAllocator(held, ofDevices, constants);
    }
    const auto of = [&](Constant constant, double usual) {
        const auto found = std::find_if(result.constants.begin(), result.constants.end(),
            [constant](const FittedConstant &each) { return each.constant == constant; });
        return found == result.constants.end() ? usual : found->value;
    };
    const double heldBytes = of(Constant::Held, 0), ratio = of(Constant::MemoryRatio, 1);
    std::vector<ExcessMemory> outside;
    for (const MemoryRow &row : rows) {
        const bool apart = row.reserved || row.allocated || wanted || ratio == 1;
        if (row.device && apart)
            outside.push_back(
                {.bytes = double(*row.device) -
                          (row.reserved ? double(*row.reserved) : double(row.predictedReserved) * ratio + heldBytes),
                    .now = double(row.predictedOutside),
                    .peak = double(*row.device)});
    }
    if (asks(wanted, Constant::Outside))
        fitOne(result, Constant::Outside, outside,
            ratio == 1 ? "no run reports device memory"
                       : "no run reports both device memory and the memory in the "
                         "allocator");
    return result;
}

} // namespace slipway
