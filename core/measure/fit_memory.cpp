// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "measure/fit_memory.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace slipway {

namespace {

// A constant must halve nothing less than this part of the error, and be worth more than this part of the peak.
constexpr double kWorthwhile = 0.2, kExplained = 0.005;

// What is measured beyond what is predicted, and the peak that this is part of.
struct Beyond {
    double bytes = 0; // that the constant is to be
    double now = 0;   // that it is
    double peak = 0;
};

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    const std::size_t n = values.size();
    return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

double meanError(const std::vector<Beyond> &rows, std::optional<double> constant)
{
    double sum = 0;
    for (const Beyond &row : rows)
        sum += std::abs(row.bytes - constant.value_or(row.now)) / row.peak;
    return sum / double(rows.size());
}

void fitOne(MemoryFit &result, Constant constant, const std::vector<Beyond> &rows, const char *needs)
{
    const auto refuse = [&](std::string why) {
        result.refused.push_back({.constant = constant, .why = std::move(why)});
    };
    if (rows.empty())
        return refuse(needs);
    std::vector<double> bytes, deviations;
    for (const Beyond &row : rows)
        bytes.push_back(row.bytes);
    const double value = median(bytes);
    for (const double b : bytes)
        deviations.push_back(std::abs(b - value));
    const double before = meanError(rows, {}), after = meanError(rows, std::max(0.0, value));
    const auto [least, most] = std::minmax_element(bytes.begin(), bytes.end());
    if (value < 0)
        return refuse(
            "would be negative: " + formatBytes(static_cast<Bytes>(-value)) + " less memory was used than planned");
    if (before < kExplained)
        return refuse("is not needed: without it, the peaks are within " +
                      std::to_string(std::lround(1000 * before) / 10.0).substr(0, 3) + " % of the measurements");
    if (after > (1 - kWorthwhile) * before)
        return refuse("is not constant: it is " + formatBytes(static_cast<Bytes>(*least)) + " in one run and " +
                      formatBytes(static_cast<Bytes>(*most)) + " in another");
    constexpr double kOfMedianDeviation = 1.4826; // to a normal distribution's standard deviation
    result.constants.push_back({constant, value, kOfMedianDeviation * median(deviations)});
}

// As of a rate, nobody knows a peak so badly as five times, not even the largest of the runs'.
bool mayBeOfTheseRuns(const std::vector<Beyond> &held)
{
    return held.empty() ||
           std::any_of(held.begin(), held.end(), [](const Beyond &row) { return row.bytes < 0.8 * row.peak; });
}

bool asks(const std::optional<std::vector<Constant>> &wanted, Constant constant)
{
    return !wanted || std::find(wanted->begin(), wanted->end(), constant) != wanted->end();
}

} // namespace

MemoryFit fitMemory(const std::vector<MemoryRow> &rows, const std::optional<std::vector<Constant>> &wanted)
{
    MemoryFit result;
    std::vector<Beyond> held, outside;
    for (const MemoryRow &row : rows) {
        if (row.allocated)
            held.push_back({.bytes = double(*row.allocated - row.predictedAllocated), .peak = double(*row.allocated)});
        else if (row.reserved)
            held.push_back({.bytes = double(*row.reserved - row.predictedReserved), .peak = double(*row.reserved)});
    }
    if (asks(wanted, Constant::Held) && !mayBeOfTheseRuns(held))
        result.refused.push_back({.constant = Constant::Held,
            .why = "would be more than four times the planned memory, so the configuration probably does not match the "
                   "run"});
    else if (asks(wanted, Constant::Held))
        fitOne(result, Constant::Held, held, "no run reports allocated or reserved memory");
    const double heldBytes = result.constants.empty() ? 0 : result.constants.front().value;
    for (const MemoryRow &row : rows) {
        if (row.device)
            outside.push_back(
                {.bytes = double(*row.device) -
                          (row.reserved ? double(*row.reserved) : double(row.predictedReserved) + heldBytes),
                    .now = double(row.predictedOutside),
                    .peak = double(*row.device)});
    }
    if (asks(wanted, Constant::Outside))
        fitOne(result, Constant::Outside, outside, "no run reports device memory");
    return result;
}

} // namespace slipway
