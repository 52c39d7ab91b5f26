// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/step_table.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>

namespace slipway {

namespace {

constexpr std::size_t kQuantities = static_cast<std::size_t>(Quantity::ExpertShare) + 1;
// "Not measured" is a special NaN, so that a measured NaN remains different from it.
constexpr std::uint64_t kNoneBits = 0x7ff8'0000'0000'51a9U;

double none() { return std::bit_cast<double>(kNoneBits); }
bool isNone(double value) { return std::bit_cast<std::uint64_t>(value) == kNoneBits; }

template<typename T>
double orNone(const std::optional<T> &value)
{
    return value ? static_cast<double>(*value) : none();
}

template<typename T>
std::optional<T> orEmpty(double value)
{
    return isNone(value) ? std::nullopt : std::optional(static_cast<T>(value));
}

std::size_t placeOf(SeriesKey key)
{
    return static_cast<std::size_t>(key.gpu) * kQuantities + static_cast<std::size_t>(key.quantity);
}
SeriesKey keyAt(std::size_t place)
{
    return {static_cast<Quantity>(place % kQuantities), static_cast<int>(place / kQuantities)};
}

// Whether our trainer measures the quantity in every step. Other quantities get a column with their first value.
bool always(Quantity quantity)
{
    return quantity == Quantity::TokensPerSecond || quantity == Quantity::StepSeconds || quantity == Quantity::Loss ||
           quantity == Quantity::LearningRate || quantity == Quantity::GradNorm;
}

double millisecondsOf(const std::string &time)
{
    const auto at = fromIso8601(time);
    return at ? static_cast<double>(
                    std::chrono::duration_cast<std::chrono::milliseconds>(at->time_since_epoch()).count())
              : none();
}

double largestToMean(const std::vector<double> &shares)
{
    const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    return sum > 0 ? *std::max_element(shares.begin(), shares.end()) * static_cast<double>(shares.size()) / sum
                   : none();
}

std::string textOf(double milliseconds)
{
    return isNone(milliseconds) ? std::string()
                                : toIso8601(std::chrono::system_clock::time_point(
                                      std::chrono::milliseconds(static_cast<std::int64_t>(milliseconds))));
}

} // namespace

void StepTable::put(SeriesKey key, double value)
{
    const std::size_t place = placeOf(key);
    if (place >= m_entries.size()) {
        if (isNone(value))
            return;
        m_entries.resize(place + 1);
    }
    Entry &entry = m_entries[place];
    if (entry.values.empty() && isNone(value) && !always(key.quantity))
        return;
    while (entry.values.size() + 1 < m_steps.size()) // not measured in earlier steps
        entry.values.push_back(none());
    entry.values.push_back(value);
    entry.measured =
        entry.measured || (std::isfinite(value) &&
                              (value != 0 || !always(key.quantity))); // another tool's export has 0 for a missing value
}

void StepTable::noteAttempt(std::size_t at, int number)
{
    if (m_attempts.empty() || m_attempts.back().number != number)
        m_attempts.push_back({.first = at, .number = number});
}

void StepTable::push_back(const StepMetrics &row)
{
    noteAttempt(size(), row.attempt);
    m_steps.push_back(static_cast<double>(row.step));
    m_tokens.push_back(static_cast<double>(row.tokens));
    m_times.push_back(millisecondsOf(row.time));
    put({Quantity::TokensPerSecond}, row.tokensPerSecond);
    put({Quantity::StepSeconds}, row.stepSeconds);
    put({Quantity::Loss}, row.loss);
    put({Quantity::EvalLoss}, orNone(row.evalLoss));
    put({Quantity::LearningRate}, row.learningRate);
    put({Quantity::GradNorm}, row.gradNorm);
    put({Quantity::Mfu}, orNone(row.mfu));
    put({Quantity::Allocated}, orNone(row.allocatedPeak));
    put({Quantity::Reserved}, orNone(row.reservedPeak));
    put({Quantity::DeviceUsed}, orNone(row.deviceUsed));
    put({Quantity::DataWait}, orNone(row.dataWait));
    put({Quantity::Forward}, orNone(row.forward));
    put({Quantity::Backward}, orNone(row.backward));
    put({Quantity::Optimizer}, orNone(row.optimizer));
    put({Quantity::Communication}, orNone(row.communicationExposed));
    for (std::size_t gpu = 0; gpu < row.gpus.size(); ++gpu) {
        const int index = static_cast<int>(gpu);
        put({Quantity::GpuUse, index}, orNone(row.gpus[gpu].utilisation));
        put({Quantity::GpuPower, index}, orNone(row.gpus[gpu].powerWatts));
        put({Quantity::GpuTemperature, index}, orNone(row.gpus[gpu].temperatureC));
        put({Quantity::GpuMemory, index}, orNone(row.gpus[gpu].used));
        put({Quantity::GpuClock, index}, orNone(row.gpus[gpu].clockMhz));
        put({Quantity::GpuMaxClock, index}, orNone(row.gpus[gpu].clockMaxMhz));
        put({Quantity::GpuThrottleReasons, index}, orNone(row.gpus[gpu].throttleReasons));
    }
    putExperts(row);
    for (Entry &entry : m_entries) { // GPUs and experts without values in this step
        if (!entry.values.empty() && entry.values.size() < size())
            entry.values.push_back(none());
    }
}

void StepTable::putExperts(const StepMetrics &row)
{
    put({Quantity::ExpertLoad}, row.expertShares.empty() ? orNone(row.expertLoad) : largestToMean(row.expertShares));
    if (row.expertShares.size() > kMostExpertColumns)
        return;
    for (std::size_t expert = 0; expert < row.expertShares.size(); ++expert)
        put({Quantity::ExpertShare, static_cast<int>(expert)}, row.expertShares[expert]);
}

void StepTable::append(const StepTable &other, std::size_t from)
{
    const std::size_t before = size();
    for (std::size_t i = from; i < other.size(); i = other.attemptEnd(i))
        noteAttempt(before + i - from, other.attempt(i));
    m_steps.append(other.m_steps, from);
    m_tokens.append(other.m_tokens, from);
    m_times.append(other.m_times, from);
    m_entries.resize(std::max(m_entries.size(), other.m_entries.size()));
    for (std::size_t place = 0; place < m_entries.size(); ++place) {
        Entry &entry = m_entries[place];
        const Entry *const theirs = place < other.m_entries.size() && !other.m_entries[place].values.empty()
                                        ? &other.m_entries[place]
                                        : nullptr;
        if (theirs) {
            while (entry.values.size() < before)
                entry.values.push_back(none());
            entry.values.append(theirs->values, from);
            entry.measured = entry.measured || theirs->measured;
        }
        while (!entry.values.empty() && entry.values.size() < size())
            entry.values.push_back(none());
    }
}

std::size_t StepTable::valuesWith(const StepTable &other) const
{
    std::size_t columns = 3; // steps, tokens, times
    for (std::size_t place = 0; place < std::max(m_entries.size(), other.m_entries.size()); ++place) {
        columns += (place < m_entries.size() && !m_entries[place].values.empty()) ||
                   (place < other.m_entries.size() && !other.m_entries[place].values.empty());
    }
    return columns * (size() + other.size());
}

void StepTable::truncate(std::size_t size)
{
    for (Column *column : {&m_steps, &m_tokens, &m_times})
        column->truncate(size);
    for (Entry &entry : m_entries)
        entry.values.truncate(size);
    while (!m_attempts.empty() && m_attempts.back().first >= size)
        m_attempts.pop_back();
}

const StepMetrics StepTable::operator[](std::size_t i) const
{
    const auto value = [&](Quantity quantity, int gpu = 0) { return valueAt({quantity, gpu}, i); };
    const auto bytes = [&](Quantity quantity) { return orEmpty<Bytes>(value(quantity)); };
    const auto number = [&](Quantity quantity) { return orEmpty<double>(value(quantity)); };
    StepMetrics row{.attempt = attempt(i),
        .step = step(i),
        .tokens = static_cast<Tokens>(m_tokens[i]),
        .time = textOf(m_times[i]),
        .stepSeconds = value(Quantity::StepSeconds),
        .tokensPerSecond = value(Quantity::TokensPerSecond),
        .loss = value(Quantity::Loss),
        .evalLoss = number(Quantity::EvalLoss),
        .learningRate = value(Quantity::LearningRate),
        .gradNorm = value(Quantity::GradNorm),
        .mfu = number(Quantity::Mfu),
        .allocatedPeak = bytes(Quantity::Allocated),
        .reservedPeak = bytes(Quantity::Reserved),
        .deviceUsed = bytes(Quantity::DeviceUsed),
        .dataWait = number(Quantity::DataWait),
        .forward = number(Quantity::Forward),
        .backward = number(Quantity::Backward),
        .optimizer = number(Quantity::Optimizer),
        .communicationExposed = number(Quantity::Communication),
        .gpus = {},
        .expertShares = {},
        .expertLoad = {}};
    const int gpus = static_cast<int>((m_entries.size() + kQuantities - 1) / kQuantities);
    for (int gpu = 0; gpu < gpus; ++gpu) {
        const GpuSample sample{.utilisation = orEmpty<double>(value(Quantity::GpuUse, gpu)),
            .powerWatts = orEmpty<double>(value(Quantity::GpuPower, gpu)),
            .temperatureC = orEmpty<double>(value(Quantity::GpuTemperature, gpu)),
            .used = orEmpty<Bytes>(value(Quantity::GpuMemory, gpu)),
            .clockMhz = orEmpty<double>(value(Quantity::GpuClock, gpu)),
            .clockMaxMhz = orEmpty<double>(value(Quantity::GpuMaxClock, gpu)),
            .throttleReasons = orEmpty<std::int64_t>(value(Quantity::GpuThrottleReasons, gpu))};
        if (sample == GpuSample{})
            continue;
        row.gpus.resize(static_cast<std::size_t>(gpu) + 1);
        row.gpus.back() = sample;
    }
    for (std::size_t expert = 0; expert < kMostExpertColumns; ++expert) {
        const double share = value(Quantity::ExpertShare, static_cast<int>(expert));
        if (isNone(share))
            break;
        row.expertShares.push_back(share);
    }
    if (row.expertShares.empty())
        row.expertLoad = number(Quantity::ExpertLoad);
    return row;
}

double StepTable::valueAt(SeriesKey key, std::size_t i) const
{
    const Column *const values = column(key);
    return values ? (*values)[i] : none();
}

int StepTable::attempt(std::size_t i) const
{
    return std::prev(std::upper_bound(m_attempts.begin(), m_attempts.end(), i,
                         [](std::size_t at, const Attempt &attempt) { return at < attempt.first; }))
        ->number;
}

std::size_t StepTable::attemptEnd(std::size_t i) const
{
    const auto next = std::upper_bound(m_attempts.begin(), m_attempts.end(), i,
        [](std::size_t at, const Attempt &attempt) { return at < attempt.first; });
    return next == m_attempts.end() ? size() : next->first;
}

std::size_t StepTable::firstNotBefore(std::int64_t wanted) const
{
    std::size_t begin = 0, end = size();
    while (begin < end) {
        const std::size_t middle = begin + (end - begin) / 2;
        if (step(middle) < wanted)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

const Column *StepTable::column(SeriesKey key) const
{
    const std::size_t place = placeOf(key);
    return place < m_entries.size() && !m_entries[place].values.empty() ? &m_entries[place].values : nullptr;
}

std::optional<double> StepTable::value(SeriesKey key, std::size_t i) const { return orEmpty<double>(valueAt(key, i)); }

std::vector<SeriesKey> StepTable::keys() const
{
    std::vector<SeriesKey> keys;
    for (std::size_t place = 0; place < m_entries.size(); ++place) {
        if (!m_entries[place].values.empty())
            keys.push_back(keyAt(place));
    }
    std::sort(keys.begin(), keys.end());
    return keys;
}

bool StepTable::measured(SeriesKey key) const
{
    const std::size_t place = placeOf(key);
    return place < m_entries.size() && !m_entries[place].values.empty() &&
           (m_entries[place].measured || key.quantity == Quantity::Loss);
}

} // namespace slipway
