// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Reads the figures of one line of a training log. Lines come from other programs and may contain anything.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "frameworks/script_interface.h"

namespace slipway {

inline constexpr std::size_t kLongestLogLine = 4096; // bytes; the rest of a longer line is ignored

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
std::string normalizedLogLine(std::string_view line);
// False if the line has control characters that do not occur in logs.
bool isPrintedLine(std::string_view line);

// The form's figure in a folded line. NaN: the number cannot be used. Empty: the line does not have the form's words.
std::optional<double> figureOfForm(std::string_view folded, const LogForm &form);
// The step of a folded line.
std::optional<std::int64_t> stepOfForm(std::string_view folded, const LogForm &form);

// A regular expression with named groups: `step (?<step>\d+) loss (?<loss>[\d.]+)`. Ends in bounded time and memory,
// whatever it is.
class LogPattern {
public:
    // An error if it is no regular expression, or has no group that is named after a quantity.
    static Result<LogPattern> compile(const std::string &pattern);
    [[nodiscard]] LogFigures match(std::string_view line) const;

private:
    std::shared_ptr<void> m_code;
};

// Reads a line by the grammar. `pattern`: the grammar's compiled pattern, which precedes the forms; nullptr: none.
LogFigures readLogLine(std::string_view line, const LogGrammar &grammar, const LogPattern *pattern);

} // namespace slipway
