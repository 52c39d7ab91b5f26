// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "predict/search_settings.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <iterator>

#include "config/resolve_model.h"
#include "config/settings.h"
#include "config/validate_mesh.h"
#include "predict/assess.h"
#include "predict/candidate.h"
#include "predict/suggest_fit.h"

namespace slipway {

namespace {

constexpr std::size_t kOtherGpus = 6, kMostSuggestions = 8;
constexpr std::int64_t kLargestTriedMicroBatch = 1024;
constexpr std::size_t kPipelines = 8; // the fastest ones, for which other schedules are tried

struct Tried {
    RunConfig config; // as a user would write it, without the settings of the framework's profile
    Assessment then;
};

// The number of changes that a user would count. Gradient accumulation follows from the micro-batch.
std::size_t sizeOf(const std::vector<SettingChange> &changes)
{
    return static_cast<std::size_t>(std::count_if(changes.begin(), changes.end(),
        [](const SettingChange &change) { return change.key != "grad_accum" && change.key != "recompute_ops"; }));
}

// Adds the mesh with its experts on as many ranks as possible. Other frameworks keep their number.
void addExpertRanks(std::vector<Parallelism> &meshes, Parallelism mesh, const ModelSpec &model, bool own)
{
    const Parallelism now = meshes.front();
    const int most = own ? model.experts.count : 0;
    for (int ep = 1; ep <= most; ep *= 2) {
        mesh.ep = ep;
        if (mesh != now && validateExperts(mesh, model))
            meshes.push_back(mesh);
    }
    if (most == 0 && mesh != now)
        meshes.push_back(mesh);
}

// Every mesh of the model on the same number of GPUs. Other frameworks keep their number of context-parallel ranks.
std::vector<Parallelism> meshesOf(const RunConfig &config, const ModelSpec &model)
{
    std::vector<Parallelism> meshes{config.parallel}; // the user's own mesh comes first
    const bool own = config.framework == Framework::Slipway;
    const Parallelism &now = config.parallel;
    const int leastContext = own ? 1 : now.cp, mostContext = own ? now.gpusPerNode : now.cp;
    for (int tp = 1; tp <= now.gpusPerNode; tp *= 2) {
        for (int pp = 1; pp <= std::min(kMostStages, model.layers); pp *= 2) {
            for (int cp = leastContext; cp <= mostContext; cp *= 2) {
                Parallelism mesh = now;
                mesh.tp = tp;
                mesh.pp = pp;
                mesh.cp = cp;
                mesh.virtualStages = pp == now.pp ? now.virtualStages : 1;
                mesh.schedule = pp == now.pp ? now.schedule : PipelineSchedule::Auto;
                if (now.gpus % mesh.modelParallel() == 0)
                    addExpertRanks(meshes, mesh, model, own);
            }
        }
    }
    return meshes;
}

std::vector<ParallelKind> kindsFor(const Parallelism &mesh)
{
    if (mesh.dataParallel() < 2)
        return {ParallelKind::None};
    std::vector<ParallelKind> kinds{
        ParallelKind::Ddp, ParallelKind::Zero1, ParallelKind::FsdpGradOp, ParallelKind::FsdpFull};
    if (mesh.nodes() > 1)
        kinds.push_back(ParallelKind::Hsdp);
    return kinds;
}

// The ways in which ranks may exchange keys and values: the user's own first.
std::vector<ContextExchange> exchangesFor(const RunConfig &config, const Parallelism &mesh, Attention attention)
{
    const ContextExchange now = config.contextExchange;
    if (config.framework != Framework::Slipway || mesh.cp == 1 || attention != Attention::Flash)
        return {now};
    return {now, now == ContextExchange::Ring ? ContextExchange::Auto : ContextExchange::Ring};
}

class SettingsSearcher {
public:
    SettingsSearcher(const RunConfig &asked, const ResolvedConfig &resolved, const Catalogue &catalogue,
        const std::function<bool()> &cancelled)
        : m_asked(withSettledChoices(asked, resolved.config)),
          m_model(resolveModel(asked.model, catalogue).value()), // succeeds, as it did for `resolved`
          m_resolved(resolved),
          m_catalogue(catalogue),
          m_cancelled(cancelled)
    {
    }

    SettingsSearch run(const Assessment &now)
    {
        for (const Parallelism &mesh : meshesOf(m_resolved.config, m_model))
            tryMesh(m_resolved.gpu, mesh, m_own);
        if (now.memory.verdict != Verdict::Fits && canPackFrozenWeights(m_resolved.config)) {
            m_frozen = FrozenWeights::Nf4;
            tryMesh(m_resolved.gpu, m_resolved.config.parallel, m_own);
            m_frozen.reset();
        }
        if (m_asked.framework == Framework::Slipway)
            trySchedules();
        tryOtherGpus();
        report(now);
        return std::move(m_result);
    }

private:
    bool mayContinue()
    {
        m_result.cancelled = m_result.cancelled || (m_cancelled && m_cancelled());
        return !m_result.cancelled;
    }

    // Tries other schedules for the fastest pipelines of our own trainer. Other frameworks may not have all of them.
    void trySchedules()
    {
        std::vector<Tried> pipelines;
        std::ranges::copy_if(
            m_own, std::back_inserter(pipelines), [](const Tried &tried) { return tried.config.parallel.pp > 1; });
        std::ranges::stable_sort(
            pipelines, std::greater<>(), [](const Tried &tried) { return tried.then.speed.tokensPerSecond; });
        if (pipelines.size() > kPipelines)
            pipelines.resize(kPipelines);
        for (const Tried &pipeline : pipelines) {
            for (const auto &[schedule, parts] : {std::pair(PipelineSchedule::Auto, 1),
                     std::pair(PipelineSchedule::ZeroBubble, 1), std::pair(PipelineSchedule::Interleaved, 2)}) {
                RunConfig config = pipeline.config;
                config.parallel.schedule = schedule;
                config.parallel.virtualStages = parts;
                if (config.parallel == pipeline.config.parallel)
                    continue;
                if (!mayContinue())
                    return;
                keepFitting(m_resolved.gpu, config, m_own);
            }
        }
    }

    // Whether the configuration fits. It is kept if it fits with a margin.
    enum class Outcome { Excluded, TooLarge, Tight, Kept };
    Outcome keepFitting(const Gpu &gpu, const RunConfig &config, std::vector<Tried> &list)
    {
        const Result<ResolvedConfig> resolved = resolveConfig(config, m_model, gpu, m_catalogue);
        if (!resolved)
            return Outcome::Excluded; // the settings exclude each other
        ++m_result.plans;
        const Result<Assessment> then = assess(*resolved, m_catalogue);
        if (!then)
            return Outcome::Excluded; // the framework does not run them, perhaps only at this micro-batch
        if (then->memory.verdict == Verdict::Oom)
            return Outcome::TooLarge;
        if (then->memory.verdict != Verdict::Fits || !std::isfinite(then->speed.tokensPerSecond))
            return Outcome::Tight;
        list.push_back({config, *then});
        return Outcome::Kept;
    }

    void tryOtherGpus()
    {
        const Result<PriceBook> book = m_catalogue.priceBook(m_resolved.config.prices);
        if (!book || book->ratiosOnly) // relative prices are no offer
            return;
        for (const Gpu *gpu : otherGpus(m_resolved, *book, m_catalogue, kOtherGpus))
            tryMesh(*gpu, m_resolved.config.parallel, m_others);
    }

    void tryMesh(const Gpu &gpu, const Parallelism &mesh, std::vector<Tried> &list)
    {
        const RunConfig &c = m_asked;
        const std::int64_t sequences = c.microBatch * c.gradAccum * c.parallel.dataParallel();
        if (sequences % mesh.dataParallel() != 0)
            return;
        const bool own = gpu.id == m_resolved.gpu.id && mesh == c.parallel;
        std::vector<Attention> kernels{Attention::Flash};
        if (own && c.attention == Attention::Vanilla)
            kernels.push_back(Attention::Vanilla); // a smaller change, although not a faster one
        RunConfig config = c;
        config.gpu = gpu.id == m_resolved.gpu.id ? c.gpu : gpu.id;
        config.parallel = mesh;
        if (m_frozen)
            config.frozenWeights = m_frozen;
        for (const ParallelKind kind : kindsFor(mesh)) {
            config.parallel.kind = kind;
            for (const Attention attention : kernels) {
                config.attention = attention;
                for (const ContextExchange exchange : exchangesFor(c, mesh, attention)) {
                    config.contextExchange = exchange;
                    tryRecomputation(gpu, config, sequences / mesh.dataParallel(), own, list);
                }
            }
        }
    }

    // A configuration that fits gains nothing from recomputation. `own`: the user's own mesh and GPU.
    void tryRecomputation(const Gpu &gpu, RunConfig config, std::int64_t sequences, bool own, std::vector<Tried> &list)
    {
        std::int64_t fitted = 0;
        for (const Recompute recompute : {Recompute::None, Recompute::Selective, Recompute::Full}) {
            if (recompute != m_asked.recompute)
                config.recomputeOps.clear();
            else
                config.recomputeOps = m_asked.recomputeOps;
            config.recompute = recompute;
            const std::int64_t above = own && recompute == m_asked.recompute ? 0 : fitted;
            fitted = std::max(fitted, tryMicroBatches(gpu, config, sequences, above, list));
        }
    }

    // Tries micro-batches in ascending order, from the smallest above `above`. If one does not fit, no larger one does.
    // Returns the largest one that fits.
    std::int64_t tryMicroBatches(
        const Gpu &gpu, RunConfig config, std::int64_t sequences, std::int64_t above, std::vector<Tried> &list)
    {
        std::int64_t largest = 0;
        for (std::int64_t size = above + 1; size <= std::min(sequences, kLargestTriedMicroBatch); ++size) {
            if (sequences % size != 0)
                continue;
            config.microBatch = size;
            config.gradAccum = sequences / size;
            if (!mayContinue())
                break;
            const Outcome outcome = keepFitting(gpu, config, list);
            if (outcome == Outcome::TooLarge)
                break;
            if (outcome == Outcome::Kept)
                largest = size;
        }
        return largest;
    }

    void add(const Tried &tried, const Assessment &now, Goal goal, double gain, std::string why)
    {
        if (goal == Goal::Fit)
            gain = savedMemory(now, tried.then);
        Suggestion s = suggestionOf(m_asked, {tried.config, std::move(why)}, tried.then, goal, gain);
        const auto same = [&](const Suggestion &other) { return other.change == s.change; };
        if (!s.change.empty() && std::none_of(m_result.best.begin(), m_result.best.end(), same))
            m_result.best.push_back(std::move(s));
    }

    void report(const Assessment &now)
    {
        const auto slower = [](const Tried &a, const Tried &b) {
            return a.then.speed.tokensPerSecond < b.then.speed.tokensPerSecond;
        };
        const auto fastest = std::max_element(m_own.begin(), m_own.end(), slower);
        const bool fits = now.memory.verdict == Verdict::Fits;
        if (fastest != m_own.end()) {
            const double faster = fastest->then.speed.tokensPerSecond / now.speed.tokensPerSecond;
            if (!fits || faster > kWorthwhileGain)
                add(*fastest, now, fits ? Goal::Speed : Goal::Fit, faster - 1,
                    "the fastest settings that fit with a margin: same model, global batch and number of GPUs");
        }
        if (!fits)
            reportSmallestChange(now);
        reportCheapestGpu(now, fits);
    }

    // Reports the smallest change. Among equally small ones, it is the fastest.
    void reportSmallestChange(const Assessment &now)
    {
        const Tried *smallest = nullptr;
        std::pair<std::size_t, double> least;
        for (const Tried &tried : m_own) {
            const std::pair order{sizeOf(differences(m_asked, tried.config)), -tried.then.speed.tokensPerSecond};
            if (smallest == nullptr || order < least) {
                smallest = &tried;
                least = order;
            }
        }
        if (smallest)
            add(*smallest, now, Goal::Fit, 0, "the smallest change that fits with a margin");
    }

    void reportCheapestGpu(const Assessment &now, bool fits)
    {
        const Tried *cheapest = nullptr;
        for (const Tried &tried : m_others) {
            if (const auto cost = costOf(tried.then); cost && (!cheapest || *cost < *costOf(cheapest->then)))
                cheapest = &tried;
        }
        if (!cheapest)
            return;
        const std::optional<double> present = costOf(now);
        const double saved = present ? 1 - *costOf(cheapest->then) / *present : 0;
        if (!fits || saved > kWorthwhileGain - 1)
            add(*cheapest, now, fits ? Goal::Cost : Goal::Fit, saved,
                "the cheapest settings on another GPU of the price book");
    }

    const RunConfig m_asked;
    const ModelSpec m_model;
    const ResolvedConfig &m_resolved; // resolved from m_asked
    const Catalogue &m_catalogue;
    const std::function<bool()> &m_cancelled;
    std::optional<FrozenWeights> m_frozen; // instead of the user's own
    std::vector<Tried> m_own, m_others;    // configurations that fit
    SettingsSearch m_result;
};

} // namespace

Result<SettingsSearch> searchSettings(
    const RunConfig &config, const Catalogue &catalogue, const std::function<bool()> &cancelled)
{
    const Result<ResolvedConfig> resolved = resolveConfig(config, catalogue);
    if (!resolved)
        return resolved.error();
    const Result<Assessment> now = assess(*resolved, catalogue);
    if (!now)
        return now.error();
    return SettingsSearcher(config, *resolved, catalogue, cancelled).run(*now);
}

std::vector<Suggestion> mergedSuggestions(const SettingsSearch &search, const std::vector<Suggestion> &suggested)
{
    std::vector<Suggestion> all = search.best;
    for (const Suggestion &other : suggested) {
        const auto same = [&](const Suggestion &known) { return known.change == other.change; };
        if (std::none_of(all.begin(), all.end(), same))
            all.push_back(other);
    }
    if (all.size() > kMostSuggestions)
        all.resize(kMostSuggestions);
    return all;
}

} // namespace slipway
