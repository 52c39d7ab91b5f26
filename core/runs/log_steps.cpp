// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/log_steps.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "base/visible_text.h"

namespace slipway {

namespace {

using Q = LogQuantity;

constexpr std::size_t kMostColumns = 500, kShownLines = 3, kShownBytes = 120;
constexpr double kMostMemory = 9e18;
constexpr std::int64_t kFarBehind = 10; // logged steps
constexpr std::size_t kLongBehind = 5;  // lines

// Adds the values that `figures` lacks. The first line with a value counts: later ones are from other ranks.
void fillFrom(LogFigures &figures, const LogFigures &more)
{
    for (std::size_t i = 0; i < kLogQuantities; ++i) {
        if (!figures.values[i])
            figures.values[i] = more.values[i];
    }
}

std::optional<Bytes> bytesOf(const std::optional<double> &value)
{
    return value && *value >= 0 && *value < kMostMemory ? std::optional(static_cast<Bytes>(*value)) : std::nullopt;
}

std::string isoTime(double seconds)
{
    return toIso8601(std::chrono::system_clock::time_point(
        std::chrono::milliseconds(static_cast<std::int64_t>(std::clamp(seconds, 0.0, 4e9) * 1000))));
}

// Whether two losses are equal except for the rounding of two writers of the same log.
bool isSameLoss(double before, double now)
{
    return std::isnan(before) ? std::isnan(now) : std::abs(now - before) <= 1e-9 * std::abs(before);
}

// The quantity that a column of a table or a tag names, and its unit. The names are the same as in lines.
struct NamedQuantity {
    int quantity = -1; // a LogQuantity; -1: none
    double scale = 1;
};
NamedQuantity quantityOfName(std::string_view name, const LogGrammar &grammar)
{
    std::string plain = toLower(trimmed(name));
    if (plain == "step")
        return {.quantity = static_cast<int>(Q::Step)};
    if (plain.ends_with("_step"))
        plain.resize(plain.size() - std::string_view("_step").size());
    if (plain.starts_with("lr-")) // named so by Lightning's LearningRateMonitor
        return {.quantity = static_cast<int>(Q::LearningRate)};
    const LogFigures figures = readLogLine(plain + ": 1", grammar, nullptr);
    for (std::size_t i = 0; i < kLogQuantities; ++i) {
        if (const std::optional<double> &one = figures.values[i]; one && static_cast<Q>(i) != Q::Step)
            return {.quantity = static_cast<int>(i), .scale = *one > 0 ? *one : 1};
    }
    const std::size_t slash = plain.rfind('/'); // "train/grad_norm"
    if (slash == std::string::npos)
        return {};
    const NamedQuantity last = quantityOfName(std::string_view(plain).substr(slash + 1), grammar);
    if (!plain.starts_with("eval") && !plain.starts_with("val") && !plain.starts_with("test"))
        return last;
    return {.quantity = last.quantity == static_cast<int>(Q::Loss) ? static_cast<int>(Q::EvalLoss) : -1};
}

} // namespace

Result<LogSteps> LogSteps::make(const ScriptRules &rules)
{
    LogSteps made(rules);
    if (rules.script.log.pattern.empty())
        return made;
    Result<LogPattern> pattern = LogPattern::compile(rules.script.log.pattern);
    if (!pattern)
        return pattern.error();
    made.m_pattern = *std::move(pattern);
    return made;
}

void LogSteps::take(std::string_view line, double time, std::vector<StepMetrics> &steps)
{
    if (trimmed(line).empty())
        return;
    if (takeTable(line, time, steps))
        return;
    const LogFigures figures = readLogLine(line, m_rules.script.log, m_pattern ? &*m_pattern : nullptr);
    if (!figures.bar) // a progress bar is redrawn many times
        ++m_state.lines;
    if (figures.empty() && !figures.bar) {
        if (m_state.steps == 0 && m_state.seen.size() < kShownLines)
            m_state.seen.push_back(visibleText(trimmed(line), {}, kShownBytes));
        return;
    }
    takeFigures(figures, time, steps);
}

// Reads a table: a header names the columns, one of them "step". Rows with as many cells follow.
bool LogSteps::takeTable(std::string_view line, double time, std::vector<StepMetrics> &steps)
{
    if (line.find(',') == std::string_view::npos || line.find_first_of("{}[]=|") != std::string_view::npos)
        return false;
    const std::vector<std::string_view> cells = split(trimmed(line), ',');
    if (cells.size() > kMostColumns)
        return false;
    const bool named =
        std::none_of(cells.begin(), cells.end(), [](std::string_view cell) { return parseNumber(trimmed(cell)); });
    if (named && std::any_of(cells.begin(), cells.end(),
                     [](std::string_view cell) { return toLower(trimmed(cell)) == "step"; })) {
        m_state.columns.clear();
        for (const std::string_view cell : cells)
            m_state.columns.push_back(quantityOfName(cell, m_rules.script.log).quantity);
        return true;
    }
    if (m_state.columns.empty() || cells.size() != m_state.columns.size())
        return false;
    LogFigures figures;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const std::string cell = toLower(trimmed(cells[i]));
        const auto value = cell == "nan" ? std::optional(std::nan("")) : parseNumber(cell);
        if (m_state.columns[i] < 0 || !value)
            continue;
        std::optional<double> &target = figures.values[static_cast<std::size_t>(m_state.columns[i])];
        if (!target)
            target = value;
    }
    if (const auto step = figures.of(Q::Step); !step || !(*step >= 0) || *step > 1e12)
        return false;
    takeFigures(figures, time, steps);
    return true;
}

void LogSteps::takeFigures(LogFigures figures, double time, std::vector<StepMetrics> &steps)
{
    const LogGrammar &grammar = m_rules.script.log;
    if (grammar.stepFromBar && figures.bar && !figures.of(Q::Step) && !figures.of(Q::Loss)) {
        m_state.barTotal = std::max(m_state.barTotal, figures.bar->of);
        if (figures.bar->of == m_state.barTotal && m_state.open && m_state.open->step < 0 && figures.bar->at > 0) {
            m_state.open->step = figures.bar->at;
            fillFrom(m_state.open->figures, figures);
            closeOpen(steps);
        }
        return;
    }
    if (const std::optional<double> step = figures.of(Q::Step))
        return takeStep(static_cast<std::int64_t>(*step), figures, time, steps);
    if (grammar.stepFromBar && figures.of(Q::Loss)) {
        closeOpen(steps);
        m_state.open = LoggedStep{.step = -1, .time = time, .figures = figures};
        return;
    }
    fillFrom(m_state.open ? m_state.open->figures : m_state.carried, figures);
}

void LogSteps::takeStep(std::int64_t step, const LogFigures &figures, double time, std::vector<StepMetrics> &steps)
{
    if (m_state.open && m_state.open->step == step) {
        fillFrom(m_state.open->figures, figures);
    } else {
        closeOpen(steps);
        m_state.open = LoggedStep{.step = step, .time = time, .figures = figures};
    }
    if (!m_rules.script.log.multiLine && m_state.open->figures.of(Q::Loss))
        closeOpen(steps);
}

void LogSteps::takeValues(const LoggedValues &values, double time, std::vector<StepMetrics> &steps)
{
    ++m_state.lines;
    LogFigures figures;
    for (const auto &[name, value] : values.values) {
        const auto [quantity, scale] = quantityOfName(name, m_rules.script.log);
        if (quantity < 0 || static_cast<Q>(quantity) == Q::Step || static_cast<Q>(quantity) == Q::Ignored)
            continue;
        std::optional<double> &target = figures.values[static_cast<std::size_t>(quantity)];
        if (!target)
            target = value * scale;
    }
    if (figures.empty()) {
        if (m_state.steps == 0 && m_state.seen.size() < kShownLines && !values.values.empty())
            m_state.seen.push_back(visibleText(values.values.front().first, {}, kShownBytes));
        return;
    }
    if (m_state.open && m_state.open->step == values.step) {
        fillFrom(m_state.open->figures, figures);
        return;
    }
    closeOpen(steps);
    m_state.open = LoggedStep{.step = values.step, .time = time, .figures = figures};
}

bool LogSteps::wasReported(const LoggedStep &step) const
{
    const auto reported = m_reportedLosses ? m_reportedLosses->find(step.step)
                                           : std::unordered_map<std::int64_t, double>::const_iterator();
    if (!m_reportedLosses || reported == m_reportedLosses->end())
        return false;
    return isSameLoss(reported->second, *step.figures.of(Q::Loss));
}

void LogSteps::beginLog()
{
    m_state.columns.clear();
    if (m_state.open && m_state.open->step >= 0 && !m_state.held)
        m_state.held = std::exchange(m_state.open, std::nullopt);
}

void LogSteps::closeOpen(std::vector<StepMetrics> &steps)
{
    if (!m_state.open)
        return;
    LoggedStep step = *std::move(m_state.open);
    m_state.open.reset();
    if (!step.figures.of(Q::Loss)) { // values without a training step belong to the next step
        fillFrom(m_state.carried, step.figures);
        m_state.carried.of(Q::Step).reset();
        return;
    }
    if (step.step < 0)
        step.step = m_state.last + 1; // neither line nor bar has a step, so lines are counted
    if (wasReported(step)) {
        m_state.last = std::max(m_state.last, step.step);
        return;
    }
    const LogFigures *const held = m_state.held ? &m_state.held->figures : nullptr;
    if (held && m_state.held->step == step.step && held->of(Q::Loss) &&
        isSameLoss(*held->of(Q::Loss), *step.figures.of(Q::Loss))) {
        fillFrom(step.figures, *held);
        step.time = m_state.held->time;
        m_state.held.reset();
    }
    closeHeld(steps);
    close(step, steps);
}

void LogSteps::closeHeld(std::vector<StepMetrics> &steps)
{
    if (m_state.held && m_state.held->figures.of(Q::Loss))
        close(*m_state.held, steps);
    m_state.held.reset();
}

// Emits a step if it is higher than the last one. Other steps are repetitions by other ranks. But if they rise far
// below the last step, or for many lines, the script has started again. After a restart close to the last step, only
// new steps are emitted.
void LogSteps::close(LoggedStep step, std::vector<StepMetrics> &steps)
{
    if (step.step > m_state.last) {
        m_state.behind.clear();
        return emitStep(step, steps);
    }
    std::vector<LoggedStep> &behind = m_state.behind;
    if (!behind.empty() && step.step <= behind.back().step)
        behind.clear();
    const std::int64_t rise = behind.empty() ? 0 : step.step - behind.back().step;
    behind.push_back(step);
    const bool far = rise > 0 && m_state.last - behind.front().step > kFarBehind * rise;
    if (!far && behind.size() < kLongBehind)
        return;
    m_state.last = -1;
    m_state.lastTime = 0;
    for (const LoggedStep &one : std::exchange(behind, {}))
        emitStep(one, steps);
}

void LogSteps::emitStep(LoggedStep step, std::vector<StepMetrics> &steps)
{
    fillFrom(step.figures, m_state.carried);
    m_state.carried = {};
    steps.push_back(metricsOf(step));
    m_state.last = step.step;
    m_state.lastTime = step.time;
    ++m_state.steps;
    if (m_reportedLosses && (m_reportedLosses->size() < kMostReported || m_reportedLosses->count(step.step) > 0))
        (*m_reportedLosses)[step.step] = *step.figures.of(Q::Loss);
}

StepMetrics LogSteps::metricsOf(const LoggedStep &logged) const
{
    const LogFigures &figures = logged.figures;
    const auto orNothing = [&](Q quantity) { return figures.of(quantity).value_or(0); };
    StepMetrics metrics{.attempt = m_state.attempt, .step = logged.step, .time = isoTime(logged.time)};
    metrics.loss = *figures.of(Q::Loss);
    metrics.evalLoss = figures.of(Q::EvalLoss);
    metrics.learningRate = orNothing(Q::LearningRate);
    metrics.gradNorm = orNothing(Q::GradNorm);
    metrics.mfu = figures.of(Q::Mfu);
    metrics.allocatedPeak = bytesOf(figures.of(Q::Allocated));
    metrics.reservedPeak = bytesOf(figures.of(Q::Reserved));
    metrics.deviceUsed = bytesOf(figures.of(Q::Device));

    const double perStep = static_cast<double>(m_rules.tokensPerStep.value_or(0));
    if (m_rules.tokensPerStep && logged.step < std::int64_t{1} << 40)
        metrics.tokens = *m_rules.tokensPerStep * logged.step;
    if (const auto all = figures.of(Q::AllTokens))
        metrics.tokensPerSecond = *all;
    else if (const auto one = figures.of(Q::TokensPerGpu))
        metrics.tokensPerSecond = *one * m_rules.gpus;
    else if (const auto sequences = figures.of(Q::Sequences))
        metrics.tokensPerSecond = *sequences * static_cast<double>(m_rules.seqLen);
    if (const auto seconds = figures.of(Q::StepSeconds))
        metrics.stepSeconds = *seconds;
    else if (metrics.tokensPerSecond > 0 && perStep > 0)
        metrics.stepSeconds = perStep / metrics.tokensPerSecond;
    else if (m_state.last >= 0 && m_state.lastTime > 0 && logged.time > m_state.lastTime)
        metrics.stepSeconds = (logged.time - m_state.lastTime) / static_cast<double>(logged.step - m_state.last);
    else if (const auto rate = figures.of(Q::StepsPerSecond); rate && *rate > 0)
        metrics.stepSeconds = 1 / *rate;
    if (metrics.tokensPerSecond <= 0 && metrics.stepSeconds > 0)
        metrics.tokensPerSecond = perStep / metrics.stepSeconds;
    return metrics;
}

void LogSteps::beginAttempt(int attempt, std::vector<StepMetrics> &steps)
{
    finish(steps);
    m_state.attempt = attempt;
    m_state.last = -1;
    m_state.lastTime = 0;
    m_state.behind.clear();
    m_state.carried = {};
    m_state.columns.clear();
    m_state.barTotal = 0;
}

void LogSteps::finish(std::vector<StepMetrics> &steps)
{
    closeOpen(steps);
    closeHeld(steps);
}

std::optional<std::string> LogSteps::complaint()
{
    if (m_state.complained || m_state.steps > 0 || m_state.lines < kPatience)
        return std::nullopt;
    m_state.complained = true;
    std::string text = "none of the first " + std::to_string(kPatience) +
                       " lines of the log has a step and a loss; set --framework or log_pattern to its format";
    for (const std::string &line : m_state.seen)
        text += (line == m_state.seen.front() ? ". Seen: '" : ", '") + line + "'";
    return text;
}

} // namespace slipway
