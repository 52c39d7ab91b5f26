// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A run's metrics as columns, for charts: grows while the run does, and is read from another thread meanwhile. Each
// quantity can be drawn over steps, tokens, time or dollars.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string_view>
#include <vector>

#include "base/enum_names.h"
#include "runs/curve.h"
#include "runs/run_directory.h"

namespace slipway {

enum class XAxis { Step, TokensSeen, Time, Cost }; // Time: seconds since the first step; Cost: dollars of the billed time
template<> struct EnumNames<XAxis> { static constexpr std::array<std::string_view, 4> names{"step", "tokens", "time", "usd"}; };

enum class Quantity { TokensPerSecond, StepSeconds, Loss, EvalLoss, LearningRate, GradNorm, Mfu, Allocated, Reserved, DeviceUsed, DataWait, Forward, Backward,
    Optimizer, Communication, GpuUse, GpuPower, GpuTemperature, GpuMemory };

struct SeriesKey {
    Quantity quantity{};
    int gpu = 0; // which one, of what is measured per GPU
    auto operator<=>(const SeriesKey &) const = default;
};

class RunSeries : public std::enable_shared_from_this<RunSeries> {
public:
    // Steps rise; `from` is the number of those that still hold, the rest is replaced.
    void replaceFrom(std::size_t from, std::span<const StepMetrics> metrics);
    void setUsdPerHour(std::optional<Usd> price);

    [[nodiscard]] std::size_t size() const;
    [[nodiscard]] std::vector<SeriesKey> keys() const; // what was measured at all
    [[nodiscard]] std::optional<Usd> usdPerHour() const;
    [[nodiscard]] std::vector<std::int64_t> restarts() const; // first steps of later attempts
    [[nodiscard]] std::optional<double> xOfStep(XAxis axis, std::int64_t step) const;
    // Shares this; empty where the axis cannot be (dollars without a price).
    [[nodiscard]] std::shared_ptr<const Curve> curve(SeriesKey key, XAxis axis) const;
    // The values of a quantity that is measured now and then, with their x.
    struct Dots {
        std::vector<double> x, y;
    };
    [[nodiscard]] Dots dots(SeriesKey key, XAxis axis) const;

private:
    class View;
    struct Column {
        Pyramid values;
        Pyramid mean;               // of halfLife, as far as it was asked for
        std::optional<RunningMean> running;
        double halfLife = 0;
    };
    void truncate(std::size_t size);
    void appendRow(const StepMetrics &metrics);
    void put(SeriesKey key, double value);
    static std::size_t place(SeriesKey key);
    [[nodiscard]] const std::vector<double> &axisColumn(XAxis axis) const;
    [[nodiscard]] double axisScale(XAxis axis) const; // shown x = column x scale
    const Pyramid &mean(Column &column, double halfLife) const;

    mutable std::shared_mutex m_mutex;
    std::vector<double> m_steps, m_tokens, m_seconds;
    std::vector<std::int64_t> m_restarts;
    int m_attempt = 0;
    std::optional<std::chrono::system_clock::time_point> m_begin;
    std::optional<Usd> m_usdPerHour;
    mutable std::map<SeriesKey, Column> m_columns;
    std::vector<Column *> m_found; // by place(): a map look-up a value would cost more than the value
};

} // namespace slipway
