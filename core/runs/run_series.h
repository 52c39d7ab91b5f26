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
#include <span>
#include <string_view>
#include <vector>

#include "base/enum_names.h"
#include "runs/curve.h"
#include "runs/progress.h"
#include "runs/step_table.h"

namespace slipway {

enum class XAxis {
    Step,
    TokensSeen,
    Time,
    Cost
}; // Time: seconds since the first step; Cost: dollars of the billed time
template<>
struct EnumNames<XAxis> {
    static constexpr std::array<std::string_view, 4> names{"step", "tokens", "time", "usd"};
};

class RunSeries : public std::enable_shared_from_this<RunSeries> {
public:
    // Shows what the table holds now; `from` is the number of steps that are as they were. The table's columns are
    // shared, and it may grow meanwhile.
    void follow(const StepTable &table, std::size_t from);
    // The same from rows: `from` of those that were given still hold, the rest is replaced.
    void replaceFrom(std::size_t from, std::span<const StepMetrics> metrics);
    void setUsdPerHour(std::optional<Usd> price);
    // Of steps that are yet to be followed.
    void setUnbilled(std::vector<UnbilledPause> pauses);
    // Counts time from where the other one does.
    void beginWith(const RunSeries &other);

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
    struct Drawn {
        Pyramid values;
        std::optional<RunningMeans> means; // of the half-life that was last asked for
    };
    void growAxes(const StepTable &table, std::size_t from);
    [[nodiscard]] double unbilledUntil(double time) const;
    [[nodiscard]] const Column &axisColumn(XAxis axis) const;
    [[nodiscard]] double axisScale(XAxis axis) const;            // shown x = column x scale
    static RunningMeans *meansOf(Drawn &drawn, double halfLife); // nullptr: of none

    mutable std::shared_mutex m_mutex;
    StepTable m_rows; // of replaceFrom
    Column m_steps, m_tokens, m_seconds, m_billed;
    std::vector<UnbilledPause> m_unbilled;
    std::vector<std::int64_t> m_restarts;
    std::optional<double> m_begin; // milliseconds since 1970
    std::optional<Usd> m_usdPerHour;
    mutable std::map<SeriesKey, Drawn> m_columns;
};

// What earlier attempts said about steps that a later one took again, an attempt each; on the axes of `run`.
std::vector<std::shared_ptr<const RunSeries>> supersededSeries(
    std::span<const StepMetrics> superseded, const RunSeries &run);

} // namespace slipway
