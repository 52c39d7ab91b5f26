// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/text.h"
#include "config/resolve_model.h"
#include "predict/predict.h"
#include "predict/role_title.h"

namespace slipway {

namespace {

constexpr int kBarWidth = 24;

std::string bar(double fraction)
{
    std::string text;
    for (long i = 0; i < std::lround(std::clamp(fraction, 0.0, 1.0) * kBarWidth); ++i)
        text += "\u2588";
    return text;
}

// The axes other than data parallelism, with a comma in front: ", tp 2, ep 8".
std::string meshText(const Parallelism &p)
{
    std::string text;
    const auto add = [&](const char *axis, int size) { text += size > 1 ? fmt::format(", {} {}", axis, size) : ""; };
    add("tp", p.tp);
    add("pp", p.pp);
    add("cp", p.cp);
    add("ep", p.ep);
    return text;
}

std::string headline(const Prediction &p)
{
    const RunConfig &c = p.config;
    std::vector<std::string> sizes;
    if (!isCustom(p.model)) // the name of a custom model ends with these sizes
        sizes.push_back(formatCount(double(parameterCount(p.model))) + " parameters");
    if (p.model.experts.count > 0)
        sizes.push_back(fmt::format("{} active: {} of {} experts", formatCount(double(activeParameterCount(p.model))),
            p.model.experts.perToken, p.model.experts.count));
    const std::string text = fmt::format("{}{} on {} x {}\n", p.model.name,
        sizes.empty() ? "" : fmt::format(" ({})", fmt::join(sizes, ", ")), c.parallel.gpus, p.gpu.name);
    return text + fmt::format("{}{}, {} attention, {}, micro-batch {} x {} tokens, gradient accumulation {}, "
                              "recomputation {}: {} tokens per step\n",
                      enumName(c.parallel.kind), meshText(c.parallel), enumName(c.attentionOrFlash()),
                      enumName(c.precisionOrMixed()), c.microBatch, c.seqLen, c.gradAccum,
                      enumName(c.recomputeOrNone()), c.tokensPerStep());
}

// "stages   0: 20.1 GiB, 1 to 6: 18.0 GiB, 7: 19.3 GiB". Empty if there is only one stage.
std::string stagesText(const std::vector<StageMemory> &stages)
{
    std::string text;
    for (std::size_t first = 0; first < stages.size() && stages.size() > 1;) {
        std::size_t last = first;
        while (last + 1 < stages.size() && stages[last + 1].peak == stages[first].peak)
            ++last;
        text += (first > 0 ? ", " : "         stages ") + std::to_string(first) +
                (last > first ? " to " + std::to_string(last) : "") + ": " + formatBytes(stages[first].peak);
        first = last + 1;
    }
    return text.empty() ? text : text + "\n";
}

// What offloading takes of each node's host memory; empty if nothing is offloaded.
std::string hostText(const HostMemory &host)
{
    std::string parts;
    for (std::size_t role = 0; role < host.size(); ++role) {
        if (host[role] > 0)
            parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", roleTitle(role), formatBytes(host[role]));
    }
    return parts.empty() ? ""
                         : fmt::format("         host memory per node: {} ({})\n", formatBytes(hostBytes(host)), parts);
}

std::string memoryText(const MemoryPrediction &m)
{
    std::string text = fmt::format("\nMemory   {}: predicted peak {} of {} (P10 {}, P90 {}), headroom {}\n",
        enumName(m.verdict), formatBytes(m.peak), formatBytes(m.capacity), formatBytes(m.peakP10),
        formatBytes(m.peakP90), formatBytes(m.headroom));
    text += stagesText(m.stages);
    text += fmt::format("         at {}{} ({}{})\n", m.peakAt.op,
        m.peakAt.layer >= 0 ? fmt::format(", layer {}", m.peakAt.layer) : "", enumName(m.peakAt.phase),
        m.stages.size() > 1 ? fmt::format(", stage {}", m.stage) : "");
    const auto row = [&](std::string_view name, Bytes bytes) {
        if (bytes > 0)
            text += fmt::format("         {:<18} {:>10}  {}\n", name, formatBytes(bytes),
                bar(double(bytes) / double(std::max(m.peak, m.capacity))));
    };
    for (std::size_t role = 0; role < m.atPeak.size(); ++role)
        row(roleTitle(role), m.atPeak[role]);
    row("reserved, unused", m.peakReserved - std::min(m.peakReserved, [&] {
        Bytes sum = 0;
        for (const Bytes b : m.atPeak)
            sum += b;
        return sum;
    }()));
    row("outside allocator", m.outsideAllocator);
    if (m.retries > 0)
        text += fmt::format("         fits only if the allocator flushes its cache {} times per step\n", m.retries);
    text += hostText(m.host);
    text += fmt::format("         textbook formulas: {} (model states {}, activations {})\n",
        formatBytes(m.textbook.peak), formatBytes(m.textbook.states), formatBytes(m.textbook.activations));
    return text +
           (m.maxMicroBatch > 0 ? fmt::format("         largest micro-batch that fits: {}\n", m.maxMicroBatch) : "");
}

// The idle fraction of the step, for the first stages and the last one.
std::string stagesText(const SpeedPrediction &s)
{
    constexpr std::size_t kMost = 8;
    std::string text;
    for (std::size_t i = 0; i < s.bubbles.size(); ++i) {
        const bool last = i + 1 == s.bubbles.size();
        if (i >= kMost && !last)
            continue;
        text += fmt::format("{} {:.1f} %", last && i > kMost ? " ..." : "", 100 * s.bubbles[i] / s.step);
    }
    return text;
}

// The exposed communication by axis, if there is more than one: ", tp 1.2 ms, dp 3 ms".
std::string axesText(const SpeedPrediction &s)
{
    std::string text;
    for (const auto &[axis, exposed] : s.exposedByAxis)
        text += exposed > 0.001 * s.step
                    ? fmt::format("{}{} {}", text.empty() ? ": " : ", ", axis, formatSeconds(exposed))
                    : "";
    return s.exposedByAxis.size() > 1 ? text : "";
}

std::string speedText(const SpeedPrediction &s, double tokensPerStep)
{
    std::string text =
        fmt::format("\nSpeed    predicted {} tokens/s (P10 {}, P90 {}), step {}{}\n", formatCount(s.tokensPerSecond),
            formatCount(tokensPerStep / s.stepP90), formatCount(tokensPerStep / s.stepP10), formatSeconds(s.step),
            s.launchBound ? ", launch-bound"
            : s.cudaGraph ? ", as a CUDA graph"
                          : "");
    text += fmt::format(
        "         MFU {:.1f} % (causal {:.1f} %), HFU {:.1f} %\n        ", 100 * s.mfu, 100 * s.mfuCausal, 100 * s.hfu);
    for (std::size_t i = 0; i < s.seconds.size(); ++i) {
        if (s.seconds[i] > 0)
            text += fmt::format(" {} {}", EnumNames<CostClass>::names[i], formatSeconds(s.seconds[i]));
    }
    if (s.communicationExposed > 0 && s.seconds[static_cast<std::size_t>(CostClass::Communication)] > 0)
        text += fmt::format(" (exposed {}{})", formatSeconds(s.communicationExposed), axesText(s));
    if (const Seconds idle = idleSeconds(s); idle > 0.01 * s.step)
        text += fmt::format(" idle {}", formatSeconds(idle));
    if (!s.bubbles.empty())
        text += "\n         pipeline bubble by stage:" + stagesText(s);
    return text + "\n";
}

std::string money(const CostPrediction &c, double amount)
{
    return c.relative ? fmt::format("{:.4g} units", amount) : formatUsd(amount);
}

std::string goodputText(const CostPrediction &c)
{
    if (c.hours <= 0)
        return {};
    const GoodputAssumptions &a = c.assumptions;
    return fmt::format("         goodput {:.1f} %, in total {}{} (assumed: one failure per {}, restart in {}, a "
                       "checkpoint of {} every {})\n",
        100 * c.goodput, formatSeconds(c.hoursWithFaults * 3600),
        c.usdWithFaults ? ", " + money(c, *c.usdWithFaults) : "",
        formatSeconds(3600 / std::max(1e-12, a.failuresPerHour)), formatSeconds(a.restart), formatSeconds(a.checkpoint),
        formatSeconds(a.checkpointInterval));
}

std::string lossText(const CostPrediction &c)
{
    std::string text;
    if (c.expectedLoss && c.loss) {
        text += fmt::format("         expected loss {:.3f} nats per token{} ({}{})\n", *c.expectedLoss,
            c.loss->low && c.loss->high ? fmt::format(" (P10 {:.3f}, P90 {:.3f})", *c.loss->low, *c.loss->high) : "",
            c.loss->lawTitle, c.loss->withinFit ? "" : ", outside its fitted range");
        text += fmt::format("         compute-optimal for the same FLOPs: {} parameters, {} tokens\n",
            formatCount(c.loss->optimalParameters), formatCount(c.loss->optimalTokens));
    }
    if (c.target && !c.target->tokens)
        text += fmt::format(
            "         a loss of {:.3f} is out of reach for this model size, by this scaling law\n", c.target->loss);
    else if (c.target) {
        text += fmt::format("         a loss of {:.3f} needs {} tokens{}{}\n", c.target->loss,
            formatCount(*c.target->tokens), c.target->hours ? ", " + formatSeconds(*c.target->hours * 3600) : "",
            c.target->usd ? ", " + money(c, *c.target->usd) : "");
    }
    return text;
}

// The scaling laws disagree, so their range is shown.
std::string batchText(const CostPrediction &c)
{
    if (c.batch.empty())
        return {};
    const auto [low, high] = std::minmax_element(
        c.batch.begin(), c.batch.end(), [](const BatchAdvice &a, const BatchAdvice &b) { return a.tokens < b.tokens; });
    return fmt::format("         global batch {} tokens; recommended: {} ({}) to {} ({})\n",
        formatCount(double(c.tokensPerStep)), formatCount(low->tokens), low->lawTitle, formatCount(high->tokens),
        high->lawTitle);
}

std::string costText(const CostPrediction &c)
{
    std::string text =
        fmt::format("\nCost     {} tokens in {}", formatCount(double(c.tokens)), formatSeconds(c.hours * 3600));
    if (c.usd && c.usdPerHour && c.usdPerBillionTokens) {
        text += fmt::format(", {} at {}/h, {} per billion tokens (quoted: {}, {})", money(c, *c.usd),
            money(c, *c.usdPerHour), money(c, *c.usdPerBillionTokens), c.priceBook, c.priceDate);
    } else {
        text += fmt::format("; price book '{}' has no price for this device", c.priceBook);
    }
    text += '\n';
    for (const std::string &assumed : c.assumed)
        text += "         assumed: " + assumed + "\n";
    return text + goodputText(c) + lossText(c) + batchText(c);
}

std::string changesText(const Suggestion &s, std::string_view without = {})
{
    std::string changes;
    for (const auto &[key, value] : s.change) {
        if (key != without)
            changes += fmt::format("{}{} {}", changes.empty() ? "" : ", ", key, value);
    }
    return changes;
}

std::string suggestionText(const Suggestion &s)
{
    constexpr double kNoLess = 0.005; // a GPU with more memory
    const char *const what = s.goal == Goal::Fit ? "less memory" : s.goal == Goal::Speed ? "faster" : "cheaper";
    const std::string gain =
        s.goal == Goal::Fit && s.gain < kNoLess
            ? "fits"
            : fmt::format("{:.0f} % {}", s.goal == Goal::Speed ? 100 * s.gain : std::min(99.0, 100 * s.gain), what);
    return fmt::format("         {}: {}; {} tokens/s, peak {}{}\n             {}\n", changesText(s), gain,
        formatCount(s.tokensPerSecond), formatBytes(s.peak),
        s.usdPerBillionTokens ? fmt::format(", {} per billion tokens", formatUsd(*s.usdPerBillionTokens)) : "", s.why);
}

} // namespace

Seconds idleSeconds(const SpeedPrediction &s)
{
    Seconds busy = s.communicationExposed;
    for (std::size_t i = 0; i < s.seconds.size(); ++i)
        busy += static_cast<CostClass>(i) == CostClass::Communication ? 0 : s.seconds[i];
    return std::max(0.0, s.step - busy);
}

std::string nothingFitsText(const Prediction &p)
{
    if (!p.leastFound)
        return {};
    const Suggestion &least = *p.leastFound;
    const auto count = std::find_if(
        least.change.begin(), least.change.end(), [](const auto &change) { return change.first == "gpus"; });
    const std::string gpus = count != least.change.end() ? count->second : std::to_string(p.config.parallel.gpus),
                      changes = changesText(least, "gpus");
    return fmt::format("No configuration was found that fits in {}. The lowest peak found is {}{}{} on {} GPU{}.",
        formatBytes(p.memory.capacity), formatBytes(least.peak), changes.empty() ? "" : " with ", changes, gpus,
        gpus == "1" ? "" : "s");
}

std::string toText(const Prediction &p)
{
    std::string text =
        headline(p) + memoryText(p.memory) + speedText(p.speed, double(p.config.tokensPerStep())) + costText(p.cost);
    if (!p.suggestions.empty())
        text += "\nTry      (each verified by its own plan)\n";
    for (const Suggestion &s : p.suggestions)
        text += suggestionText(s);
    if (const std::string nothing = nothingFitsText(p); !nothing.empty())
        text += "\nTry      " + nothing + "\n";
    text += fmt::format("\nOrigin   memory: {}, speed: {}\n", enumName(p.memoryOrigin), enumName(p.speedOrigin));
    for (const std::string &note : p.notes)
        text += "         " + note + "\n";
    return text;
}

} // namespace slipway
