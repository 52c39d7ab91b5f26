// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The steps of a run as columns: a million of them in a sixth of the memory that as many StepMetrics take, and shared
// with the charts. Read like a vector of StepMetrics, whose elements are made when they are asked for; whoever needs
// one quantity of many steps reads its column.
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
    GpuThrottleReasons
};

struct SeriesKey {
    Quantity quantity{};
    int gpu = 0; // which one, of what is measured per GPU
    auto operator<=>(const SeriesKey &) const = default;
};

class StepTable {
public:
    void push_back(const StepMetrics &row);
    void append(const StepTable &other, std::size_t from = 0);
    void truncate(std::size_t size);
    void clear() { *this = {}; }

    [[nodiscard]] std::size_t size() const { return m_steps.size(); }
    // Values in all columns, were the rows of `other` appended.
    [[nodiscard]] std::size_t valuesWith(const StepTable &other) const;
    [[nodiscard]] bool empty() const { return m_steps.empty(); }
    [[nodiscard]] const StepMetrics operator[](std::size_t i) const; // const: a change of it would be lost
    [[nodiscard]] const StepMetrics front() const { return (*this)[0]; }
    [[nodiscard]] const StepMetrics back() const { return (*this)[size() - 1]; }

    [[nodiscard]] std::int64_t step(std::size_t i) const { return static_cast<std::int64_t>(m_steps[i]); }
    [[nodiscard]] int attempt(std::size_t i) const;
    [[nodiscard]] std::size_t attemptEnd(std::size_t i) const; // of the steps after `i` that are of the same attempt
    [[nodiscard]] std::size_t firstNotBefore(std::int64_t step) const;

    [[nodiscard]] const Column &steps() const { return m_steps; }
    [[nodiscard]] const Column &tokens() const { return m_tokens; }
    [[nodiscard]] const Column &times() const { return m_times; } // milliseconds since 1970; NaN: not told
    // NaN where it was not measured; nullptr: it never was.
    [[nodiscard]] const Column *column(SeriesKey key) const;
    [[nodiscard]] std::optional<double> value(SeriesKey key, std::size_t i) const;
    [[nodiscard]] std::vector<SeriesKey> keys() const; // that have a column, in order
    [[nodiscard]] bool measured(
        SeriesKey key) const; // a finite value at least; of a loss any; what each step has, not 0 throughout

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
    void noteAttempt(std::size_t at, int number);
    [[nodiscard]] double valueAt(SeriesKey key, std::size_t i) const;

    Column m_steps, m_tokens, m_times;
    std::vector<Attempt> m_attempts;
    std::vector<Entry> m_entries; // by place of their key: no look-up for each value
};

} // namespace slipway
