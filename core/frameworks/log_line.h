// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The figures in one line of a training log. Lines come from programs of others and may hold anything.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "frameworks/trainer_interface.h"

namespace slipway {

inline constexpr std::size_t kLongestLogLine = 4096; // bytes; of a longer line the begin counts

// "10/500 [" of a progress bar.
struct ProgressBar {
    std::int64_t at = 0, of = 0;
    bool operator==(const ProgressBar &) const = default;
};

// In tokens, seconds and bytes; MFU as a fraction. A loss or a gradient norm may be NaN, nothing else.
struct LogFigures {
    std::array<std::optional<double>, kLogQuantities> values;
    std::optional<ProgressBar> bar;

    [[nodiscard]] std::optional<double> &of(LogQuantity quantity) { return values[static_cast<std::size_t>(quantity)]; }
    [[nodiscard]] const std::optional<double> &of(LogQuantity quantity) const
    {
        return values[static_cast<std::size_t>(quantity)];
    }
    [[nodiscard]] bool empty() const;
    bool operator==(const LogFigures &) const = default;
};

// The line without a terminal's colours and in lower case.
std::string foldedLogLine(std::string_view line);
// False for a line with control characters that no log has: of a file that is none.
bool isPrintedLine(std::string_view line);

// The form's figure in a folded line; NaN where a number stands there that nobody can use. Empty: no such words.
std::optional<double> figureOfForm(std::string_view folded, const LogForm &form);
// The step that a folded line tells of.
std::optional<std::int64_t> stepOfForm(std::string_view folded, const LogForm &form);

// A regular expression with named groups: `step (?<step>\d+) loss (?<loss>[\d.]+)`. Ends in bounded time and memory,
// whatever it is.
class LogPattern {
public:
    // Refused where it is no expression, or has no group that is named after a quantity.
    static Result<LogPattern> compile(const std::string &pattern);
    [[nodiscard]] LogFigures match(std::string_view line) const;

private:
    std::shared_ptr<void> m_code;
};

// What a line says by the grammar. `pattern`: the grammar's own, compiled; nullptr: none. It counts over the forms.
LogFigures readLogLine(std::string_view line, const LogGrammar &grammar, const LogPattern *pattern);

} // namespace slipway
