// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/slow_down.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/median.h"

namespace slipway {

namespace {

constexpr std::size_t kFirst = 20;        // steps that determine the usual step time
constexpr std::size_t kLeastSteps = 5;    // per block, so that one slow step does not change its median
constexpr std::size_t kMostSamples = 64;  // per block
constexpr std::size_t kMostBlocks = 4096; // a long run has longer blocks
constexpr std::size_t kInARow = 3;        // blocks in a row that confirm a change, and that define the usual time
constexpr double kSpreads = 4;            // noise does not deviate so far from the usual time
constexpr double kMovingRange =
    1.128; // mean difference of neighbors over a normal's standard deviation (Shewhart's chart of single values)
constexpr double kUps = 0.9; // a step time that the run exceeds a tenth of the time is usual

double medianOf(const Column &seconds, std::size_t first, std::size_t end)
{
    std::vector<double> values;
    const std::size_t stride = (end - first + kMostSamples - 1) / kMostSamples;
    for (std::size_t i = first; i < end; i += stride) {
        if (std::isfinite(seconds[i]))
            values.push_back(seconds[i]);
    }
    return values.empty() ? 0 : quantileOf(values, 0.5);
}

// The number of steps per block. The first steps determine it, so that earlier verdicts do not change while the run
// grows.
std::size_t blockSteps(const Column &seconds, Seconds lasting)
{
    const double step = medianOf(seconds, 0, kFirst);
    const double wanted = step > 0 ? std::ceil(lasting / static_cast<double>(kInARow) / step) : 0;
    std::size_t steps = std::max(kLeastSteps, static_cast<std::size_t>(std::min(wanted, 1e9)));
    while (seconds.size() / steps > kMostBlocks)
        steps *= 2;
    return steps;
}

// The step time while the run is not slowed down.
class Usual {
public:
    void take(double seconds)
    {
        if (!m_blocks.empty())
            m_ranges += std::abs(seconds - m_blocks.back());
        m_blocks.push_back(seconds);
        if (m_blocks.size() < m_judgedAt)
            return;
        m_judgedAt = std::max(kInARow, m_blocks.size() + m_blocks.size() / 16 + 1); // one more block changes little
        std::vector<double> values = m_blocks;
        m_median = quantileOf(values, 0.5);
        m_ups = quantileOf(values, kUps);
    }
    [[nodiscard]] bool known() const { return m_blocks.size() >= kInARow; }
    [[nodiscard]] double median() const { return m_median; }
    // The spread is computed from neighboring blocks, not from all. Otherwise a run that steadily gets slower would
    // look like one with a wide spread.
    [[nodiscard]] double slowFrom(double factor) const
    {
        const double spread = m_ranges / static_cast<double>(m_blocks.size() - 1) / kMovingRange;
        return std::max({m_median * factor, m_median + kSpreads * spread, m_ups});
    }
    // Lower than the limit for slow. With a single limit, the verdict could alternate.
    [[nodiscard]] double fastUpTo(double factor) const { return (m_median + slowFrom(factor)) / 2; }

private:
    std::vector<double> m_blocks;
    std::size_t m_judgedAt = kInARow;
    double m_median = 0, m_ups = 0, m_ranges = 0;
};

// Judges the run block by block.
class Story {
public:
    explicit Story(double factor) : m_factor(factor) {}

    void take(double seconds, std::int64_t step)
    {
        const bool turns =
            m_usual.known() && (m_slowed ? seconds < m_usual.fastUpTo(m_factor) : seconds > m_usual.slowFrom(m_factor));
        m_turning = turns ? m_turning + 1 : 0;
        if (m_turning == 1)
            m_turn = step;
        if (turns || m_slowed) {
            m_undecided.push_back(seconds);
        } else {
            settle();
            m_usual.take(seconds);
        }
        if (m_turning < kInARow)
            return;
        m_slowed = !m_slowed;
        m_since = m_turn;
        m_turning = 0;
        if (!m_slowed)
            settle();
    }
    [[nodiscard]] bool slowed() const { return m_slowed; }
    [[nodiscard]] std::int64_t since() const { return m_since; }
    [[nodiscard]] double usual() const { return m_usual.median(); }
    [[nodiscard]] double recent() const
    {
        std::vector<double> last(m_undecided.end() - static_cast<std::ptrdiff_t>(kInARow), m_undecided.end());
        return quantileOf(last, 0.5);
    }

private:
    // After the end of a slow-down, its blocks belong to the usual variation.
    void settle()
    {
        for (const double seconds : m_undecided)
            m_usual.take(seconds);
        m_undecided.clear();
    }

    double m_factor;
    Usual m_usual;
    std::vector<double> m_undecided; // blocks without a verdict, or slow ones
    std::size_t m_turning = 0;
    std::int64_t m_turn = 0, m_since = 0; // the first of the turning blocks; the last confirmed change
    bool m_slowed = false;
};

} // namespace

std::optional<SlowDown> slowDownOf(const StepTable &steps, double factor, Seconds lasting)
{
    if (steps.size() < kFirst)
        return std::nullopt;
    const Column &seconds = *steps.column({Quantity::StepSeconds});
    const std::size_t length = blockSteps(seconds, lasting);
    Story story(factor);
    // Blocks begin at multiples of their length. They are thus the same if only the end of a long run is read.
    for (std::size_t i = 0, end = 0; i < steps.size(); i = end) {
        const auto step = static_cast<std::size_t>(std::max<std::int64_t>(steps.step(i), 0));
        end = i + length - step % length;
        if (end <= steps.size() && step % length == 0 && step > 0) // the first block is warm-up
            story.take(medianOf(seconds, i, end), static_cast<std::int64_t>(step));
    }
    if (!story.slowed())
        return std::nullopt;
    return SlowDown{.usual = story.usual(), .recent = story.recent(), .since = story.since()};
}

} // namespace slipway
