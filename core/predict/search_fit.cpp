// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "predict/search_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

#include "config/resolve_model.h"
#include "config/validate_mesh.h"
#include "plan/native/supported.h"

namespace slipway {

namespace {

constexpr int kMostContextRanks = 32;
constexpr int kShortestPart = 256; // tokens: a rank gets no shorter piece of a sequence

// What the search gives up in addition to time. Each value includes those before it.
enum class GivenUp { Nothing, HostTraffic, TokensOfAStep };

int sequencesOf(const RunConfig &c)
{
    return static_cast<int>(std::min<std::int64_t>(c.microBatch * c.gradAccum * c.parallel.dataParallel(), 1 << 30));
}

bool isOurs(const RunConfig &c) { return c.framework == Framework::Slipway; }

int largestPowerOfTwo(int limit, const auto &allowed)
{
    int size = 1;
    while (size * 2 <= limit && allowed(size * 2))
        size *= 2;
    return size;
}

int mostTensorRanks(const ResolvedConfig &s, int ranks)
{
    return largestPowerOfTwo(std::min(s.config.parallel.gpusPerNode, ranks),
        [&](int tp) { return ranks % tp == 0 && dividesHeads(tp, s.model.attention); });
}

int mostContextRanks(const ResolvedConfig &s, int ranks)
{
    const std::int64_t parts = s.config.seqLen / kShortestPart;
    return largestPowerOfTwo(std::min(kMostContextRanks, ranks),
        [&](int cp) { return ranks % cp == 0 && cp <= parts && dividesSequence(cp, s.config); });
}

int mostExpertRanks(const RunConfig &c, const ModelSpec &m)
{
    return m.experts.count == 0 ? 1 : largestPowerOfTwo(m.experts.count, [&](int ep) {
        Parallelism mesh = c.parallel;
        mesh.ep = ep;
        return bool(validateExperts(mesh, m));
    });
}

// Everything is sharded over this many ranks, with micro-batch 1 and full recomputation. The remaining ranks, beyond
// tensor and context parallelism, become data-parallel ranks as far as there are sequences, then pipeline stages. Empty
// if there is no such mesh.
std::optional<Candidate> sharedOut(const ResolvedConfig &s, int ranks, int tp, int cp, GivenUp given)
{
    const int sequences = sequencesOf(s.config), rest = ranks / (tp * cp);
    const int dp = given == GivenUp::TokensOfAStep ? rest : std::gcd(rest, sequences), stages = rest / dp;
    if (stages > std::min(kMostStages, s.model.layers))
        return std::nullopt;
    Candidate found{s.config, "fully sharded, micro-batch 1, full recomputation"};
    RunConfig &c = found.config;
    c.parallel.kind = dp * cp > 1 ? ParallelKind::FsdpFull : ParallelKind::None;
    c.parallel.gpus = ranks;
    c.parallel.tp = tp;
    c.parallel.cp = cp;
    c.parallel.pp = stages;
    c.parallel.virtualStages = 1;
    c.parallel.schedule = PipelineSchedule::Auto;
    c.parallel.ep = 1;
    c.parallel.ep = mostExpertRanks(c, s.model);
    c.attention = Attention::Flash;
    c.recompute = Recompute::Full;
    c.recomputeOps.clear();
    c.microBatch = 1;
    c.gradAccum = ceilDiv(sequences, dp);
    if (given != GivenUp::Nothing && !isOurs(c)) {
        c.offloadActivations = true;
        c.simulated.lossPath = LossPath::Chunked;
        found.why += ", offloaded activations, chunked loss";
    }
    if (const double times = double(c.tokensPerStep()) / double(s.config.tokensPerStep()); times > 1)
        found.why += fmt::format("; the global batch is {:.3g} times as large", times);
    return found;
}

bool isPlannable(const RunConfig &config, const ModelSpec &model)
{
    return validate(config, model) && (!isOurs(config) || native::checkSupported(config, model));
}

// The candidate with the most tensor- and context-parallel ranks, at most these, that can be planned. Our own trainer
// does not run everything on every mesh, such as fp8 on narrow heads.
std::optional<Candidate> mostSharedOut(const ResolvedConfig &s, int ranks, int mostTensor, GivenUp given)
{
    for (int tp = mostTensor; tp >= 1; tp /= 2) {
        for (int cp = mostContextRanks(s, ranks / tp); cp >= 1; cp /= 2) {
            std::optional<Candidate> candidate = sharedOut(s, ranks, tp, cp, given);
            if (candidate && isPlannable(candidate->config, s.model))
                return candidate;
            if (!isOurs(s.config))
                return std::nullopt;
        }
    }
    return std::nullopt;
}

class FitSearcher {
public:
    FitSearcher(const ResolvedConfig &resolved, const Catalogue &catalogue)
        : m_resolved(resolved),
          m_catalogue(catalogue)
    {
        if (!resolved.gpu.isCpu && !resolved.config.memoryGib)
            chooseLargerGpu();
    }

    FitSearch run() &&
    {
        for (const GivenUp given : {GivenUp::Nothing, GivenUp::HostTraffic, GivenUp::TokensOfAStep}) {
            if (given != GivenUp::HostTraffic || !isOurs(m_resolved.config))
                onFewestRanks(given);
            if (!m_found.fitting.empty())
                break;
        }
        return std::move(m_found);
    }

private:
    enum GpuChoice { Own, Larger };
    using Tried = std::array<std::optional<FittingPlan>, 2>; // indexed by GPU; empty: does not fit
    struct Rung {
        Candidate candidate;
        std::optional<Tried> tried; // empty: not tried yet
    };

    // Chooses the cheapest of the GPUs with the most memory.
    void chooseLargerGpu()
    {
        const Result<PriceBook> book = m_catalogue.priceBook(m_resolved.config.prices);
        std::pair<Bytes, double> best{m_resolved.gpu.memoryBytes, 0};
        for (const Gpu &gpu : m_catalogue.gpus) {
            const auto price =
                gpu.isCpu || !book ? std::nullopt : priceOf(*book, gpu.id, m_resolved.config.parallel.gpusPerNode);
            const std::pair<Bytes, double> worth{gpu.memoryBytes, price ? -price->usdPerGpuHour : 0};
            if (price && gpu.memoryBytes > m_resolved.gpu.memoryBytes && worth > best) {
                best = worth;
                m_larger = &gpu;
            }
        }
    }

    // The configurations with the least memory per rank, on the requested number of ranks, on twice as many, and so on.
    [[nodiscard]] std::vector<Rung> ladder(GivenUp given) const
    {
        std::vector<Rung> rungs;
        const int asked = m_resolved.config.parallel.gpus;
        for (int ranks = asked; ranks == asked || (ranks <= kMostRanks && !m_resolved.gpu.isCpu);
            ranks *= 2) { // ranks on a CPU share its memory
            if (auto candidate = mostSharedOut(m_resolved, ranks, mostTensorRanks(m_resolved, ranks), given))
                rungs.push_back({*std::move(candidate), {}});
        }
        return rungs;
    }

    const std::optional<FittingPlan> &tried(Rung &rung, GpuChoice choice)
    {
        if (!rung.tried)
            rung.tried = triesOnGpus(rung.candidate);
        return (*rung.tried)[choice];
    }

    // The first rung below `end` that fits, if the last one does. More ranks never need more memory per rank.
    std::size_t firstThatFits(std::vector<Rung> &rungs, std::size_t end, GpuChoice choice)
    {
        if (end == 0 || !tried(rungs[end - 1], choice))
            return end;
        std::size_t failing = 0, fitting = end - 1;
        while (failing < fitting) {
            const std::size_t middle = (failing + fitting) / 2;
            if (tried(rungs[middle], choice))
                fitting = middle;
            else
                failing = middle + 1;
        }
        return fitting;
    }

    void onFewestRanks(GivenUp given)
    {
        std::vector<Rung> rungs = ladder(given);
        const std::size_t own = firstThatFits(rungs, rungs.size(), Own),
                          larger = m_larger ? firstThatFits(rungs, own, Larger) : own;
        if (larger < own)
            m_found.fitting.push_back(*tried(rungs[larger], Larger));
        if (own == rungs.size())
            return;
        m_found.fitting.push_back(*tried(rungs[own], Own));
        addMeshes(tried(rungs[own], Own)->candidate.config.parallel, given);
    }

    // Adds other meshes of the same number of ranks, which may be faster.
    void addMeshes(const Parallelism &least, GivenUp given)
    {
        m_larger = nullptr;
        for (const auto &[tp, cp] : {std::pair(least.tp, 1), {1, mostContextRanks(m_resolved, least.gpus)}, {1, 1}}) {
            const auto candidate = sharedOut(m_resolved, least.gpus, tp, cp, given);
            const bool known = !candidate || std::any_of(m_found.fitting.begin(), m_found.fitting.end(),
                                                 [&](const FittingPlan &other) {
                                                     return other.candidate.config == candidate->config;
                                                 });
            if (!known && isPlannable(candidate->config, m_resolved.model)) {
                if (std::optional<FittingPlan> found = triesOnGpus(*candidate)[Own])
                    m_found.fitting.push_back(*std::move(found));
            }
        }
    }

    // Our trainer keeps room for the most rows that may arrive at a rank's experts, so that expert-parallel ranks may
    // need more memory than they save.
    Tried triesOnGpus(const Candidate &candidate)
    {
        Tried rooms = triesPlanOnGpus(candidate);
        if (!isOurs(candidate.config) || candidate.config.parallel.ep == 1 || rooms[Own])
            return rooms;
        Candidate whole = candidate;
        whole.config.parallel.ep = 1;
        Tried others = triesPlanOnGpus(whole);
        return others[Own] || !rooms[Larger] ? std::move(others) : std::move(rooms);
    }

    // Tries one plan on the GPUs.
    Tried triesPlanOnGpus(const Candidate &candidate)
    {
        Tried rooms;
        const Result<SharedPlan> shared = sharedPlan(candidate.config, m_resolved.model);
        if (!shared)
            return rooms;
        rooms[Own] = triesOn(m_resolved.gpu, candidate, *shared);
        if (!rooms[Own] && m_larger) {
            Candidate larger{candidate.config, "a GPU with more memory: " + candidate.why};
            larger.config.gpu = m_larger->id;
            rooms[Larger] = triesOn(*m_larger, larger, *shared);
        }
        return rooms;
    }

    std::optional<FittingPlan> triesOn(const Gpu &gpu, const Candidate &candidate, const SharedPlan &shared)
    {
        const ResolvedConfig there = changedConfig(m_resolved, candidate.config, gpu, m_catalogue);
        const Result<Assessment> then = assess(there, shared, m_catalogue);
        if (!then || !std::isfinite(then->speed.tokensPerSecond))
            return std::nullopt;
        if (!m_found.least || then->memory.peak < m_found.least->then.memory.peak)
            m_found.least = {candidate, *then};
        return then->memory.verdict == Verdict::Oom ? std::nullopt : std::optional(FittingPlan{candidate, *then});
    }

    const ResolvedConfig &m_resolved;
    const Catalogue &m_catalogue;
    const Gpu *m_larger = nullptr;
    FitSearch m_found;
};

} // namespace

FitSearch searchFit(const ResolvedConfig &resolved, const Catalogue &catalogue)
{
    return FitSearcher(resolved, catalogue).run();
}

} // namespace slipway
