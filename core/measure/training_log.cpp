// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "measure/training_log.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <limits>

#include "base/file.h"
#include "frameworks/log_line.h"
#include "measure/log_batch.h"

namespace slipway {

namespace {

constexpr std::size_t kWarmUpLines = 2, kEnoughLines = 5;
constexpr std::int64_t kFirstStep = 1; // first step of programs that do not count from 0

// The unit of a speed. Both enumerations have the speeds in the same order.
LogUnit unitOf(LogQuantity quantity)
{
    static_assert(static_cast<int>(LogQuantity::TflopsPerGpu) - static_cast<int>(LogQuantity::TokensPerGpu) ==
                  static_cast<int>(LogUnit::TflopsPerGpu) - static_cast<int>(LogUnit::TokensPerGpu));
    return static_cast<LogUnit>(static_cast<int>(quantity) - static_cast<int>(LogQuantity::TokensPerGpu));
}

class LogReader {
public:
    explicit LogReader(const LogGrammar &grammar) : m_forms(grammar.forms), m_values(grammar.forms.size()) {}

    void take(std::string_view text)
    {
        if (!isPrintedLine(text))
            return;
        const std::string line = normalizedLogLine(text);
        const std::optional<std::int64_t> step = stepOf(line);
        if (step)
            m_firstStep = std::min(m_firstStep, *step);
        takeSpeed(line, step.value_or(-1));
        takeMemory(line);
        m_batch.take(line);
    }

    Result<TrainingLog> finish(const std::string &where)
    {
        bool warmUpOnly = false;
        for (std::size_t i = 0; i < m_forms.size() && !m_log.speed; ++i) {
            if (!m_values[i].empty())
                warmUpOnly |= !settle(i);
        }
        if (warmUpOnly && !m_log.speed)
            return Error{
                .what = "reports only step " + std::to_string(m_firstStep) +
                        ", the first one; its time includes compilation and allocation and is not representative",
                .where = where,
                .accepted = "a log with five or more later steps"};
        if (!m_log.speed && !m_log.allocated && !m_log.reserved && !m_log.device)
            return Error{.what = m_log.unusable > 0 ? "no line has a usable number, although " +
                                                          std::to_string(m_log.unusable) + " lines mention one"
                                                    : "no line reports the speed or the memory of the training",
                .where = where,
                .accepted = "lines with tokens/s, tok/sec, tps:, elapsed time per iteration (ms):, dt: 135 ms, 1.2 "
                            "s/it, max_memory_allocated: 12.3 GiB"};
        m_log.batch = m_batch.batch();
        return std::move(m_log);
    }

private:
    struct Value {
        float speed = 0;
        std::int64_t step = -1; // -1: the line has no step
    };

    [[nodiscard]] std::optional<std::int64_t> stepOf(const std::string &line) const
    {
        for (const LogForm &form : m_forms) {
            if (const auto step = form.is == LogQuantity::Step ? stepOfForm(line, form) : std::nullopt)
                return step;
        }
        return std::nullopt;
    }

    void takeSpeed(const std::string &line, std::int64_t step)
    {
        for (std::size_t i = 0; i < m_forms.size(); ++i) {
            const auto speed = isLogSpeed(m_forms[i].is) ? figureOfForm(line, m_forms[i]) : std::nullopt;
            if (speed && std::isfinite(*speed))
                m_values[i].push_back({static_cast<float>(*speed), step});
            else if (speed)
                ++m_log.unusable;
        }
    }

    void takeMemory(const std::string &line)
    {
        std::vector<LogQuantity> taken; // the first form of a peak in a line counts
        for (const LogForm &form : m_forms) {
            const bool wanted = isLogMemory(form.is) && std::find(taken.begin(), taken.end(), form.is) == taken.end();
            const std::optional<double> bytes = wanted ? figureOfForm(line, form) : std::nullopt;
            if (!bytes)
                continue;
            if (std::isfinite(*bytes)) {
                std::optional<Bytes> &peak = form.is == LogQuantity::Allocated  ? m_log.allocated
                                             : form.is == LogQuantity::Reserved ? m_log.reserved
                                                                                : m_log.device;
                peak = std::max(peak.value_or(0), static_cast<Bytes>(*bytes));
            } else {
                ++m_log.unusable;
            }
            taken.push_back(form.is);
        }
    }

    // Whether any value is left without the first step.
    bool settle(std::size_t form)
    {
        std::vector<Value> values = std::move(m_values[form]);
        const std::size_t all = values.size();
        if (m_firstStep <= kFirstStep)
            std::erase_if(values, [this](const Value &value) { return value.step == m_firstStep; });
        if (values.empty())
            return false;
        const std::size_t gone = all - values.size(), wanted = all >= kEnoughLines ? kWarmUpLines : 0;
        if (gone < wanted)
            values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(wanted - gone));
        m_log.form = m_forms[form].words;
        m_log.unit = unitOf(m_forms[form].is);
        m_log.used = values.size();
        m_log.leftOut = all - values.size();
        const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
        std::nth_element(
            values.begin(), middle, values.end(), [](const Value &a, const Value &b) { return a.speed < b.speed; });
        m_log.speed = middle->speed;
        return true;
    }

    const std::vector<LogForm> &m_forms;
    TrainingLog m_log;
    LoggedBatchReader m_batch;
    std::vector<std::vector<Value>> m_values; // by index of the form
    std::int64_t m_firstStep = std::numeric_limits<std::int64_t>::max();
};

} // namespace

Result<TrainingLog> readTrainingLog(std::istream &stream, const std::string &where, const LogGrammar &grammar)
{
    LogReader reader(grammar);
    std::array<char, 65536> chunk{};
    std::string line;
    while (stream.read(chunk.data(), chunk.size()), stream.gcount() > 0) {
        for (std::streamsize i = 0; i < stream.gcount(); ++i) {
            const char c = chunk[static_cast<std::size_t>(i)];
            if (c == '\0')
                continue; // UTF-16, as a shell of Windows redirects it
            if (c == '\n' || c == '\r') {
                reader.take(line);
                line.clear();
            } else if (line.size() < kLongestLogLine) {
                line += c;
            }
        }
    }
    reader.take(line);
    if (stream.bad())
        return Error{.what = "cannot be read", .where = where, .fault = Fault::Outside};
    return reader.finish(where);
}

Result<TrainingLog> readTrainingLog(const std::filesystem::path &file, const LogGrammar &grammar)
{
    std::error_code failure;
    if (std::filesystem::is_directory(file, failure))
        return Error{.what = "is a folder", .where = file.string(), .accepted = "a log file, or - for standard input"};
    std::ifstream stream(file, std::ios::binary);
    if (!stream)
        return Error{.what = "cannot be read: " + systemMessage(errno),
            .where = file.string(),
            .accepted = "a log file, or - for standard input"};
    return readTrainingLog(stream, file.string(), grammar);
}

} // namespace slipway
