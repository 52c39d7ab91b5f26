// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The metrics of a run as columns for charts, which grow with the run while another thread reads them. Each quantity
// can be drawn over steps, tokens, time or dollars.
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
}; // Time: seconds since the first step; Cost: dollars for the billed time
template<>
struct EnumNames<XAxis> {
    static constexpr std::array<std::string_view, 4> names{"step", "tokens", "time", "usd"};
};

class RunSeries : public std::enable_shared_from_this<RunSeries> {
public:
    // Shows the current contents of the table; the first `from` steps have not changed. The columns of the table are
    // shared, and it may grow at the same time.
    void follow(const StepTable &table, std::size_t from);
    // The same from rows: the first `from` rows of earlier calls are kept, the others are replaced.
    void replaceFrom(std::size_t from, std::span<const StepMetrics> metrics);
    void setUsdPerHour(std::optional<Usd> price);
    // Applies to steps that are followed later.
    void setUnbilled(std::vector<UnbilledPause> pauses);
    // Uses the begin of time of `other`.
    void shareBeginning(const RunSeries &other);

    [[nodiscard]] std::size_t size() const;
    [[nodiscard]] std::vector<SeriesKey> keys() const; // quantities with a measured value
    [[nodiscard]] std::optional<Usd> usdPerHour() const;
    [[nodiscard]] std::vector<std::int64_t> restarts() const; // first steps of the attempts after the first
    [[nodiscard]] std::optional<double> xOfStep(XAxis axis, std::int64_t step) const;
    // The curve keeps this object alive; nullptr if the axis is not available (dollars without a price).
    [[nodiscard]] std::shared_ptr<const Curve> curve(SeriesKey key, XAxis axis) const;
    // The values of a quantity that is measured only occasionally, with their x.
    struct Dots {
        std::vector<double> x, y;
    };
    [[nodiscard]] Dots dots(SeriesKey key, XAxis axis) const;

private:
    class View;
    struct Drawn {
        Pyramid values;
        std::optional<RunningMeans> means; // for the half-life that was last requested
    };
    void growAxes(const StepTable &table, std::size_t from);
    [[nodiscard]] double unbilledUntil(double time) const;
    [[nodiscard]] const Column &axisColumn(XAxis axis) const;
    [[nodiscard]] double axisScale(XAxis axis) const;            // displayed x = column x scale
    static RunningMeans *meansOf(Drawn &drawn, double halfLife); // nullptr: no means

    mutable std::shared_mutex m_mutex;
    StepTable m_rows; // rows of replaceFrom
    Column m_steps, m_tokens, m_seconds, m_billed;
    std::vector<UnbilledPause> m_unbilled;
    std::vector<std::int64_t> m_restarts;
    std::optional<double> m_begin; // in milliseconds since 1970
    std::optional<Usd> m_usdPerHour;
    mutable std::map<SeriesKey, Drawn> m_columns;
};

// The values of earlier attempts for steps that a later attempt repeated, one series per attempt, on the axes of `run`.
std::vector<std::shared_ptr<const RunSeries>> supersededSeries(
    std::span<const StepMetrics> superseded, const RunSeries &run);

} // namespace slipway
