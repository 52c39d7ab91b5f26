// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "explore/findings.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/median.h"
#include "base/text.h"
#include "explore/figures.h"
#include "predict/assess.h"

namespace slipway {

namespace {

const std::vector<std::string> kModels{"100M", "500M", "1B", "2B"};
const std::vector<std::string> kGpus{"a100-sxm-40gb", "a100-sxm-80gb", "h100-sxm-80gb"};

using Choice = std::vector<std::pair<std::string_view, std::string_view>>; // setting -> value

// The sweep's points by the values of some axes.
class PaperPoints {
public:
    PaperPoints(const Sweep &sweep, const Catalogue &catalogue) : m_sweep(sweep), m_catalogue(catalogue) {}

    [[nodiscard]] bool has(const SweepPoint &point, const Choice &choice) const
    {
        return std::all_of(choice.begin(), choice.end(), [&](const auto &wanted) {
            const auto axis = m_sweep.grid.axisOf(wanted.first);
            return axis && m_sweep.grid.valueAt(point.index, *axis) == wanted.second;
        });
    }
    [[nodiscard]] std::vector<const SweepPoint *> all(const Choice &choice) const
    {
        std::vector<const SweepPoint *> points;
        for (const SweepPoint &point : m_sweep.points) {
            if (point.skipped.empty() && has(point, choice))
                points.push_back(&point);
        }
        return points;
    }
    // The one with the most tokens per dollar that runs; nullptr: none does.
    [[nodiscard]] const SweepPoint *best(const Choice &choice) const
    {
        const SweepPoint *found = nullptr;
        for (const SweepPoint *point : all(choice)) {
            if (point->runs() && (!found || point->objective() > found->objective()))
                found = point;
        }
        return found;
    }
    [[nodiscard]] const std::string &value(const SweepPoint &point, std::string_view key) const
    {
        return m_sweep.grid.valueAt(point.index, *m_sweep.grid.axisOf(key));
    }
    [[nodiscard]] const std::vector<std::string> &values(std::string_view key) const
    {
        return m_sweep.grid.axes[*m_sweep.grid.axisOf(key)].values;
    }

    // The point that differs from `point` in one setting alone.
    [[nodiscard]] const SweepPoint *twin(const SweepPoint &point, std::string_view key, std::string_view other) const
    {
        const std::size_t axis = *m_sweep.grid.axisOf(key);
        std::size_t stride = 1;
        for (std::size_t i = axis + 1; i < m_sweep.grid.axes.size(); ++i)
            stride *= m_sweep.grid.axes[i].values.size();
        const auto &list = m_sweep.grid.axes[axis].values;
        const auto from =
            static_cast<std::size_t>(std::find(list.begin(), list.end(), value(point, key)) - list.begin());
        const auto to = static_cast<std::size_t>(std::find(list.begin(), list.end(), other) - list.begin());
        const std::size_t index = point.index - from * stride + to * stride;
        return to < list.size() && index < m_sweep.points.size() ? &m_sweep.points[index] : nullptr;
    }
    [[nodiscard]] std::string words(const SweepPoint &point) const
    {
        return fmt::format("{} on {} x {}, {}, micro-batch {}, {}", value(point, "model"), value(point, "gpus"),
            value(point, "gpu"), value(point, "parallel"), value(point, "micro_batch"), value(point, "attention"));
    }
    [[nodiscard]] std::string difference(const SweepPoint &a, const SweepPoint &b) const;
    [[nodiscard]] const Sweep &sweep() const { return m_sweep; }
    [[nodiscard]] const Catalogue &catalogue() const { return m_catalogue; }

private:
    [[nodiscard]] Result<Assessment> assessed(const SweepPoint &point) const
    {
        const Result<RunConfig> config = configAt(m_sweep.base, m_sweep.grid, point.index);
        const Result<ResolvedConfig> resolved =
            config ? resolveConfig(*config, m_catalogue) : Result<ResolvedConfig>(config.error());
        return resolved ? assess(*resolved, m_catalogue) : Result<Assessment>(resolved.error());
    }
    const Sweep &m_sweep;
    const Catalogue &m_catalogue;
};

// Which part of the step differs most between two points: the reason that our own model gives.
std::string PaperPoints::difference(const SweepPoint &a, const SweepPoint &b) const
{
    const Result<Assessment> one = assessed(a), other = assessed(b);
    if (!one || !other)
        return {};
    struct Part {
        std::string name;
        Seconds one, other;
    };
    std::vector<Part> parts;
    for (std::size_t i = 0; i < one->speed.seconds.size(); ++i) {
        const bool communication = static_cast<CostClass>(i) == CostClass::Communication;
        parts.push_back({communication ? "exposed communication" : std::string(EnumNames<CostClass>::names[i]),
            communication ? one->speed.communicationExposed : one->speed.seconds[i],
            communication ? other->speed.communicationExposed : other->speed.seconds[i]});
    }
    const auto largest = *std::max_element(parts.begin(), parts.end(),
        [](const Part &x, const Part &y) { return std::abs(x.one - x.other) < std::abs(y.one - y.other); });
    return fmt::format("The step takes {} for {}, and {} for {}. The largest difference is in {}: {} versus {}.",
        formatSeconds(one->speed.step), words(a), formatSeconds(other->speed.step), words(b), largest.name,
        formatSeconds(largest.one), formatSeconds(largest.other));
}

std::string percent(double fraction) { return fmt::format("{:.0f} %", 100 * fraction); }
std::string count(double value) { return formatCount(value); }

Agreement agreementOf(std::size_t yes, std::size_t all)
{
    return yes == all ? Agreement::Agreed : 2 * yes >= all ? Agreement::Partly : Agreement::Contradicted;
}

double flashGain(const PaperPoints &points, const std::string &model)
{
    const SweepPoint *flash = points.best({{"model", model}, {"attention", "flash"}}),
                     *vanilla = points.best({{"model", model}, {"attention", "vanilla"}});
    return flash && vanilla ? flash->objective() / vanilla->objective() : 0;
}

Finding flashHelpsSmallModelsMost(const PaperPoints &points)
{
    Finding f{.claim = "Flash attention matters more for small models.",
        .test = "For each model, two ratios of flash to vanilla: the highest tokens per dollar, and the median of "
                "tokens/s with all other settings equal.",
        .columns = {
            "Model", "Best with flash", "Best with vanilla", "Gain, best points", "Median gain, other settings equal"}};
    std::vector<double> gains, medians;
    for (const std::string &model : kModels) {
        std::vector<double> ratios;
        for (const SweepPoint *flash : points.all({{"model", model}, {"attention", "flash"}})) {
            const SweepPoint *vanilla = points.twin(*flash, "attention", "vanilla");
            if (flash->runs() && vanilla && vanilla->runs())
                ratios.push_back(flash->tokensPerSecond / vanilla->tokensPerSecond);
        }
        const double median = ratios.empty() ? 0 : quantileOf(ratios, 0.5);
        medians.push_back(median);
        const SweepPoint *flash = points.best({{"model", model}, {"attention", "flash"}}),
                         *vanilla = points.best({{"model", model}, {"attention", "vanilla"}});
        gains.push_back(flashGain(points, model));
        f.rows.push_back(
            {model, flash ? count(flash->objective()) : "none", vanilla ? count(vanilla->objective()) : "none",
                fmt::format("{:.2f}x", gains.back()), fmt::format("{:.2f}x", median)});
    }
    const auto falls = [](const std::vector<double> &values) {
        return static_cast<std::size_t>(
            std::count_if(values.begin() + 1, values.end(), [&](double value) { return value < values.front(); }));
    };
    f.agreement = agreementOf(falls(gains) + falls(medians), 2 * (gains.size() - 1));
    f.answer = fmt::format("Flash gives {:.2f} times the tokens per dollar at 100M and {:.2f} times at 2B. With other "
                           "settings equal, it is {:.2f} and {:.2f} times as fast.",
        gains.front(), gains.back(), medians.front(), medians.back());
    if (const SweepPoint *best = points.best({{"model", "100M"}, {"attention", "vanilla"}}))
        f.why = "The cost of the attention scores grows linearly with the hidden size, that of the GEMMs with its "
                "square. With other settings equal, vanilla attention therefore costs the smallest model most. At the "
                "best points, larger models also gain because flash leaves memory for a larger batch. " +
                points.difference(*points.twin(*best, "attention", "flash"), *best);
    return f;
}

Finding vanillaRunsOutOfMemory(const PaperPoints &points)
{
    Finding f{.claim = "At 1B and 2B vanilla attention runs out of memory where flash does not.",
        .test = "Points that run with flash attention but not with vanilla, with other settings equal.",
        .columns = {"Model", "Points that run with flash", "Of these, out of memory with vanilla", "Share"}};
    std::size_t yes = 0;
    std::vector<std::size_t> lost;
    for (const std::string &model : kModels) {
        std::size_t fits = 0, oom = 0;
        for (const SweepPoint *flash : points.all({{"model", model}, {"attention", "flash"}})) {
            const SweepPoint *vanilla = points.twin(*flash, "attention", "vanilla");
            if (!flash->runs() || !vanilla)
                continue;
            ++fits;
            oom += vanilla->verdict == Verdict::Oom;
        }
        lost.push_back(oom);
        yes += oom > 0 && (model == "1B" || model == "2B");
        f.rows.push_back(
            {model, std::to_string(fits), std::to_string(oom), fits ? percent(double(oom) / double(fits)) : "-"});
    }
    f.agreement = agreementOf(yes, 2);
    f.answer = fmt::format("{} points of 1B and {} of 2B run only with flash; so do {} of 100M and {} of 500M.",
        lost[2], lost[3], lost[0], lost[1]);
    f.why = "Vanilla attention stores the probabilities of every layer, 5 a s^2 b bytes (Korthikanti et al. 2022); "
            "flash recomputes them tile by tile. The larger the model, the less memory its weights, gradients and "
            "optimizer states leave for activations.";
    return f;
}

Finding schemeBySize(const PaperPoints &points)
{
    Finding f{.claim = "DDP is best for small models, FSDP for 2B at larger batches.",
        .test = "For each model and each GPU count from 2 to 64: the strategy with the most tokens per dollar.",
        .columns = {"Model", "DDP best", "FSDP full best", "FSDP grad+op best", "DDP relative to the best, median"}};
    std::size_t ddpSmall = 0, fsdpLarge = 0, counts = 0;
    for (const std::string &model : kModels) {
        std::array<std::size_t, 3> wins{};
        std::vector<double> parts;
        counts = 0;
        for (const std::string &gpus : points.values("gpus")) {
            if (gpus == "1")
                continue;
            ++counts;
            const SweepPoint *best = points.best({{"model", model}, {"gpus", gpus}}),
                             *ddp = points.best({{"model", model}, {"gpus", gpus}, {"parallel", "ddp"}});
            if (!best)
                continue;
            const std::string &kind = points.value(*best, "parallel");
            ++wins[kind == "ddp" ? 0 : kind == "fsdp-full" ? 1 : 2];
            parts.push_back(ddp ? ddp->objective() / best->objective() : 0);
        }
        if (model == "100M")
            ddpSmall = wins[0];
        if (model == "2B")
            fsdpLarge = wins[1] + wins[2];
        f.rows.push_back({model, std::to_string(wins[0]), std::to_string(wins[1]), std::to_string(wins[2]),
            parts.empty() ? "-" : percent(quantileOf(parts, 0.5))});
    }
    const bool small = 2 * ddpSmall > counts, large = 2 * fsdpLarge > counts;
    f.agreement = small && large ? Agreement::Agreed : small || large ? Agreement::Partly : Agreement::Contradicted;
    f.answer = fmt::format(
        "Of {} GPU counts, DDP is best at {} for 100M, and FSDP at {} for 2B.", counts, ddpSmall, fsdpLarge);
    const SweepPoint *best = points.best({{"model", "100M"}, {"gpus", "8"}});
    if (const SweepPoint *ddp = points.best({{"model", "100M"}, {"gpus", "8"}, {"parallel", "ddp"}});
        best && ddp && best != ddp)
        f.why = points.difference(*best, *ddp);
    else if (const SweepPoint *full = points.best({{"model", "100M"}, {"gpus", "8"}, {"parallel", "fsdp-full"}});
        ddp && full)
        f.why = points.difference(*ddp, *full);
    f.why += " At 2B, the model states leave DDP little memory for the batch; FSDP shards them.";
    return f;
}

Finding gradOpAboveFull(const PaperPoints &points)
{
    Finding f{.claim = "FSDP grad+op is faster than FSDP full.",
        .test = "Points on 2 to 64 GPUs where both run, with other settings equal: the faster of the two.",
        .columns = {"Model", "Both run", "Grad+op faster", "Median gain of grad+op"}};
    std::size_t pairs = 0, wins = 0;
    std::vector<double> everywhere;
    for (const std::string &model : kModels) {
        std::vector<double> ratios;
        for (const SweepPoint *full : points.all({{"model", model}, {"parallel", "fsdp-full"}})) {
            const SweepPoint *gradOp = points.twin(*full, "parallel", "fsdp-grad-op");
            if (points.value(*full, "gpus") != "1" && full->runs() && gradOp && gradOp->runs())
                ratios.push_back(gradOp->tokensPerSecond / full->tokensPerSecond);
        }
        const auto faster =
            static_cast<std::size_t>(std::count_if(ratios.begin(), ratios.end(), [](double r) { return r > 1; }));
        pairs += ratios.size();
        wins += faster;
        everywhere.insert(everywhere.end(), ratios.begin(), ratios.end());
        f.rows.push_back({model, std::to_string(ratios.size()), std::to_string(faster),
            ratios.empty() ? "-" : fmt::format("{:.2f}x", quantileOf(ratios, 0.5))});
    }
    f.agreement = pairs > 0 && wins * 10 >= pairs * 9 ? Agreement::Agreed : agreementOf(wins, pairs);
    const double middle = everywhere.empty() ? 1 : quantileOf(everywhere, 0.5);
    f.answer =
        fmt::format("Grad+op is faster in {} of {} pairs; the median ratio of speeds is {:.3f}.", wins, pairs, middle);
    f.why = "FSDP full gathers the weights of each layer again for the backward pass; grad+op keeps them, which costs "
            "memory.";
    f.why +=
        std::abs(middle - 1) < 0.01
            ? " In Slipway's model, these all-gathers overlap with computation almost everywhere, so both are equally "
              "fast. The model does not include how much an all-gather slows down a concurrent GEMM."
            : " The difference is the time of the exposed all-gathers.";
    return f;
}

Finding fillingMemory(const PaperPoints &points)
{
    Finding f{.claim = "Filling the memory is not optimal.",
        .test = "For each model, GPU and count: whether the point with the most tokens per dollar also uses the most "
                "memory.",
        .columns = {"Model", "Combinations of GPU and count", "Best does not use the most memory",
            "Memory use of the best, median", "Most memory relative to the best, median"}};
    std::size_t all = 0, yes = 0;
    for (const std::string &model : kModels) {
        std::size_t cells = 0, other = 0;
        std::vector<double> used, parts;
        for (const std::string &gpu : kGpus) {
            for (const std::string &gpus : points.values("gpus")) {
                const Choice choice{{"model", model}, {"gpu", gpu}, {"gpus", gpus}};
                const SweepPoint *best = points.best(choice), *fullest = nullptr;
                for (const SweepPoint *point : points.all(choice)) {
                    if (point->runs() && (!fullest || point->peak > fullest->peak))
                        fullest = point;
                }
                if (!best || !fullest)
                    continue;
                ++cells;
                other += fullest->objective() < best->objective();
                used.push_back(double(best->peak) / double(points.catalogue().gpu(gpu)->memoryBytes));
                parts.push_back(fullest->objective() / best->objective());
            }
        }
        all += cells;
        yes += other;
        f.rows.push_back(
            {model, std::to_string(cells), std::to_string(other), used.empty() ? "-" : percent(quantileOf(used, 0.5)),
                parts.empty() ? "-" : percent(quantileOf(parts, 0.5))});
    }
    f.agreement = yes * 10 >= all * 9 ? Agreement::Agreed : agreementOf(yes, all);
    f.answer = fmt::format("In {} of {} cases, the configuration that uses the most memory is not the best.", yes, all);
    f.why =
        "The scores of vanilla attention and the replicas of DDP fill the memory too, and do not make a step faster. "
        "Once the kernels are efficient, a larger micro-batch gains little.";
    return f;
}

Finding largeBatchDoesNotFit(const PaperPoints &points)
{
    Finding f{.claim = "128 samples do not fit even at 100M.",
        .test = "100M with micro-batch 128 and flash attention, on each GPU of the paper, with 1 and 8 GPUs.",
        .columns = {"GPU", "GPUs", "Strategy", "Peak", "Capacity", "Verdict"}};
    std::size_t all = 0, oom = 0;
    for (const std::string &gpu : kGpus) {
        for (const auto &[gpus, kind] :
            {std::pair{1, ParallelKind::Ddp}, {8, ParallelKind::Ddp}, {8, ParallelKind::FsdpFull}}) {
            RunConfig config = points.sweep().base;
            config.framework = Framework::PytorchEager;
            config.model = {.name = "100M"};
            config.gpu = gpu;
            config.parallel.kind = kind;
            config.parallel.gpus = gpus;
            config.microBatch = 128;
            config.seqLen = 1024;
            const Result<ResolvedConfig> resolved = resolveConfig(config, points.catalogue());
            const Result<Assessment> answer =
                resolved ? assess(*resolved, points.catalogue()) : Result<Assessment>(resolved.error());
            if (!answer)
                continue;
            ++all;
            oom += answer->memory.verdict == Verdict::Oom;
            f.rows.push_back({gpu, std::to_string(gpus), std::string(enumName(kind)), formatBytes(answer->memory.peak),
                formatBytes(answer->memory.capacity), std::string(enumName(answer->memory.verdict))});
        }
    }
    f.agreement = agreementOf(oom, all);
    f.answer = fmt::format("{} of {} do not fit.", oom, all);
    f.why = "The logits take most of the memory. For 128 x 1024 tokens and a vocabulary size of 32,000, they take "
            "15.6 GiB in fp32, and eager code keeps several copies.";
    return f;
}

Finding a10080AtThirtyTwo(const PaperPoints &points)
{
    Finding f{.claim = "The A100-80GB pays off at 32 GPUs for 1B and 2B.",
        .test = "At 32 GPUs: the highest tokens per price unit of each GPU, at the paper's price ratios.",
        .columns = {"Model", "A100-40GB", "A100-80GB", "H100-80GB", "Best"}};
    std::size_t yes = 0;
    std::string best;
    for (const std::string &model : kModels) {
        std::vector<std::string> row{model};
        const SweepPoint *winner = points.best({{"model", model}, {"gpus", "32"}});
        std::array<double, 3> objective{};
        for (std::size_t i = 0; i < kGpus.size(); ++i) {
            const SweepPoint *point = points.best({{"model", model}, {"gpus", "32"}, {"gpu", kGpus[i]}});
            objective[i] = point ? point->objective() : 0;
            row.push_back(point ? count(objective[i]) : "OOM");
        }
        row.push_back(winner ? points.value(*winner, "gpu") : "none");
        if (model == "1B" || model == "2B") {
            yes += objective[1] > objective[0];
            best += fmt::format("{}{}: {:.2f} times that of the A100-40GB", best.empty() ? "" : ", ", model,
                objective[0] > 0 ? objective[1] / objective[0] : 0);
        }
        f.rows.push_back(std::move(row));
    }
    f.agreement = agreementOf(yes, 2);
    f.answer = "Tokens per price unit of the A100-80GB at 32 GPUs: " + best + ".";
    const SweepPoint *small = points.best({{"model", "2B"}, {"gpus", "32"}, {"gpu", "a100-sxm-40gb"}}),
                     *large = points.best({{"model", "2B"}, {"gpus", "32"}, {"gpu", "a100-sxm-80gb"}});
    if (small && large)
        f.why = "Both GPUs have the same compute rates. The larger one gains only through a larger batch, and it must "
                "be 1.46 times as fast to pay off. " +
                points.difference(*large, *small);
    return f;
}

Finding dearestIsNotBest(const PaperPoints &points)
{
    Finding f{.claim = "The most expensive GPU is often not the best per dollar.",
        .test = "For each model and count: whether the H100 gives the most tokens per price unit, at the paper's price "
                "ratios 1.00, 1.46 and 2.53.",
        .columns = {"Model", "Counts", "A100-40GB best", "A100-80GB best", "H100-80GB best"}};
    std::size_t all = 0, yes = 0;
    for (const std::string &model : kModels) {
        std::array<std::size_t, 3> wins{};
        std::size_t counts = 0;
        for (const std::string &gpus : points.values("gpus")) {
            const SweepPoint *best = points.best({{"model", model}, {"gpus", gpus}});
            if (!best)
                continue;
            ++counts;
            ++wins[static_cast<std::size_t>(
                std::find(kGpus.begin(), kGpus.end(), points.value(*best, "gpu")) - kGpus.begin())];
        }
        all += counts;
        yes += wins[0] + wins[1];
        f.rows.push_back(
            {model, std::to_string(counts), std::to_string(wins[0]), std::to_string(wins[1]), std::to_string(wins[2])});
    }
    f.agreement = 3 * yes >= all ? Agreement::Agreed : yes > 0 ? Agreement::Partly : Agreement::Contradicted;
    f.answer = fmt::format("The H100 is not the best in {} of {} cases.", yes, all);
    f.why = "By its data sheet, an H100 has 3.2 times the peak rate of an A100 and 1.6 to 2.2 times its bandwidth, at "
            "2.53 times the price. It pays off where GEMMs dominate, not where memory traffic or kernel launches do.";
    for (const char *model : {"100M", "2B"}) {
        const SweepPoint *dear = points.best({{"model", model}, {"gpus", "8"}, {"gpu", "h100-sxm-80gb"}}),
                         *cheap = points.best({{"model", model}, {"gpus", "8"}, {"gpu", "a100-sxm-40gb"}});
        if (dear && cheap)
            f.why += fmt::format(" Eight H100 give {:.2f} times the tokens/s of eight A100-40GB at {}.",
                dear->tokensPerSecond / cheap->tokensPerSecond, model);
    }
    return f;
}

} // namespace

std::vector<Finding> paperFindings(const Sweep &sweep, const Catalogue &catalogue)
{
    const PaperPoints points(sweep, catalogue);
    return {flashHelpsSmallModelsMost(points), vanillaRunsOutOfMemory(points), dearestIsNotBest(points),
        schemeBySize(points), gradOpAboveFull(points), fillingMemory(points), largeBatchDoesNotFit(points),
        a10080AtThirtyTwo(points)};
}

Sweep paperSweep(const Catalogue &catalogue, const std::function<bool(std::size_t, std::size_t)> &progress)
{
    RunConfig base;
    base.prices = "paper";
    return sweep({.base = base, .grid = paperGrid(), .catalogue = catalogue}, progress);
}

} // namespace slipway
