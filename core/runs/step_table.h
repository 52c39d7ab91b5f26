// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The steps of a run as columns: a million steps take a sixth of the memory of as many StepMetrics, and the columns are
// shared with the charts. It can be read like a vector of StepMetrics, whose elements are built on access; code that
// needs one quantity of many steps should read its column.
#pragma once

#include <cstdint>
#include <iterator>
#include <optional>
#include <vector>

#include "runs/column.h"
#include "runs/run_directory.h"

namespace slipway {

enum class Quantity {
    TokensPerSecond,
    StepSeconds,
    Loss,
    EvalLoss,
    LearningRate,
    GradNorm,
    Mfu,
    Allocated,
    Reserved,
    DeviceUsed,
    DataWait,
    Forward,
    Backward,
    Optimizer,
    Communication,
    GpuUse,
    GpuPower,
    GpuTemperature,
    GpuMemory,
    GpuClock,
    GpuMaxClock,
    GpuThrottleReasons,
    ExpertLoad, // the largest share of an expert divided by the mean
    ExpertShare
};

// The table has the shares of models with at most this number of experts, because each is a column of every step. Of
// other models it has only ExpertLoad.
inline constexpr std::size_t kMostExpertColumns = 16;

struct SeriesKey {
    Quantity quantity{};
    int gpu = 0; // index of the GPU, or of the expert, for quantities that are measured for each
    auto operator<=>(const SeriesKey &) const = default;
};

class StepTable {
public:
    void push_back(const StepMetrics &row);
    void append(const StepTable &other, std::size_t from = 0);
    void truncate(std::size_t size);
    void clear() { *this = {}; }

    [[nodiscard]] std::size_t size() const { return m_steps.size(); }
    // The number of values in all columns after appending the rows of `other`.
    [[nodiscard]] std::size_t valuesWith(const StepTable &other) const;
    [[nodiscard]] bool empty() const { return m_steps.empty(); }
    // Const, because changes to the returned copy would be lost.
    [[nodiscard]] const StepMetrics operator[](std::size_t i) const;
    [[nodiscard]] const StepMetrics front() const { return (*this)[0]; }
    [[nodiscard]] const StepMetrics back() const { return (*this)[size() - 1]; }

    [[nodiscard]] std::int64_t step(std::size_t i) const { return static_cast<std::int64_t>(m_steps[i]); }
    [[nodiscard]] int attempt(std::size_t i) const;
    // End of the steps from `i` on that belong to the same attempt.
    [[nodiscard]] std::size_t attemptEnd(std::size_t i) const;
    [[nodiscard]] std::size_t firstNotBefore(std::int64_t step) const;

    [[nodiscard]] const Column &steps() const { return m_steps; }
    [[nodiscard]] const Column &tokens() const { return m_tokens; }
    [[nodiscard]] const Column &times() const { return m_times; } // milliseconds since 1970; NaN: not recorded
    // NaN for steps without a measurement; nullptr if the quantity was never measured.
    [[nodiscard]] const Column *column(SeriesKey key) const;
    [[nodiscard]] std::optional<double> value(SeriesKey key, std::size_t i) const;
    [[nodiscard]] std::vector<SeriesKey> keys() const; // keys with a column, in order
    [[nodiscard]] bool measured(
        SeriesKey key) const; // has a finite value; a loss: any value; quantities of every step: not always 0

    class Iterator {
    public:
        using value_type = StepMetrics;
        using difference_type = std::ptrdiff_t;
        using iterator_category = std::input_iterator_tag;
        using reference = StepMetrics;
        using pointer = void;
        Iterator(const StepTable &table, std::size_t at) : m_table(&table), m_at(at) {}
        StepMetrics operator*() const { return (*m_table)[m_at]; }
        Iterator &operator++()
        {
            ++m_at;
            return *this;
        }
        bool operator==(const Iterator &other) const { return m_at == other.m_at; }

    private:
        const StepTable *m_table;
        std::size_t m_at;
    };
    [[nodiscard]] Iterator begin() const { return {*this, 0}; }
    [[nodiscard]] Iterator end() const { return {*this, size()}; }

private:
    struct Attempt {
        std::size_t first = 0;
        int number = 0;
    };
    struct Entry {
        Column values; // as long as the table, or empty
        bool measured = false;
    };
    void put(SeriesKey key, double value);
    void putExperts(const StepMetrics &row);
    void noteAttempt(std::size_t at, int number);
    [[nodiscard]] double valueAt(SeriesKey key, std::size_t i) const;

    Column m_steps, m_tokens, m_times;
    std::vector<Attempt> m_attempts;
    std::vector<Entry> m_entries; // indexed by key, so that no lookup per value is needed
};

} // namespace slipway
